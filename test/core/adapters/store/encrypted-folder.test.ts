import t from 'tap';
import { encryptedFiles, keyIdIn } from '../../../../core/adapters/encryption/encrypted-files.js';
import type { Encryption } from '../../../../core/adapters/encryption/file-cipher.js';
import { readFully } from '../../../../core/adapters/file-system.js';
import { FolderBlobs } from '../../../../core/adapters/folder-blobs.js';
import { keyIdOf } from '../../../../core/adapters/secrets/sealed-secrets.js';
import { checkData, repairData } from '../../../../core/adapters/store/check/repair-data.js';
import { keysOfFiles } from '../../../../core/adapters/store/encrypted-folder.js';
import { decodeContents } from '../../../../core/adapters/store/files/contents-file.js';
import type { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { stride } from '../../../forms.js';
import { everything, nothing, SimulatedDisk } from './simulated-disk.js';
import { addEntry, countEntries, FOLDER, storeOn } from './store-on-disk.js';

const [KEY, OLD] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const ON: Encryption = { keys: [KEY], isOn: true };
const OFF: Encryption = { keys: [KEY], isOn: false };
const hex = (...keys: Buffer[]): string[] => keys.map((key) => key.toString('hex'));
const TEXT = 'a secret of a patient';
const MEDIUM = Buffer.from(`${TEXT}, as a picture`);

async function started(disk: SimulatedDisk, encryption?: Encryption, log?: RecordingLogger): Promise<JsonStore> {
  const store = storeOn(disk, { encryption, partBytes: 400, ...(log && { log }) });
  await store.start();
  return store;
}

const mediaOn = (disk: SimulatedDisk, encryption?: Encryption): FolderBlobs =>
  new FolderBlobs({ folder: `${FOLDER}/media`, fs: encryption ? encryptedFiles(disk, encryption) : disk });

/** A folder with parts, a journal, a medium, and a leftover of an interrupted write, as a killed process leaves it. */
async function filled(encryption?: Encryption): Promise<{ disk: SimulatedDisk; sha256: string }> {
  const disk = new SimulatedDisk();
  const store = await started(disk, encryption);
  for (let n = 0; n < 12; n++) await addEntry(store, TEXT);
  await store.compact();
  for (let n = 0; n < 4; n++) await addEntry(store, TEXT);
  const { sha256 } = await mediaOn(disk, encryption).put(MEDIUM);
  disk.put(`${FOLDER}/media/${sha256.slice(0, 2)}/${sha256}.tmp`, Buffer.from(TEXT));
  return { disk: disk.afterCrash(everything), sha256 };
}

const formatOf = (disk: SimulatedDisk): unknown => JSON.parse(disk.read(`${FOLDER}/format.json`).toString());
const withText = (disk: SimulatedDisk): string[] => disk.files.filter((path) => disk.read(path).includes(TEXT));
const encryptedWith = (...keys: Buffer[]) => ({ format: 6, encryption: { keys: keys.map(keyIdOf), isComplete: true } });

async function assertFilled(disk: SimulatedDisk, sha256: string, encryption?: Encryption): Promise<void> {
  const store = await started(disk, encryption);
  const found = await countEntries(store);
  if (found !== 16) throw new Error(`${found} of 16 entries`);
  if (!Buffer.from((await mediaOn(disk, encryption).get(sha256)) ?? '').equals(MEDIUM)) throw new Error('the medium differs');
  await store.stop();
}

t.test('a new folder has no plain text, and says that it is encrypted', async (t) => {
  const { disk, sha256 } = await filled(ON);
  await disk.remove(`${FOLDER}/media/${sha256.slice(0, 2)}/${sha256}.tmp`);
  t.ok(disk.files.some((path) => /left\.\d+\.json$/.test(path)) && disk.files.some((path) => path.endsWith('.jsonl')));
  t.strictSame(withText(disk), []);
  t.strictSame(formatOf(disk), encryptedWith(KEY));
  await assertFilled(disk, sha256, ON);
  t.strictSame(withText(disk), []);
  t.match(await checkData(FOLDER, disk, { hasOwnKey: true, secretKeys: hex(KEY) }), {
    is_whole: true,
    format: 6,
    keys: { [keyIdOf(KEY)]: /\d/ },
  });
});

t.test('a folder of format 5 stays encrypted when it gets the current format', async (t) => {
  const { disk, sha256 } = await filled(ON);
  disk.put(`${FOLDER}/format.json`, Buffer.from(JSON.stringify({ ...encryptedWith(KEY), format: 5 })));
  await assertFilled(disk, sha256, ON);
  t.strictSame(formatOf(disk), encryptedWith(KEY));
  await t.rejects(started(disk), { name: 'KeyMissing' });
});

t.test('a folder is encrypted, gets another key, and is decrypted, wherever a crash interrupts that', async (t) => {
  const BOTH: Encryption = { keys: [OLD, KEY], isOn: true };
  const steps = [
    { what: 'encrypting', from: undefined, to: ON, says: encryptedWith(KEY) },
    { what: 'the rotation', from: ON, to: BOTH, says: encryptedWith(OLD) },
    { what: 'decrypting', from: ON, to: OFF, says: { format: 6 } },
  ] as const;
  for (const { what, from, to, says } of steps) {
    let crashes = 0;
    for (let stopAt = 0; ; stopAt += stride(10)) {
      const { disk, sha256 } = await filled(from);
      let used = 0;
      let isOff = false;
      let powerOff = () => {};
      const off = new Promise<void>((resolve) => (powerOff = resolve));
      disk.before = () => {
        if (used++ < stopAt) return;
        isOff = true;
        powerOff();
        return new Promise(() => {});
      };
      await Promise.race([started(disk, to), off]);
      for (const chance of [nothing, everything]) {
        const left = disk.afterCrash(chance);
        const { encryption } = formatOf(left) as { encryption?: { isComplete: boolean } };
        if (encryption?.isComplete === false)
          await t.rejects(checkData(FOLDER, left, { secretKeys: [] }), { name: 'KeyMissing' }, 'a folder in both forms needs the keys');
        await assertFilled(left, sha256, to);
        t.strictSame(formatOf(left), says, `${what}, stopped at ${stopAt}`);
        if (to.isOn) t.strictSame(withText(left), [], `${what}, stopped at ${stopAt}`);
        else t.strictSame(await keysOfFiles(left, FOLDER).then(Object.keys), ['none']);
        // The other key is not needed any more.
        await assertFilled(left, sha256, what === 'the rotation' ? { keys: [OLD], isOn: true } : to.isOn ? to : undefined);
      }
      if (!isOff) break;
      crashes++;
    }
    t.ok(crashes > 5, `${what}: ${crashes} crashes`);
  }
});

t.test('a start needs the keys and the option, and changes nothing without them', async (t) => {
  const { disk } = await filled(ON);
  const before = disk.files.map((path) => disk.read(path).toString('base64'));
  const id = keyIdOf(KEY);
  await t.rejects(started(disk), { name: 'KeyMissing', message: new RegExp(`encrypted with the key ${id}.*Set encryptData: true`) });
  await t.rejects(started(disk, { keys: [OLD], isOn: true }), { name: 'KeyMissing', message: new RegExp(`${id}.*previousSecretKeys`) });
  for (const run of [checkData, repairData])
    for (const secretKeys of [[], hex(OLD)]) await t.rejects(run(FOLDER, disk, { secretKeys }), { name: 'KeyMissing' });
  t.strictSame(
    disk.files.map((path) => disk.read(path).toString('base64')),
    before,
  );
});

t.test('a journal truncated before its mark is refused at every byte, also where a record ends', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk, { encryption: ON, markEveryMs: 0 });
  await store.start();
  const file = disk.files.find((path) => path.endsWith('.jsonl'))!;
  const ends: number[] = [];
  for (let n = 0; n < 5; n++) {
    await addEntry(store, TEXT);
    ends.push(disk.read(file).length);
  }
  const through = async () =>
    decodeContents((await readFully(encryptedFiles(disk, ON), `${FOLDER}/contents.json`))!.toString())!.synced!.through;
  for (let tries = 0; tries < 500 && (await through()) < 5; tries++) await new Promise((resolve) => setTimeout(resolve, 2));
  t.equal(await through(), 5);
  const whole = disk.read(file);
  for (const size of [...ends.slice(0, -1), ...Array.from({ length: whole.length }, (_, n) => n).filter((n) => n % stride(14) === 0)]) {
    const cut = disk.afterCrash(everything);
    cut.put(file, whole.subarray(0, size));
    await t.rejects(started(cut, ON), { name: 'DataDamaged', file }, `${size} of ${whole.length} bytes`);
    t.ok(cut.read(file).equals(whole.subarray(0, size)), 'the file is unchanged');
  }
});

