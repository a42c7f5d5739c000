// Writes until it is killed, and prints each acknowledged transaction: node writer.js <folder> <plan as JSON>

import { type FileSystem, nodeFileSystem } from '../../core/adapters/file-system.js';
import { compaction } from '../../core/adapters/store/compaction.js';
import { compact } from '../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../core/adapters/store/json-store.js';
import { PiscinaPool } from '../../core/adapters/workers/piscina-pool.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';
import { defineLoad, headsOf, step, WRITERS } from './load.js';
import type { Plan } from './plan.js';

const COMPACT_AFTER_BYTES = 40_000;
/** Frequent, so that rounds end before, during and after a mark. */
const MARK_EVERY_MS = 5;
/** Small, so that merges write, mark and remove parts. */
const PART_BYTES = 2_000;
const [folder, planText] = process.argv.slice(2);
const plan = JSON.parse(planText!) as Plan;
const log = new RecordingLogger();
const fs = killingFileSystem(nodeFileSystem, plan);
const pool = plan.kill === 'after a delay' ? new PiscinaPool({ maxThreads: 1 }) : undefined;
const store = new JsonStore({
  folder: folder!,
  log,
  fs,
  compactAfterBytes: COMPACT_AFTER_BYTES,
  markEveryMs: MARK_EVERY_MS,
  partBytes: PART_BYTES,
  compact: (input) => pool?.run(compaction, input) ?? compact(input, fs),
});
defineLoad(store);
await store.start();
const seqs = await headsOf(store);
let isWriting = false;
await Promise.all(
  Array.from({ length: WRITERS }, async (_, writer) => {
    for (let seq = seqs[writer]! + 1; ; seq++) {
      await store.transaction((tx) => step(tx, writer, seq));
      process.stdout.write(`${writer} ${seq}\n`);
      if (!isWriting) process.stderr.write('writing\n');
      isWriting = true;
    }
  }),
);

/** A file system that kills the process with SIGKILL at the planned operation of a compaction. */
function killingFileSystem(real: FileSystem, { kill, operation }: Plan): FileSystem {
  if (kill === 'after a delay') return real;
  let remaining = operation;
  const at = (name: string, path: string) => {
    const isOfCompaction =
      /\.\w+\.json(\.tmp)?$/.test(path) || name === 'remove' || (path.includes('contents.json') && remaining < operation);
    const isWanted = kill === 'in a compaction' ? isOfCompaction : name === 'remove' && path.endsWith('.jsonl');
    if (isWanted && remaining-- <= 0) process.kill(process.pid, 'SIGKILL');
  };
  return {
    ...real,
    open: async (path, how) => {
      const file = await real.open(path, how);
      if (how !== 'replace') return file;
      return {
        ...file,
        write: async (bytes) => {
          at('write', path);
          await file.write(bytes);
        },
        sync: async () => {
          at('sync', path);
          await file.sync();
        },
      };
    },
    rename: async (from, to) => {
      at('rename', to);
      await real.rename(from, to);
    },
    remove: async (path) => {
      at('remove', path);
      await real.remove(path);
    },
  };
}
