import type { Clock } from '#core/ports';
import type { FaultRule, WebhookSender } from '#core/testing';

/** Options of `smsStandIn`. */
export interface SmsStandInOptions {
  /** The gateway whose API it has. */
  readonly shape: 'twilio' | 'africas_talking';
  /** The clock of delays. Default: real time. */
  readonly clock?: Clock;
  /** The port on 127.0.0.1; 0, the default, selects a free one. `false` opens none: `serve` answers the calls of a `ScriptedHttp`. */
  readonly port?: number | false;
  /** The base address without a port. Default: `https://gateway.test`. */
  readonly url?: string;
  /** The number of the account. Default: `+15550100000`. */
  readonly sender?: string;
  /** The reports that follow each message by themselves, such as `['sent', 'delivered']`. Default: none. */
  readonly reports?: readonly string[];
  /** Whether it refuses messages to people who have written STOP, and answers them itself, as Twilio does (its default). */
  readonly answersStop?: boolean;
  /** Sends callbacks. Default: `fetch`. */
  readonly send?: WebhookSender;
  /** Fetches the files of messages. Rejects when the address cannot be reached. Default: `fetch`. */
  readonly fetchFile?: (url: string) => Promise<{ readonly type: string; readonly bytes: Uint8Array }>;
}

/** The outcome of matching requests. Give one of `error`, `respond`, `connection` and `recipients`, or none. */
export interface SmsFault extends FaultRule {
  /** Which requests the rule is for: all given fields must match. */
  readonly on?: { readonly path?: 'send' | 'file' | 'account'; readonly to?: string; readonly contains?: string };
  /** Refuses the message. With a status below 400, Africa's Talking says it in the recipient. */
  readonly error?: { readonly status: number; readonly code?: number; readonly message?: string };
  /** Responds with this, such as a 502 with HTML; nothing is recorded. */
  readonly respond?: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
  /**
   * `refuse`: there is no connection; on a port it breaks. `reset`: the connection breaks before the request is accepted. `reset after`: it is accepted, then the connection breaks. `silent`: it is
   * accepted, but gets no response. `hang`: it is not accepted, and gets no response.
   */
  readonly connection?: 'refuse' | 'reset' | 'reset after' | 'hang' | 'silent';
  /** Africa's Talking answers without recipients, and with this reason. */
  readonly recipients?: string;
  /** This report arrives before the answer. */
  readonly reportFirst?: string;
}

/** A message that the gateway took. */
export interface SentSms {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** The bytes of its file; undefined if it has none, or the gateway could not fetch it. */
  readonly bytes?: Uint8Array | undefined;
  /** Where the gateway reports what became of it. */
  readonly callback: string | undefined;
  /** Its reports so far. */
  readonly reports: string[];
}

/** A message that a person writes. */
export interface WrittenSms {
  /** As an earlier message: the same message again. */
  readonly id?: string;
  readonly files?: readonly { readonly type: string; readonly bytes: Uint8Array }[];
  /** Further fields of the form, or other values of fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Signs the call with something else, so that it is a forged one. */
  readonly signature?: string;
}

export const fetchFile: NonNullable<SmsStandInOptions['fetchFile']> = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the response has the status ${response.status}`);
  return { type: response.headers.get('content-type') ?? '', bytes: new Uint8Array(await response.arrayBuffer()) };
};
