import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RecordingLogger } from '#core/testing';
import { postgresStore } from '../../core/adapters/postgres/index.js';
import { messages } from '../../core/messaging/message.js';
import { ADMIN_KEY } from './member-keys.js';
import { randomNumbers } from './plan.js';

/**
 * The end of an owner in a round. `pause` stops it (SIGSTOP) until another process has taken over, and lets it continue. In an `outage` the
 * database fails, and the processes remain.
 */
export type Blow = 'kill' | 'pause' | 'stop' | 'outage';

export interface TakeOverOutcome {
  acknowledged: number;
  /** Acknowledged messages that are not there, or more than once. */
  lost: number;
  /** Acknowledged messages that the endpoint never got. */
  undelivered: number;
  /** Messages that the endpoint got before an earlier one of their conversation. */
  outOfOrder: number;
  /** Milliseconds from each blow until another process was ready; after an outage, until any process was. */
  readonly takeOverMs: { readonly blow: Blow; readonly ms: number }[];
  /** Responses 503 of processes that did not own the data. */
  refused: number;
  readonly problems: string[];
}

interface Member {
  readonly child: ChildProcess;
  readonly url: string;
}

const CONVERSATIONS = 8;
const MIN_BLOW_AFTER_MS = 150;
const MAX_BLOW_AFTER_MS = 600;
const LIMIT_MS = 30_000;
const script = fileURLToPath(new URL('./member.js', import.meta.url));

