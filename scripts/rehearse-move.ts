// Moves a large data folder to a database, to several shards, and back, with an interruption in the middle of each move. The database is that
// of POSTHORN_DATABASE_URL, or one that it starts: node scripts/run.mjs rehearse-move --messages 100000
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RecordingLogger } from '../core/testing/recording-logger.js';
import { type DataMove, type MoveReport, moveData } from '../plugins/cluster/move/data-move.js';
import { everyPlugin } from '../sandbox/server/every-plugin.js';
import { machine } from './bench/measuring/table.js';
import { sharedServer, stopSharedServer } from './crash/test-database.js';
import { writeLargeFolder } from './move/large-folder.js';

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '100000' }, schema: { type: 'string', default: 'rehearsal' } },
});
const messages = Number(values.messages);
const server = process.env.POSTHORN_DATABASE_URL === undefined ? await sharedServer() : undefined;
if (typeof server === 'string')
  throw new Error(`${server}; set POSTHORN_DATABASE_URL to a database with a free schema (--schema, rehearsal if not given)`);
const url = server?.url ?? process.env.POSTHORN_DATABASE_URL!;

const root = mkdtempSync(join(tmpdir(), 'posthorn-rehearsal-'));
const [folder, copy] = [join(root, 'data'), join(root, 'copy')];

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(
    `${name.padEnd(32)} ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`,
  );
  return result;
}

/** Moves, interrupted in the middle, then to the end. */
async function move(name: string, more: Pick<DataMove, 'direction'> & Partial<DataMove>): Promise<MoveReport> {
  const options: DataMove = { folder, url, schema: values.schema, plugins: everyPlugin(), log: new RecordingLogger(), ...more };
  const stop: Partial<DataMove> = {
    onProgress({ phase, documents }) {
      if (phase === 'copying' && documents > messages) throw new Error('interrupted');
    },
  };
  await timed(`${name}, interrupted`, () => assert.rejects(moveData({ ...options, ...stop }), /interrupted/));
  const report = await timed(`${name}, continued`, () => moveData(options));
  assert.equal(report.state, 'moved');
  assert.ok(report.resumed_parts > 0);
  assert.equal(report.collections['core.messages']?.documents, messages);
  return report;
}

/** Deliveries of several shards get new places in one order, so only their number is equal. */
const withoutPlaces = ({ collections: { 'core.outbox': outbox, 'core.settled-deliveries': settled, ...others } }: MoveReport) => ({
  ...others,
  deliveries: [outbox?.documents, settled?.documents],
});

try {
  await timed(`${messages} messages written`, () => writeLargeFolder(folder, { messages }));
  const collections = withoutPlaces(await move('to the database', { direction: 'to_database' }));
  for (const shards of [4, 2, 1])
    assert.deepEqual(withoutPlaces(await move(`to ${shards} shards`, { direction: 'shards', shards })), collections);
  assert.deepEqual(withoutPlaces(await move('to a folder', { direction: 'to_folder', folder: copy })), collections);
  console.log('counts and checksums are equal in every place');
  console.log(machine());
} finally {
  rmSync(root, { recursive: true });
  await stopSharedServer();
}
