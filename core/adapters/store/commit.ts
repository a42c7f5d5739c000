import type { StoredText } from '../../ports/store.js';

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

/** A commit as read from a segment. */
export interface StoredCommit {
  readonly tx: number;
  readonly changes: readonly StoredChange[];
}

/** As `Change`. Its text stays in the buffer of its line; that of a deletion is empty. */
export interface StoredChange extends TextIn {
  readonly collection: string;
  readonly key: string;
  readonly kind: 'document' | 'patch' | 'deletion';
}

/** JSON text within a buffer, which stays in memory as long as the text. */
export type TextIn = StoredText;

export const decodedText = ({ bytes, start, end }: TextIn): string => bytes.toString('utf8', start, end);
