import t from 'tap';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { storedCollections } from '../../../core/platform/stored-collections.js';
import { type CollectionType, type IndexValue, peek, peekAll, peekBy, type Store } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { plugins } from '../../../scripts/release-data/scenario.js';
import { sampled } from '../../forms.js';
import { SimulatedDisk } from '../adapters/store/simulated-disk.js';

type Document = Record<string, unknown>;
type AnyType = CollectionType<Document>;

const DOCUMENTS = 60;
const at = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
const number = (n: number): string => `number-${n % 3}`;
const long = { pieces: ['"', 0, '"'], chunks: ['a chunk'] };

/** Documents of each collection whose older documents stay on disk, as far as its indexes and rules see them. */
const samples: Readonly<Record<string, (n: number) => Document>> = {
  'core.messages': (n) => ({
    uuid: `message-${n}`,
    number: number(n),
    direction: n % 2 === 0 ? 'inbound' : 'outbound',
    conversation: `conversation-${n % 7}`,
    position: n,
    recorded_at: at(n),
    ...(n % 4 > 0 && { external_id: `out-${n}` }),
    ...(n % 9 === 0 && { pending_for: '+27' }),
  }),
  'core.conversations': (n) => ({ uuid: `conversation-${n}`, number: number(n), contact: `contact-${n}`, updated_at: at(n % 5) }),
  'core.contacts': (n) => ({ uuid: `contact-${n}`, number: number(n), id: `+27${n}`, address: `group ${n % 4}`, created_at: at(n) }),
  'core.settled-deliveries': (n) => ({
    id: `${String(n).padStart(12, '0')}/${number(n)}`,
    seq: n,
    uuid: `delivery-${n}`,
    number: number(n),
    webhook: `webhook-${n % 4}`,
    event: `event-${n % 50}`,
    settled_at: at(n % 30),
    ...(n % 3 > 0 && { message: `message-${n % 20}` }),
    ...(n % 10 === 0 && { failed: n % 20 === 0 ? 'dropped' : 'cancelled' }),
  }),
  'core.contact-aliases': (n) => ({
    key: `${number(n)}/+${n}`,
    number: number(n),
    id: `+${n}`,
    contact: `contact-${n % 20}`,
    added_at: at(n),
  }),
  'core.choices': (n) => ({
    key: `key-${n}`,
    number: number(n),
    message: `message-${n}`,
    conversation: `conversation-${n % 10}`,
    at: at(n),
    options: [{ kind: 'button_reply', id: `${n}`, title: long }],
  }),
  'core.uploads': (n) => ({ key: `${number(n)}/photo/${n}`, number: number(n), file: `file-${n % 50}`, id: `remote-${n}`, at: at(n) }),
  'core.media-links': (n) => ({
    token: `token-${n}`,
    number: number(n),
    media: `file-${n % 50}`,
    contact: `contact-${n % 20}`,
    until: at(n),
    opened: n,
  }),
  'core.remote-ids': (n) => ({
    key: `${number(n)}/remote-${n}`,
    number: number(n),
    id: `remote-${n}`,
    message: `message-${n % 20}`,
    order: n,
  }),
  'core.audit': (n) => ({ id: `${at(n)}/${n}`, at: at(n), by: `operator-${n % 4}`, ...(n % 3 > 0 && { target: `webhook-${n % 20}` }) }),
  'core.media': (n) => ({ id: `${1000 + n}`, number: number(n), sha256: `hash ${n % 10}`, created_at: at(n) }),
  'core.chunks': (n) => ({ id: `chunk-${n}`, ...(n % 2 === 0 ? { string: 'long '.repeat(20) } : long) }),
  'core.chunk-uses': (n) => ({ id: `chunk-${n}`, uses: n }),
  'journeys.sessions': (n) => ({
    uuid: `session-${n}`,
    number: number(n),
    contact: `contact-${n % 20}`,
    journey: `journey-${n % 2}`,
    created_at: at(n),
    data: n % 3 === 0 ? long : '',
    ...(n % 5 === 0 ? { parked_for: `contact-${n}` } : { over_at: at(n % 30) }),
  }),
  'journeys.prompts': (n) => ({ message: `message-${n}`, number: number(n), session: `session-${n}`, created_at: at(n), data: long }),
  'journeys.ai-calls': (n) => ({ uuid: `call-${n}`, number: number(n), count: n, tokens: { input: n, output: 1 } }),
  'journeys.traffic': (n) => ({ key: `journey-${n}`, number: number(n), journey: `journey-${n % 2}`, from: at(n), counts: { exit: n } }),
  'messages.claims': (n) => ({ contact: `contact-${n}`, number: number(n), claimed: [`message-${n}`], until: at(n) }),
  'flows.openings': (n) => ({ token: `token-${n}`, message: `message-${n % 50}`, expires_at: at(n) }),
};

