import { changeIn, type OpenOutbox, startOutbox } from './outbox-place.js';
import type { Tap } from './tap.js';

/** Lists and counters. */
export async function outboxReadsContract(t: Tap, open: OpenOutbox): Promise<void> {
  await t.test('lists are in the order of creation, or its reverse, and continue after a position', async (t) => {
    const { outbox, addTogether, names, delete: remove } = await startOutbox(t, open(t));
    const held = { held_at: '2026-01-05T08:00:00.000Z' };
    await addTogether(
      ['a', { ...held, webhook: 'w1', number: '+1', message: 'm1' }],
      ['b', { ...held, webhook: 'w2', number: '+1', message: 'm2' }],
      ['c', { ...held, webhook: 'w1', number: '+2', message: 'm1' }],
      ['d', { ...held, webhook: 'w1', number: '+1' }],
    );
    t.strictSame(await names((entries) => entries.oldest()), ['a', 'b', 'c', 'd']);
    t.strictSame(await names((entries) => entries.newest()), ['d', 'c', 'b', 'a']);
    const scopes = { w1: { webhook: 'w1' }, n1: { number: '+1' }, m1: { message: 'm1' }, none: { webhook: 'unknown' } } as const;
    t.strictSame(await names((entries) => entries.oldest(scopes.w1)), ['a', 'c', 'd']);
    t.strictSame(await names((entries) => entries.newest(scopes.n1)), ['d', 'b', 'a']);
    t.strictSame(await names((entries) => entries.newest(scopes.m1)), ['c', 'a']);
    t.strictSame(await names((entries) => entries.oldest(scopes.m1)), ['a', 'c']);
    t.strictSame(await names((entries) => entries.newest(scopes.none)), []);
    const seq = (uuid: string): number => outbox.newest.get(uuid)!.seq;
    t.strictSame(await names((entries) => entries.newest(undefined, seq('c'))), ['b', 'a']);
    t.strictSame(await names((entries) => entries.oldest(undefined, seq('b'))), ['c', 'd']);
    t.strictSame(await names((entries) => entries.newest(scopes.w1, seq('d'))), ['c', 'a']);
    t.strictSame(await names((entries) => entries.oldest(scopes.n1, seq('a'))), ['b', 'd']);
    t.strictSame(await names((entries) => entries.newest(scopes.m1, seq('c'))), ['a']);
    t.strictSame(await names((entries) => entries.oldest(scopes.m1, seq('a'))), ['c']);
    const after = seq('b');
    await remove('b');
    t.strictSame(await names((entries) => entries.oldest(undefined, after)), ['c', 'd'], 'a position survives its delivery');
    t.strictSame(await names((entries) => entries.newest(scopes.n1)), ['d', 'a']);
    await remove('a');
    await remove('c');
    t.strictSame(await names((entries) => entries.newest(scopes.m1)), []);
    t.equal(outbox.newest.size, 1);
  });

  await t.test('a transaction finds the current state of a delivery of which it has an earlier one', async (t) => {
    const { outbox, store, addTogether, change, delete: remove, get } = await startOutbox(t, open(t));
    const held_at = '2026-01-05T08:00:00.000Z';
    await addTogether(['a', { held_at }], ['b', { held_at }]);
    const [a, b] = [(await get('a'))!, (await get('b'))!];
    await change('a', { lane: 'low' });
    await remove('b');
    const lanes = await store.transaction((tx) => {
      const entries = outbox.in(tx);
      const found = [entries.current(a)?.record.lane, entries.current(b)?.record.lane];
      changeIn(entries, 'a', { lane: 'high' });
      found.push(entries.current(a)?.record.lane);
      entries.delete(entries.current(a)!);
      return [...found, entries.current(a)?.record.lane, entries.get('a')?.record.lane];
    });
    t.strictSame(lanes, ['low', undefined, 'high', undefined, undefined]);
  });

  await t.test('a change of a delivery that a transaction has read as current is a conflict', async (t) => {
    const { outbox, store, addTogether, change, get } = await startOutbox(t, open(t));
    await addTogether(['a', { held_at: '2026-01-05T08:00:00.000Z' }], ['b', { held_at: '2026-01-05T08:00:00.000Z' }]);
    const a = (await get('a'))!;
    let runs = 0;
    const lane = await store.transaction(async (tx) => {
      const lane = outbox.in(tx).current(a)!.record.lane;
      if (++runs === 1) await change('a', { lane: 'low' });
      changeIn(outbox.in(tx), 'b', { lane });
      return lane;
    });
    t.strictSame([runs, lane, (await get('b'))!.record.lane], [2, 'low', 'low']);
  });

  await t.test('the unsettled deliveries and their bytes are counted', async (t) => {
    const { outbox, addTogether, change, delete: remove, store } = await startOutbox(t, open(t));
    const counted = () => {
      const all = outbox.newest.unsettled();
      t.equal(outbox.newest.waiting('hook'), all.count);
      return { ...all };
    };
    const held_at = '2026-01-05T08:00:00.000Z';
    await addTogether(
      ['a', { held_at }],
      ['b', { held_at, kept_bytes: 7 }],
      ['c', { held_at, body_bytes: undefined, kept_bytes: undefined }],
    );
    t.match(counted(), { count: 3, bytes: 17 });
    t.equal(outbox.newest.waiting('another'), 0);
    await change('a', { kept_bytes: 110 });
    t.match(counted(), { count: 3, bytes: 117 });
    await store.transaction((tx) => {
      const entry = outbox.in(tx).get('a')!;
      outbox.in(tx).change(entry, { record: entry.record, held: { order: 1, since: held_at } });
    });
    t.strictSame(counted(), { count: 3, bytes: 117, held: 1 });
    await change('a', { state: 'cancelled', settled_at: held_at });
    t.strictSame(counted(), { count: 2, bytes: 7, held: 0 });
    await remove('b');
    await remove('a');
    t.strictSame(counted(), { count: 1, bytes: 0, held: 0 });
    await t.rejects(
      store.transaction((tx) => {
        outbox.in(tx).delete(outbox.in(tx).get('c')!);
        throw new Error('not after all');
      }),
      /after all/,
    );
    t.strictSame(counted(), { count: 1, bytes: 0, held: 0 });
  });

  await t.test('content can be deleted, and attempts of a run keep their order', async (t) => {
    const { store, outbox, add, get, pass, change } = await startOutbox(t, open(t), {
      send: ({ record: { attempts } }) => (attempts < 2 ? { retryInMs: 1_000 } : undefined),
    });
    await add(['a']);
    await pass(60_000);
    t.strictSame(Object.keys((await get('a'))!.attempts), ['1.0', '1.1', '1.2']);
    await store.transaction((tx) => {
      const entry = outbox.in(tx).get('a')!;
      const interrupted = { started_at: '2026-01-05T08:00:09.000Z' };
      outbox.in(tx).change(entry, { record: entry.record, attempt: { run: 1, n: 2, ended: interrupted }, content: null });
    });
    const entry = (await get('a'))!;
    t.strictSame([Object.keys(entry.attempts), { ...entry.content }], [['1.0', '1.1', '1.2', '1.2.1'], {}]);
    await change('a', { message: 'm' });
    t.strictSame({ ...(await get('a'))!.content }, {});
  });

  await t.test('a read returns only what is durable, and runs again when the disk refuses what it has read', async (t) => {
    const place = open(t);
    const { outbox, add, names, change } = await startOutbox(t, place);
    await add(['a', { held_at: '2026-01-05T08:00:00.000Z' }]);
    if (!place.fail) return t.comment('this location has no faults');
    const repair = place.fail();
    const refused = [add(['b']), change('a', { message: 'm' })];
    const reads: string[][] = [];
    // Once before the commits, and once between them and the disk, if this outbox shows them that early.
    for (let turn = 0; turn < 3; turn++) {
      const read = outbox.read((entries) => Array.from(entries.oldest(), ({ record }) => `${record.uuid} ${record.message}`));
      reads.push(await read);
    }
    for (const one of refused) await t.rejects(one, { name: 'StoreUnavailable' });
    for (const read of reads) t.strictSame(read, ['a undefined']);
    await repair();
    await change('a', { message: 'n' });
    t.strictSame(await names((entries) => entries.oldest()), ['a']);
    t.strictSame(await outbox.read((entries) => entries.get('a')?.record.message), 'n');
  });
}
