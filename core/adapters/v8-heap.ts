import { totalmem } from 'node:os';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Heap, HeapState } from '../ports/heap.js';

/**
 * The heap of this thread. Much of the used heap can be garbage, and only a full collection shows how much. V8 runs one more
 * often the fuller the heap is; this class observes them.
 */
export class V8Heap implements Heap {
  readonly limitBytes = oldSpaceLimit();
  /** The memory limit of the container; undefined if there is none. */
  readonly #processLimit = constrainedMemory();
  #observer: PerformanceObserver | undefined;
  #liveBytes: number | undefined;
  #collectedAt = performance.now();

  start(): void {
    this.#observer ??= new PerformanceObserver((list) => {
      const entries = list.getEntries() as (PerformanceEntry & { readonly detail?: { readonly kind?: number } })[];
      if (entries.some(({ detail }) => detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) this.#collected();
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
  }

  read(): HeapState {
    const usedBytes = getHeapStatistics().used_heap_size;
    return {
      usedBytes,
      // Live bytes can have become garbage since then, so they never exceed the used bytes.
      liveBytes: Math.min(usedBytes, this.#liveBytes ?? usedBytes),
      collectedMsAgo: performance.now() - this.#collectedAt,
      processShare: this.#processLimit === undefined ? 0 : process.memoryUsage.rss() / this.#processLimit,
    };
  }

  async collect(): Promise<void> {
    const { Session } = await import('node:inspector');
    const session = new Session();
    session.connect();
    await new Promise<void>((resolve) => session.post('HeapProfiler.collectGarbage', () => resolve()));
    session.disconnect();
    this.#collected();
  }

  #collected(): void {
    this.#liveBytes = getHeapStatistics().used_heap_size;
    this.#collectedAt = performance.now();
  }
}

const MEBIBYTE = 1 << 20;
/** V8's default semi-space size on 64 bits, in MiB; the young generation has three of them. */
const SEMI_SPACE_MIB = 16;

/** The effective `--max-old-space-size`: the process ends when the old space is full, even if the young generation is empty. */
function oldSpaceLimit(): number {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  const semiSpace = Number(/--max[-_]semi[-_]space[-_]size=(\d+)/.exec(flags)?.[1] ?? SEMI_SPACE_MIB);
  return getHeapStatistics().heap_size_limit - 3 * semiSpace * MEBIBYTE;
}

function constrainedMemory(): number | undefined {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 && limit < totalmem() ? limit : undefined;
}
