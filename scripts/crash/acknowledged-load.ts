import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY } from './member-keys.js';

/** A process that serves a platform. */
export interface Member {
  readonly child: ChildProcess;
  readonly url: string;
}

/** A number to which messages are posted. */
export interface LoadedChannel {
  readonly channel: string;
  readonly token: string;
}

/** The fate of messages that were acknowledged. */
export interface LoadOutcome {
  acknowledged: number;
  /** Acknowledged messages that are not there, or more than once. */
  lost: number;
  /** Acknowledged messages that the endpoint never got. */
  undelivered: number;
  /** Messages that the endpoint got before an earlier one of their conversation. */
  outOfOrder: number;
  /** Responses 503. */
  refused: number;
  readonly problems: string[];
}

const CONVERSATIONS = 8;
const CREATE_ATTEMPTS = 100;
const LOOK_MS = 10;
/** Long, because a loaded machine takes a minute for what takes a second on an idle one. Whatever waits so long is stuck. */
export const LIMIT_MS = 180_000;

/** Posts messages in several conversations, one after the other in each, and repeats a call until a process acknowledges it. */
export class Load {
  /** The last number that was acknowledged in each conversation. */
  readonly acknowledged: number[] = Array.from({ length: CONVERSATIONS }, () => 0);
  readonly #members: readonly Pick<Member, 'url'>[];
  readonly #outcome: LoadOutcome;
  readonly #running: Promise<unknown>;
  readonly #channels: readonly LoadedChannel[];
  readonly #pauseMs: number;
  #isStopping = false;
  #isAbandoned = false;
  /** The process that acknowledged a message of each conversation that was posted first after the newest wait began. */
  readonly #by: (string | undefined)[] = [];
  #waits = 0;

  /** @param pauseMs how long each conversation waits after a message was acknowledged */
  constructor(members: readonly Pick<Member, 'url'>[], channels: readonly LoadedChannel[], outcome: LoadOutcome, pauseMs = 0) {
    this.#members = members;
    this.#outcome = outcome;
    this.#channels = channels;
    this.#pauseMs = pauseMs;
    this.#running = Promise.all(this.acknowledged.map((_, conversation) => this.#post(conversation)));
  }

