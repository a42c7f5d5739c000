import type { Clock } from '#core/ports';
import type { WebhookSender } from '#core/testing';

/** A file that the network fetches because a client sends its address. */
export interface FetchedFile {
  readonly status: number;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Behaviours that tests choose. */
export interface TelegramSwitches {
  /** `https`, as the public Bot API demands (default), or `any`, as a Bot API server of one's own allows. */
  readonly webhookUrls: 'https' | 'any';
  /** A webhook that has answered nothing but 410 for this time is removed. Default: 23 hours, in milliseconds. */
  readonly goneMs: number;
  /** How long the bot can answer a callback query. The documentation names no time. Default: a minute, in milliseconds. */
  readonly queryMs: number;
}

/** Options of `telegramStandIn`. */
export interface TelegramStandInOptions {
  /** The clock of polls, retries and expiries. Default: real time. */
  readonly clock?: Clock;
  /** The port on 127.0.0.1; 0, the default, selects a free one. `false` opens none: `serve` answers the calls of a `ScriptedHttp`. */
  readonly port?: number | false;
  /** The base address without a port. Default: `https://telegram.test`. */
  readonly url?: string;
  /** `<bot id>:<35 characters>`. */
  readonly token?: string;
  /** The username of the bot. Default: `stand_in_bot`. */
  readonly username?: string;
  /** The first `update_id`. Default: random. */
  readonly firstUpdateId?: number;
  /** The first `message_id` of private chats and groups. Default: 1. */
  readonly firstMessageId?: number;
  readonly switches?: Partial<TelegramSwitches>;
  /** Sends webhook calls. Default: `fetch`. */
  readonly send?: WebhookSender;
  /** Fetches the files that clients send by their address. Rejects when the address cannot be reached. Default: `fetch`. */
  readonly fetchFile?: (url: string) => Promise<FetchedFile>;
}

export const DEFAULT_TOKEN = '7000000001:AAstand-in_token_for_tests_only_000';
export const DEFAULT_SWITCHES: TelegramSwitches = { webhookUrls: 'https', goneMs: 23 * 60 * 60 * 1_000, queryMs: 60_000 };

export const fetchFile: NonNullable<TelegramStandInOptions['fetchFile']> = async (url) => {
  const response = await fetch(url);
  const mimeType = (response.headers.get('content-type') ?? '').split(';')[0]!;
  return { status: response.status, mimeType, bytes: new Uint8Array(await response.arrayBuffer()) };
};
