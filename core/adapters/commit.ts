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
