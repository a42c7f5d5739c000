import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../ports/log.js';
import type { Logger } from '../../ports/logger.js';
import type { Change } from './commit.js';
import { addCommit } from './files/journal-file.js';
import { SealedLines } from './files/sealed.js';
import type { LoadRoom } from './load-room.js';
import type { Tail } from './tail.js';

export interface LogSnapshotsOptions {
  readonly lines: Log;
  readonly shard: string;
  readonly log: Logger;
  /** The bytes of lines after a snapshot at which the next one is due. */
  readonly everyBytes: number;
}

const PART_BYTES = 256 * 1024;

/** Reads the newest snapshot of a log at the start, and writes new ones while the process is a standby. */
export class LogSnapshots {
  readonly #options: LogSnapshotsOptions;
  #bytes = 0;
  #writing: Promise<void> | undefined;

  constructor(options: LogSnapshotsOptions) {
    this.#options = options;
  }

  /** Applies the newest snapshot, if there is one. */
  async restore(tail: Tail, room: LoadRoom): Promise<void> {
    const { lines, shard } = this.#options;
    this.#bytes = 0;
    const snapshot = await lines.readSnapshot?.(shard);
    if (!snapshot) return;
    for await (const part of snapshot.parts) {
      tail.restore(part);
      await room.checkAfter(part.length);
      await setImmediate();
    }
    tail.startAfter({ tx: snapshot.through, epoch: snapshot.epoch });
  }

  /** Reports that lines were applied. */
  applied(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Starts to write a snapshot of what is applied, if one is due. Changes that follow do not get into it. */
  writeIfDue(tail: Tail): void {
    const { lines, shard, log, everyBytes } = this.#options;
    if (!lines.writeSnapshot || this.#writing || this.#bytes < everyBytes) return;
    const documents = tail.documents();
    if (!documents) return;
    const bytes = this.#bytes;
    this.#bytes = 0;
    const { tx: through, epoch } = tail.position;
    this.#writing = lines
      .writeSnapshot(shard, { through, epoch, parts: partsOf(through, documents) })
      .catch((error) => {
        this.#bytes += bytes;
        log.warn('a snapshot of the log could not be written; no data is lost, and a standby tries again', { error });
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }
}

/** Parts are lines of the journal, all with the number of the last transaction. */
async function* partsOf(tx: number, documents: readonly (() => Change)[]): AsyncGenerator<Uint8Array, void> {
  let changes: Change[] = [];
  let size = 0;
  for (const document of documents) {
    const change = document();
    changes.push(change);
    size += change.key.length + change.json!.length;
    if (size < PART_BYTES) continue;
    yield lineOf(tx, changes);
    [changes, size] = [[], 0];
    await setImmediate();
  }
  if (changes.length > 0) yield lineOf(tx, changes);
}

function lineOf(tx: number, changes: readonly Change[]): Uint8Array {
  const lines = new SealedLines();
  addCommit(lines, { tx, changes });
  return lines.bytes;
}
