import fc from 'fast-check';
import t from 'tap';
import { encryptedFiles, keyIdIn } from '../../../../core/adapters/encryption/encrypted-files.js';
import { BLOCK_BYTES, FRAME_BYTES, HEADER_BYTES } from '../../../../core/adapters/encryption/file-cipher.js';
import { type FileSystem, readFully, replaceFile } from '../../../../core/adapters/file-system.js';
import { keyIdOf } from '../../../../core/adapters/secrets/sealed-secrets.js';
import { runs } from '../../../forms.js';
import { everything, SimulatedDisk } from '../store/simulated-disk.js';

const KEY = Buffer.alloc(32, 1);
const OLD = Buffer.alloc(32, 2);
const FILE = '/data/core.messages.json';
const JOURNAL = '/data/journal-000000000001.jsonl';

/** The file system of a process, and the damages that its reads find. */
function filesOn(disk: SimulatedDisk, keys: readonly Uint8Array[] = [KEY], isOn = true): { fs: FileSystem; damages: string[] } {
  const damages: string[] = [];
  return { fs: encryptedFiles(disk, { keys, isOn }, (_path, damage) => damages.push(damage)), damages };
}

async function append(fs: FileSystem, ...writes: readonly (string | Buffer)[]): Promise<void> {
  const file = await fs.open(JOURNAL, 'append');
  for (const bytes of writes) await file.write(Buffer.from(bytes));
  await file.sync();
  await file.close();
}

const contentOf = async (fs: FileSystem, path: string): Promise<string | undefined> => (await readFully(fs, path))?.toString();

const someBytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) & 255));

t.test('files of all sizes around a block are read as they were written, also from any position', async (t) => {
  for (const size of [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 70 * BLOCK_BYTES + 5]) {
    const disk = new SimulatedDisk();
    const { fs, damages } = filesOn(disk);
    const bytes = someBytes(size);
    await replaceFile(fs, '/data', 'core.messages.json', [bytes.subarray(0, size >> 1), bytes.subarray(size >> 1)]);
    t.ok((await readFully(fs, FILE))!.equals(bytes), `${size} bytes`);
    if (size > 16) t.notOk(disk.read(FILE).includes(bytes.subarray(0, 16)), 'the content is not on the disk');
    const file = await fs.open(FILE, 'read');
    for (const position of [0, 1, BLOCK_BYTES - 3, BLOCK_BYTES, size - 1, size, size + 9]) {
      const into = Buffer.alloc(100);
      const read = await file.read(into, Math.max(0, position));
      t.ok(into.subarray(0, read).equals(bytes.subarray(Math.max(0, position), Math.max(0, position) + read)), `${size} from ${position}`);
      t.equal(read === 0, Math.max(0, position) >= size);
    }
    await file.close();
    t.strictSame(damages, []);
    t.equal(disk.openFiles, 0);
  }
});

t.test('a read of a few bytes reads the blocks that have them', async (t) => {
  const disk = new SimulatedDisk();
  const { fs } = filesOn(disk);
  await replaceFile(fs, '/data', 'core.messages.json', [someBytes(100 * BLOCK_BYTES)]);
  let asked = 0;
  const open = disk.open.bind(disk);
  disk.open = async (path, how) => {
    const file = await open(path, how);
    return {
      ...file,
      read(into, position) {
        asked += into.length;
        return file.read(into, position);
      },
    };
  };
  const file = await fs.open(FILE, 'read');
  asked = 0;
  await file.read(Buffer.alloc(500), 50 * BLOCK_BYTES + 7);
  t.equal(asked, FRAME_BYTES);
});

t.test('every changed or missing byte of a file is found, and never read as content', async (t) => {
  const disk = new SimulatedDisk();
  const written = filesOn(disk);
  await replaceFile(written.fs, '/data', 'core.messages.json', [Buffer.from('{"text":"good morning"}\n')]);
  await append(written.fs, '["a",1]\n', '["b",2]\n');
  for (const path of [FILE, JOURNAL]) {
    const whole = disk.read(path);
    const content = (await contentOf(written.fs, path))!;
    for (let at = 0; at < whole.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1 << bit;
        disk.put(path, changed);
        const { fs, damages } = filesOn(disk);
        const read = await contentOf(fs, path);
        if (damages.length === 0) t.fail(`bit ${bit} of byte ${at} of ${path}: no damage was reported`);
        if (read === content) t.fail(`bit ${bit} of byte ${at} of ${path} was read as if nothing had changed`);
      }
    }
    for (let size = 0; size < whole.length; size++) {
      disk.put(path, whole.subarray(0, size));
      const { fs, damages } = filesOn(disk);
      const read = await contentOf(fs, path);
      if (read === content) t.fail(`the first ${size} bytes of ${path} were read as if they were all`);
      if (path === FILE && size >= HEADER_BYTES && damages.length === 0) t.fail(`the end of ${path} after ${size} bytes was not missed`);
    }
    disk.put(path, whole);
  }
});

