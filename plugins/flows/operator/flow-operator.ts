import type { Transaction } from '#core';

/**
 * Who keeps the definitions of flows and validates them (design: the network operator). Flows belong to a business account;
 * another account's flow does not exist. A remote operator is plugged in with `flows({ operator })`; the contract suite
 * `flowOperatorContract` of `posthorn/plugins/flows/testing` says what it has to do.
 */
export interface FlowOperator {
  /** With `publish` a sound flow is published at once; one with errors stays a draft. @throws FlowRefused `name_taken` */
  create(account: string, flow: NewFlow): Promise<{ readonly id: string; readonly validation_errors: readonly FlowValidationError[] }>;
  /** Changes what is given and nothing else. @throws FlowRefused `not_found`, `invalid_status`, `name_taken` */
  update(account: string, id: string, change: FlowChange): Promise<void>;
  /** Replaces the definition, also by one with errors. @throws FlowRefused `not_found`, `invalid_status` */
  upload(account: string, id: string, definition: Uint8Array): Promise<readonly FlowValidationError[]>;
  /** @throws FlowRefused `not_found`, `invalid_status`, `has_errors`, `no_application` */
  publish(account: string, id: string): Promise<void>;
  /** @throws FlowRefused `not_found`, `invalid_status` */
  delete(account: string, id: string): Promise<void>;
  /** @throws FlowRefused `not_found`, `invalid_status` */
  deprecate(account: string, id: string): Promise<void>;
  /** In the order of their creation. A cursor stays good when its flow is gone. @throws FlowRefused `unknown_cursor` */
  list(account: string, page?: FlowPage): Promise<FlowList>;
  /** @throws FlowRefused `not_found` */
  assets(account: string, id: string): Promise<readonly FlowAsset[]>;
  /** The address of before while it is good, unless `invalidate` asks for another. @throws FlowRefused `not_found` */
  preview(account: string, id: string, options: { readonly invalidate: boolean }): Promise<FlowPreview>;
  /**
   * Looks at a message with a flow in the transaction that sends it, without I/O: it may count. Who looks at messages when they
   * reach him leaves it out.
   */
  admit?(tx: Transaction, account: string, sent: SentFlow): Promise<FlowAdmission>;
}

/** Where a flow can be in its life. */
export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'THROTTLED', 'BLOCKED'] as const;
/** Where a flow is in its life. */
export type FlowStatus = (typeof flowStatuses)[number];

/** What a flow can be for. */
export const flowCategories = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
] as const;
/** What a flow is for. */
export type FlowCategory = (typeof flowCategories)[number];

interface Span {
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  readonly column_end: number;
}

/** Resources, "Validation error object". */
export interface FlowValidationError extends Span {
  readonly error: string;
  readonly error_type: string;
  readonly message: string;
  readonly pointers: readonly (Span & { readonly path: string })[];
}

/** A flow to be made. */
export interface NewFlow {
  readonly name: string;
  readonly categories: readonly FlowCategory[];
  /** The text of the Flow JSON, as it is to be measured and kept. */
  readonly definition: string;
  readonly publish: boolean;
}

/** What is to be changed of a flow; what is not given stays, and what is null is taken away. */
export interface FlowChange {
  readonly name?: string | undefined;
  readonly categories?: readonly FlowCategory[] | undefined;
  readonly endpoint_uri?: string | null | undefined;
  readonly application_id?: string | null | undefined;
}

/** A flow as its account sees it. */
export interface Flow {
  /** Decimal digits. */
  readonly id: string;
  readonly name: string;
  readonly status: FlowStatus;
  readonly categories: readonly FlowCategory[];
  readonly validation_errors: readonly FlowValidationError[];
  readonly endpoint_uri?: string | undefined;
  readonly application_id?: string | undefined;
  /** The version its definition names. */
  readonly json_version?: string | undefined;
  readonly data_api_version?: string | undefined;
  readonly updated_at: Date;
}

/** At most `limit` flows that come after, or before, a cursor that a list has given. Without a limit all of them. */
export interface FlowPage {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** A page of flows. */
export interface FlowList {
  readonly flows: readonly Flow[];
  /** Present where there are more flows on that side. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A file of a flow. */
export interface FlowAsset {
  readonly name: string;
  readonly asset_type: string;
  /** Gives the content to a plain GET, for a time. */
  readonly download_url: string;
}

/** Where a flow can be tried, and until when. */
export interface FlowPreview {
  readonly preview_url: string;
  readonly expires_at: Date;
}

/** What a message says of the flow it carries. */
export interface SentFlow {
  readonly flow_id: string;
  readonly mode: 'published' | 'draft';
  readonly screen?: string | undefined;
  /** The names of the data that its first screen is given. */
  readonly data: readonly string[];
}

/** Whether a message with a flow may be sent; what is allowed may still be worth a word. */
export type FlowAdmission =
  | { readonly admitted: true; readonly hints: readonly FlowHint[] }
  | { readonly admitted: false; readonly code: number; readonly title: string; readonly details: string };

/** Something that is allowed and probably not meant, and what to do about it. */
export interface FlowHint {
  readonly name: string;
  readonly message: string;
  readonly fix: string;
}

/** Why an operator does not do what was asked. */
export type FlowRefusal = 'not_found' | 'invalid_status' | 'has_errors' | 'name_taken' | 'no_application' | 'unknown_cursor';

/** The operator does not do what was asked, for a reason that is the caller's to mend. */
export class FlowRefused extends Error {
  override readonly name = 'FlowRefused';
  readonly reason: FlowRefusal;

  constructor(reason: FlowRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}
