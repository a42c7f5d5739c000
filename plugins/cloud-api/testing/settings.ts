import type { Clock } from '#core/ports';
import type { WebhookSender } from '#core/testing';

/** A number of the stand-in. */
export interface StandInNumber {
  /** Decimal digits. */
  readonly phoneNumberId: string;
  /** The id of its business account: decimal digits. */
  readonly wabaId: string;
  /** With a plus: `+15550783881`. */
  readonly address: string;
}

/** Behaviours that the documentation of the network leaves open, and the sizes of its limits. `change` sets them while the stand-in runs. */
export interface StandInSwitches {
  /**
   * The fate of a free-form message to a contact who has not written for 24 hours: it is accepted and then fails (`status`, the
   * default), it is refused immediately (`refuse`), or it is delivered (`open`).
   */
  readonly closedWindow: 'status' | 'refuse' | 'open';
  /** The HTTP status of throttled calls: 429 (default) or 400. */
  readonly throttledStatus: 429 | 400;
  /** The answer to a call without a token: 401 with code 190 (default), or 200 with code 104. */
  readonly missingToken: 190 | 104;
  /** Messages per second and number, in and out together. 80 by default. */
  readonly messagesPerSecond: number;
  /** Messages to one contact in a burst, 45 by default, and the milliseconds after which one more is allowed, 6000 by default. */
  readonly pairBurst: number;
  readonly pairGapMs: number;
  /** Statuses of messages: automatic (default), or none until `status` is called. */
  readonly statuses: 'automatic' | 'manual';
  /** Whether `failed` statuses contain `biz_opaque_callback_data`. Default: yes. */
  readonly echoesOpaqueDataOnFailed: boolean;
  /** Whether `failed` statuses have `contacts` beside them, as all others have. Default: no. */
  readonly contactsBesideFailed: boolean;
  /** Contacts that hide their number: `wa_id`, `from` and `recipient_id` are missing (default) or empty. */
  readonly hiddenNumber: 'missing' | 'empty';
  /** Whether webhooks of media messages contain a `url` beside the id. Default: yes. */
  readonly mediaUrls: boolean;
  /** Whether downloads of media are redirected once. Default: no. */
  readonly mediaRedirects: boolean;
  /** Whether a new definition turns a published flow back into a draft (default), or is refused. */
  readonly uploadReopensFlow: boolean;
  /** The family of codes of refused flow calls: 1390xx (default) or 100. */
  readonly flowErrors: 139000 | 100;
  /** The effect of `publish` when a flow is created with it and has errors: the flow stays a draft (default), or the call fails. */
  readonly publishWithErrors: 'draft' | 'refuse';
  /** Whether new templates are approved immediately. Default: no, `template.changeStatus` approves them. */
  readonly approvesTemplates: boolean;
}

export const DEFAULT_SWITCHES: StandInSwitches = {
  closedWindow: 'status',
  throttledStatus: 429,
  missingToken: 190,
  messagesPerSecond: 80,
  pairBurst: 45,
  pairGapMs: 6_000,
  statuses: 'automatic',
  echoesOpaqueDataOnFailed: true,
  contactsBesideFailed: false,
  hiddenNumber: 'missing',
  mediaUrls: true,
  mediaRedirects: false,
  uploadReopensFlow: true,
  flowErrors: 139000,
  publishWithErrors: 'draft',
  approvesTemplates: false,
};

/** A validation error of a flow, as Graph returns it. */
export interface StandInFlowError {
  readonly error: string;
  readonly error_type: string;
  readonly message: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly column_start: number;
  readonly column_end: number;
  readonly pointers?: readonly unknown[];
}

/** Options of `cloudApiStandIn`. */
export interface StandInOptions {
  /** The clock of statuses, retries, windows and expiries. Default: real time. */
  readonly clock?: Clock;
  /** The port on 127.0.0.1; 0, the default, selects a free one. `false` opens none: `serve` answers the calls of a `ScriptedHttp`. */
  readonly port?: number | false;
  /** The base address without a port. Default: `https://graph.test`. */
  readonly url?: string;
  /** Default: one number, +15550783881. */
  readonly numbers?: readonly StandInNumber[];
  readonly accessToken?: string;
  readonly appSecret?: string;
  readonly verifyToken?: string;
  readonly switches?: Partial<StandInSwitches>;
  /** Sends webhook calls. Default: `fetch`, or the hapi server given to `subscribe`. */
  readonly send?: WebhookSender;
  /** Validates the definitions of flows. Default: the definition must be JSON with a version and screens. */
  readonly validateFlow?: (definition: Uint8Array) => readonly StandInFlowError[];
}

export const DEFAULT_NUMBER: StandInNumber = { phoneNumberId: '106540352242922', wabaId: '102290129340398', address: '+15550783881' };
export const DEFAULT_TOKEN = 'stand-in-access-token';
export const DEFAULT_APP_SECRET = 'stand-in-app-secret';
export const DEFAULT_VERIFY_TOKEN = 'stand-in-verify-token';
