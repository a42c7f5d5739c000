import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RecordingLogger } from '#core/testing';
import { logStoreOf } from '../../core/adapters/postgres/log-store-of.js';
import { LEASE_MS } from '../../core/adapters/postgres/postgres-log.js';
import { Servers } from '../../core/adapters/postgres/servers.js';
import { V8Heap } from '../../core/adapters/v8-heap.js';
import { messages } from '../../core/messaging/message.js';
import { freePort } from '../free-port.js';
import { admin, compare, createChannel, LIMIT_MS, Load, type LoadOutcome, type Member, startEndpoint } from './acknowledged-load.js';
import { randomNumbers } from './plan.js';

/**
 * The blow of a round. `kill` ends a process, `pause` stops it (SIGSTOP) for longer than its lease, `stop` ends it in an orderly way. An
 * `outage` kills the database and starts it again, a `stall` stops the database (SIGSTOP) for some seconds, and a `cut` loses everything
 * between one process and the database for some seconds, without an error.
 */
export type ClusterBlow = 'kill' | 'pause' | 'stop' | 'outage' | 'stall' | 'cut';

export interface ClusterOutcome extends LoadOutcome {
  /** Milliseconds from each blow until every conversation was acknowledged again. */
  readonly pauses: { readonly blow: ClusterBlow; readonly ms: number }[];
}

export interface ClusterRounds {
  readonly databaseUrl: string;
  readonly schema: string;
  readonly blows: readonly ClusterBlow[];
  readonly seed: number;
  readonly processes: number;
  /** Milliseconds that each conversation waits after a message was acknowledged; 0 if not given. */
  readonly pauseMs?: number;
  /** That of the processes; 3,000 if not given. */
  readonly leaseMs?: number;
  /** The number of shards, each with a number that gets messages; 4 if not given. */
  readonly shards?: number;
  /** The main process of the database. */
  readonly databasePid: () => number;
  readonly startDatabase: () => Promise<void>;
  /** Loses everything between a process and the database. */
  readonly linkFor: () => Promise<{ readonly url: string; cut(): void; mend(): void }>;
  /** Where the processes write their log lines; nowhere if not given. */
  readonly log?: 'inherit';
  readonly onRound?: (done: number, outcome: ClusterOutcome) => void;
}

const LOOK_MS = 250;
const [MIN_AFTER_MS, MAX_AFTER_MS] = [200, 700];
/** Longer than a lease. */
const [PAUSE_LEASES, CUT_LEASES] = [1.5, 4 / 3];
const STALL_MS = 5_000;
const OUTAGE_MS = 300;
const script = fileURLToPath(new URL('./cluster-member.js', import.meta.url));

interface LinkedMember extends Member {
  readonly link: Awaited<ReturnType<ClusterRounds['linkFor']>>;
}

