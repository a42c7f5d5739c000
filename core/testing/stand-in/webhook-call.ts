import type { Server } from '@hapi/hapi';
import type { Clock } from '../../ports/clock.js';

/** A webhook call of a stand-in. */
export interface WebhookRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** The answer to a webhook call. Names of headers are in lower case. */
export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a webhook call. Rejects when the callback cannot be reached. */
export type WebhookSender = (request: WebhookRequest) => Promise<WebhookAnswer>;

/** Sends webhook calls with `fetch`. */
export const fetchSender: WebhookSender = async ({ url, ...request }) => {
  const response = await fetch(url, request as RequestInit);
  return { status: response.status, body: await response.text(), headers: Object.fromEntries(response.headers) };
};

/** Sends webhook calls to a hapi server that need not listen. */
export const injectSender =
  (server: Server): WebhookSender =>
  async ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url);
    const injected = await server.inject({ method, url: pathname + search, headers, ...(body && { payload: body }) });
    const answered = Object.entries(injected.headers).map(([name, value]) => [name, String(value)]);
    return { status: injected.statusCode, body: injected.payload, headers: Object.fromEntries(answered) };
  };

/** Makes a webhook call. @returns undefined when the callback cannot be reached, or is silent for `silenceMs` on the clock */
export async function callWebhook(
  { clock, send, silenceMs, stop }: { clock: Clock; send: WebhookSender; silenceMs: number; stop: AbortSignal },
  request: Omit<WebhookRequest, 'signal'>,
): Promise<WebhookAnswer | undefined> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const silence = clock.sleep(silenceMs, signal).then(() => undefined);
  try {
    // A callback that cannot be reached counts as silent: networks repeat both.
    return await Promise.race([send({ ...request, signal }).catch(() => undefined), silence]);
  } finally {
    over.abort();
  }
}
