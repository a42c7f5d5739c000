import type { LoggedLine } from './machine.js';

/** Lines with level `error` that a fault of a disk explains, and why. Any other line is a violation. */
const ofDisks: readonly (readonly [message: RegExp, why: string])[] = [
  [/^the store in \/data accepts no more writes/, 'A write has failed, and nothing is written until the store was opened again.'],
  [/^a request failed$/, 'A call that would write gets 503 then.'],
  [/^the outcome of a job could not be recorded$/, 'The job runs again once the store accepts writes.'],
  [/^a job could not be run; it remains stored/, 'The same, for a job that had not begun.'],
  [/^merging the journal into the snapshots failed; no data is lost/, 'The journal remains, and is merged later.'],
  [/^histories? could not be evicted|^evicting expired documents failed/, 'They are evicted later.'],
];

/** Whether a fault explains a line. */
export function isExplained({ message, fields }: LoggedLine, isDisturbed: boolean): boolean {
  const isOfDisk = /"(EIO|ENOSPC)"|StoreUnavailable/.test(JSON.stringify(fields));
  return isDisturbed && isOfDisk && ofDisks.some(([known]) => known.test(message));
}
