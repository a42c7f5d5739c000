import { collection } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';

/** The id that a service gave a file of the platform: the file needs no second upload while the service keeps it. */
export interface UploadRecord {
  /** `<number>/<kind>/<file>`; `kind` is a word of the channel, because a service can have several kinds of ids. */
  readonly key: string;
  readonly number: string;
  /** The id of the media file. */
  readonly file: string;
  /** The id at the service. */
  readonly id: string;
  readonly at: string;
}

export const uploads = collection<UploadRecord>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { file: ['file'] },
  cold: { after: 0 },
});

/** Deletes what is known of the uploads of a media file that is deleted. */
export async function forgetUploads(tx: Transaction, file: string): Promise<void> {
  for (const { key } of await tx.in(uploads).find('file', { equals: [file] })) tx.in(uploads).delete(key);
}
