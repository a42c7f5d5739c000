/** The writes of one transaction. Transaction numbers have no gaps. */
export interface Commit {
  readonly tx: number;
  readonly changes: readonly Change[];
}

/** A document as JSON, or a merge patch of it (RFC 7396) as JSON; with neither, the document is deleted. */
export interface Change {
  readonly collection: string;
  readonly key: string;
  readonly json: string | undefined;
  readonly patch?: string;
}

/** A commit as read from a segment: its documents are slices of the line's buffer. */
export interface StoredCommit {
  readonly tx: number;
  readonly changes: readonly StoredChange[];
}

/** As `Change`, with bytes. */
export interface StoredChange {
  readonly collection: string;
  readonly key: string;
  readonly json: Buffer | undefined;
  readonly patch?: Buffer;
}