const all = storedCollections(plugins());
const named = [...all].flatMap(([name, type]) => ('cold' in type && type.cold ? [[name, type as unknown as AnyType] as const] : []));

/** Everything that a caller can read of a collection, in every way. */
async function reads(store: Store, type: AnyType, documents: readonly Document[]): Promise<unknown[]> {
  const found: unknown[] = [];
  const records = store.open(type);
  const every = [...Object.entries(type.unique ?? {}), ...Object.entries(type.indexes ?? {})] as [string, readonly string[]][];
  await store.transaction(async (tx) => {
    const inside = tx.in(type);
    for (const document of sampled(documents, 11)) {
      const key = document[type.key] as string;
      found.push(await records.get(key), await inside.get(key), await peek(tx, type, key));
      for (const [index, fields] of every) {
        const values = fields.map((field) => document[field] as IndexValue);
        if (values.includes(undefined as never)) continue;
        const isUnique = type.unique?.[index] !== undefined;
        if (isUnique) found.push(await records.getBy(index, values), await peekBy(tx, type, index, values));
        for (const equals of [values.slice(0, 1), values, ...(isUnique ? [] : [[...values, key]])]) {
          for (const limit of [1, 5, DOCUMENTS]) found.push(await records.find(index, { equals, order: 'descending', limit }));
          found.push(await peekAll(tx, type, index, { equals }));
        }
      }
    }
    found.push(await inside.count());
  });
  for (const [index] of every) found.push(await records.find(index, { limit: 20 }), await records.find(index));
  found.push(await records.list(), await records.list({ after: documents[9]![type.key] as string, limit: 7 }), await records.count());
  return found;
}

t.test('this table has every collection whose older documents stay on disk', async (t) => {
  t.strictSame(Object.keys(samples).sort(), named.map(([name]) => name).sort());
});

for (const [name, type] of named) {
  t.test(`${name}: old documents are found, changed and deleted after merges and restarts, as in memory`, async (t) => {
    const disk = new SimulatedDisk();
    const log = new RecordingLogger();
    const open = async () => {
      const store = new JsonStore({
        folder: '/data',
        log,
        fs: disk,
        partBytes: 1_000,
        coldCacheBytes: 10_000,
        compact: (input) => compact(input, disk),
        // A day passes between two merges.
        now: () => performance.now() * 1e9,
      });
      store.define(name, type);
      await store.start();
      return store;
    };
    const memory = new MemoryStore({ log });
    memory.define(name, type);
    await memory.start();
    let store = await open();
    const documents = Array.from({ length: DOCUMENTS }, (_, n) => samples[name]!(n));
    const onBoth = async (work: (records: { put(document: Document): void; delete(key: string): void }) => void) => {
      for (const one of [store, memory]) await one.transaction((tx) => work(tx.in(type)));
    };
    const assertSame = async (when: string) =>
      t.strictSame(await reads(store, type, documents), await reads(memory, type, documents), when);

    for (let from = 0; from < DOCUMENTS; from += 20) {
      await onBoth((records) => {
        for (const document of documents.slice(from, from + 20)) records.put(document);
      });
      await store.compact();
    }
    t.ok(disk.files.filter((file) => file.startsWith(`/data/${name}.`)).length > 2, 'documents are in parts');
    await assertSame('after merges');
    await store.stop();
    store = await open();
    await assertSame('after a restart');
    // As retention does: the oldest first, and others change.
    await onBoth((records) => {
      for (const document of documents.slice(0, 25)) records.delete(document[type.key] as string);
      for (const document of documents.slice(40, 45)) records.put({ ...document, changed: true });
    });
    await assertSame('with changes in the journal');
    await store.compact();
    await assertSame('after a merge of changes');
    await store.stop();
    store = await open();
    await assertSame('after another restart');
    t.equal(await store.open(type).count(), DOCUMENTS - 25);
    await store.stop();
    t.strictSame(
      log.lines.filter(({ level }) => level === 'error' || level === 'warn').map(({ message }) => message),
      [],
    );
  });
}