t.test('blocks that are swapped, repeated, left out, or of another file are found', async (t) => {
  const disk = new SimulatedDisk();
  const { fs } = filesOn(disk);
  await replaceFile(fs, '/data', 'core.messages.json', [someBytes(4 * BLOCK_BYTES)]);
  const whole = disk.read(FILE);
  await replaceFile(fs, '/data', 'core.messages.json', [someBytes(4 * BLOCK_BYTES)]);
  const other = disk.read(FILE);
  const block = (bytes: Buffer, i: number) => bytes.subarray(HEADER_BYTES + i * FRAME_BYTES, HEADER_BYTES + (i + 1) * FRAME_BYTES);
  const made = (...blocks: Buffer[]) => Buffer.concat([whole.subarray(0, HEADER_BYTES), ...blocks]);
  const [a, b, c, d] = [0, 1, 2, 3].map((i) => block(whole, i)) as [Buffer, Buffer, Buffer, Buffer];
  for (const [what, bytes] of Object.entries({
    swapped: made(b, a, c, d),
    repeated: made(a, b, b, c, d),
    'left out': made(a, b, d),
    'without the last': made(a, b, c),
    'of another file': made(a, block(other, 1), c, d),
  })) {
    disk.put(FILE, bytes);
    const { fs, damages } = filesOn(disk);
    const read = await readFully(fs, FILE);
    t.ok(damages.length > 0, what);
    t.notOk(read!.equals(someBytes(4 * BLOCK_BYTES)), what);
  }
  disk.put(FILE, made(a, b, c, d));
  t.ok((await readFully(fs, FILE))!.equals(someBytes(4 * BLOCK_BYTES)));
});

t.test('a damaged block reads as zeros, and the others as they are', async (t) => {
  const disk = new SimulatedDisk();
  const { fs } = filesOn(disk);
  const bytes = someBytes(3 * BLOCK_BYTES);
  await replaceFile(fs, '/data', 'core.messages.json', [bytes]);
  const changed = Buffer.from(disk.read(FILE));
  changed[HEADER_BYTES + FRAME_BYTES + 100]! ^= 1;
  disk.put(FILE, changed);
  const expected = Buffer.from(bytes).fill(0, BLOCK_BYTES, 2 * BLOCK_BYTES);
  t.ok((await readFully(fs, FILE))!.equals(expected));
});

t.test('a record that a crash interrupted reads like an incomplete line, wherever it ends', async (t) => {
  const disk = new SimulatedDisk();
  const { fs, damages } = filesOn(disk);
  await append(fs, '["a",1]\n', `["b","${'x'.repeat(2 * BLOCK_BYTES)}"]\n`);
  const whole = disk.read(JOURNAL);
  const first = HEADER_BYTES + 36 + 8;
  for (let size = 1; size < whole.length; size += size < 200 ? 1 : 611) {
    disk.put(JOURNAL, whole.subarray(0, size));
    const read = (await contentOf(fs, JOURNAL))!;
    const complete = size >= first ? '["a",1]\n' : '';
    t.ok(read.startsWith(complete) && !read.slice(complete.length).includes('\n'), `${size} bytes`);
    if (size !== first && size !== HEADER_BYTES) t.ok(read.length > complete.length, `${size} bytes end in something incomplete`);
    const file = await fs.open(JOURNAL, 'append');
    await file.truncate(complete.length);
    await file.write(Buffer.from('["c",3]\n'));
    await file.close();
    t.equal(await contentOf(fs, JOURNAL), `${complete}["c",3]\n`, `appended after a crash at ${size}`);
  }
  t.strictSame(damages, [], 'a crash is no damage');
});

t.test('blocks of zeros at the end, as a file system leaves them after a power failure, are an interrupted write', async (t) => {
  const disk = new SimulatedDisk();
  const { fs, damages } = filesOn(disk);
  await append(fs, '["a",1]\n', '["b",2]\n');
  const whole = disk.read(JOURNAL);
  for (const kept of [0, HEADER_BYTES + 44, HEADER_BYTES + 60, whole.length - 16]) {
    disk.put(JOURNAL, Buffer.concat([whole.subarray(0, kept), Buffer.alloc(whole.length - kept)]));
    const read = (await contentOf(fs, JOURNAL))!;
    t.notOk(read.replace('["a",1]\n', '').includes('\n'), `${kept} bytes`);
    t.equal(read.startsWith('["a",1]\n'), kept > 0);
  }
  t.strictSame(damages, []);
});

t.test('a damaged record is a damaged line, and the records after it can be read', async (t) => {
  const disk = new SimulatedDisk();
  const { fs } = filesOn(disk);
  await append(fs, '["a",1]\n', '["b",2]\n', '["c",3]\n');
  const whole = disk.read(JOURNAL);
  const second = HEADER_BYTES + 44;
  for (const at of [0, 4, 8, 25, 40]) {
    const changed = Buffer.from(whole);
    changed[second + at]! ^= 1;
    disk.put(JOURNAL, changed);
    t.equal(await contentOf(fs, JOURNAL), `["a",1]\n${'\0'.repeat(7)}\n["c",3]\n`, `byte ${at} of the record`);
  }
});

