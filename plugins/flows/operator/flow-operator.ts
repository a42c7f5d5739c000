import { PlatformError, type Transaction } from '#core';

/**
 * Stores and validates flows: the interface's "network operator". Every flow belongs to one business account (`account`) and is
 * `not_found` for all others. Plug in a remote operator with `flows({ operator })`, and test it with the contract suite
 * `flowOperatorContract` of `posthorn/plugins/flows/testing`.
 */
export interface FlowOperator {
  /** Creates a draft. With `publish`, publishes the draft immediately if its definition has no errors. @throws FlowRefused `name_taken` */
  create(account: string, flow: NewFlow): Promise<{ readonly id: string; readonly validation_errors: readonly FlowValidationError[] }>;
  /** Changes only the given fields. @throws FlowRefused `not_found`, `invalid_status`, `name_taken` */
  update(account: string, id: string, change: FlowChange): Promise<void>;
  /** Replaces the definition; an invalid definition is stored, too. @returns the errors of the new definition @throws FlowRefused `not_found`, `invalid_status` */
  upload(account: string, id: string, definition: Uint8Array): Promise<readonly FlowValidationError[]>;
  /** @throws FlowRefused `not_found`, `invalid_status`, `has_errors`, `no_application` */
  publish(account: string, id: string): Promise<void>;
  /** @throws FlowRefused `not_found`, `invalid_status` */
  delete(account: string, id: string): Promise<void>;
  /** @throws FlowRefused `not_found`, `invalid_status` */
  deprecate(account: string, id: string): Promise<void>;
  /** Lists flows, oldest first. A cursor stays valid after its flow is deleted. @throws FlowRefused `unknown_cursor` */
  list(account: string, page?: FlowPage): Promise<FlowList>;
  /** @throws FlowRefused `not_found` */
  assets(account: string, id: string): Promise<readonly FlowAsset[]>;
  /** Returns the current preview URL while it is valid, otherwise a new URL. `invalidate` always creates a new URL and revokes the current one. @throws FlowRefused `not_found` */
  preview(account: string, id: string, options: { readonly invalidate: boolean }): Promise<FlowPreview>;
  /**
   * Admits or refuses a message with a flow. Runs inside the transaction that sends the message, so it must do no I/O except through `tx`.
   * Optional: leave it out if the operator checks messages when it receives them.
   */
  admit?(tx: Transaction, account: string, sent: SentFlow): Promise<FlowAdmission>;
  /** Whether the operator has the flows of an account. Optional: without it, the operator has the flows of all accounts; with it, the local operator has those of all others. */
  hosts?(account: string): Promise<boolean>;
}

/** The statuses of a flow. */
export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'THROTTLED', 'BLOCKED'] as const;
/** The status of a flow (States, "Flow status"). */
export type FlowStatus = (typeof flowStatuses)[number];

/** The categories that a flow can have. */
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
/** The purpose of a flow: one of the network's categories. */
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

/** The input of `create`. */
export interface NewFlow {
  readonly name: string;
  readonly categories: readonly FlowCategory[];
  /** The Flow JSON as text. It is stored unchanged, and errors refer to its lines and columns. */
  readonly definition: string;
  readonly publish: boolean;
}

/** The input of `update`. An absent field stays as it is; null removes it. */
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
  /** The `version` in its definition. */
  readonly json_version?: string | undefined;
  readonly data_api_version?: string | undefined;
  readonly updated_at: Date;
}

/** Selects at most `limit` flows after, or before, a cursor from an earlier list. Without `limit`, selects all flows. */
export interface FlowPage {
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** A page of flows. */
export interface FlowList {
  readonly flows: readonly Flow[];
  /** Cursors to the flows before and after this page; absent when there are none. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A file of a flow. */
export interface FlowAsset {
  readonly name: string;
  readonly asset_type: string;
  /** Serves the content to a plain GET until the URL expires. */
  readonly download_url: string;
}

/** The URL of the page that shows a flow as a form, and when that URL expires. */
export interface FlowPreview {
  readonly preview_url: string;
  readonly expires_at: Date;
}

/** The flow parameters of a message that is being sent. */
export interface SentFlow {
  readonly flow_id: string;
  readonly mode: 'published' | 'draft';
  readonly screen?: string | undefined;
  /** The names of the fields in `flow_action_payload.data`. */
  readonly data: readonly string[];
}

/** Whether a message with a flow may be sent: with hints for the sender, or with the network's error. */
export type FlowAdmission =
  | { readonly admitted: true; readonly hints: readonly FlowHint[] }
  | { readonly admitted: false; readonly code: number; readonly title: string; readonly details: string };

/** A probable mistake in a message that is sent anyway, and how to fix it. Issued as advice. */
export interface FlowHint {
  readonly name: string;
  readonly message: string;
  readonly fix: string;
}

/** Why an operator refused a call. */
export type FlowRefusal = 'not_found' | 'invalid_status' | 'has_errors' | 'name_taken' | 'no_application' | 'unknown_cursor';

/** The operator refused the call, for a reason that the caller can fix. */
export class FlowRefused extends Error {
  override readonly name = 'FlowRefused';
  readonly reason: FlowRefusal;

  constructor(reason: FlowRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The texts of a remote operator's error. */
export interface OperatorErrorTexts {
  readonly code: number;
  readonly message: string;
  readonly title: string;
  readonly details: string;
}

/** A remote operator refused a call for a reason that is none of `FlowRefusal`. The Flows API passes its texts on. */
export class FlowOperatorError extends PlatformError {
  readonly texts: OperatorErrorTexts;

  constructor(texts: OperatorErrorTexts) {
    super(400, 'operator_error', texts.details);
    this.texts = texts;
  }
}
