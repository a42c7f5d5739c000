/** The writes of one transaction. Transaction numbers have no gaps. */
export interface Commit {
  readonly tx: number;
  readonly changes: readonly Change[];
}

/** A written document; undefined `json` deletes it. */
export interface Change {
  readonly collection: string;
  readonly key: string;
  readonly json: string | undefined;
}

/** A commit as read from a segment: its documents are slices of the line's buffer. */
export interface StoredCommit {
  readonly tx: number;
  readonly changes: readonly StoredChange[];
}

/** A written document; undefined `json` deletes it. */
export interface StoredChange {
  readonly collection: string;
  readonly key: string;
  readonly json: Buffer | undefined;
}
