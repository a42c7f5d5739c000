import type { Handler } from './execution.js';
import { has, rowsOf, snapshotsOf } from './log-statements.js';

const BLOCK_BYTES = 256 * 1024;
const keyOf = (shard: string, file: string): string => `${shard} ${file}`;

/** The statements of snapshots that are files. */
export const fileStatements: readonly Handler[] = [
  {
    begins: 'update format set version',
    changes: true,
    run({ tables, values: [version] }) {
      if ((tables.format.get('version') ?? 1) < version) tables.set(tables.format, 'version', version);
      return [];
    },
  },
  {
    begins: 'insert into snapshot_files',
    changes: true,
    run({ tables, values: [shard, file, block, bytes] }) {
      const key = keyOf(shard, file);
      const blocks = tables.blocks.get(key);
      // The bytes of the driver are used again.
      const row = { shard, file, block, bytes: Buffer.from(bytes) };
      if (!blocks?.has(block)) tables.set(tables.blocks, key, new Map([...(blocks ?? []), [block, row]]));
      return [];
    },
  },
  {
    begins: 'select block, case when block = $3',
    run({ tables, values: [shard, file, first, last, from, bytes] }) {
      const blocks = tables.blocks.get(keyOf(shard, file));
      return [...(blocks?.values() ?? [])]
        .filter(({ block }) => block >= first && block <= last)
        .sort((a, b) => a.block - b.block)
        .map(({ block, bytes: all }) => {
          const start = block === first ? from - 1 : 0;
          return { block, bytes: all.subarray(start, Math.min(start + bytes, BLOCK_BYTES)) };
        });
    },
  },
  {
    begins: 'with there as (',
    has: 'insert into snapshots (shard, through, writer, parts, files)',
    changes: true,
    run({ tables, now, values: [shard, through, writer, epoch, after, files, added, count] }) {
      const row = has(rowsOf(tables, shard), through);
      const blocks = (added as string[]).reduce((sum, file) => sum + (tables.blocks.get(keyOf(shard, file))?.size ?? 0), 0);
      const isNext = (snapshotsOf(tables, shard)[0]?.writer ?? null) === after;
      const there = row !== undefined && (epoch ?? row.epoch) === row.epoch && isNext && blocks === count;
      const isStored = snapshotsOf(tables, shard).some((one) => one.writer === writer);
      const key = `${shard} ${through}`;
      if (there && !tables.snapshots.has(key))
        tables.set(tables.snapshots, key, { shard, through, writer, parts: 1, files: JSON.parse(files), at: now });
      return [{ there: there || isStored }];
    },
  },
  {
    begins: 'select distinct file from snapshot_files',
    run({ tables, values: [shard] }) {
      const listed = new Set(snapshotsOf(tables, shard).flatMap(({ files }) => (files ?? []).map(({ id }) => id)));
      const all = [...tables.blocks.values()].flatMap((blocks) => [...blocks.values()].slice(0, 1));
      return all.filter((one) => one.shard === shard && !listed.has(one.file)).map(({ file }) => ({ file }));
    },
  },
  {
    // Its rows go together, although the server deletes some at a time.
    begins: 'delete from snapshot_files',
    changes: true,
    run({ tables, values: [shard, file] }) {
      tables.delete(tables.blocks, keyOf(shard, file));
      return [];
    },
  },
];
