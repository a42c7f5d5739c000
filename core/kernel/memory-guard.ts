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
  /** The heap that the state may take; Node's limit less a quarter, or less 512 MiB where that is less, if not given. */
  readonly safeBytes?: number | undefined;
  /** Is notified when the state has become another one. */
  readonly onChange?: (state: MemoryState, report: MemoryReport) => void;
}

const MEBIBYTE = 1 << 20;
const LARGEST_RESERVE = 512 * MEBIBYTE;
/** A call looks again when the last look is older than this. */
const LOOK_MS = 20;
/** Between two looks while memory is short and nobody calls. */
const WATCH_MS = 500;
/** While memory is short, a collection is asked for when V8 has made none for so long: an idle process makes none. */
const COLLECT_AFTER_MS = 15_000;
/** What a byte of a body of JSON takes while it is read, checked, recorded and written: the text, its values, the record, the journal. */
const HEAP_PER_BODY_BYTE = 12;
/** Bodies up to this are not counted one by one. */
const SMALL_BODY_BYTES = 8 * 1024;
/** Of what the machine allows the process. */
const MOST_OF_PROCESS = 0.95;
const RETRY_AFTER_S = 5;

export type MemoryGuard = ReturnType<typeof createMemoryGuard>;

/** Keeps the process from running out of memory: what would need too much is refused, or waits, while there is still room for all that goes on. */
export function createMemoryGuard({ heap, safeBytes, onChange }: MemoryGuardOptions) {
  const limit = heap.limitBytes;
  const spare = Math.min(limit / 4, LARGEST_RESERVE);
  const safe = Math.min(safeBytes ?? limit, limit - spare);
  /** What the work under way may take beyond the state. */
  const reserve = Math.min(spare, safe / 3);
  /** Live bytes from which on a state is entered. It is left a good deal below that, so that it does not flicker. */
  const from: Readonly<Record<MemoryState, number>> = {
    enough: 0,
    high: safe - 0.3 * reserve,
    full: safe,
    critical: safe + 0.25 * reserve,
  };
  const hysteresis = 0.15 * reserve;
  /** With garbage: as V8 collects before this is reached, it is reached when that was of little use or a lot came at once. */
  const mostUsed = safe + 0.4 * reserve;

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
    if (now - lookedAt < LOOK_MS) return state;
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
    if (state !== 'enough' && last.collectedMsAgo > COLLECT_AFTER_MS) void collect();
    return state;
  }

  function stateOf({ liveBytes, usedBytes, processShare }: HeapState): MemoryState {
    const before = memoryStates.indexOf(state);
    let rank = 0;
    for (const [at, one] of memoryStates.entries()) if (liveBytes >= from[one] - (at <= before ? hysteresis : 0)) rank = at;
    const isCrowded = usedBytes >= mostUsed || processShare >= MOST_OF_PROCESS;
    return memoryStates[isCrowded ? Math.max(rank, memoryStates.indexOf('full')) : rank]!;
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
      if (last.liveBytes + reserved + needed > mostUsed) throw short('There is too little memory left for a call of this size');
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

    /** For who has just freed much: what is left is known after a collection. */
    collect,
  };

  function short(why: string): Unavailable {
    return new Unavailable(`${why}; nothing was recorded, try again later`, RETRY_AFTER_S);
  }
}
