import type { HttpOutcome, Json, JsonObject, PluginContext } from '#core';
import { objectOf, readJson } from '#core/basics';
import { multipart, responseOf, ServiceUnreachable } from '#core/messaging';

/** The service behind all bots. */
export const API_URL = 'https://api.telegram.org';
const SERVICE = 'Telegram';
const DEADLINE_MS = 15_000;
const TRANSFER_DEADLINE_MS = 120_000;
/** The longest answer is a list of updates. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Where a bot is, and its token. The token is part of every URL, so it is masked wherever a URL is shown. */
export interface Bot {
  readonly token: string;
  readonly apiUrl: string;
}

/** Telegram refused a call. */
export class BotApiError extends Error {
  override readonly name = 'BotApiError';
  readonly status: number;
  readonly description: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, description: string, retryAfterMs?: number) {
    super(`Telegram answered ${status}: ${description}`);
    this.status = status;
    this.description = description;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The URL of a method, and how it is shown. */
export const urlsOf = ({ token, apiUrl }: Bot, path: string): { url: string; shownUrl: string } => ({
  url: `${apiUrl}/bot${token}/${path}`,
  shownUrl: `${apiUrl}/bot…/${path}`,
});

/** A file to upload. */
export interface Upload {
  readonly field: string;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly filename: string;
}

/** The body of a call: JSON, or a form if it uploads a file. */
export function bodyOf(fields: JsonObject, upload?: Upload): { body: string | Uint8Array; type: string } {
  if (!upload) return { body: JSON.stringify(fields), type: 'application/json' };
  const { field, bytes, type, filename } = upload;
  const texts = Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const);
  return multipart([...texts, [field, { bytes, type, filename }]]);
}

/** The `result` of an answer. @throws BotApiError, ServiceUnreachable */
export function resultOf(outcome: HttpOutcome): Json {
  const { status, body, cut } = responseOf(outcome, SERVICE);
  if (cut) throw new ServiceUnreachable(SERVICE, 'its answer is too long', { isTooLong: true });
  const answer = objectOf(readJson(Buffer.from(body).toString('utf8')) ?? undefined);
  if (answer.ok === true && answer.result !== undefined) return answer.result;
  if (answer.ok !== false) {
    // A gateway that cannot know whether the server behind it has processed the call, or another server.
    if (status < 400 || status >= 500) throw new ServiceUnreachable(SERVICE, `its answer with status ${status} is not one of the Bot API`);
    throw new BotApiError(status, 'the answer has no reason');
  }
  const { error_code: code, description, parameters } = answer;
  const after = (parameters as { retry_after?: unknown } | undefined)?.retry_after;
  throw new BotApiError(
    typeof code === 'number' ? code : status,
    typeof description === 'string' ? description : 'without a reason',
    typeof after === 'number' && after >= 0 ? after * 1_000 : undefined,
  );
}

/** The client of the Bot API, on the platform's HTTP port. */
export type BotApi = ReturnType<typeof createBotApi>;

export function createBotApi({ http }: Pick<PluginContext, 'http'>) {
  return {
    /** Calls a method. @returns its result @throws BotApiError, ServiceUnreachable */
    async call(bot: Bot, method: string, fields: JsonObject = {}, io: { deadlineMs?: number; signal?: AbortSignal } = {}): Promise<Json> {
      const { body, type } = bodyOf(fields);
      const outcome = await http.send({
        method: 'POST',
        ...urlsOf(bot, method),
        headers: { 'Content-Type': type },
        body,
        deadlineMs: io.deadlineMs ?? DEADLINE_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
        signal: io.signal,
      });
      return resultOf(outcome);
    },

    /** Downloads a file that `getFile` has named. @returns undefined if it has more than `maxBytes` @throws BotApiError, ServiceUnreachable */
    async download({ token, apiUrl }: Bot, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
      const outcome = await http.send({
        method: 'GET',
        url: `${apiUrl}/file/bot${token}/${path}`,
        shownUrl: `${apiUrl}/file/bot…/${path}`,
        deadlineMs: TRANSFER_DEADLINE_MS,
        maxResponseBytes: maxBytes,
      });
      if (outcome.kind !== 'response' || outcome.status !== 200) return void resultOf(outcome);
      if (!outcome.cut) return outcome.body;
      if (outcome.body.length >= maxBytes) return undefined;
      throw new ServiceUnreachable(SERVICE, 'the file was cut off');
    },
  };
}
