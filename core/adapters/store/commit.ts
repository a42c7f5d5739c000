/** What one transaction wrote. The numbers of transactions have no gaps. */
export interface Commit {
  readonly tx: number;
  readonly changes: readonly Change[];
}

/** A document without JSON is taken away. */
export interface Change {
  readonly collection: string;
  readonly key: string;
  readonly json: string | undefined;
}

/** A commit as it lies in a segment: its documents are bytes of the line they were read with. */
export interface StoredCommit {
  readonly tx: number;
  readonly changes: readonly StoredChange[];
}

/** A document without JSON is taken away. */
export interface StoredChange {
  readonly collection: string;
  readonly key: string;
  readonly json: Buffer | undefined;
}
