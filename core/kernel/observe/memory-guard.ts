import { Unavailable } from '../../errors.js';
import type { Heap, HeapState } from '../../ports/heap.js';
import type { Store } from '../../ports/store.js';

/**
 * How full the memory is. `enough`: no limits. `high`: histories are evicted down to a quarter of their limits. `full`: calls that would
 * store something get 503. `critical`: jobs of plugins wait, and admin calls that would store something get 503 too.
 */
export const memoryStates = ['enough', 'high', 'full', 'critical'] as const;
export type MemoryState = (typeof memoryStates)[number];

export interface MemoryReport {
  readonly state: MemoryState;
  /** Bytes in use, including garbage. */
  readonly used: number;
  /** Bytes that were live after the last full garbage collection. */
  readonly live: number;
  /** Live bytes from which on calls that would store something get 503. */
  readonly safe: number;
  /** Node's heap limit, at which V8 ends the process. */
  readonly limit: number;
  /** Estimated bytes that the calls in progress need. */
  readonly reserved: number;
}

export interface MemoryGuardOptions {
  readonly heap: Heap;
  /** Its bytes outside the heap count as well, by the safe share. */
  readonly store?: Pick<Store, 'offHeapBytes'>;
  /** Live bytes that the state may take; 65 % of the heap limit if not given. */
  readonly safeBytes?: number | undefined;
  readonly onChange?: (state: MemoryState, report: MemoryReport) => void;
}

/**
 * Share of the heap limit. V8 ends the process when four full collections in a row leave more than 80 % and take more time than the work
 * between them, so the state and the work on it must stay below that.
 */
const SAFE_SHARE = 0.65;
/** Share of `safe` that the state and the calls in progress may take together. */
const MAX_RESERVED_SHARE = 1.15;
/** Share of the heap limit, with garbage, above which the state is at least `full` until V8 has collected. */
const CROWDED_SHARE = 0.9;
/** A call reads the heap again when the last reading is older than this. */
const CHECK_INTERVAL_MS = 20;
/** Interval of readings while memory is short and no call arrives. */
const WATCH_MS = 500;
/** While memory is short, the guard requests a collection when V8 made none for this long: an idle process makes none. */
const COLLECT_AFTER_MS = { short: 15_000, crowded: 1_000 } as const;
/** Heap per byte of a JSON body while it is read, checked, recorded and written: text, values, record, journal. */
const HEAP_PER_BODY_BYTE = 12;
/** No memory is reserved for bodies smaller than this. */
const SMALL_BODY_BYTES = 8 * 1024;
/** Share of the memory that the machine or container allows the process. */
const MAX_PROCESS_SHARE = 0.95;
const RETRY_AFTER_S = 5;

export type MemoryGuard = ReturnType<typeof createMemoryGuard>;