/** Strikes the processes of a cluster and its database under load, and compares what is there at the end with what was acknowledged. */
export async function clusterRounds(options: ClusterRounds): Promise<ClusterOutcome> {
  const { blows, seed, databasePid, leaseMs = LEASE_MS, shards = 4 } = options;
  const random = randomNumbers(seed);
  const outcome: ClusterOutcome = { acknowledged: 0, lost: 0, undelivered: 0, outOfOrder: 0, pauses: [], refused: 0, problems: [] };
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cluster-'));
  const endpoint = await startEndpoint();
  const members: LinkedMember[] = [];
  /** The processes whose end is a part of the test. */
  const ending = new Set<ChildProcess>();
  let load: Load | undefined;
  const begin = async (): Promise<void> => {
    const link = await options.linkFor();
    const env = { ...process.env, POSTHORN_DATABASE_URL: link.url };
    const child = fork(script, [options.schema, folder, String(await freePort()), String(leaseMs), String(shards)], {
      env,
      stdio: ['ignore', 'ignore', options.log ?? 'ignore', 'ipc'],
    });
    const [url] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process of the cluster ended with ${code}`))),
    ]);
    const member = { child, url: url as string, link };
    members.push(member);
    child.once('exit', (code, signal) => {
      members.splice(members.indexOf(member), 1);
      if (!ending.has(child)) outcome.problems.push(`a process ended by itself, with ${signal ?? `code ${code}`}`);
    });
  };
  try {
    for (let i = 0; i < options.processes; i++) await begin();
    await covered(members);
    const channels = [];
    for (let n = 0; n < shards; n++) channels.push(await createChannel(members[n % members.length]!.url, endpoint.url, n));
    load = new Load(members, channels, outcome, options.pauseMs);
    await load.acknowledgedAll();
    for (const [round, blow] of blows.entries()) {
      await sleep(MIN_AFTER_MS + random() * (MAX_AFTER_MS - MIN_AFTER_MS));
      const owners = await ownersOf(members);
      const victim = owners[Math.floor(random() * owners.length)]!;
      const ended = blow === 'kill' || blow === 'stop' ? once(victim.child, 'exit') : undefined;
      if (ended) ending.add(victim.child);
      const struckAt = performance.now();
      await strike(blow, victim);
      await load.acknowledgedAll();
      outcome.pauses.push({ blow, ms: Math.round(performance.now() - struckAt) });
      if (blow === 'pause') {
        await sleep(Math.max(0, PAUSE_LEASES * leaseMs - (performance.now() - struckAt)));
        victim.child.kill('SIGCONT');
      }
      if (blow === 'cut') {
        await sleep(Math.max(0, CUT_LEASES * leaseMs - (performance.now() - struckAt)));
        victim.link.mend();
      }
      await ended;
      while (members.length < options.processes) await begin();
      await covered(members);
      options.onRound?.(round + 1, outcome);
    }
    await load.stop();
    const wanted = load.acknowledged.flatMap((last, conversation) => Array.from({ length: last }, (_, n) => `${conversation}:${n + 1}`));
    const isDelivered = () => new Set(endpoint.received).size >= wanted.length;
    for (const end = performance.now() + LIMIT_MS; performance.now() < end && !isDelivered(); ) await sleep(50);
    for (const { child } of members) ending.add(child);
    await Promise.all(members.map(stopped));
    compare(wanted, await storedTimes(options, shards), endpoint.received, outcome);
    return outcome;
  } finally {
    load?.abandon();
    for (const { child } of [...members]) {
      ending.add(child);
      child.kill('SIGKILL');
    }
    endpoint.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  async function strike(blow: ClusterBlow, victim: LinkedMember): Promise<void> {
    if (blow === 'stop') victim.child.send('stop');
    else if (blow === 'kill') victim.child.kill('SIGKILL');
    else if (blow === 'pause') victim.child.kill('SIGSTOP');
    else if (blow === 'cut') victim.link.cut();
    else if (blow === 'outage') {
      process.kill(databasePid(), 'SIGKILL');
      await sleep(OUTAGE_MS);
      await options.startDatabase();
    } else {
      process.kill(databasePid(), 'SIGSTOP');
      await sleep(STALL_MS);
      process.kill(databasePid(), 'SIGCONT');
    }
  }
}

/** Resolves when every shard has an owner and a standby: only then can the next blow be survived without loading data first. */
async function covered(members: readonly Member[]): Promise<void> {
  for (const end = performance.now() + LIMIT_MS; ; await sleep(LOOK_MS)) {
    const states = await Promise.all(
      members.map(({ url }) =>
        admin(url, 'GET', '/cluster').then(
          ({ status, body }) => (status === 200 ? body.cluster : undefined),
          () => undefined,
        ),
      ),
    );
    const isCovered = ({ owner, lag }: { owner: string | null; lag: number | null }) => owner !== null && lag !== null;
    if (states.every((state) => state?.processes.length === members.length && state.shards.every(isCovered))) return;
    if (performance.now() > end)
      throw new Error(`the cluster is not whole again: ${JSON.stringify(states.map((state) => state?.warnings))}`);
  }
}

/** The processes that own shards. One that has just started may have none yet. */
async function ownersOf(members: readonly LinkedMember[]): Promise<LinkedMember[]> {
  const { processes, shards } = (await admin(members[0]!.url, 'GET', '/cluster')).body.cluster;
  const urls = new Set(shards.map(({ owner }: { owner: string }) => processes.find(({ id }: { id: string }) => id === owner)?.url));
  return members.filter(({ url }) => urls.has(url));
}

async function stopped({ child }: Member): Promise<void> {
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}

/** How often each message of a contact is stored, in all shards. */
async function storedTimes({ databaseUrl, schema }: ClusterRounds, shards: number): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let shard = 1; shard <= shards; shard++) {
    const servers = new Servers({ url: databaseUrl });
    const store = logStoreOf({ servers, schema, log: new RecordingLogger(), heap: new V8Heap(), shard: `shard-${shard}` });
    store.define('core.messages', messages);
    await store.start();
    for (const message of await store.open(messages).list()) {
      const [id] = /"\d+:\d+"/.exec(JSON.stringify(message)) ?? [];
      if (id) times.set(JSON.parse(id), (times.get(JSON.parse(id)) ?? 0) + 1);
    }
    await store.stop();
  }
  return times;
}
