import { basename } from 'node:path';
import { partCollectionOf } from '../../core/adapters/store/files/part-file.js';
import { type DeclaringPlugins, storedCollections } from '../../core/platform/stored-collections.js';
import type { LoggedLine } from './machine.js';

/** Lines with level `error` that a fault of a disk explains, and why. Any other line is a violation. */
const ofDisks: readonly (readonly [message: RegExp, why: string])[] = [
  [/^the store in \/data accepts no more writes/, 'A write has failed, and nothing is written until the store was opened again.'],
  [/^a request failed$/, 'A call that would write gets 503 then.'],
  [/^the outcome of a job could not be recorded$/, 'The job runs again once the store accepts writes.'],
  [/^merging the journal into the snapshots failed; no data is lost/, 'The journal remains, and is merged later.'],
  [/^evicting documents beyond the limits failed/, 'They are evicted later.'],
  [/^expired messages could not be deleted; the platform will retry$/, 'They are deleted later.'],
];

/** The same for a cluster. */
const ofClusters: readonly (readonly [message: RegExp, why: string])[] = [
  [/^the database has lost transactions$/, 'It has, in a fail-over.'],
  [/^the log of .* accepts no more writes: another process has taken over/, 'The member has lost the shard, and opens it again.'],
  [
    /^a part of the platform did not stop in time|^the log of .* accepts no more writes: the log is stopped/,
    'A stop does not wait for a database that is away.',
  ],
  [/^a shard could not be started; it is tried again$/, 'The database cannot be reached, or another member owns the shard.'],
  [/^evicting documents beyond the limits failed/, 'The member has lost the shard meanwhile; the next owner evicts them.'],
  [/^expired messages could not be deleted; the platform will retry$/, 'The member cannot reach the database; they are deleted later.'],
  [/^a request failed$|^the outcome of a job could not be recorded$/, 'The member cannot reach the database, or has lost the shard.'],
];

/** A take-over, or the wait for a commit, that a fault of the database or the loss of the shard has ended. Another error in such a line is a violation. */
const INTERRUPTED = /^the platform could not start after the take-over|^a job failed after it was completed$/;

/** A shard also moves to balance the load, and its store stops while documents are evicted: the next owner evicts them. */
const EVICTION = /^evicting documents beyond the limits failed/;

/** Whether a fault, or a move of a shard, explains a line. */
export function isExplained({ message, fields }: LoggedLine, isDisturbed: boolean, isCluster: boolean): boolean {
  const details = JSON.stringify(fields);
  if (isCluster && isDisturbed && ofClusters.some(([known]) => known.test(message))) return true;
  if (isCluster && isDisturbed && INTERRUPTED.test(message) && /StoreUnavailable|LogUnreachable/.test(details)) return true;
  if (isCluster && EVICTION.test(message) && details.includes('the store is stopped')) return true;
  const isOfDisk = /\b(EIO|ENOSPC)\b|StoreUnavailable/.test(details);
  return isDisturbed && isOfDisk && ofDisks.some(([known]) => known.test(message));
}

/** A file of which a bit has changed. */
export interface Rotten {
  readonly path: string;
  /** Whether it is a part with documents that stay on disk: a platform serves all others when it is damaged. */
  readonly isColdPart: boolean;
}

export function rottenFile(path: string, plugins: DeclaringPlugins): Rotten {
  const type = storedCollections(plugins).get(partCollectionOf(basename(path)) ?? '');
  return { path, isColdPart: type !== undefined && 'cold' in type && type.cold !== undefined };
}

/** Whether a line is about a file of which a bit has changed. */
export function isOfRot({ message, fields }: LoggedLine, rotten: Rotten | undefined): boolean {
  if (!rotten) return false;
  // A start that changes the encryption of the folder reads all files.
  if (message.startsWith('damaged files keep their encryption'))
    return JSON.stringify(fields).includes(`"files":${JSON.stringify([basename(rotten.path)])}`);
  if (rotten.isColdPart) return JSON.stringify(fields).includes('DocumentDamaged');
  return rotten.path.includes('/media/') && message === 'the bytes of a media file are missing or damaged';
}