/** Keeps the process from running out of memory: refuses calls and delays jobs while the work in progress still has room. */
export function createMemoryGuard({ heap, store, safeBytes, onChange }: MemoryGuardOptions) {
  const limit = heap.limitBytes;
  const safe = Math.floor(Math.min(safeBytes ?? limit, SAFE_SHARE * limit));
  /** Live bytes at which a state begins. It ends a little lower, to avoid flicker. */
  const thresholds: Readonly<Record<MemoryState, number>> = { enough: 0, high: 0.9 * safe, full: safe, critical: 1.1 * safe };
  const hysteresis = 0.04 * safe;
  const maxBytes = MAX_RESERVED_SHARE * safe;

  let state: MemoryState = 'enough';
  let last: HeapState = read();
  let checkedAt = 0;
  let reserved = 0;
  let watch: NodeJS.Timeout | undefined;
  let isCollecting = false;
  let isStopped = false;
  const waiting: (() => void)[] = [];

  function check(): MemoryState {
    const now = performance.now();
    if (now - checkedAt < CHECK_INTERVAL_MS) return state;
    checkedAt = now;
    last = read();
    const next = stateOf(last);
    if (next !== state) {
      state = next;
      onChange?.(state, report());
    }
    if (state !== 'critical') for (const resume of waiting.splice(0)) resume();
    if (state === 'enough') unwatch();
    else if (!isStopped) watch ??= setInterval(check, WATCH_MS).unref();
    if (state !== 'enough' && last.collectedMsAgo > COLLECT_AFTER_MS[isCrowded(last) ? 'crowded' : 'short']) void collect();
    return state;
  }

  function read(): HeapState {
    const state = heap.read();
    // Outside the heap there is no garbage to leave room for.
    const bytes = SAFE_SHARE * (store?.offHeapBytes?.() ?? 0);
    return { ...state, usedBytes: state.usedBytes + bytes, liveBytes: state.liveBytes + bytes };
  }

  function isCrowded({ usedBytes, processShare }: HeapState): boolean {
    return usedBytes >= CROWDED_SHARE * limit || processShare >= MAX_PROCESS_SHARE;
  }

  function stateOf(heapState: HeapState): MemoryState {
    const previous = memoryStates.indexOf(state);
    let rank = 0;
    for (const [i, one] of memoryStates.entries()) if (heapState.liveBytes >= thresholds[one] - (i <= previous ? hysteresis : 0)) rank = i;
    return memoryStates[isCrowded(heapState) ? Math.max(rank, memoryStates.indexOf('full')) : rank]!;
  }

  async function collect(): Promise<void> {
    if (isCollecting || !heap.collect) return;
    isCollecting = true;
    await heap.collect().catch(() => undefined);
    isCollecting = false;
  }

  function unwatch(): void {
    clearInterval(watch);
    watch = undefined;
  }

  function report(): MemoryReport {
    return { state, used: last.usedBytes, live: last.liveBytes, safe, limit, reserved };
  }

  return {
    start(): void {
      heap.start?.();
      check();
    },

    /** Releases jobs that wait for memory; they fail, and the next start runs them again. */
    stop(): void {
      isStopped = true;
      unwatch();
      heap.stop?.();
      for (const resume of waiting.splice(0)) resume();
    },

    report(): MemoryReport {
      check();
      return report();
    },

    /**
     * Reserves memory for a call with a JSON body of `bodyBytes`. Admin calls are refused only when memory is critical, because they may
     * free memory.
     * @returns a function that releases the reservation; undefined for a small body @throws Unavailable
     */
    reserve(bodyBytes: number, { isAdmin = false } = {}): (() => void) | undefined {
      const now = check();
      if (now === 'critical' || (now === 'full' && !isAdmin)) throw memoryShortage('The platform has too little memory left to store more');
      if (bodyBytes <= SMALL_BODY_BYTES) return undefined;
      const needed = bodyBytes * HEAP_PER_BODY_BYTE;
      if (last.liveBytes + reserved + needed > maxBytes) {
        // Much of the heap may have become garbage since the last collection, and an idle process collects none.
        if (last.collectedMsAgo > COLLECT_AFTER_MS.crowded) void collect();
        throw memoryShortage('There is too little memory left for a call of this size');
      }
      reserved += needed;
      let isReserved = true;
      return () => {
        if (isReserved) reserved -= needed;
        isReserved = false;
      };
    },

    /** Resolves when memory is no longer critical, for work that can wait. @throws Error when the platform stops first */
    async waitForMemory(): Promise<void> {
      while (check() === 'critical' && !isStopped) await new Promise<void>((resolve) => waiting.push(resolve));
      if (isStopped) throw new Error('the platform stopped while the job waited for memory');
    },

    /** Requests a garbage collection. Call it after freeing memory: only a collection shows how much is still live. */
    collect,
  };

  function memoryShortage(why: string): Unavailable {
    return new Unavailable(`${why}; nothing was recorded, try again later`, RETRY_AFTER_S, 'memory_full');
  }
}
