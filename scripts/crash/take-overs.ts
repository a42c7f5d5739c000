import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RecordingLogger } from '#core/testing';
import { messages } from '../../core/messaging/message.js';
import { postgresStore } from '../../plugins/cluster/postgres/index.js';
import { compare, createChannel, LIMIT_MS, Load, type LoadOutcome, type Member, startEndpoint } from './acknowledged-load.js';
import { randomNumbers } from './plan.js';

/**
 * The end of an owner in a round. `pause` stops it (SIGSTOP) until another process has taken over, and lets it continue. In an `outage` the
 * database fails, and the processes remain.
 */
export type Blow = 'kill' | 'pause' | 'stop' | 'outage';

export interface TakeOverOutcome extends LoadOutcome {
  /** Milliseconds from each blow until another process was ready; after an outage, until any process was. */
  readonly takeOverMs: { readonly blow: Blow; readonly ms: number }[];
}

const LOOK_MS = 20;
const MIN_BLOW_AFTER_MS = 150;
const MAX_BLOW_AFTER_MS = 600;
const script = fileURLToPath(new URL('./member.js', import.meta.url));

/** Ends the owner of a platform on PostgreSQL in each round, under load, and compares what is there at the end with what was acknowledged. */
export async function takeOverRounds(options: {
  readonly databaseUrl: string;
  readonly schema: string;
  readonly blows: readonly Blow[];
  readonly seed: number;
  /** Milliseconds that each conversation waits after a message was acknowledged; 0 if not given. */
  readonly pauseMs?: number;
  /** Ends the database, and starts it again. */
  readonly outage?: () => Promise<void>;
}): Promise<TakeOverOutcome> {
  const { blows, seed } = options;
  const random = randomNumbers(seed);
  const outcome: TakeOverOutcome = { acknowledged: 0, lost: 0, undelivered: 0, outOfOrder: 0, takeOverMs: [], refused: 0, problems: [] };
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-members-'));
  const endpoint = await startEndpoint();
  const members: Member[] = [];
  let load: Load | undefined;
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
    const channel = await createChannel((await ready(members)).url, endpoint.url);
    await begin();
    load = new Load(members, [channel], outcome, options.pauseMs);
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
    load?.abandon();
    for (const { child } of [...members]) child.kill('SIGKILL');
    endpoint.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}

/** The process that owns the data, unless it is this one. */
async function ready(members: readonly Member[], except?: ChildProcess): Promise<Member> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await sleep(LOOK_MS)) {
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
