import t from 'tap';
import { MemoryStore, RecordingLogger, SeededIds } from '#core/testing';
import { type ChunkedText, chunks, chunkUses, createChunks } from '../../../core/memory/chunks.js';
import { longParts } from '../../../core/memory/long-parts.js';
import type { Transaction } from '../../../core/ports/transaction.js';

const long = (letter: string, length = 2_000): string => letter.repeat(length);

async function startChunks() {
  const store = new MemoryStore({ log: new RecordingLogger() });
  store.define('core.chunks', chunks);
  store.define('core.chunk-uses', chunkUses);
  await store.start();
  const database = store as never;
  const kept = createChunks({ store: database });
  const within = <T>(work: (tx: Transaction) => Promise<T> | T) => store.transaction((tx) => work(tx as Transaction));
  return {
    ...kept,
    within,
    packIn: kept.pack,
    pack: (value: unknown, scope = 'one', before?: ChunkedText) => within((tx) => kept.pack(tx, JSON.stringify(value), { scope, before })),
    forget: (text: ChunkedText) => within((tx) => kept.release(tx, text)),
    ids: async () => (await store.open(chunks).list()).map(({ id }) => id),
    uses: async () => (await store.open(chunkUses).list()).map(({ uses }) => uses).sort(),
  };
}

t.test('a text is restored byte for byte, whatever it contains', async (t) => {
  const { pack, expand } = await startChunks();
  const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner, more: [long('d'), inner === null] }), null);
  const texts = [
    '',
    null,
    [],
    { short: 'text' },
    { body: long('a') },
    [long('a'), long('b'), long('a')],
    { quotes: '"\\"'.repeat(900), lines: '\n\r\t\u2028\u0000'.repeat(400), hedgehogs: '🦔é世'.repeat(500) },
    { halves: `${'\ud83e'.repeat(800)}x${'\udd94'.repeat(800)}` },
    { [long('k')]: { [long('l')]: 1 } },
    { pieces: ['{"a":', 0, '}'], chunks: ['not one of ours'], string: long('s') },
    { list: Array.from({ length: 3_000 }, (_, i) => ({ i, name: `item ${i}` })) },
    { many: Array.from({ length: 300 }, (_, i) => `${i}${long('m')}`) },
    deep,
  ];
  for (const value of texts) {
    const { text } = await pack(value);
    t.equal(await expand(text), JSON.stringify(value));
    t.equal(await expand(JSON.parse(JSON.stringify(text))), JSON.stringify(value), 'also after storage as JSON');
  }
});

t.test('random texts are restored too', async (t) => {
  const { pack, expand } = await startChunks();
  const chance = new SeededIds('texts by chance');
  const random = (most: number): number => Math.floor(chance.random() * most);
  const pool = ['a', '"', '\\', '{', '[', '}', ']', ',', ':', '\n', 'é', '世', '🦔', '\ud83e'];
  const some = (depth: number): unknown => {
    const kind = random(depth > 4 ? 3 : 5);
    if (kind === 0) return random(1_000_000);
    if (kind <= 2) return pool[random(pool.length)]!.repeat(random(2) === 0 ? random(20) : random(2_500));
    const values = Array.from({ length: random(12) }, () => some(depth + 1));
    return kind === 3 ? values : Object.fromEntries(values.map((value, i) => [`${pool[random(pool.length)]}${i}`, value]));
  };
  let packed = 0;
  for (let i = 0; i < 300; i++) {
    const value = { some: some(0), more: some(1) };
    const { text } = await pack(value, `scope ${i % 3}`);
    if (typeof text !== 'string') packed++;
    if ((await expand(text)) !== JSON.stringify(value)) t.fail(`${i}: ${JSON.stringify(value).slice(0, 500)}`);
  }
  t.ok(packed > 50, `${packed} had chunks`);
});

t.test('a long value is stored once per scope, in any text and at any depth', async (t) => {
  const { pack, ids, uses, expand } = await startChunks();
  const answer = long('x', 20_000);
  const one = await pack({ vars: { answer }, results: { answer: { value: answer, response: answer } }, event: { text: { body: answer } } });
  t.match(one.text, { chunks: { length: 1 } });
  await pack({ turn: { text: answer }, context: { answer } });
  t.equal((await ids()).length, 1);
  t.strictSame(await uses(), [2]);
  const other = await pack({ answer }, 'two');
  t.equal((await ids()).length, 2, 'another scope has its own, so that its transactions do not conflict with the first');
  t.equal(await expand(other.text), JSON.stringify({ answer }));
  t.ok(one.bytes < 21_000, 'its size counts the value once');
});

