import { threadId } from 'node:worker_threads';

let batch = 0;
let isNewBatch = true;

/** Returns the thread it ran in and the calls it ran with: calls of one batch run without a pause between them. */
export default function companions(): string {
  if (isNewBatch) {
    batch++;
    isNewBatch = false;
    queueMicrotask(() => {
      isNewBatch = true;
    });
  }
  return `${threadId}/${batch}`;
}
