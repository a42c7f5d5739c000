/** The parts of a move of all data from one place to another. */

/** A document with its collection, such as `core.numbers`, as JSON. */
export interface MovedDocument {
  readonly collection: string;
  readonly key: string;
  readonly json: string;
}

/** Data that no other process changes while it is open. */
export interface MoveSource {
  /** For messages. */
  readonly name: string;
  /** Differs after every change of the data, and is the same for each opening of unchanged data. */
  readonly state: string;
  /** The last transaction. */
  readonly through: number;
  /** Approximate size of the documents. */
  readonly bytes: number;
  /** All documents, or those of some collections, in batches; in the same order each time. @throws Error when data is damaged */
  documents(collections?: ReadonlySet<string>): AsyncIterable<readonly MovedDocument[]>;
  /** @throws PlaceInUse when another process may have changed the data meanwhile, such as after this one was paused */
  confirm(): Promise<void>;
  /** Gives the data free again. */
  close(): Promise<void>;
}

/** The plan that a target gets before the documents. */
export interface MovePlan {
  /** Identifies the data and its distribution. A target continues an interrupted move with the same id, and discards one with another id. */
  readonly id: string;
  readonly shards: readonly string[];
  readonly through: number;
}

/** An empty place for the data. Nothing in it counts as data before `publish`. */
export interface MoveTarget {
  /** For messages. */
  readonly name: string;
  /**
   * Reserves the place.
   * @returns how many parts of each shard an interrupted move has written; `complete` if the data is already there
   * @throws TargetNotEmpty, PlaceInUse
   */
  begin(plan: MovePlan): Promise<ReadonlyMap<string, number> | 'complete'>;
  /** Stores a part durably. Parts of a shard are numbered from 1. @param lines a transaction as a line of the journal */
  write(shard: string, part: number, lines: Uint8Array): Promise<void>;
  /** The documents of all parts of a shard. @throws Error when a part is damaged */
  read(shard: string): AsyncIterable<readonly MovedDocument[]>;
  /** Makes everything that was written the data of this place, all or nothing. @param parts the number of parts of each shard */
  publish(parts: ReadonlyMap<string, number>): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/** The target of a move has data of its own. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty';
}

/** A process uses the data. */
export class PlaceInUse extends Error {
  override readonly name = 'PlaceInUse';
}

/** The target does not contain what the source contains. Nothing of it was kept. */
export class MoveNotVerified extends Error {
  override readonly name = 'MoveNotVerified';
}