t.test('a write that fails leaves nothing behind that a later one could not follow', async (t) => {
  const disk = new SimulatedDisk();
  const { fs } = filesOn(disk);
  const file = await fs.open(JOURNAL, 'append');
  for (const [n, written] of [0, 10, 50, 0, 70].entries()) {
    disk.before = ({ name }) => {
      if (name === 'write') throw Object.assign(new Error('ENOSPC'), { written });
    };
    await t.rejects(file.write(Buffer.from('["lost"]\n')), /ENOSPC/);
    disk.before = () => {};
    await file.write(Buffer.from(`[${n}]\n`));
  }
  await file.close();
  t.equal(await contentOf(fs, JOURNAL), '[0]\n[1]\n[2]\n[3]\n[4]\n');
});

t.test('a journal in records behaves like a plain file', async (t) => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ write: fc.tuple(fc.nat(3), fc.nat(40_000)) }) },
    fc.record({ truncate: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ read: fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 60_000 })) }),
    fc.constant({ reopen: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const disk = new SimulatedDisk();
      const { fs, damages } = filesOn(disk);
      let model = Buffer.alloc(0);
      let file = await fs.open(JOURNAL, 'append');
      for (const one of steps) {
        if ('write' in one) {
          const bytes = someBytes(one.write[0] === 0 ? one.write[1] : one.write[1] % 200);
          await file.write(bytes);
          model = Buffer.concat([model, bytes]);
        } else if ('truncate' in one) {
          const size = Math.floor(one.truncate * model.length);
          await file.truncate(size);
          model = model.subarray(0, size);
        } else if ('reopen' in one) {
          await file.close();
          file = await fs.open(JOURNAL, 'append');
        } else {
          const reader = await fs.open(JOURNAL, 'read');
          for (const position of [one.read[0], 0, one.read[0] >> 3]) {
            const into = Buffer.alloc(one.read[1]);
            const read = await reader.read(into, position);
            if (!into.subarray(0, read).equals(model.subarray(position, position + read))) throw new Error(`read at ${position}`);
            if (read === 0 && position < model.length) throw new Error(`no bytes at ${position} of ${model.length}`);
          }
          await reader.close();
        }
        if (!(await readFully(fs, JOURNAL))!.equals(model)) throw new Error('the content differs');
      }
      await file.close();
      if (damages.length > 0) throw new Error(damages.join());
    }),
    { numRuns: runs(60) },
  );
  t.pass('no difference');
});

t.test('a file needs its key: the current or a previous one', async (t) => {
  const disk = new SimulatedDisk();
  await replaceFile(filesOn(disk, [OLD]).fs, '/data', 'core.messages.json', [Buffer.from('old')]);
  t.equal(await keyIdIn(disk, FILE), keyIdOf(OLD));
  const wrong = filesOn(disk);
  t.match(await contentOf(wrong.fs, FILE), /^\n\0+$/, 'all of it is damaged');
  t.match(wrong.damages, [new RegExp(`encrypted with the key ${keyIdOf(OLD)}`)]);
  const { fs } = filesOn(disk, [KEY, OLD]);
  t.equal(await contentOf(fs, FILE), 'old');
  await replaceFile(fs, '/data', 'core.messages.json', [Buffer.from('new')]);
  t.equal(await keyIdIn(disk, FILE), keyIdOf(KEY), 'a new file has the current key');
  t.equal(disk.openFiles, 0, 'also after a refusal');
});

t.test('encrypted and plain files can be mixed', async (t) => {
  const disk = new SimulatedDisk();
  disk.put(FILE, Buffer.from('{"plain":true}\n'));
  disk.put(JOURNAL, Buffer.from('["plain"]\n'));
  const on = filesOn(disk);
  t.equal(await contentOf(on.fs, FILE), '{"plain":true}\n');
  await append(on.fs, '["more"]\n');
  t.equal(disk.read(JOURNAL).toString(), '["plain"]\n["more"]\n', 'a plain file is continued as one');
  await replaceFile(on.fs, '/data', 'core.messages.json', [Buffer.from('hidden')]);
  const off = filesOn(disk, [KEY], false);
  t.equal(await contentOf(off.fs, FILE), 'hidden');
  await replaceFile(off.fs, '/data', 'core.messages.json', [Buffer.from('open')]);
  t.equal(disk.read(FILE).toString(), 'open');
  for (const name of ['format.json', 'restoring.json']) {
    await replaceFile(on.fs, '/data', name, [Buffer.from('{}')]);
    t.equal(disk.afterCrash(everything).read(`/data/${name}`).toString(), '{}', `${name} stays plain`);
  }
});
