/** A stored document. */
export type StateDocument = Readonly<Record<string, unknown>>;

/** Everything that a platform stores. */
export interface PlatformState {
  /** The documents by collection, `<owner>.<name>`, in the order of their keys. */
  readonly collections: Readonly<Record<string, readonly StateDocument[]>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Media files by the SHA-256 of their content. */
  readonly media: Readonly<Record<string, Uint8Array>>;
}

/** A state cannot be used: it is damaged, or of other plugins. */
export class InvalidState extends Error {
  override readonly name = 'InvalidState';
}
