import { Worker } from 'node:worker_threads';
import type { FileResult, RunSettings } from './run-file.js';

interface Pending {
  readonly file: string;
  resolve(result: FileResult): void;
  reject(error: Error): void;
}

/** Worker threads that run test files, one file each at a time. */
export class TestWorkers {
  readonly #workers: Worker[];
  readonly #running = new Map<Worker, Pending>();
  readonly #waiting: Pending[] = [];
  #isStopped = false;

  constructor(count: number, settings: RunSettings) {
    this.#workers = Array.from({ length: count }, () => {
      const worker = new Worker(new URL('./test-worker.js', import.meta.url), { workerData: settings });
      worker.on('message', (result: FileResult) => {
        this.#settle(worker, ({ resolve }) => resolve(result));
        this.#next(worker);
      });
      // The thread has ended, for example because its memory is exhausted: the run fails with its error.
      worker.on('error', (error) => {
        this.#settle(worker, ({ reject }) => reject(error));
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      });
      return worker;
    });
  }

  /** Starts to run the files. The promises are in the order of the files. */
  run(files: readonly string[]): readonly Promise<FileResult>[] {
    const results = files.map((file) => new Promise<FileResult>((resolve, reject) => this.#waiting.push({ file, resolve, reject })));
    // A failure is reported where its promise is awaited; the others may stay pending.
    for (const result of results) result.catch(() => undefined);
    for (const worker of this.#workers) this.#next(worker);
    return results;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #next(worker: Worker): void {
    const next = this.#isStopped ? undefined : this.#waiting.shift();
    if (!next) return;
    this.#running.set(worker, next);
    worker.postMessage(next.file);
  }

  #settle(worker: Worker, finish: (pending: Pending) => void): void {
    const pending = this.#running.get(worker);
    this.#running.delete(worker);
    if (pending) finish(pending);
  }
}