t.test('a list of many values is stored once too, and a change to it does not rewrite the others', async (t) => {
  const { pack, ids } = await startChunks();
  const products = Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `product ${i}`, price: i * 2 }));
  await pack({ vars: { products }, block: { value: { products } }, text: 'first' });
  const first = await ids();
  t.equal(first.length, 1);
  await pack({ vars: { products, more: long('m') }, text: 'second' });
  const second = await ids();
  t.equal(second.length, 2);
  t.ok(second.includes(first[0]!));
});

t.test('a chunk is deleted with the last text that uses it, and so are the chunks inside it', async (t) => {
  const { pack, forget, ids, uses, expand, within, release, share } = await startChunks();
  const inner = long('i');
  const list = [inner, ...Array.from({ length: 600 }, (_, i) => `number ${i}`)];
  const one = await pack({ list, other: long('o') });
  const two = await pack({ list });
  t.strictSame(await uses(), [1, 1, 2], 'only the list uses the string in it');
  await forget(one.text);
  t.strictSame(await uses(), [1, 1]);
  t.equal(await expand(two.text), JSON.stringify({ list }));
  await within((tx) => {
    share(tx, two.text);
    release(tx, two.text);
  });
  t.strictSame(await uses(), [1, 1], 'adding and releasing in one transaction changes nothing');
  const three = await pack({ list, now: 1 }, 'one', two.text);
  t.strictSame(await uses(), [1, 1], 'one text replaces another');
  await forget(three.text);
  t.strictSame(await ids(), []);
  await t.rejects(expand(three.text), { name: 'ChunkMissing' });
});

t.test('a transaction reads what it packs, and texts packed before its commit are stored too', async (t) => {
  const { within, packIn, expand, ids } = await startChunks();
  const json = JSON.stringify({ a: long('a'), b: [long('b')] });
  const atTheEnd = JSON.stringify([long('late')]);
  let late: ChunkedText = '';
  await within(async (tx) => {
    const { text } = packIn(tx, json, { scope: 'one' });
    t.equal(await expand(text, tx), json);
    tx.beforeCommit(async () => {
      t.equal(await expand(text, tx), json, 'also before its commit');
      late = packIn(tx, atTheEnd, { scope: 'one' }).text;
    });
  });
  t.equal((await ids()).length, 3);
  t.equal(await expand(late), atTheEnd);
});

t.test('concurrent transactions on the same chunk lose no use', async (t) => {
  const { pack, forget, uses, ids } = await startChunks();
  const value = { shared: long('s') };
  const all = await Promise.all(Array.from({ length: 40 }, () => pack(value)));
  t.strictSame(await uses(), [40]);
  await Promise.all(all.map(({ text }, i) => (i % 2 === 0 ? forget(text) : pack(value, 'one', text))));
  t.strictSame(await uses(), [20]);
  await Promise.all(all.slice(20).map(({ text }) => forget(text)));
  t.strictSame(await ids(), []);
});

t.test('long parts, case by case', (t) => {
  const parts = (value: unknown): unknown => {
    const json = JSON.stringify(value);
    const shown = (all: ReturnType<typeof longParts>): unknown =>
      all.map(({ start, end, isString, parts }) => (isString ? json.slice(start + 1, start + 2) : [end - start > 4_000, shown(parts)]));
    return shown(longParts(json));
  };
  t.strictSame(parts({ a: 'x'.repeat(1_021) }), [], 'with its quotes, one character too short');
  t.strictSame(parts({ a: 'x'.repeat(1_022) }), ['x']);
  t.strictSame(parts({ a: { b: [long('b'), { c: long('c') }] } }), ['b', 'c']);
  t.strictSame(parts(Array.from({ length: 3_000 }, (_, i) => i)), [], 'the complete text is never a part');
  t.strictSame(parts({ list: Array.from({ length: 3_000 }, (_, i) => i) }), [[true, []]]);
  t.strictSame(parts({ list: [...Array.from({ length: 3_000 }, (_, i) => i), long('z')] }), [[true, ['z']]]);
  t.strictSame((parts({ list: Array.from({ length: 200 }, () => long('z')) }) as unknown[]).length, 1, 'many long strings become one list');
  t.end();
});
