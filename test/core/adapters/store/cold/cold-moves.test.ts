import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { nodeFileSystem } from '../../../../../core/adapters/file-system.js';
import { checkData } from '../../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { FolderSource, FolderTarget, JsonStore, LinePacker, placingsOf } from '../../../../../core/adapters/store/index.js';
import { collection } from '../../../../../core/ports/store.js';
import type { TenantTypes } from '../../../../../core/ports/tenant.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';

interface Note {
  readonly id: string;
  readonly box: string;
  readonly text: string;
}

const notes = collection<Note>({ key: 'id', indexes: { box: ['box', 'id'] }, cold: { after: 0 } });
const types = new Map([['test.notes', notes]]) as unknown as TenantTypes;

async function open(folder: string): Promise<JsonStore> {
  const log = new RecordingLogger();
  const store = new JsonStore({ folder, log, partBytes: 1_000, compact: (input) => compact(input, nodeFileSystem) });
  store.define('test.notes', notes);
  await store.start();
  return store;
}

const options = { log: new RecordingLogger(), placing: placingsOf(types) };

async function move(from: string, to: string): Promise<void> {
  const source = await FolderSource.open(from, options);
  const target = new FolderTarget(to, options);
  await target.begin({ id: source.state, shards: ['main'], through: source.through });
  const packer = new LinePacker();
  for await (const documents of source.documents()) {
    for (const document of documents) {
      const lines = packer.add(document);
      if (lines) await target.write('main', packer.parts, lines);
    }
  }
  const rest = packer.rest();
  if (rest) await target.write('main', packer.parts, rest);
  await target.publish();
  await target.close();
  await source.close();
}

/** The parts in a folder, and those that its snapshot lists. */
async function partsIn(folder: string): Promise<{ there: string[]; listed: string[] }> {
  const names = (await nodeFileSystem.list(folder)).map(({ name }) => name);
  const { parts } = JSON.parse(readFileSync(join(folder, 'test.notes.json'), 'utf8')) as { parts?: [string, { file: string }][] };
  return { there: names.filter((name) => /^test\.notes\.\d+\.json$/.test(name)), listed: (parts ?? []).map(([, { file }]) => file).sort() };
}

t.test('documents on disk move to another folder, where they stay on disk', async (t) => {
  const [from, to] = [join(t.testdir(), 'from'), join(t.testdir(), 'to')];
  await nodeFileSystem.makeFolder(from);
  const store = await open(from);
  for (let round = 0; round < 4; round++) {
    await store.transaction((tx) => {
      for (let n = 0; n < 60; n++)
        if (round === 0 || n % 4 === round) tx.in(notes).put({ id: `n${100 + n}`, box: `b${n % 3}`, text: `text ${round}` });
      tx.in(notes).delete(`n${100 + round}`);
    });
    await store.compact();
  }
  await store.transaction((tx) => tx.in(notes).put({ id: 'n110', box: 'b9', text: 'in the journal' }));
  const expected = await store.open(notes).list();
  t.equal(expected.length, 56);
  await store.stop();

  await move(from, to);

  t.match(await checkData(to, nodeFileSystem, { hasOwnKey: true }), { is_whole: true, documents: expected.length });
  const moved = await open(to);
  t.strictSame(await moved.open(notes).list(), expected);
  t.strictSame(
    (await moved.open(notes).find('box', { equals: ['b9'] })).map(({ id }) => id),
    ['n110'],
  );
  await moved.transaction((tx) => tx.in(notes).put({ ...expected[0]!, text: 'changed later' }));
  await moved.compact();
  t.strictSame(await moved.open(notes).list(), [{ ...expected[0]!, text: 'changed later' }, ...expected.slice(1)]);
  await moved.stop();
});

t.test('a move leaves no part behind that its merges have replaced', async (t) => {
  const [used, from, to] = ['used', 'from', 'to'].map((name) => join(t.testdir(), name)) as [string, string, string];
  for (const folder of [used, from]) await nodeFileSystem.makeFolder(folder);
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: used, log, markEveryMs: 1e6, compact: (input) => compact(input, nodeFileSystem) });
  store.define('test.notes', notes);
  await store.start();
  const put = (from: number, to: number, text: string) =>
    store.transaction((tx) => {
      for (let n = from; n < to; n++) tx.in(notes).put({ id: `n${10_000 + n}`, box: `b${n % 3}`, text: `${n} ${text}` });
    });
  // A target merges segments of 64 MiB one after the other; the second merge combines the parts of the first.
  const text = 'x'.repeat(200_000);
  for (let n = 0; n < 440; n += 20) await put(n, n + 20, text);
  await store.compact();
  await put(0, 60, 'changed');
  for (const { name } of await nodeFileSystem.list(used)) if (name !== 'lock') copyFileSync(join(used, name), join(from, name));
  const expected = await store.open(notes).list();
  await store.stop();

  const before = await partsIn(from);
  t.strictSame(before.there.toSorted(), before.listed);
  await move(from, to);
  for (const folder of [from, to]) {
    const { there, listed } = await partsIn(folder);
    t.ok(listed.length > 1, `${listed.length} parts`);
    t.strictSame(there.toSorted(), listed, folder);
  }
  t.notSame((await partsIn(from)).there, before.there, 'the merge of the source has replaced parts');
  const moved = await open(to);
  t.strictSame(await moved.open(notes).list(), expected);
  await moved.stop();
});
