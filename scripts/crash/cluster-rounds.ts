import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RecordingLogger } from '#core/testing';
import { V8Heap } from '../../core/adapters/v8-heap.js';
import { messages } from '../../core/messaging/message.js';
import { logStoreOf } from '../../plugins/cluster/postgres/log-store-of.js';
import { LEASE_MS } from '../../plugins/cluster/postgres/postgres-log.js';
import { Servers } from '../../plugins/cluster/postgres/servers.js';
import { freePort } from '../free-port.js';
import { admin, compare, createChannel, LIMIT_MS, Load, type LoadOutcome, type Member, startEndpoint } from './acknowledged-load.js';
import { type DatabaseBlow, databaseBlows } from './database-blows.js';
import { type FaultyLink, faultyLink } from './faulty-link.js';
import { LossReports } from './loss-reports.js';
import { randomNumbers } from './plan.js';
import { portsOf } from './process-ports.js';
import { outage, ReplicatedServer, stall, urlOfAll } from './replicated-server.js';
import type { TestServer } from './test-database.js';

/**
 * The blow of a round. `kill` ends a process, `pause` stops it (SIGSTOP) for longer than its lease, `stop` ends it in an orderly way. An
 * `outage` kills the database and starts it again, and a `stall` stops it (SIGSTOP) for some seconds. For some seconds and without an error, a
 * `cut` loses everything between one process and the database, and a `partition` everything between one process and the others.
 */
export type ClusterBlow = 'kill' | 'pause' | 'stop' | 'outage' | 'stall' | 'cut' | 'partition' | DatabaseBlow;

export interface ClusterOutcome extends LoadOutcome {
  /** Acknowledged messages that the database has lost in blows that may lose some, and that were reported. */
  reported: number;
  /** Milliseconds from each blow until every conversation was acknowledged again. */
  readonly pauses: { readonly blow: ClusterBlow; readonly ms: number }[];
}

export interface ClusterRounds {
  /** Some blows need a replica. */
  readonly server: TestServer | ReplicatedServer;
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
  /** Where the processes write their log lines; nowhere if not given. */
  readonly log?: 'inherit';
  /** @returns false to end the test now */
  readonly onRound?: (done: number, outcome: ClusterOutcome) => boolean;
}

const LOOK_MS = 250;
const [MIN_AFTER_MS, MAX_AFTER_MS] = [200, 700];
/** Longer than a lease. */
const [PAUSE_LEASES, CUT_LEASES] = [1.5, 4 / 3];
const STALL_MS = 5_000;
const OUTAGE_MS = 300;
const script = fileURLToPath(new URL('./cluster-member.js', import.meta.url));

interface LinkedMember extends Member {
  /** Between it and each server of the database. */
  readonly links: readonly FaultyLink[];
  /** Between it and the processes that call it. */
  readonly calls: FaultyLink;
}

