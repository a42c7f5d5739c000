// Start time and memory of one process that owns four shards with many messages.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderOnDisk } from '../measuring/folders.js';
import { Receiver } from '../measuring/receiver.js';
import { endChild, messageOf } from '../measuring/rounds.js';
import { machine } from '../measuring/table.js';
import { startPostgres } from '../stacks/databases.js';
import type { FilledShard } from './fill-shard.js';
import type { ScaleMemory } from './scale-process.js';
import { clusterAt, startCluster, startMembers } from './setups.js';

const SHARDS = 4;
const HEAP_MB = 6_144;
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

    for (const what of ['first start, from the log', 'second start, from a snapshot where the log was above 64 MiB']) {
      const before = performance.now();
      const [member] = await startMembers(database, { folder, schema, shards: SHARDS, processes: 1, execArgv });
      const { child, url } = member!;
      await clusterAt(url, ({ shards }) => shards.every(({ owner }) => owner !== null));
      const ms = performance.now() - before;
      const answer = messageOf<ScaleMemory>(child, 'the process');
      child.send('memory');
      const { rss, heapUsed } = await answer;
      console.log(`${what}: ${seconds(ms)} until all ${SHARDS} shards serve, heap ${megabytes(heapUsed)}, RSS ${megabytes(rss)}`);
      await endChild(child);
    }
    console.log(machine());
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await receiver.stop();
    await database.stop();
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
