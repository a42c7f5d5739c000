import t from 'tap';
import { openSnapshot, type Snapshot, snapshotName } from '../../../../core/adapters/store/files/snapshot-file.js';
import { jsonOf, rowOf } from '../../../../core/adapters/store/files/stored-row.js';
import { SimulatedDisk } from './simulated-disk.js';

const FOLDER = '/data';
const FILE = `${FOLDER}/${snapshotName('shop.people')}`;

async function documentsOf({ rows }: Snapshot): Promise<Record<string, string>> {
  const documents: Record<string, string> = {};
  for await (const batch of rows) for (const row of batch) documents[row.key] = jsonOf(row);
  return documents;
}

async function* rowsOf(documents: Record<string, string>) {
  yield Object.entries(documents).map(([key, json]) => rowOf(key, Buffer.from(json)));
}

t.test('lowdb keeps its default data without a snapshot, and reads what it has written', async (t) => {
  const disk = new SimulatedDisk();
  const first = openSnapshot(disk, FOLDER, 'shop.people');
  t.equal(await first.adapter.read(), null, 'lowdb requires this of an adapter without a file');
  await first.read();
  t.match(first.data, { collection: 'shop.people', through: 0 });
  t.strictSame(await documentsOf(first.data), {});

  await first.update((data) => Object.assign(data, { through: 2, parts: [], rows: rowsOf({ ann: '{"id":"ann"}', bob: '{"id":"bob"}' }) }));
  t.strictSame(disk.files, [FILE], 'no temporary file remains');

  const second = openSnapshot(disk, FOLDER, 'shop.people');
  await second.read();
  t.equal(second.data.through, 2);
  t.strictSame(await documentsOf(second.data), { ann: '{"id":"ann"}', bob: '{"id":"bob"}' });
});

t.test('a snapshot can be written while it streams from the file that it replaces', async (t) => {
  const disk = new SimulatedDisk();
  const snapshot = openSnapshot(disk, FOLDER, 'shop.people');
  snapshot.data = { collection: 'shop.people', through: 2, parts: [], rows: rowsOf({ ann: '{"id":"ann"}' }) };
  await snapshot.write();
  const written = disk.read(FILE).toString();
  await snapshot.read();
  await snapshot.write();
  t.equal(disk.read(FILE).toString(), written);
});
