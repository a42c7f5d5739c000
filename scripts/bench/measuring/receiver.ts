// The receiver of deliveries, in its own process.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counted, Question } from './receiver-process.js';
import { endChild, messageOf } from './rounds.js';

const NONE_FOR_MS = 30_000;

export class Receiver {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (counted: Counted) => void>();
  #ids = 0;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
    child.on('message', (counted: Counted) => {
      this.#pending.get(counted.id)?.(counted);
      this.#pending.delete(counted.id);
    });
  }

  static async start(): Promise<Receiver> {
    const child = fork(join(import.meta.dirname, 'receiver-process.js'));
    const { port } = await messageOf<{ port: number }>(child, 'the receiver');
    return new Receiver(child, port);
  }

  /** Sets the secret with which deliveries to each path must be signed. */
  async expectSignatures(secrets: Readonly<Record<string, string>>): Promise<void> {
    await this.#ask({ secrets });
  }

  /** The number of deliveries received so far. @throws when a signature did not match */
  async count(): Promise<number> {
    const { received, invalid } = await this.#ask({});
    if (invalid > 0) throw new Error(`${invalid} of ${received} deliveries had no valid signature`);
    return received;
  }

  /** Resolves when `total` deliveries have arrived since the start. @throws when none arrives for 30 seconds, or too many arrive */
  async reached(total: number): Promise<void> {
    const stop = new AbortController();
    const stalled = async (): Promise<never> => {
      for (let before = -1; ; ) {
        await sleep(NONE_FOR_MS, undefined, { signal: stop.signal });
        const { received } = await this.#ask({});
        if (received === before) throw new Error(`only ${received} of ${total} deliveries have arrived`);
        before = received;
      }
    };
    try {
      await Promise.race([this.#ask({ tell: total }), stalled()]);
    } finally {
      stop.abort();
    }
    const received = await this.count();
    if (received !== total) throw new Error(`${total} deliveries were expected, but ${received} have arrived`);
  }

  stop(): Promise<void> {
    return endChild(this.#child);
  }

  /** The process answers `tell` when that many deliveries have arrived, and every other question immediately. */
  async #ask(question: Omit<Question, 'id'>): Promise<Counted> {
    const id = ++this.#ids;
    return await new Promise<Counted>((resolve, reject) => {
      this.#pending.set(id, resolve);
      // Also when a side has failed, and the receiver is stopped meanwhile.
      this.#child.send({ id, ...question }, (error) => error && reject(error));
    });
  }
}
