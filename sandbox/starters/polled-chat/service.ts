/** The API of the messaging service, and what its errors mean. Another service changes this file most. */
import { type HttpOutcome, httpUrl, type JsonObject, object, type PluginContext, stringUpTo } from 'posthorn';
import { ConnectionRefused, type ConnectionType, type Mark, wasSent } from 'posthorn/messaging';

const API_URL = 'http://127.0.0.1:4704';
const DEADLINE_MS = 15_000;
/** The service answers a poll after this time without updates. */
const POLL_SECONDS = 25;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The largest file, in both directions. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

type Io = { readonly deadlineMs?: number; readonly maxBytes?: number; readonly signal?: AbortSignal };
/** A bot: where it is, and its token. */
export type Bot = { readonly token: string; readonly api_url: string };

/** An event of a chat. Ids of updates grow; those of messages are unique. */
export interface Update {
  readonly id: number;
  readonly chat: { readonly id: string; readonly name: string };
  readonly message?: {
    readonly id: string;
    readonly text?: string;
    readonly file?: { readonly id: string; readonly type: string; readonly name: string };
  };
  /** A tap on a button, with the data that `sending.ts` gave it. */
  readonly tap?: { readonly data: string };
}

/** A message as the service takes it. */
export interface ServiceMessage {
  readonly chat: string;
  readonly text: string;
  readonly formats: readonly Mark[];
  readonly buttons: readonly { readonly title: string; readonly data: string }[];
}

/**
 * The reaction to a failed call. `wait`: the bot has made too many calls. `repeat`: it may pass. `stop`: the token is not valid any more.
 * `unreachable`: the person has blocked the bot. `fail`: no repetition can help.
 */
export type Remedy = 'wait' | 'repeat' | 'stop' | 'unreachable' | 'fail';

/** A call that failed. */
export class ServiceError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly remedy: Remedy;
  readonly retryAfterMs: number;
  /** Whether the service may have done what it was asked for. */
  readonly isUnknown: boolean;

  constructor(outcome: HttpOutcome) {
    const isAnswer = outcome.kind === 'response';
    super(isAnswer ? Buffer.from(outcome.body).toString().slice(0, 200) || `status ${outcome.status}` : `no answer (${outcome.kind})`);
    this.status = isAnswer ? outcome.status : 0;
    this.remedy = outcome.kind === 'unreachable' && outcome.permanent ? 'fail' : remedyOf(this.status);
    this.retryAfterMs = isAnswer ? waitOf(outcome.headers) : 0;
    this.isUnknown = wasSent(outcome) && (this.status === 0 || this.status >= 500);
  }
}

/** How long a service wants no calls: `Retry-After` has seconds, or a date by the clock of the service. A second if it does not say. */
function waitOf({ 'retry-after': after = '', date = '' }: Readonly<Record<string, string>>): number {
  const ms = /^\d+$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - Date.parse(date);
  return ms > 0 ? Math.min(60 * 60_000, ms) : 1_000;
}

/** Read the list of errors of the service, and what it recommends for each. An error that you do not know is `fail`: its message gets the text of the error. */
export function remedyOf(status: number): Remedy {
  if (status === 429) return 'wait';
  if (status < 400 || status >= 500) return 'repeat';
  return status === 401 ? 'stop' : status === 403 ? 'unreachable' : 'fail';
}

/** The body of an answer. @throws ServiceError */
export function bodyOf(outcome: HttpOutcome): Buffer {
  if (outcome.kind !== 'response' || outcome.status >= 300 || outcome.cut) throw new ServiceError(outcome);
  return Buffer.from(outcome.body);
}

export type Service = ReturnType<typeof createService>;

export function createService({ http, connections }: Pick<PluginContext, 'http' | 'connections'>) {
  async function get(bot: Bot, path: string, { deadlineMs = DEADLINE_MS, maxBytes = MAX_ANSWER_BYTES, signal }: Io = {}): Promise<Buffer> {
    const headers = { authorization: `Bearer ${bot.token}` };
    const request = { method: 'GET', url: `${bot.api_url}/${path}`, headers, deadlineMs, maxResponseBytes: maxBytes };
    return bodyOf(await http.send({ ...request, ...(signal && { signal }) }));
  }

  return {
    /** The bot of a number; undefined if the number is not connected. */
    async botOf(number: string): Promise<Bot | undefined> {
      const connection = await connections.of(number);
      return connection && { token: await connections.secret(number, 'token'), api_url: String(connection.settings.api_url) };
    },

    async me(bot: Bot): Promise<{ id: string; name: string }> {
      return JSON.parse((await get(bot, 'me')).toString());
    },

    /** The updates after one. Resolves when there are some, or after a while with none. */
    async updates(bot: Bot, after: number, signal: AbortSignal): Promise<readonly Update[]> {
      const io = { deadlineMs: POLL_SECONDS * 1_000 + DEADLINE_MS, signal };
      return JSON.parse((await get(bot, `updates?after=${after}&wait=${POLL_SECONDS}`, io)).toString()).updates;
    },

    file: (bot: Bot, id: string): Promise<Buffer> => get(bot, `files/${id}`, { maxBytes: MAX_FILE_BYTES }),
  };
}

/** How a number is connected. The platform has the calls and the command for it, checks the schema, and seals the secret. */
export const connectionType = (service: Service): ConnectionType => ({
  schema: object({ token: stringUpTo(256).description('The token of the bot.') }, { api_url: httpUrl().default(API_URL) }),
  secrets: ['token'],
  async check(given: JsonObject) {
    const { id, name } = await service.me(given as unknown as Bot).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      throw new ConnectionRefused(`The service says: ${error.message}`, { isUnreachable: error.remedy === 'repeat' });
    });
    // The id stays the same when the bot gets another name or token.
    return { address: `polled-chat:${id}`, name };
  },
});