t.test('a repair of an encrypted folder keeps everything readable, and what it sets aside is encrypted too', async (t) => {
  const { disk, sha256 } = await filled(ON);
  await disk.remove(`${FOLDER}/media/${sha256.slice(0, 2)}/${sha256}.tmp`);
  const journal = disk.files.filter((path) => path.endsWith('.jsonl')).at(-1)!;
  const changed = Buffer.from(disk.read(journal));
  changed[changed.length - 5]! ^= 1;
  disk.put(journal, changed);
  const options = { hasOwnKey: true, secretKeys: hex(KEY) };
  t.match(await checkData(FOLDER, disk, options), { is_whole: false, problems: [{ damage: /checksum does not match the transaction/ }] });
  for (const isFormatLost of [false, true]) {
    const damaged = disk.afterCrash(everything);
    if (isFormatLost) await damaged.remove(`${FOLDER}/format.json`);
    t.match(await repairData(FOLDER, damaged, options), { repaired: true, set_aside: { pieces: 1 } });
    t.match(await checkData(FOLDER, damaged, options), { is_whole: true });
    t.strictSame(withText(damaged), []);
    t.equal(await keyIdIn(damaged, `${FOLDER}/set-aside-1.jsonl`), keyIdOf(KEY));
    const store = await started(damaged, ON);
    t.equal(await countEntries(store), 15);
    await store.stop();
    t.strictSame(formatOf(damaged), encryptedWith(KEY));
  }
});

