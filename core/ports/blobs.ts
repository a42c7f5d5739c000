/** Stores media files by the SHA-256 of their content: 64 lower-case hexadecimal digits. `get` and `delete` treat any other id as unknown. */
export interface Blobs {
  /** Resolves when the bytes are durable. Storing the same bytes twice keeps one copy. */
  put(bytes: Uint8Array): Promise<{ sha256: string; size: number }>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  delete(sha256: string): Promise<void>;
}
