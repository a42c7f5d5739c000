import { threadId } from 'node:worker_threads';

let batch = 0;
let isNewBatch = true;

/** Says which thread it ran in and with which others: those of one batch run without a pause between them. */
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
