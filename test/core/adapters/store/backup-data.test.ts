import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { type FileSystem, nodeFileSystem } from '../../../../core/adapters/file-system.js';
import { backupData, restoreData } from '../../../../core/adapters/store/backup/backup-data.js';
import { checkData } from '../../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { freshFolder } from './folders.js';
import { addEntry, countEntries, counters, left, right } from './store-on-disk.js';

async function storeIn(folder: string): Promise<JsonStore> {
  const partBytes = 20_000;
  const store = new JsonStore({ folder, log: new RecordingLogger(), partBytes, compact: (input) => compact(input, nodeFileSystem) });
  store.define('test.left', left);
  store.define('test.right', right);
  store.define('test.counters', counters);
  await store.start();
  return store;
}

const entry = (store: JsonStore) => addEntry(store, 'x'.repeat(1_000));

/** A folder with parts, a journal, media and keys, and its store, which runs. */
async function filledFolder(t: Tap) {
  const root = freshFolder(t);
  const [folder, backups] = [join(root, 'data'), join(root, 'backups')];
  const store = await storeIn(folder);
  t.teardown(() => store.stop());
  for (let n = 0; n < 200; n++) await entry(store);
  await store.compact();
  for (let n = 0; n < 10; n++) await entry(store);
  const media = ['media/ab', 'media/shard-1/cd'].map((place, n) => {
    const bytes = Buffer.alloc(50_000, n);
    const name = `${place}/${createHash('sha256').update(bytes).digest('hex')}`;
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, name), bytes);
    return name;
  });
  writeFileSync(join(folder, 'secrets.key'), `${'0'.repeat(64)}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'sandbox.json'), '{}');
  return { root, folder, backups, store, media };
}

async function entriesIn(t: Tap, folder: string): Promise<number> {
  const copy = join(freshFolder(t), 'copy');
  cpSync(folder, copy, { recursive: true });
  t.strictSame((await checkData(copy, undefined, { hasOwnKey: true })).problems, []);
  const store = await storeIn(copy);
  const found = await countEntries(store);
  await store.stop();
  return found;
}

const inodeOf = (...path: string[]): number => statSync(join(...path)).ino;
const partsIn = (folder: string): string[] => readdirSync(folder).filter((name) => /^test\.left\.\d+\.json$/.test(name));

t.test('a second backup shares parts and media with the first, and takes the space of what changed', async (t) => {
  const { folder, backups, store, media } = await filledFolder(t);
  chmodSync(join(folder, 'sandbox.json'), 0o644);
  const first = await backupData(folder, backups);
  t.match(first, {
    folder,
    format: 6,
    through: 210,
    media_files: 2,
    damaged_media: [],
    other_files: ['sandbox.json', 'secrets.key'],
    linked_bytes: 0,
  });
  t.equal(first.copied_bytes, first.bytes - statSync(join(first.backup, 'contents.json')).size);
  t.strictSame(Object.keys(first).includes('earlier'), false);
  for (const name of ['secrets.key', 'sandbox.json', 'test.left.json', media[0]!])
    t.equal(statSync(join(first.backup, name)).mode & 0o777, 0o600, `${name} is for its owner only`);
  t.equal(statSync(first.backup).mode & 0o777, 0o700);
  t.not(inodeOf(folder, media[0]!), inodeOf(first.backup, media[0]!), 'the backup shares nothing with the data folder');

  await entry(store);
  const second = await backupData(folder, backups);
  t.match(second, { earlier: first.backup, through: 211 });
  t.ok(second.copied_bytes < first.copied_bytes / 3, `${second.copied_bytes} bytes after ${first.copied_bytes}`);
  const parts = partsIn(folder);
  t.ok(parts.length > 3, `${parts.length} parts`);
  for (const name of [...media, ...parts]) t.equal(inodeOf(first.backup, name), inodeOf(second.backup, name), name);
  rmSync(first.backup, { recursive: true });
  t.equal(await entriesIn(t, second.backup), 211, 'the first is not needed');
  t.strictSame(readdirSync(backups), [second.backup.slice(backups.length + 1)]);
});

t.test('a platform that runs in a backup does not change the others', async (t) => {
  const { folder, backups } = await filledFolder(t);
  const first = await backupData(folder, backups);
  const { backup } = await backupData(folder, backups);
  const store = await storeIn(backup);
  for (let n = 0; n < 300; n++) await entry(store);
  await store.stop();
  t.equal(await entriesIn(t, first.backup), 210);
  const third = await backupData(folder, backups);
  t.equal(third.earlier, backup, 'its parts have other content under the same names');
  t.equal(await entriesIn(t, third.backup), 210);
  t.equal(await entriesIn(t, first.backup), 210);
});

t.test('a disk without hard links gets complete copies', async (t) => {
  const { folder, backups } = await filledFolder(t);
  const link = async () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
  };
  const fs: FileSystem = { ...nodeFileSystem, link };
  await backupData(folder, backups, {}, fs);
  const second = await backupData(folder, backups, {}, fs);
  t.match(second, { linked_bytes: 0, media_files: 2 });
  t.equal(await entriesIn(t, second.backup), 210);
});

t.test('a full disk and an unreadable file end a backup with advice, and the next run continues it', async (t) => {
  const { folder, backups } = await filledFolder(t);
  const failing = (how: 'read' | 'replace', file: RegExp, code: string): FileSystem => ({
    ...nodeFileSystem,
    open: async (path, given) => {
      const open = await nodeFileSystem.open(path, given);
      if (given !== how || !file.test(path)) return open;
      const fail = async () => {
        throw Object.assign(new Error(`${code}: failed, ${how}`), { code });
      };
      return { ...open, read: fail, write: fail };
    },
  });
  await t.rejects(backupData(folder, backups, {}, failing('replace', /test\.right\.2\.json/, 'ENOSPC')), {
    name: 'CopyFailed',
    message:
      /test\.right\.2\.json cannot be written: ENOSPC: failed\. The disk is full: free space, .*oldest backups.* run the command again/,
  });
  await t.rejects(backupData(folder, backups, {}, failing('read', /data\/secrets\.key/, 'EACCES')), {
    name: 'CopyFailed',
    message: /data\/secrets\.key cannot be read: EACCES: failed\. Run the command as the user of the platform$/,
  });
  t.strictSame(readdirSync(backups), ['incomplete']);
  t.notOk(existsSync(join(backups, 'incomplete', 'format.json')));
  const { backup, bytes, copied_bytes } = await backupData(folder, backups);
  t.ok(copied_bytes < bytes / 2, `${copied_bytes} of ${bytes} bytes were left to copy`);
  t.equal(await entriesIn(t, backup), 210);
});

t.test('damage of the data folder is reported and never backed up', async (t) => {
  const { root, folder, backups, store, media } = await filledFolder(t);
  await store.stop();
  for (let n = 0; n < 3; n++) {
    const again = await storeIn(folder);
    await entry(again);
    if (n < 2) await again.stop();
    else cpSync(folder, join(root, 'killed'), { recursive: true, filter: (path) => !path.endsWith('lock') });
    if (n === 2) await again.stop();
  }
  const good = join(root, 'killed');
  const [part] = partsIn(good);
  const journal = readdirSync(good)
    .filter((name) => name.startsWith('journal-') && statSync(join(good, name)).size > 0)
    .at(-1)!;
  const change = (name: string, how: (bytes: Buffer) => Uint8Array) =>
    writeFileSync(join(folder, name), how(readFileSync(join(folder, name))));
  const flip = (bytes: Buffer) => bytes.fill(bytes[200]! ^ 1, 200, 201);
  const damages: [damage: () => void, message: RegExp][] = [
    [() => change(part!, flip), /data\/test\.left\.1\.json, line \d: the checksum does not match the document/],
    [() => rmSync(join(folder, part!)), /data\/test\.left\.1\.json: the file is missing, but the snapshot/],
    [
      () => change('test.counters.json', (bytes) => Buffer.from(`${bytes}`.replace('"count":2', '"count":3'))),
      /data\/test\.counters\.json, line \d: the checksum/,
    ],
    [() => rmSync(join(folder, 'test.right.json')), /data\/test\.right\.json: the file is missing, but contents\.json lists it/],
    [() => rmSync(join(folder, 'contents.json')), /data\/contents\.json: the file is missing/],
    [() => rmSync(join(folder, journal)), /journal-\d+\.jsonl: the file is missing, but contents\.json lists it/],
    [() => change(journal, flip), /data\/journal-\d+\.jsonl, line 1: the checksum does not match the transaction/],
  ];
  for (const [damage, message] of damages) {
    rmSync(folder, { recursive: true });
    cpSync(good, folder, { recursive: true });
    damage();
    await t.rejects(backupData(folder, backups), { name: 'DataDamaged', message });
    t.strictSame(readdirSync(backups), ['incomplete']);
  }
  rmSync(folder, { recursive: true });
  cpSync(good, folder, { recursive: true });
  const { backup } = await backupData(folder, backups);
  change(part!, flip);
  change(media[0]!, flip);
  t.match(
    await backupData(folder, backups),
    { damaged_media: [], media_files: 2 },
    'the earlier backup has the files that are damaged now',
  );
  change('media/shard-1/cd/'.concat(media[1]!.slice(-64)), flip);
  rmSync(join(folder, 'media/ab'), { recursive: true });
  cpSync(join(good, part!), join(folder, part!));
  rmSync(backups, { recursive: true });
  t.match(await backupData(folder, backups), { damaged_media: [media[1]], media_files: 0 });
  t.notOk(existsSync(backup));
});

t.test('damage of an earlier backup does not reach the next one', async (t) => {
  const { folder, backups, media } = await filledFolder(t);
  const first = await backupData(folder, backups);
  for (const name of [partsIn(folder)[0]!, media[0]!]) {
    const path = join(first.backup, name);
    writeFileSync(path, readFileSync(path).fill(7, 100, 101));
  }
  const second = await backupData(folder, backups);
  t.match(second, { media_files: 2 });
  t.equal(await entriesIn(t, second.backup), 210);
});

t.test('a restore takes a complete backup and a new folder', async (t) => {
  const { root, folder, backups, store, media } = await filledFolder(t);
  const { backup } = await backupData(folder, backups);
  const restored = join(root, 'restored');
  await t.rejects(restoreData(backup, folder), { name: 'FolderInUse' });
  await store.stop();
  const before = readdirSync(folder);
  await t.rejects(restoreData(backup, folder), {
    name: 'CopyFailed',
    message: /is not empty: it has .*\. Nothing was changed\. Choose a new folder/,
  });
  t.strictSame(readdirSync(folder), before);
  await t.rejects(restoreData(backups, restored), {
    name: 'NoData',
    message: /it has no format\.json\. It has backups; the newest is .*Z$/,
  });
  await t.rejects(restoreData(join(root, 'none'), restored), { name: 'NoData', message: /does not exist/ });
  t.notOk(existsSync(restored));

  let writes = 0;
  const failing: FileSystem = {
    ...nodeFileSystem,
    rename: (from, to) => (++writes > 8 ? Promise.reject(new Error('killed')) : nodeFileSystem.rename(from, to)),
  };
  await t.rejects(restoreData(backup, restored, {}, failing), /killed/);
  await t.rejects(storeIn(restored), { message: /a restore was interrupted\. .*Run it again/ });
  const report = await restoreData(backup, restored);
  t.match(report, { folder: restored, backup, through: 210, media_files: 2 });
  t.ok(report.copied_bytes < report.bytes, 'it continues');
  t.strictSame(readdirSync(restored), readdirSync(backup));
  t.strictSame(readFileSync(join(restored, media[1]!)), readFileSync(join(backup, media[1]!)));
  t.equal(statSync(join(restored, 'secrets.key')).mode & 0o777, 0o600);
  t.equal(await entriesIn(t, restored), 210);
});

t.test('a backup is refused where it would be lost with the folder, or change it', async (t) => {
  const { root, folder, backups } = await filledFolder(t);
  symlinkSync(folder, join(root, 'link'));
  for (const place of [folder, join(folder, 'backups'), join(root, 'link', 'backups')])
    await t.rejects(backupData(folder, place), { name: 'CopyFailed' }, place);
  t.notOk(existsSync(join(folder, 'backups')));
  const { backup } = await backupData(join(root, 'link'), backups);
  await t.rejects(backupData(folder, backup), { name: 'CopyFailed', message: /is a data folder itself, or a backup/ });
  await t.rejects(backupData(join(root, 'none'), backups), { name: 'NoData', message: /does not exist/ });
  // Either of them may be the first to lock the folder.
  const both = await Promise.allSettled([backupData(folder, backups), backupData(folder, backups)]);
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  t.match(
    both.find(({ status }) => status === 'rejected'),
    { reason: { name: 'FolderInUse' } },
  );
});

t.test('a key that is a symbolic link is in the backup', async (t) => {
  const { root, folder, backups } = await filledFolder(t);
  renameSync(join(folder, 'secrets.key'), join(root, 'key'));
  symlinkSync(join(root, 'key'), join(folder, 'secrets.key'));
  const { backup } = await backupData(folder, backups);
  t.equal(readFileSync(join(backup, 'secrets.key'), 'utf8'), `${'0'.repeat(64)}\n`);
});
