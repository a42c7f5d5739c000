import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, openSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFileSystem } from '../../core/adapters/file-system.js';
import { compact } from '../../core/adapters/store/compaction.task.js';
import { CONTENTS_FILE, decodeContents } from '../../core/adapters/store/files/contents-file.js';
import { DataDamaged } from '../../core/adapters/store/files/data-damaged.js';
import { firstTxOf } from '../../core/adapters/store/files/journal-file.js';
import { collectionOf, throughIn } from '../../core/adapters/store/files/snapshot-file.js';
import { JsonStore } from '../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { defineLoad, differences, headsOf, step, WRITERS } from './load.js';
import { type Plan, planOf, randomNumbers } from './plan.js';

/** A writer that has not been killed as planned is killed after this time. */
const MAX_ROUND_MS = 30_000;

export interface Outcome {
  rounds: number;
  acknowledged: number;
  lost: number;
  /** Rounds that left a partial transaction, or an index that does not match its documents. */
  broken: number;
  /** Rounds that ended during a compaction, by the files that it left. */
  inCompaction: number;
  /** Rounds that ended after a snapshot was renamed, and before its journal segments were removed. */
  beforeRemoval: number;
  /** Rounds whose journal, truncated before its synced mark in a copy, was refused. */
  cutsRefused: number;
  readonly problems: string[];
}

/** Runs rounds in one folder. Each kills a writing process and compares the folder with the writes that it acknowledged. */
export async function crashRounds(options: {
  readonly folder: string;
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (outcome: Outcome) => void;
}): Promise<Outcome> {
  const { folder, rounds, seed, onRound } = options;
  const random = randomNumbers(seed);
  const outcome: Outcome = {
    rounds: 0,
    acknowledged: 0,
    lost: 0,
    broken: 0,
    inCompaction: 0,
    beforeRemoval: 0,
    cutsRefused: 0,
    problems: [],
  };
  let before: number[] = Array.from({ length: WRITERS }, () => 0);
  for (let round = 1; round <= rounds; round++) {
    const plan = planOf(random);
    const acknowledged = await runWriter(folder, plan, before);
    outcome.acknowledged += acknowledged.reduce((sum, seq, writer) => sum + seq - before[writer]!, 0);
    const traces = tracesIn(folder);
    if (traces.inCompaction) outcome.inCompaction++;
    if (traces.beforeRemoval) outcome.beforeRemoval++;
    const refused = await isCutRefused(folder, random);
    if (refused) outcome.cutsRefused++;
    else if (refused === false) outcome.problems.push(`round ${round} (${JSON.stringify(plan)}): a truncated journal was opened`);

    // In half of the rounds the compaction fails, so that the next writer finds an unmerged journal.
    const isMerging = random() < 0.5;
    const merge = isMerging ? compact : () => Promise.reject(new Error('not this time'));
    const store = new JsonStore({ folder, log: new RecordingLogger(), compact: (input) => merge(input, nodeFileSystem) });
    const tasks = defineLoad(store);
    await store.start();
    const found = await headsOf(store);
    const lost = found.flatMap((seq, writer) =>
      seq < acknowledged[writer]! ? [`writer ${writer}: ${acknowledged[writer]} acknowledged, ${seq} found`] : [],
    );
    // Each writer has at most one transaction in flight, which may be durable although not acknowledged.
    const invented = found.flatMap((seq, writer) =>
      seq > acknowledged[writer]! + 1 ? [`writer ${writer}: ${acknowledged[writer]} acknowledged, ${seq} found`] : [],
    );
    const wrong = [...invented, ...(await differences(store, tasks, found))];
    // The store must accept further transactions.
    const next = found.map((seq) => seq + 1);
    await Promise.all(next.map((seq, writer) => store.transaction((tx) => step(tx, writer, seq))));
    wrong.push(...(await differences(store, tasks, next)));
    await store.stop();
    outcome.rounds = round;
    if (lost.length > 0) outcome.lost++;
    if (wrong.length > 0) outcome.broken++;
    outcome.problems.push(...[...lost, ...wrong].map((problem) => `round ${round} (${JSON.stringify(plan)}): ${problem}`));
    onRound?.(outcome);
    before = next;
  }
  return outcome;
}

/** Starts a writer and kills it as planned. @returns the last acknowledged transaction of each writer */
async function runWriter(folder: string, plan: Plan, before: readonly number[]): Promise<number[]> {
  const script = fileURLToPath(new URL('./writer.js', import.meta.url));
  // A file, and not a pipe: output in a full pipe would be lost with the killed process.
  const path = `${folder}.acknowledged`;
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, [script, folder, JSON.stringify(plan)], { stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  const stderr = child.stderr!.setEncoding('utf8');
  let output = '';
  stderr.on('data', (text) => (output += text));
  const first = once(stderr, 'data');
  const ended = once(child, 'close');
  const limit = setTimeout(() => child.kill('SIGKILL'), MAX_ROUND_MS);
  if (plan.kill === 'after a delay') {
    if (plan.from === 'acknowledgement') await Promise.race([first, ended]);
    await sleep(plan.delay);
    child.kill('SIGKILL');
  }
  const [, signal] = await ended;
  clearTimeout(limit);
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${output}`);
  const acknowledged = [...before];
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const [writer, seq] = line.split(' ').map(Number);
    acknowledged[writer!] = seq!;
  }
  return acknowledged;
}

/** Whether the store refuses a copy whose journal is truncated before its synced mark; undefined without a mark. */
async function isCutRefused(folder: string, random: () => number): Promise<boolean | undefined> {
  const file = join(folder, CONTENTS_FILE);
  const contents = existsSync(file) ? decodeContents(readFileSync(file, 'utf8')) : undefined;
  const { segment = '', bytes = 0 } = contents?.synced ?? {};
  if (bytes === 0 || !existsSync(join(folder, segment))) return undefined;
  const copy = `${folder}.cut`;
  cpSync(folder, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  truncateSync(join(copy, segment), Math.floor(random() * bytes));
  const store = new JsonStore({ folder: copy, log: new RecordingLogger(), compact: (input) => compact(input, nodeFileSystem) });
  defineLoad(store);
  try {
    await store.start();
    await store.stop();
    return false;
  } catch (error) {
    if (error instanceof DataDamaged) return true;
    throw error;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Reads from the files whether the process was killed during a compaction. */
function tracesIn(folder: string): { inCompaction: boolean; beforeRemoval: boolean } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (!names.includes(CONTENTS_FILE)) return { inCompaction: false, beforeRemoval: false };
  const { snapshots, segments } = decodeContents(readFileSync(join(folder, CONTENTS_FILE), 'utf8'))!;
  const isHalfWritten = names.some((name) => name.endsWith('.json.tmp') && collectionOf(name.slice(0, -4)) !== undefined);
  const isRenamed = names.some((name) => {
    const collection = collectionOf(name);
    if (collection === undefined) return false;
    const through = throughIn(readFileSync(join(folder, name), 'utf8').split('\n')[2]!)!;
    return through > (snapshots[collection] ?? 0);
  });
  const isUnlisted = names.some((name) => firstTxOf(name) !== undefined && !segments.includes(name));
  return { inCompaction: isHalfWritten || isRenamed || isUnlisted, beforeRemoval: isRenamed || isUnlisted };
}