t.test('a damaged file keeps its encryption, and a medium that looks encrypted does not prevent the start', async (t) => {
  const { disk, sha256 } = await filled();
  const media = mediaOn(disk);
  const odd = Buffer.concat([(await encryptedBytes()).subarray(0, 40), Buffer.from(TEXT)]);
  const { sha256: oddOne } = await media.put(odd);
  const path = `${FOLDER}/media/${sha256.slice(0, 2)}/${sha256}`;
  const log = new RecordingLogger();
  const store = await started(disk, ON, log);
  await store.stop();
  t.match(log.lines, [{ message: 'the data folder was encrypted' }]);
  t.ok(Buffer.from((await mediaOn(disk, ON).get(oddOne))!).equals(odd));
  t.strictSame(withText(disk), []);

  const damaged = Buffer.from(disk.read(path));
  damaged[60]! ^= 1;
  disk.put(path, damaged);
  const BOTH: Encryption = { keys: [OLD, KEY], isOn: true };
  const again = await started(disk, BOTH, log);
  await again.stop();
  t.match(log.lines.at(-1), { level: 'error', message: /damaged files keep their encryption/, fields: { files: [sha256] } });
  t.ok(disk.read(path).equals(damaged));
  t.match(formatOf(disk), { encryption: { keys: [keyIdOf(KEY), keyIdOf(OLD)], isComplete: false } });
  t.equal(await mediaOn(disk, BOTH).get(sha256), undefined);
  await mediaOn(disk, BOTH).put(MEDIUM);
  await (await started(disk, BOTH)).stop();
  t.strictSame(formatOf(disk), encryptedWith(OLD));
});

/** The bytes of a file that was encrypted elsewhere. */
async function encryptedBytes(): Promise<Buffer> {
  const disk = new SimulatedDisk();
  await mediaOn(disk, { keys: [Buffer.alloc(32, 9)], isOn: true }).put(Buffer.alloc(100));
  return disk.read(disk.files[0]!);
}

t.test('the key in the folder itself is worth a warning', async (t) => {
  const disk = new SimulatedDisk();
  disk.put(`${FOLDER}/secrets.key`, Buffer.from(`${hex(KEY)[0]}\n`));
  const log = new RecordingLogger();
  await (await started(disk, ON, log)).stop();
  t.match(log.lines, [{ level: 'warn', message: /is in the folder itself/ }]);
});
