import { ManualClock, type Tap } from '#core/testing';
import { type TelegramStandIn, telegramStandIn } from '../../../../plugins/telegram/testing/index.js';

/** A stand-in that does not answer fails a test after this. */
const LIMIT_MS = 20_000;

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A stand-in on a port with a manual clock, a client of it, and a webhook that records what it receives. */
export async function startStandIn(t: Tap, options: Parameters<typeof telegramStandIn>[0] = {}) {
  const clock = new ManualClock();
  const calls: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly update: Record<string, unknown> }[] =
    [];
  const hook: { status: number; headers: Record<string, string>; body: string } = { status: 200, headers: {}, body: '' };
  const standIn = await telegramStandIn({
    clock,
    firstUpdateId: 500,
    send: async ({ url, headers, body }) => {
      calls.push({ url, headers, update: JSON.parse(body!.toString()) });
      return { ...hook };
    },
    ...options,
  });
  t.teardown(() => standIn.stop());
  let people = 100;
  /** A person who has started the bot. */
  const someone = async (): Promise<number> => {
    await standIn.start(++people);
    return people;
  };
  /** Waits until some calls wait on the clock. */
  const waiting = async (calls = 1): Promise<void> => {
    while (clock.pending().length < calls) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, standIn, calls, hook, someone, waiting, ...clientOf(standIn) };
}

function clientOf(standIn: TelegramStandIn) {
  const post = async (path: string, body: unknown) => {
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    const response = await fetch(`${standIn.url}${path}`, {
      method: 'POST',
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
    return { status: response.status, ...((await response.json()) as any) };
  };
  /** Calls a method of the bot. @returns the body, with the status of the response */
  const call = (method: string, body: unknown = {}) => post(`/bot${standIn.token}/${method}`, body);
  /** Calls a method and returns its result, or the description of its refusal. */
  const result = async (method: string, body?: unknown) => {
    const { ok, result, error_code, description } = await call(method, body);
    return ok ? result : `${error_code} ${description}`;
  };
  return { post, call, result };
}
