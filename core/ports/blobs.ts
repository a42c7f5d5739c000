/** Bytes by the SHA-256 of their content, as 64 lower-case hexadecimal digits. Anything else names nothing. */
export interface Blobs {
  /** Resolves when the bytes are durable. Putting the same bytes twice stores them once. */
  put(bytes: Uint8Array): Promise<{ sha256: string; size: number }>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  delete(sha256: string): Promise<void>;
}