/** Ends the owner of a platform on PostgreSQL in each round, under load, and compares what is there at the end with what was acknowledged. */
export async function takeOverRounds(options: {
  readonly databaseUrl: string;
  readonly schema: string;
  readonly blows: readonly Blow[];
  readonly seed: number;
  /** Ends the database, and starts it again. */
  readonly outage?: () => Promise<void>;
}): Promise<TakeOverOutcome> {
  const { blows, seed } = options;
  const random = randomNumbers(seed);
  const outcome: TakeOverOutcome = { acknowledged: 0, lost: 0, undelivered: 0, outOfOrder: 0, takeOverMs: [], refused: 0, problems: [] };
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-members-'));
  const endpoint = await startEndpoint();
  const members: Member[] = [];
  const begin = async (): Promise<Member> => {
    const env = { ...process.env, POSTHORN_DATABASE_URL: options.databaseUrl };
    const child = fork(script, [options.schema, folder], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const [url] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}`))),
    ]);
    const member = { child, url: url as string };
    members.push(member);
    child.once('exit', () => members.splice(members.indexOf(member), 1));
    return member;
  };
  try {
    await begin();
    const { channel, token } = await createChannel(members, endpoint.url);
    await begin();
    const load = new Load(members, channel, token, outcome);
    const owner = async () => (await ready(members)).child;
    for (const blow of blows) {
      await sleep(MIN_BLOW_AFTER_MS + random() * (MAX_BLOW_AFTER_MS - MIN_BLOW_AFTER_MS));
      if (blow === 'outage') {
        const struckAt = performance.now();
        await options.outage!();
        await load.acknowledgedBy((await ready(members)).url);
        outcome.takeOverMs.push({ blow, ms: Math.round(performance.now() - struckAt) });
        continue;
      }
      const victim = await owner();
      const ended = once(victim, 'exit');
      const struckAt = performance.now();
      if (blow === 'stop') victim.send('stop');
      else victim.kill(blow === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      const next = await ready(members, victim);
      outcome.takeOverMs.push({ blow, ms: Math.round(performance.now() - struckAt) });
      await load.acknowledgedBy(next.url);
      if (blow === 'pause') victim.kill('SIGCONT');
      await ended;
      await begin();
    }
    await load.stop();
    const wanted = load.acknowledged.flatMap((last, conversation) => Array.from({ length: last }, (_, n) => `${conversation}:${n + 1}`));
    const isDelivered = () => new Set(endpoint.received).size >= wanted.length;
    for (const end = performance.now() + LIMIT_MS; performance.now() < end && !isDelivered(); ) await sleep(50);
    await Promise.all(members.map(({ child }) => stopped(child)));
    compare(wanted, await storedTimes(options), endpoint.received, outcome);
    return outcome;
  } finally {
    for (const { child } of [...members]) child.kill('SIGKILL');
    endpoint.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Posts messages in several conversations, one after the other in each, and repeats a call until a process acknowledges it. */
class Load {
  /** The last number that was acknowledged in each conversation. */
  readonly acknowledged: number[] = Array.from({ length: CONVERSATIONS }, () => 0);
  readonly #members: readonly Member[];
  readonly #outcome: TakeOverOutcome;
  readonly #running: Promise<unknown>;
  readonly #path: string;
  readonly #token: string;
  #isStopping = false;
  #by = '';

  constructor(members: readonly Member[], channel: string, token: string, outcome: TakeOverOutcome) {
    this.#members = members;
    this.#outcome = outcome;
    this.#path = `/v1/numbers/${channel}/messages`;
    this.#token = token;
    this.#running = Promise.all(this.acknowledged.map((_, conversation) => this.#post(conversation)));
  }

  /** Resolves when a call was acknowledged by this process. */
  async acknowledgedBy(url: string): Promise<void> {
    this.#by = '';
    for (const end = performance.now() + LIMIT_MS; this.#by !== url; await sleep(2))
      if (performance.now() > end) throw new Error(`${url} acknowledges nothing`);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #post(conversation: number): Promise<void> {
    for (let n = 1; !this.#isStopping; n++) {
      await this.#untilAcknowledged(conversation, n);
      this.acknowledged[conversation] = n;
      this.#outcome.acknowledged++;
    }
  }

  async #untilAcknowledged(conversation: number, n: number): Promise<void> {
    const from = `+2782000100${conversation}`;
    const message = { type: 'text', from, id: `${conversation}:${n}`, timestamp: '1767600000', text: { body: `${conversation}:${n}` } };
    for (;;) {
      for (const { url } of [...this.#members]) {
        const status = await call(url, this.#token, 'POST', this.#path, { contact: { id: from, profile: { name: 'Ann' } }, message }).then(
          ({ status }) => status,
          () => undefined,
        );
        if (status === 503) this.#outcome.refused++;
        if (status === 200) {
          this.#by = url;
          return;
        }
        if (status !== undefined && status < 500) throw new Error(`the call got ${status}`);
      }
      await sleep(5);
    }
  }
}

async function startEndpoint() {
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

async function call(url: string, token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    // A stopped process does not respond, and keeps its connections.
    signal: AbortSignal.timeout(2_000),
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: arbitrary JSON
  return { status: response.status, body: (await response.json().catch(() => undefined)) as any };
}

const admin = (url: string, method: string, path: string, body?: object) => call(url, ADMIN_KEY, method, `/admin/v1${path}`, body);

async function createChannel(members: readonly Member[], endpoint: string) {
  const { url } = await ready(members);
  const created = await admin(url, 'POST', '/channels', { from_addr: 'web:crash', name: 'Crash', endpoint });
  const channel = created.body.number.uuid as string;
  const { body } = await admin(url, 'POST', `/numbers/${channel}/tokens`, { name: 'crash' });
  await admin(url, 'POST', '/webhooks', { number: channel, url: endpoint });
  return { channel, token: body.text as string };
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}

/** The process that owns the data, unless it is this one. */
async function ready(members: readonly Member[], except?: ChildProcess): Promise<Member> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await sleep(5)) {
    for (const member of [...members]) {
      if (member.child === except) continue;
      const isReady = await fetch(`${member.url}/ready`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return member;
    }
  }
  throw new Error('no process took over');
}

function compare(
  wanted: readonly string[],
  times: ReadonlyMap<string, number>,
  received: readonly string[],
  outcome: TakeOverOutcome,
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

/** How often each message of a contact is stored. */
async function storedTimes({
  databaseUrl,
  schema,
}: {
  readonly databaseUrl: string;
  readonly schema: string;
}): Promise<Map<string, number>> {
  const store = postgresStore({ url: databaseUrl, schema, log: new RecordingLogger() });
  store.define('core.messages', messages);
  await store.start();
  const times = new Map<string, number>();
  for (const message of await store.open(messages).list()) {
    const [id] = /"\d+:\d+"/.exec(JSON.stringify(message)) ?? [];
    if (id) times.set(JSON.parse(id), (times.get(JSON.parse(id)) ?? 0) + 1);
  }
  await store.stop();
  return times;
}
