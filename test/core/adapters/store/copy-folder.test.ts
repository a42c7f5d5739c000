import t from 'tap';
import { copyFolder } from '../../../../core/adapters/store/backup/copy-folder.js';
import { checkData } from '../../../../core/adapters/store/check/repair-data.js';
import { stride } from '../../../forms.js';
import { COPY, copyOn, interrupted } from './interrupted-copy.js';
import { ENCRYPTIONS, SECRET_KEYS, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, storeOn } from './store-on-disk.js';

const OPTIONS = { compactAfterBytes: Number.POSITIVE_INFINITY, partBytes: 500, markEveryMs: 1 };

async function entriesIn(disk: SimulatedDisk): Promise<number> {
  const copy = copyOn(disk);
  t.strictSame((await checkData(FOLDER, copy, { hasOwnKey: true, secretKeys: SECRET_KEYS })).problems, []);
  const store = storeOn(copy, OPTIONS);
  await store.start();
  const found = await countEntries(store);
  await store.stop();
  return found;
}

for (const [how, encryption] of Object.entries(ENCRYPTIONS))
  t.test(`a store may write and merge between any two operations of a copy of ${how} files`, async (t) => {
    let operations = Number.POSITIVE_INFINITY;
    let merges = 0;
    for (let at = 0; at < operations; at += stride(10)) {
      for (const count of [1, 3]) {
        const disk = new SimulatedDisk(encryption);
        const store = storeOn(disk, OPTIONS);
        await store.start();
        for (let n = 0; n < 12; n++) await addEntry(store, 'x'.repeat(60));
        await store.compact();
        for (let n = 0; n < 5; n++) await addEntry(store, 'x'.repeat(60));
        const acknowledged = 17;
        let used = 0;
        const fs = interrupted(disk, async () => {
          used++;
          if (used < at || used >= at + count) return;
          // Supersedes the rows of all parts, so that the merge replaces them.
          await store.transaction(async (tx) => {
            const { left } = await import('./store-on-disk.js');
            for (const entry of await store.open(left).list()) tx.in(left).put({ ...entry, text: `${entry.text}y` });
          });
          await addEntry(store);
          await store.compact();
          merges++;
          await addEntry(store);
        });
        const { through } = await copyFolder({ fs, secretKeys: SECRET_KEYS, from: FOLDER, to: COPY });
        if (at === 0 && count === 1) operations = used;
        const found = await entriesIn(disk);
        if (found < acknowledged) t.fail(`with ${count} merges from operation ${at}: ${found} of ${acknowledged} entries`);
        if (through < acknowledged) t.fail(`it says that it ends at transaction ${through}`);
        await store.stop();
      }
    }
    t.ok(operations > 60 && merges > 40, `${operations} operations, ${merges} merges`);
  });

t.test('a copy ends although a store merges during the copy of each file', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, OPTIONS);
  await store.start();
  for (let n = 0; n < 40; n++) await addEntry(store, 'x'.repeat(60));
  await store.compact();
  let isMerging = false;
  let merges = 0;
  const fs = interrupted(disk, async (operation) => {
    if (isMerging || operation !== 'rename') return;
    isMerging = true;
    merges++;
    await addEntry(store, 'x'.repeat(60));
    await store.compact();
    isMerging = false;
  });
  await copyFolder({ fs, from: FOLDER, to: COPY });
  t.ok((await entriesIn(disk)) >= 40);
  t.ok(merges > 15 && merges < 200, `${merges} merges`);
  await store.stop();
});

t.test('other files in a copy are those of its last transaction', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, OPTIONS);
  await store.start();
  const note = (entries: number) => disk.put(`${FOLDER}/sandbox.json`, Buffer.from(`${entries}`.padStart(7 + entries)));
  note(await addEntry(store));
  let writes = 0;
  const fs = interrupted(disk, async (operation, path) => {
    if (operation !== 'list' || path !== FOLDER || writes > 20) return;
    writes++;
    note(await addEntry(store));
  });
  t.match(await copyFolder({ fs, from: FOLDER, to: COPY }), { others: ['sandbox.json'] });
  const noted = Number(disk.read(`${COPY}/sandbox.json`).toString());
  t.equal((await entriesIn(disk)) - 1, noted);
  t.ok(writes > 20);
  await store.stop();
});

for (const [how, encryption] of Object.entries(ENCRYPTIONS))
  t.test(`no platform opens a copy that was interrupted, and a second run completes it, ${how}`, async (t) => {
    const disk = new SimulatedDisk(encryption);
    const store = storeOn(disk, OPTIONS);
    await store.start();
    for (let n = 0; n < 30; n++) await addEntry(store, 'x'.repeat(60));
    await store.compact();
    for (let n = 0; n < 5; n++) await addEntry(store);
    await store.stop();
    let operations = Number.POSITIVE_INFINITY;
    let kept = 0;
    for (let stopAt = 1; stopAt < operations; stopAt += stride(6)) {
      const crashing = disk.afterCrash((max) => max);
      let used = 0;
      const cut = interrupted(crashing, (operation) => {
        if (operation !== 'read' && operation !== 'list' && ++used === stopAt) throw new Error('killed');
      });
      const result = await copyFolder({ fs: cut, secretKeys: SECRET_KEYS, from: FOLDER, to: COPY }).catch(() => undefined);
      if (result) operations = used;
      const survivor = crashing.afterCrash(() => 0);
      const isNamed = crashing.files.includes(`${COPY}/format.json`);
      if (survivor.files.includes(`${COPY}/format.json`)) t.equal(await entriesIn(survivor), 35);
      else if (!isNamed && copyOn(crashing).files.some((path) => !path.endsWith('.tmp')))
        await t.rejects(storeOn(copyOn(crashing)).start(), { name: 'DataDamaged' });
      const again = await copyFolder({ fs: survivor, secretKeys: SECRET_KEYS, from: FOLDER, to: COPY });
      if (again.copiedBytes < again.bytes) kept++;
      if ((await entriesIn(survivor)) !== 35) t.fail(`interrupted at operation ${stopAt}`);
    }
    t.ok(operations > 30, `${operations} operations`);
    t.ok(kept > 10, `${kept} second runs kept parts`);
  });
