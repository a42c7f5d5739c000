import { Unavailable } from '../errors.js';
import type { Heap, HeapState } from '../ports/heap.js';

/**
 * How full the memory is. `enough`: everything goes on. `high`: what is kept only for a while is cut down. `full`: calls that would
 * keep something get 503. `critical`: jobs of plugins wait too.
 */
export const memoryStates = ['enough', 'high', 'full', 'critical'] as const;
export type MemoryState = (typeof memoryStates)[number];

/** What the guard knows, in bytes. */
export interface MemoryReport {
  readonly state: MemoryState;
  readonly used: number;
  /** What is not garbage, as of the last full collection. */
  readonly live: number;
  /** From here on calls get 503. */
  readonly safe: number;
  /** Here the process ends. */
  readonly limit: number;
  /** What calls under way may need besides. */
  readonly reserved: number;
}

export interface MemoryGuardOptions {
  readonly heap: Heap;
  /** The heap that the state may take; 65 % of what Node may use if not given. */
  readonly safeBytes?: number | undefined;
  /** Is notified when the state has become another one. */
  readonly onChange?: (state: MemoryState, report: MemoryReport) => void;
}

/**
 * Of the limit. V8 ends the process when four full collections in a row leave more than 80 % and take more time than the work between
 * them, so the state and the work on it have to stay below that.
 */
const SAFE = 0.65;
/** Of what is safe: what the state and the calls under way may take together. */
const MAX_TAKEN = 1.15;
/** Of the limit, garbage included: V8 is about to collect, and until it has nothing more is begun. */
const CROWDED = 0.9;
/** A call looks again when the last look is older than this. */
const CHECK_INTERVAL_MS = 20;
/** Between two looks while memory is short and no call arrives. */
const WATCH_MS = 500;
/** While memory is short, a collection is asked for when V8 has made none for so long: an idle process makes none. */
const COLLECT_AFTER_MS = { short: 15_000, crowded: 1_000 } as const;
/** What a byte of a body of JSON takes while it is read, checked, recorded and written: the text, its values, the record, the journal. */
const HEAP_PER_BODY_BYTE = 12;
/** Bodies up to this are not counted one by one. */
const SMALL_BODY_BYTES = 8 * 1024;
/** Of what the machine allows the process. */
const MAX_PROCESS_SHARE = 0.95;
const RETRY_AFTER_S = 5;

export type MemoryGuard = ReturnType<typeof createMemoryGuard>;

/** Keeps the process from running out of memory: what would need too much is refused, or waits, while there is still room for all that goes on. */
export function createMemoryGuard({ heap, safeBytes, onChange }: MemoryGuardOptions) {
  const limit = heap.limitBytes;
  const safe = Math.floor(Math.min(safeBytes ?? limit, SAFE * limit));
  /** Live bytes from which on a state is entered. It is left a little below that, so that it does not flicker. */
  const from: Readonly<Record<MemoryState, number>> = { enough: 0, high: 0.9 * safe, full: safe, critical: 1.1 * safe };
  const hysteresis = 0.04 * safe;
  const maxTaken = MAX_TAKEN * safe;

  let state: MemoryState = 'enough';
  let last: HeapState = heap.read();
  let lookedAt = 0;
  let reserved = 0;
  let watch: NodeJS.Timeout | undefined;
  let isCollecting = false;
  let isStopped = false;
  const waiting: (() => void)[] = [];

  function look(): MemoryState {
    const now = performance.now();
    if (now - lookedAt < CHECK_INTERVAL_MS) return state;
    lookedAt = now;
    last = heap.read();
    const next = stateOf(last);
    if (next !== state) {
      state = next;
      onChange?.(state, report());
    }
    if (state !== 'critical') for (const go of waiting.splice(0)) go();
    if (state === 'enough') unwatch();
    else if (!isStopped) watch ??= setInterval(look, WATCH_MS).unref();
    if (state !== 'enough' && last.collectedMsAgo > COLLECT_AFTER_MS[isCrowded(last) ? 'crowded' : 'short']) void collect();
    return state;
  }

  function isCrowded({ usedBytes, processShare }: HeapState): boolean {
    return usedBytes >= CROWDED * limit || processShare >= MAX_PROCESS_SHARE;
  }

  function stateOf(heapState: HeapState): MemoryState {
    const before = memoryStates.indexOf(state);
    let rank = 0;
    for (const [at, one] of memoryStates.entries()) if (heapState.liveBytes >= from[one] - (at <= before ? hysteresis : 0)) rank = at;
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
      look();
    },

    /** Jobs that wait for memory are let go, to be taken up again after the next start. */
    stop(): void {
      isStopped = true;
      unwatch();
      heap.stop?.();
      for (const go of waiting.splice(0)) go();
    },

    report(): MemoryReport {
      look();
      return report();
    },

    /**
     * Makes room for a call with a JSON body of so many bytes. Admin calls are refused only when memory is critical: they may be the remedy.
     * @returns gives the room back; undefined when there is nothing to give back @throws Unavailable
     */
    take(bodyBytes: number, { isAdmin = false } = {}): (() => void) | undefined {
      const now = look();
      if (now === 'critical' || (now === 'full' && !isAdmin)) throw short('The platform has too little memory left to keep more');
      if (bodyBytes <= SMALL_BODY_BYTES) return undefined;
      const needed = bodyBytes * HEAP_PER_BODY_BYTE;
      if (last.liveBytes + reserved + needed > maxTaken) {
        // Much of what was alive then may be garbage by now, and an idle process would not learn that.
        if (last.collectedMsAgo > COLLECT_AFTER_MS.crowded) void collect();
        throw short('There is too little memory left for a call of this size');
      }
      reserved += needed;
      let isTaken = true;
      return () => {
        if (isTaken) reserved -= needed;
        isTaken = false;
      };
    },

    /** Resolves when there is memory for work that can wait. @throws Error when the platform stops first */
    async room(): Promise<void> {
      while (look() === 'critical' && !isStopped) await new Promise<void>((resolve) => waiting.push(resolve));
      if (isStopped) throw new Error('the platform stopped while the job waited for memory');
    },

    /** Call it after freeing much: only a collection shows how much is still in use. */
    collect,
  };

  function short(why: string): Unavailable {
    return new Unavailable(`${why}; nothing was recorded, try again later`, RETRY_AFTER_S);
  }
}
