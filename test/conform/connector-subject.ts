import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Tap } from '#core/testing';

export const SECRET = 'the secret of the subject';

export const hmac = (secret: string, body: string | Buffer): string => createHmac('sha256', secret).update(body).digest('base64');

// biome-ignore lint/suspicious/noExplicitAny: subjects look at any part of a payload
export type Json = any;

/** Measures response times, and moves only when a subject says that time passes: the load of the machine makes no response slow. */
export class SubjectClock {
  #ms = 0;
  readonly now = (): number => this.#ms;

  pass(ms: number): void {
    this.#ms += ms;
  }
}

/** Delays each request until another one has arrived. @returns whether one did; false after 8 s */
export function pairOfRequests(): () => Promise<boolean> {
  let other: (() => void) | undefined;
  return () =>
    new Promise((resolve) => {
      if (other) {
        other();
        resolve(true);
      } else {
        const alone = setTimeout(resolve, ALONE_MS, false);
        other = () => {
          clearTimeout(alone);
          resolve(true);
        };
      }
    });
}

/** Two requests that are sent at the same time arrive within much less. */
const ALONE_MS = 8_000;

/** A request that a subject received. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly signature: string | undefined;
  /** Undefined if the body is not JSON. */
  readonly json: Json;
  /** Passes while a slow subject works. */
  readonly clock: SubjectClock;
}

/** Checks of signatures, the right one and wrong ones. */
export const verifiers = {
  right: ({ body, signature }: Incoming) => signature === hmac(SECRET, body),
  acceptsUnsigned: ({ body, signature }: Incoming) => signature === undefined || signature === hmac(SECRET, body),
  acceptsAnyBase64: ({ signature = '' }: Incoming) => /^[\w+/]{43}=$/.test(signature),
  acceptsHex: ({ body, signature }: Incoming) =>
    signature === hmac(SECRET, body) || signature === Buffer.from(hmac(SECRET, body), 'base64').toString('hex'),
  acceptsOtherSecret: ({ body, signature }: Incoming) => [SECRET, `not-${SECRET}`].some((secret) => signature === hmac(secret, body)),
  remembersSignatures: (() => {
    const known = new Set<string | undefined>();
    return ({ body, signature }: Incoming) => {
      if (signature === hmac(SECRET, body)) known.add(signature);
      return known.has(signature);
    };
  })(),
  readsLatin1: ({ body, signature }: Incoming) => signature === hmac(SECRET, Buffer.from(body.toString('latin1'))),
  serializesAgain: ({ signature, json, body }: Incoming) => signature === hmac(SECRET, json === undefined ? body : JSON.stringify(json)),
  looksForCapitals: (incoming: Incoming) =>
    incoming.request.rawHeaders.some((name) => name === 'X-Svc-Hook-Signature') && verifiers.right(incoming),
} as const;

export interface Answer {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Serves a subject in this process. */
export async function serve(
  t: Tap,
  respond: (incoming: Incoming) => Promise<Answer> | Answer,
  clock = new SubjectClock(),
): Promise<string> {
  const server = createServer(async (request, response: ServerResponse) => {
    const body = await buffer(request);
    const text = body.toString();
    let json: Json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    const signature = request.headers['x-svc-hook-signature'];
    const answer = await respond({ request, body, json, clock, signature: signature === undefined ? undefined : String(signature) });
    const content = answer.body === undefined ? '' : typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(content);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Platform {
  readonly api: string;
  readonly channel: string;
  readonly token: string;
}

/** How a connector differs from a good one. */
export interface ConnectorFlaw {
  readonly verify?: (incoming: Incoming) => boolean;
  readonly refusal?: number;
  /** Replaces the response to a signed delivery. */
  readonly respond?: (incoming: Incoming, good: Answer) => Answer | Promise<Answer>;
  /** Replaces a report of a status; undefined reports nothing. */
  readonly report?: (status: Json, payload: Json) => Json | undefined;
  /** Replaces a message that it posts. */
  readonly post?: (body: Json) => Json | undefined;
  /** Whether its driver responds 502 when the platform refuses a message. */
  readonly reportsRefusals?: boolean;
  readonly token?: (what: 'messages' | 'statuses') => string | undefined;
  /** Runs after a delivery was accepted. */
  readonly afterwards?: (payload: Json, post: (what: 'messages' | 'statuses', body: Json) => Promise<unknown>) => Promise<void>;
}

const now = (): string => String(Math.floor(Date.now() / 1000));

/** A connector that keeps every rule, except for its flaw. Its driver is at `/drive`. */
export function startConnector(t: Tap, platform: Platform, flaw: ConnectorFlaw = {}, clock?: SubjectClock): Promise<string> {
  const questions = new Map<string, { id: string; kind: string; options: Json[] }>();
  const post = async (what: 'messages' | 'statuses', body: Json): Promise<boolean> => {
    if (body === undefined) return true;
    const { ok } = await fetch(`${platform.api}/v1/numbers/${platform.channel}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${flaw.token?.(what) ?? platform.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ok;
  };
  const report = (status: Json, payload: Json) => post('statuses', flaw.report ? flaw.report({ status }, payload) : { status });

  const deliver = async (incoming: Incoming): Promise<Answer> => {
    if (!(flaw.verify ?? verifiers.right)(incoming)) return { status: flaw.refusal ?? 401, body: {} };
    const { json: payload } = incoming;
    const isMessage = payload?.to !== undefined && typeof payload?.turn === 'object';
    const good: Answer = isMessage
      ? { status: 200, body: { messages: [{ id: incoming.request.headers['x-svc-hook-delivery'] }] } }
      : { status: 400, body: {} };
    const answer = flaw.respond ? await flaw.respond(incoming, good) : good;
    if (answer.status < 300 && isMessage) void later(payload, answer.body?.messages?.[0]?.id).catch(() => undefined);
    return answer;
  };

  async function later(payload: Json, id: string): Promise<void> {
    const { buttons = [], sections = [] } = payload.turn.interactive?.action ?? {};
    const options = [...buttons.map(({ reply }: Json) => reply), ...sections.flatMap(({ rows }: Json) => rows)];
    if (options.length > 0) questions.set(payload.to, { id, kind: `${payload.turn.interactive.type}_reply`, options });
    await flaw.afterwards?.(payload, post);
    for (const status of ['sent', 'delivered']) await report({ id, recipient_id: payload.to, status, timestamp: now() }, payload);
  }

  const drive = async ({ from, text, tap, quote, message, status, id }: Json): Promise<Answer> => {
    if (status !== undefined) {
      await report({ id, recipient_id: from, status, timestamp: now() }, undefined);
      return { status: 200, body: {} };
    }
    const question = questions.get(from);
    const option = question?.options.find(({ title }) => title === tap);
    const content = option
      ? {
          type: 'interactive',
          context: { id: question!.id },
          interactive: { type: question!.kind, [question!.kind]: { id: option.id, title: option.title } },
        }
      : (message ?? { type: 'text', text: { body: text }, ...(quote && { context: { id: quote } }) });
    const body = {
      contact: { id: from, profile: { name: 'Conformance' } },
      message: { from, id: randomUUID(), timestamp: now(), ...content },
    };
    const isAccepted = await post('messages', flaw.post ? flaw.post(body) : body);
    return isAccepted || !flaw.reportsRefusals ? { status: 200, body: {} } : { status: 502, body: { error: 'refused' } };
  };

  return serve(t, (incoming) => (incoming.request.url === '/drive' ? drive(incoming.json) : deliver(incoming)), clock);
}
