import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { quiet, treeMs } from '../bench/measuring/cpu.js';
import { Receiver } from '../bench/measuring/receiver.js';
import { inParallel } from '../bench/measuring/rounds.js';
import { type ClusterSetup, startCluster } from '../bench/scale/setups.js';
import { type Database, startPostgres } from '../bench/stacks/databases.js';
import { type FaultyLink, faultyLink } from '../crash/faulty-link.js';
import { expected, type MeasuredRun, type Parts, partsOf } from './model.js';

const [MANY, FEW] = [64, 2];
const IDLE_MS = 2_000;
/** A take-over on a loaded machine would be measured with the messages. */
const LEASE_MS = 30_000;
const shapes = [
  { shards: 1, processes: 1 },
  { shards: 1, processes: 2 },
  { shards: 3, processes: 3 },
] as const;

/** Runs with one to three processes, the parts that follow from those with one and two, and the run with three beside the model. */
export interface Measurement {
  readonly runs: readonly MeasuredRun[];
  readonly parts: Parts;
  /** The run with three processes, divided by what the model expects. */
  readonly ratios: Ratios;
}

export interface Ratios {
  readonly processMs: number;
  readonly databaseMs: number;
  readonly logBytes: number;
}

/** Measures the parts of a message, and compares the model with a run that it was not made from. */
export async function measure(messages: number, warmUp: number): Promise<Measurement> {
  const database = await startPostgres();
  const receiver = await Receiver.start();
  try {
    let first = 0;
    const runs: MeasuredRun[] = [];
    for (const shape of shapes) {
      await using links = linksTo(database);
      const cluster = await startCluster(receiver, database, { ...shape, leaseMs: LEASE_MS, linkOf: links.next });
      try {
        const runWith = async (callers: number, count: number): Promise<MeasuredRun> => {
          const from = first;
          first += count;
          return { ...shape, ...(await oneRun({ cluster, receiver, database, links: links.all, callers, from, count })) };
        };
        await runWith(MANY, warmUp * shape.processes);
        runs.push(await runWith(MANY, messages));
        if (shape === shapes[0]) runs.push(await runWith(FEW, messages));
      } finally {
        await cluster.stop();
      }
    }
    const [many, few, followed, three] = runs as [MeasuredRun, MeasuredRun, MeasuredRun, MeasuredRun];
    const parts = partsOf(many, few, followed);
    return { runs, parts, ratios: ratiosOf(parts, three) };
  } finally {
    await receiver.stop();
    await database.stop();
  }
}

/** Divides a run by what the model expects of it. */
export function ratiosOf(parts: Parts, run: MeasuredRun): Ratios {
  const model = expected(parts, run);
  return {
    processMs: run.processMs.reduce((sum, ms) => sum + ms, 0) / model.processMs,
    databaseMs: run.databaseMs / model.databaseMs,
    logBytes: run.logBytes / model.logBytes,
  };
}

/** Links that count what passes between each process and the database. */
function linksTo(database: Database) {
  const all: FaultyLink[] = [];
  const ends: (() => void)[] = [];
  return {
    all,
    next: async (): Promise<string> => {
      const link = await faultyLink({ teardown: (end) => void ends.push(end) }, database.url);
      all.push(link);
      return link.url;
    },
    async [Symbol.asyncDispose]() {
      for (const end of ends) end();
    },
  };
}

interface RunOptions {
  readonly cluster: ClusterSetup;
  readonly receiver: Receiver;
  readonly database: Database;
  readonly links: readonly FaultyLink[];
  readonly callers: number;
  readonly from: number;
  readonly count: number;
}

async function oneRun(options: RunOptions): Promise<Omit<MeasuredRun, 'shards' | 'processes'>> {
  const { cluster, receiver, database, links, callers, from, count } = options;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const looked = async () => {
    const { rows } = await client.query(
      `select count(*)::int as appends, coalesce(sum(length(lines)), 0)::float as bytes,
       (pg_current_wal_insert_lsn() - '0/0')::float as wal from ${cluster.schema}.log`,
    );
    return {
      ...(rows[0] as { appends: number; bytes: number; wal: number }),
      processMs: cluster.pids.map((pid) => treeMs([pid])),
      databaseMs: treeMs([database.pid]),
      wire: links.map(({ bytes }) => bytes),
      at: performance.now(),
    };
  };
  try {
    const target = (await receiver.count()) + count;
    await quiet(cluster.pids);
    const before = await looked();
    await inParallel(count, callers, (n) => cluster.post(from + n));
    await receiver.reached(target);
    await quiet(cluster.pids);
    const after = await looked();
    await sleep(IDLE_MS);
    const idle = await looked();
    const less = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value - b[i]!);
    const idleSeconds = (idle.at - after.at) / 1_000;
    const idleMs = less(idle.processMs, after.processMs);
    return {
      messages: count,
      ms: after.at - before.at,
      processMs: less(after.processMs, before.processMs),
      databaseMs: after.databaseMs - before.databaseMs,
      idleProcessMs: idleMs.reduce((sum, ms) => sum + ms, 0) / idleMs.length / idleSeconds,
      idleDatabaseMs: (idle.databaseMs - after.databaseMs) / idleMs.length / idleSeconds,
      appends: after.appends - before.appends,
      logBytes: after.bytes - before.bytes,
      walBytes: after.wal - before.wal,
      wireBytes: less(after.wire, before.wire),
    };
  } finally {
    await client.end();
  }
}
