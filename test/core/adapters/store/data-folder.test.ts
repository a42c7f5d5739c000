import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import compact from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { type CollectionType, collection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import type { Tap } from '../../../../core/testing/tap.js';

interface Person {
  id: string;
  name?: string;
  mail?: string;
}

const people = collection<Person>({ key: 'id' });

function temporaryFolder(t: Pick<Tap, 'teardown'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-data-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

function storeIn(folder: string, type: CollectionType<Person> = people): JsonStore {
  const store = new JsonStore({ folder, log: new RecordingLogger(), compact });
  store.define('test.people', type);
  return store;
}

async function withStore(folder: string, use: (store: JsonStore) => Promise<unknown>, type?: CollectionType<Person>): Promise<void> {
  const store = storeIn(folder, type);
  await store.start();
  await use(store).finally(() => store.stop());
}

const addAnn = (store: JsonStore) => store.transaction((tx) => tx.in(people).put({ id: 'ann', name: 'Ann' }));

t.test('the folder and its files are accessible only to their owner', async (t) => {
  const folder = temporaryFolder(t);
  await withStore(folder, addAnn);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.strictSame(readdirSync(folder).sort(), ['contents.json', 'format.json', 'journal-000000000002.jsonl', 'test.people.json']);
  for (const file of readdirSync(folder)) t.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
});

t.test('a stopped store leaves its documents in readable files', async (t) => {
  const folder = temporaryFolder(t);
  await withStore(folder, addAnn);
  t.equal(
    readFileSync(join(folder, 'test.people.json'), 'utf8'),
    `{
  "collection": "test.people",
  "through": 1,
  "documents": [
    ["55b2ce34","ann",{"id":"ann","name":"Ann"}]
  ],
  "count": 1,
  "checksum": "326f77e7"
}
`,
  );
});

t.test('a second store in the same folder is refused with the process that uses it', async (t) => {
  const folder = temporaryFolder(t);
  await withStore(folder, async () => {
    await t.rejects(storeIn(folder).start(), {
      name: 'FolderInUse',
      message: new RegExp(`${folder} is in use by this process \\(${process.pid}\\)`),
    });
  });
  await withStore(folder, addAnn);
});

t.test('a folder of another program or a newer version is left alone', async (t) => {
  const foreign = temporaryFolder(t);
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'tsconfig.types.json'), '{}');
  await t.rejects(storeIn(foreign).start(), /format\.json: the file is missing, but the folder is not empty.*another folder/);
  t.strictSame(readdirSync(foreign), ['tsconfig.types.json']);

  const newer = temporaryFolder(t);
  await withStore(newer, addAnn);
  writeFileSync(join(newer, 'format.json'), '{"format":7}');
  await t.rejects(storeIn(newer).start(), /format 7 by a newer version; this one supports formats up to 6/);
  for (const nonsense of ['{"format":"1"}', '{"format":0}', 'null', '{"form']) {
    writeFileSync(join(newer, 'format.json'), nonsense);
    await t.rejects(storeIn(newer).start(), { name: 'DataDamaged', file: join(newer, 'format.json') }, nonsense);
  }
});

t.test('other folders and files beside the data do not matter', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'media'), { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'hello');
  await withStore(folder, addAnn);
  writeFileSync(join(folder, 'test.people.json.tmp'), 'left over');
  await withStore(folder, async (store) => t.equal(await store.open(people).count(), 1));
  t.notOk(readdirSync(folder).includes('test.people.json.tmp'));
});

t.test('an index declared later contains the existing documents', async (t) => {
  const folder = temporaryFolder(t);
  await withStore(folder, async (store) => {
    await store.transaction((tx) => {
      tx.in(people).put({ id: 'a', name: 'Zoe' });
      tx.in(people).put({ id: 'b', name: 'Ann' });
      tx.in(people).put({ id: 'c' });
    });
  });
  const byName = collection<Person>({ key: 'id', indexes: { name: ['name'] } });
  const names = async (store: JsonStore) => (await store.open(byName).find('name')).map(({ name }) => name);
  await withStore(folder, async (store) => t.strictSame(await names(store), ['Ann', 'Zoe']), byName);
});

t.test('documents that do not fit the current declaration are named', async (t) => {
  const folder = temporaryFolder(t);
  await withStore(folder, async (store) => {
    await store.transaction((tx) => {
      tx.in(people).put({ id: 'a', mail: 'same@example.org' });
      tx.in(people).put({ id: 'b', mail: 'same@example.org' });
    });
  });
  const unique = collection<Person>({ key: 'id', unique: { mail: ['mail'] } });
  await t.rejects(storeIn(folder, unique).start(), { name: 'UniqueViolation', message: /test\.people.*mail.*same@example\.org/ });
  const otherKey = collection<Person>({ key: 'mail', indexes: { id: ['id'] } });
  await t.rejects(storeIn(folder, otherKey).start(), /test\.people: document a has same@example\.org in its key field mail/);
  await withStore(folder, async (store) => t.equal(await store.open(people).count(), 2));
});

t.test('a collection whose key field has changed is refused, with and without indexes, in the journal and in the snapshot', async (t) => {
  const folder = temporaryFolder(t);
  const byMail = collection<Person>({ key: 'mail' });
  const refused = () =>
    t.rejects(storeIn(folder, byMail).start(), {
      name: 'TypeError',
      message: 'test.people: document a "quoted" has a@example.org in its key field mail; a key cannot change',
    });
  const store = storeIn(folder);
  await store.start();
  await store.transaction((tx) => tx.in(people).put({ id: 'a "quoted"', mail: 'a@example.org' }));
  await store.compact();
  await store.stop();
  await refused();
  await withStore(folder, async (store) => t.match(await store.open(people).get('a "quoted"'), { mail: 'a@example.org' }));
  const journalOnly = temporaryFolder(t);
  const other = storeIn(journalOnly);
  await other.start();
  await other.transaction((tx) => tx.in(people).put({ id: 'b', mail: 'b@example.org' }));
  // The journal as it was before the stop merged it.
  const copy = temporaryFolder(t);
  cpSync(journalOnly, copy, { recursive: true });
  await other.stop();
  rmSync(join(copy, 'lock'));
  await t.rejects(storeIn(copy, byMail).start(), /test\.people: document b has b@example\.org/);
});
