import { createHash } from 'node:crypto';

/**
 * A container as UTF-8 JSON, named by the hash of its bytes. Workers share the bytes instead of copying them. They compile each hash once
 * and compare only hashes, so that a turn costs the same for a small and a large container.
 */
export interface SharedDefinition {
  readonly hash: string;
  readonly bytes: SharedArrayBuffer;
}

/** Prepares a container, or any JSON value, for workers. */
export function shareDefinition(container: unknown): SharedDefinition {
  const text = Buffer.from(JSON.stringify(container));
  const bytes = new SharedArrayBuffer(text.byteLength);
  new Uint8Array(bytes).set(text);
  return { hash: createHash('sha256').update(text).digest('base64url'), bytes };
}
