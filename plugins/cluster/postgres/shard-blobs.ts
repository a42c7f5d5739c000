import { join } from 'node:path';
import type { Blobs } from '#core/ports';
import { FolderBlobs } from '../../../core/adapters/folder-blobs.js';

/**
 * The media files of one shard, in a folder of its own: files are named by their content, and a shard deletes those that only it no longer
 * needs. Files that a platform without a cluster stored in the folder above are found there, and stay.
 */
export function shardBlobs(dataDir: string, shard: string): Blobs {
  const own = new FolderBlobs({ folder: join(dataDir, 'media', shard) });
  const before = new FolderBlobs({ folder: join(dataDir, 'media') });
  return {
    put: (bytes) => own.put(bytes),
    get: async (sha256) => (await own.get(sha256)) ?? before.get(sha256),
    delete: (sha256) => own.delete(sha256),
  };
}