/** Strikes the processes of a cluster and its database under load, and compares what is there at the end with what was acknowledged. */
export async function clusterRounds(options: ClusterRounds): Promise<ClusterOutcome> {
  const { server, blows, seed, leaseMs = LEASE_MS, shards = 4 } = options;
  const replicated = server instanceof ReplicatedServer ? server : undefined;
  const random = randomNumbers(seed);
  const problems: string[] = [];
  const outcome: ClusterOutcome = {
    acknowledged: 0,
    lost: 0,
    reported: 0,
    undelivered: 0,
    outOfOrder: 0,
    pauses: [],
    refused: 0,
    problems,
  };
  const reports = new LossReports(problems);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cluster-'));
  const endpoint = await startEndpoint();
  const members: LinkedMember[] = [];
  /** The processes whose end is a part of the test. */
  const ending = new Set<ChildProcess>();
  const ends: (() => void)[] = [];
  const teardown = (end: () => void) => void ends.push(end);
  let load: Load | undefined;
  const begin = async (): Promise<void> => {
    const links = await Promise.all((replicated?.urls ?? [server.url]).map((url) => faultyLink({ teardown }, url)));
    const port = await freePort();
    const calls = await faultyLink({ teardown }, `http://127.0.0.1:${port}`);
    const databaseUrl = replicated ? urlOfAll(links.map(({ url }) => url)) : links[0]!.url;
    const child = fork(script, [options.schema, folder, String(port), String(leaseMs), String(shards), new URL(calls.url).origin], {
      env: { ...process.env, POSTHORN_DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', options.log ?? 'ignore', 'ipc'],
    });
    const [url] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process of the cluster ended with ${code}`))),
    ]);
    const member = { child, url: url as string, links, calls };
    members.push(member);
    child.once('exit', (code, signal) => {
      members.splice(members.indexOf(member), 1);
      if (!ending.has(child)) problems.push(`a process ended by itself, with ${signal ?? `code ${code}`}`);
    });
  };
  try {
    await replicated?.setSynchronous(true);
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
      const struckAt = await strike(blow, victim);
      await load.acknowledgedAll();
      outcome.pauses.push({ blow, ms: Math.round(performance.now() - struckAt) });
      if (blow === 'pause') {
        await sleep(Math.max(0, PAUSE_LEASES * leaseMs - (performance.now() - struckAt)));
        victim.child.kill('SIGCONT');
      }
      if (blow === 'cut') {
        await sleep(Math.max(0, CUT_LEASES * leaseMs - (performance.now() - struckAt)));
        for (const link of victim.links) link.mend();
      }
      if (blow === 'partition') {
        await sleep(Math.max(0, CUT_LEASES * leaseMs - (performance.now() - struckAt)));
        for (const { calls } of members) calls.mend();
      }
      if (isOfReplicas(blow)) await databaseBlows[blow].after(replicated!);
      await ended;
      while (members.length < options.processes) await begin();
      await covered(members);
      await reports.collect(members[0]!.url, blow, isOfReplicas(blow) && databaseBlows[blow].loses);
      if (options.onRound?.(round + 1, outcome) === false) break;
    }
    await load.stop();
    await reports.collect(members[0]!.url, 'blow before', true);
    const acknowledged = load.acknowledged.flatMap((last, conversation) =>
      Array.from({ length: last }, (_, n) => `${conversation}:${n + 1}`),
    );
    const maybeLost = reports.messages();
    const isDelivered = () => {
      const received = new Set(endpoint.received);
      return acknowledged.every((one) => received.has(one) || maybeLost.has(one));
    };
    for (const end = performance.now() + LIMIT_MS; performance.now() < end && !isDelivered(); ) await sleep(50);
    for (const { child } of members) ending.add(child);
    await Promise.all(members.map(stopped));
    const stored = await storedMessages(options, shards);
    outcome.reported = reports.compare(acknowledged, stored);
    const wanted = acknowledged.filter((one) => stored.has(one) || !maybeLost.has(one));
    compare(wanted, new Map([...stored].map(([one, keys]) => [one, keys.length])), endpoint.received, outcome);
    return outcome;
  } finally {
    load?.abandon();
    for (const { child } of [...members]) {
      ending.add(child);
      child.kill('SIGKILL');
    }
    endpoint.stop();
    for (const end of ends) end();
    rmSync(folder, { recursive: true, force: true });
  }

  /** @returns since when the cluster could continue, by `performance.now` */
  async function strike(blow: ClusterBlow, victim: LinkedMember): Promise<number> {
    const database = replicated?.primary ?? (server as TestServer);
    const struckAt = performance.now();
    if (blow === 'stop') victim.child.send('stop');
    else if (blow === 'kill') victim.child.kill('SIGKILL');
    else if (blow === 'pause') victim.child.kill('SIGSTOP');
    else if (blow === 'cut') for (const link of victim.links) link.cut();
    else if (blow === 'partition') {
      const pid = victim.child.pid!;
      for (const member of members) member.calls.cut(member === victim ? undefined : (port) => portsOf(pid).has(port));
    } else if (blow === 'outage') await outage(database, OUTAGE_MS);
    else if (blow === 'stall') await stall(database, STALL_MS);
    else if (replicated) return databaseBlows[blow].strike(replicated);
    else throw new Error(`the blow ${blow} needs a replica`);
    return struckAt;
  }
}

const isOfReplicas = (blow: ClusterBlow): blow is DatabaseBlow => blow in databaseBlows;

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
  return members.filter(({ calls }) => urls.has(new URL(calls.url).origin));
}

async function stopped({ child }: Member): Promise<void> {
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
}

/** The keys under which each message of a contact is stored, in all shards. */
export async function storedMessages(
  { server, schema }: { readonly server: { readonly url: string }; readonly schema: string },
  shards: number,
): Promise<Map<string, string[]>> {
  const keys = new Map<string, string[]>();
  for (let shard = 1; shard <= shards; shard++) {
    const servers = new Servers({ url: server.url });
    const store = logStoreOf({ servers, schema, log: new RecordingLogger(), heap: new V8Heap(), shard: `shard-${shard}` });
    store.define('core.messages', messages);
    await store.start();
    for (const { uuid, external_id: id = '' } of await store.open(messages).list()) keys.set(id, [...(keys.get(id) ?? []), uuid]);
    await store.stop();
  }
  return keys;
}
