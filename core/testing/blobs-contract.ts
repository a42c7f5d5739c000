import { createHash } from 'node:crypto';
import type { Blobs } from '../ports/blobs.js';
import type { Tap } from './tap.js';

/** A location where blobs are stored. */
export interface BlobsPlace {
  create(): Blobs;
  /** Whether a new object finds the blobs that another one stored here. */
  readonly isPersistent: boolean;
}

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The contract of every blob store. */
export async function blobsContract(t: Tap, open: (t: Tap) => BlobsPlace): Promise<void> {
  const text = new TextEncoder().encode('Grüße');

  await t.test('bytes are returned unchanged, under the hash of their content', async (t) => {
    const blobs = open(t).create();
    const all = [text, new Uint8Array(0), Uint8Array.from({ length: 256 }, (_, i) => i), new Uint8Array(3 << 20).fill(7)];
    for (const bytes of all) {
      t.strictSame(await blobs.put(bytes), { sha256: hash(bytes), size: bytes.length });
      const found = await blobs.get(hash(bytes));
      t.ok(found && Buffer.compare(found, bytes) === 0, `${bytes.length} bytes`);
    }
  });

  await t.test('put and get copy the bytes', async (t) => {
    const blobs = open(t).create();
    const bytes = Uint8Array.from([1, 2, 3]);
    const putting = blobs.put(bytes);
    bytes[0] = 9;
    const { sha256 } = await putting;
    t.equal(sha256, hash(Uint8Array.from([1, 2, 3])));
    (await blobs.get(sha256))![1] = 9;
    t.strictSame([...(await blobs.get(sha256))!], [1, 2, 3]);
  });

  await t.test('the same bytes can be stored again, also concurrently', async (t) => {
    const blobs = open(t).create();
    const puts = await Promise.all(Array.from({ length: 20 }, () => blobs.put(text)));
    t.strictSame(new Set(puts.map(({ sha256 }) => sha256)), new Set([hash(text)]));
    await blobs.put(text);
    t.strictSame([...(await blobs.get(hash(text)))!], [...text]);
    await blobs.delete(hash(text));
    t.equal(await blobs.get(hash(text)), undefined, 'stored once');
  });

  await t.test('a deleted blob is gone, and can be deleted and stored again', async (t) => {
    const blobs = open(t).create();
    const { sha256 } = await blobs.put(text);
    await blobs.delete(sha256);
    await blobs.delete(sha256);
    t.equal(await blobs.get(sha256), undefined);
    await blobs.put(text);
    t.ok(await blobs.get(sha256));
  });

  await t.test('a name that is not a hash finds nothing', async (t) => {
    const blobs = open(t).create();
    const { sha256 } = await blobs.put(text);
    const names = [
      '',
      '.',
      '..',
      '../secret',
      '/etc/passwd',
      `${sha256}/`,
      `${sha256}\0`,
      `${sha256}\n`,
      sha256.toUpperCase(),
      sha256.slice(1),
      `0${sha256}`,
      'g'.repeat(64),
    ];
    for (const name of names) {
      t.equal(await blobs.get(name), undefined, JSON.stringify(name));
      await blobs.delete(name);
    }
    t.ok(await blobs.get(sha256));
    t.equal(await blobs.get(hash(new Uint8Array(1))), undefined);
  });

  await t.test('blobs outlive the object that stored them', async (t) => {
    const place = open(t);
    if (!place.isPersistent) return void t.pass('these blobs are not persistent');
    const { sha256 } = await place.create().put(text);
    t.strictSame([...(await place.create().get(sha256))!], [...text]);
  });
}
