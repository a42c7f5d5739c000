import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { FolderBlobs } from '../../../../core/adapters/folder-blobs.js';
import { MemoryBlobs } from '../../../../core/adapters/memory-blobs.js';
import { blobsContract } from '../../../../core/testing/blobs-contract.js';
import type { Tap } from '../../../../core/testing/tap.js';
import { nothing, SimulatedDisk } from './simulated-disk.js';

const temporaryFolder = (t: Tap): string => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-blobs-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'media');
};

t.test('blobs in memory keep the contract', (t) => blobsContract(t, () => ({ create: () => new MemoryBlobs(), isPersistent: false })));

t.test('blobs in a folder keep the contract', (t) =>
  blobsContract(t, (t) => {
    const folder = temporaryFolder(t);
    return { create: () => new FolderBlobs({ folder }), isPersistent: true };
  }),
);

t.test('a folder of blobs has complete files, accessible only to their owner', async (t) => {
  const folder = temporaryFolder(t);
  const { sha256 } = await new FolderBlobs({ folder }).put(Buffer.from('hello'));
  const shelf = join(folder, sha256.slice(0, 2));
  t.strictSame(readdirSync(shelf), [sha256]);
  t.equal(statSync(join(shelf, sha256)).mode & 0o777, 0o600);
  t.equal(statSync(folder).mode & 0o777, 0o700);
});

t.test('a stored blob survives a crash, and one whose write failed does not exist', async (t) => {
  const disk = new SimulatedDisk();
  const blobs = new FolderBlobs({ folder: '/media', fs: disk });
  const { sha256 } = await blobs.put(Buffer.from('hello'));
  disk.before = ({ name }) => {
    if (name === 'sync') throw new Error('ENOSPC');
  };
  await t.rejects(blobs.put(Buffer.from('too much')), /ENOSPC/);
  const later = new FolderBlobs({ folder: '/media', fs: disk.afterCrash(nothing) });
  t.strictSame(Buffer.from((await later.get(sha256))!).toString(), 'hello');
  disk.before = () => {};
  const again = await blobs.put(Buffer.from('too much'));
  t.equal(Buffer.from((await blobs.get(again.sha256))!).toString(), 'too much', 'it can be stored again');
});

t.test('a file that the disk has changed is missing, until its content is stored again', async (t) => {
  const disk = new SimulatedDisk();
  const blobs = new FolderBlobs({ folder: '/media', fs: disk });
  const { sha256 } = await blobs.put(Buffer.from('hello'));
  disk.put(`/media/${sha256.slice(0, 2)}/${sha256}`, Buffer.from('hellp'));
  t.equal(await blobs.get(sha256), undefined);
  await blobs.put(Buffer.from('hello'));
  t.equal(Buffer.from((await blobs.get(sha256))!).toString(), 'hello');
});
