import { threadId } from 'node:worker_threads';

const loadedAt = performance.now();

/** Returns the thread, and when it imported this module. */
export default function loads(): string {
  return `${threadId} at ${loadedAt}`;
}
