// Start time and memory of one process that owns four shards with many messages.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SNAPSHOT_EVERY_BYTES } from '../../../plugins/cluster/postgres/log-store-of.js';
import { folderOnDisk } from '../measuring/folders.js';
import { Receiver } from '../measuring/receiver.js';
import { endChild, messageOf } from '../measuring/rounds.js';
import { machine } from '../measuring/table.js';
import { startPostgres } from '../stacks/databases.js';
import type { FilledShard } from './fill-shard.js';
import type { ScaleMemory } from './scale-process.js';
import { clusterAt, startCluster, startMembers, type View } from './setups.js';

const SHARDS = 4;
const HEAP_MB = 6_144;
const START_LIMIT_MS = 1_800_000;
/** Half of it is the limit of a query, which a process that loads its data on a loaded machine reads late. */
const LEASE_MS = 30_000;
const SNAPSHOT_LIMIT_MS = 600_000;
const LOOK_MS = 200;
const execArgv = ['--expose-gc', `--max-old-space-size=${HEAP_MB}`];

/** Writes `count` messages over four shards, and prints the time and memory of starts without and with a snapshot. */
export async function measureStart(count: number): Promise<void> {
  const database = await startPostgres();
  const receiver = await Receiver.start();
  const folder = folderOnDisk();
  try {
    const cluster = await startCluster(receiver, database, { shards: SHARDS, processes: 1 });
    const { targets, schema } = cluster;
    for (let n = 0; n < SHARDS; n++) await cluster.post(n);
    await receiver.reached(SHARDS);
    await cluster.stop();

    const began = performance.now();
    for (const { shard } of targets) {
      const env = { ...process.env, POSTHORN_DATABASE_URL: database.url };
      const child = fork(join(import.meta.dirname, 'fill-shard.js'), [schema, shard, `${Math.ceil(count / SHARDS)}`], { env, execArgv });
      const { written } = await messageOf<FilledShard>(child, `the writer of ${shard}`);
      await endChild(child);
      console.log(`${shard}: ${written} messages`);
    }
    console.log(`written in ${seconds(performance.now() - began)}`);

    let stored = await storedIn(database.url, schema);
    for (const what of ['first start', 'second start']) {
      console.log(`${what}, from ${textOf(stored)}`);
      const before = performance.now();
      const [member] = await startMembers(database, { folder, schema, shards: SHARDS, processes: 1, leaseMs: LEASE_MS, execArgv });
      const { child, url } = member!;
      let serving = 0;
      const isComplete = ({ shards }: View): boolean => {
        const owned = shards.filter(({ owner }) => owner !== null).length;
        if (owned > serving) console.log(`  ${owned} of ${SHARDS} shards serve after ${seconds(performance.now() - before)}`);
        serving = owned;
        return owned === SHARDS;
      };
      await clusterAt(url, isComplete, START_LIMIT_MS);
      const answer = messageOf<ScaleMemory>(child, 'the process');
      child.send('memory');
      const { rss, heapUsed, cpuMs } = await answer;
      console.log(`  CPU ${seconds(cpuMs)}, heap ${megabytes(heapUsed)}, RSS ${megabytes(rss)}; ${machine()}`);
      stored = await snapshotsWritten(database.url, schema);
      await endChild(child);
    }
    console.log(machine());
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await receiver.stop();
    await database.stop();
  }
}

/** The data that a start reads. */
interface Stored {
  readonly snapshots: number;
  readonly snapshotBytes: number;
  /** Bytes of the log after the newest snapshot of each shard, and where there is none, of the whole log. */
  readonly logBytes: number;
  /** Of the shard with the most of it. */
  readonly mostLogBytes: number;
}

async function storedIn(url: string, schema: string): Promise<Stored> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Stored>(`
      with newest as (select shard, max(through) as through from ${schema}.snapshots group by shard),
        rest as (select sum(length(lines)) as bytes from ${schema}.log left join newest using (shard) where last > coalesce(through, 0) group by shard)
      select (select count(*) from newest)::integer as snapshots,
        (select coalesce(sum(length(lines)), 0) from ${schema}.snapshot_parts join newest using (shard, through))::float as "snapshotBytes",
        coalesce(sum(bytes), 0)::float as "logBytes", coalesce(max(bytes), 0)::float as "mostLogBytes" from rest`);
    return rows[0]!;
  } finally {
    await client.end();
  }
}

/** Waits until the process has written a snapshot of every shard whose log was long enough for one. */
async function snapshotsWritten(url: string, schema: string): Promise<Stored> {
  for (const end = performance.now() + SNAPSHOT_LIMIT_MS; ; await sleep(LOOK_MS)) {
    const stored = await storedIn(url, schema);
    if (stored.mostLogBytes < SNAPSHOT_EVERY_BYTES || performance.now() > end) return stored;
  }
}

const textOf = ({ snapshots, snapshotBytes, logBytes }: Stored): string =>
  `${snapshots} snapshots of ${megabytes(snapshotBytes)} and ${megabytes(logBytes)} of the log after them`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
