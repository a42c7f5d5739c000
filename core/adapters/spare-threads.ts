const SPARE_MS = 2_000;

/** The used part of Piscina. */
interface Threads {
  on(event: 'error', listener: () => void): unknown;
  removeAllListeners(event: 'error'): unknown;
  destroy(): Promise<void>;
}

interface Spare<T> {
  readonly threads: T;
  readonly timer: NodeJS.Timeout;
}

/**
 * Threads that a stopped platform leaves to the next one in this process, for 2 seconds. Starting a thread takes longer than everything
 * else that a platform starts, and a sandbox that is reset, or the next test with a sandbox, needs one again.
 */
export class SpareThreads<T extends { readonly piscina: Threads }> {
  /** By the settings with which they were started. */
  readonly #spares = new Map<string, Spare<T>>();

  keep(settings: string, threads: T): void {
    this.#end(settings);
    threads.piscina.on('error', () => this.#end(settings));
    this.#spares.set(settings, { threads, timer: setTimeout(() => this.#end(settings), SPARE_MS).unref() });
  }

  take(settings: string): T | undefined {
    const spare = this.#spares.get(settings);
    this.#spares.delete(settings);
    clearTimeout(spare?.timer);
    spare?.threads.piscina.removeAllListeners('error');
    return spare?.threads;
  }

  #end(settings: string): void {
    const piscina = this.take(settings)?.piscina;
    piscina?.on('error', () => undefined);
    void piscina?.destroy();
  }
}