  /** Resolves when a message that was posted first after this call was acknowledged by this process. */
  async acknowledgedBy(url: string): Promise<void> {
    this.#forget();
    for (const end = performance.now() + LIMIT_MS; !this.#by.includes(url); await sleep(LOOK_MS))
      if (performance.now() > end) throw new Error(`${url} acknowledges nothing`);
  }

  /** Resolves when a message of every conversation that was posted first after this call was acknowledged. */
  async acknowledgedAll(): Promise<void> {
    this.#forget();
    for (const end = performance.now() + LIMIT_MS; this.acknowledged.some((_, i) => this.#by[i] === undefined); await sleep(LOOK_MS))
      if (performance.now() > end) throw new Error('a conversation is not acknowledged any more');
  }

  #forget(): void {
    this.#by.fill(undefined);
    this.#waits++;
  }

  /** Resolves when the messages in progress are acknowledged. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Stops without waiting for acknowledgements. Otherwise, messages in progress would be repeated indefinitely when no process is left. */
  abandon(): void {
    this.#isStopping = true;
    this.#isAbandoned = true;
  }

  async #post(conversation: number): Promise<void> {
    for (let n = 1; !this.#isStopping; n++) {
      await this.#untilAcknowledged(conversation, n);
      if (this.#isAbandoned) return;
      this.acknowledged[conversation] = n;
      this.#outcome.acknowledged++;
      if (this.#pauseMs > 0) await sleep(this.#pauseMs);
    }
  }

  async #untilAcknowledged(conversation: number, n: number): Promise<void> {
    const wait = this.#waits;
    const from = `+2782000100${conversation}`;
    const message = { type: 'text', from, id: `${conversation}:${n}`, timestamp: '1767600000', text: { body: `${conversation}:${n}` } };
    const { channel, token } = this.#channels[conversation % this.#channels.length]!;
    while (!this.#isAbandoned) {
      const members = [...this.#members];
      for (const { url } of members.map((_, i) => members[(n + i) % members.length]!)) {
        const status = await call(url, token, 'POST', `/v1/numbers/${channel}/messages`, {
          contact: { id: from, profile: { name: 'Ann' } },
          message,
        }).then(
          ({ status }) => status,
          () => undefined,
        );
        if (status === 503) this.#outcome.refused++;
        if (status === 200) {
          if (wait === this.#waits) this.#by[conversation] = url;
          return;
        }
        if (status !== undefined && status < 500) throw new Error(`the call got ${status}`);
      }
      await sleep(5);
    }
  }
}

/** An endpoint that keeps what it received. */
export async function startEndpoint() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = /"body":"(\d+:\d+)"/.exec(Buffer.concat(parts).toString());
      if (body) received.push(body[1]!);
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { received, stop, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** A stopped process does not respond, and keeps its connections. */
const CALL_LIMIT_MS = 2_000;
const ADMIN_LIMIT_MS = 15_000;

async function call(url: string, token: string, method: string, path: string, body?: object, limitMs = CALL_LIMIT_MS) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(limitMs),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: arbitrary JSON
  return { status: response.status, body: (isJson ? JSON.parse(text) : undefined) as any };
}

export const admin = (url: string, method: string, path: string, body?: object) =>
  call(url, ADMIN_KEY, method, `/admin/v1${path}`, body, ADMIN_LIMIT_MS);

/** Creates a channel with a token and a webhook. `n` makes its address unique. */
export async function createChannel(url: string, endpoint: string, n = 0): Promise<LoadedChannel> {
  // A call that got 503 may have taken effect, so each attempt has another address.
  const { number } = await created(url, '/channels', (attempt) => ({ from_addr: `web:crash-${n}-${attempt}`, name: 'Crash', endpoint }));
  const { text } = await created(url, `/numbers/${number.uuid}/tokens`, () => ({ name: 'crash' }));
  await created(url, '/webhooks', () => ({ number: number.uuid, url: endpoint }));
  return { channel: number.uuid, token: text };
}

/** Repeats the call while a shard has no owner, as on a loaded machine at the start. */
async function created(url: string, path: string, body: (attempt: number) => object) {
  for (let attempt = 1; ; attempt++, await sleep(LOOK_MS)) {
    const { status, body: response } = await admin(url, 'POST', path, body(attempt));
    if (status < 300) return response;
    if (status !== 503 || attempt === CREATE_ATTEMPTS) throw new Error(`POST ${path} got ${status}: ${JSON.stringify(response)}`);
  }
}

/** Compares the messages that were acknowledged with those that are stored, and with those that the endpoint received. */
export function compare(
  wanted: readonly string[],
  times: ReadonlyMap<string, number>,
  received: readonly string[],
  outcome: LoadOutcome,
): void {
  const lost = wanted.filter((one) => times.get(one) !== 1);
  outcome.lost = lost.length;
  const got = new Set(received);
  const undelivered = wanted.filter((one) => !got.has(one));
  outcome.undelivered = undelivered.length;
  const newest = new Map<string, number>();
  for (const one of new Set(received)) {
    const [conversation, n] = one.split(':') as [string, string];
    if (Number(n) < (newest.get(conversation) ?? 0)) {
      outcome.outOfOrder++;
      outcome.problems.push(`${one} was received after ${conversation}:${newest.get(conversation)}`);
    }
    newest.set(conversation, Math.max(Number(n), newest.get(conversation) ?? 0));
  }
  outcome.problems.push(
    ...lost.map((one) => `${one} is there ${times.get(one) ?? 0} times`),
    ...undelivered.map((one) => `${one} was not delivered`),
  );
}
