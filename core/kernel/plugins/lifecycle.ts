import type { Logger } from '../../ports/logger.js';

/** A part of the platform with a start, a stop, or both. */
export interface LifecyclePart {
  readonly name: string;
  start?(): Promise<void> | void;
  /** Ends a start in progress that may never end by itself, such as the wait of a standby: `start` rejects. */
  interrupt?(): void;
  /**
   * @param remainingMs milliseconds until the deadline of the stop; abort work that can be aborted then
   * @param graceMs milliseconds after the deadline; a stop that takes longer is abandoned
   */
  stop?(remainingMs: number, graceMs: number): Promise<void> | void;
  /** Milliseconds of the grace period that are reserved for this part, more than 0; 50 if not given. */
  readonly reserveMs?: number;
  /** Adds the name of the part to an error. */
  wrap?(phase: 'start' | 'stop', error: unknown): Error;
}

/** The time budget of a stop, which all parts share. */
export interface StopTimes {
  /** Milliseconds until the deadline. */
  remainingMs(): number;
  /** Milliseconds after the deadline. */
  readonly graceMs: number;
}

const RESERVE_MS = 50;

export type LifecycleState = 'new' | 'starting' | 'started' | 'stopping' | 'stopped' | 'failed';

/**
 * Starts parts in order and stops them in reverse. A failed start stops the parts started so far, including the one that failed. A stop
 * runs every part even if one fails or hangs.
 *
 * A stop never takes longer than its deadline plus the grace period. In the grace period each part with a `stop` has its reserve; together
 * the reserves take at most half of the period. Each part in turn may also use half of the unreserved time that remains, so that a part
 * that hangs leaves time for the parts after it.
 */
export function createLifecycle(
  parts: readonly LifecyclePart[],
  { remainingMs, graceMs, log }: StopTimes & { log: Pick<Logger, 'error'> },
) {
  let state: LifecycleState = 'new';
  const started: LifecyclePart[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  return {
    state: (): LifecycleState => state,

    /** Whether `stop` was called, also while the start is still in progress. */
    isStopRequested: (): boolean => stopping !== undefined,

    async start(): Promise<void> {
      if (state !== 'new') throw new Error(`a platform starts only once, and this one is ${state}: create a new one`);
      state = 'starting';
      starting = startAll();
      await starting;
    },

    /** Waits for a start in progress, unless its part can interrupt it. @throws AggregateError with every failure, after all parts were stopped */
    stop(): Promise<void> {
      if (!starting) return Promise.resolve();
      stopping ??= (async () => {
        if (state === 'starting') started.at(-1)?.interrupt?.();
        await starting.catch(() => undefined);
        if (state !== 'started') return;
        state = 'stopping';
        const failures = await stopAll();
        state = 'stopped';
        if (failures.length > 0) throw new AggregateError(failures, failures.map((failure) => failure.message).join('; '));
      })();
      return stopping;
    },
  };

  async function startAll(): Promise<void> {
    for (const part of parts) {
      started.push(part);
      try {
        await part.start?.();
      } catch (error) {
        state = 'failed';
        const failures = await stopAll();
        const failure = part.wrap?.('start', error) ?? asError(error);
        if (failures.length > 0) throw new AggregateError([failure, ...failures], failure.message, { cause: failure });
        throw failure;
      }
    }
    state = 'started';
  }

  async function stopAll(): Promise<Error[]> {
    const failures: Error[] = [];
    const endsAt = performance.now() + remainingMs() + graceMs;
    const scale = Math.min(1, graceMs / 2 / reserveOf(...started));
    for (let part = started.pop(); part; part = started.pop()) {
      const remaining = remainingMs();
      const remainingGrace = Math.max(0, endsAt - remaining - performance.now());
      const reserved = Math.min(remainingGrace, scale * reserveOf(part, ...started));
      const ownReserve = (reserved * reserveOf(part)) / reserveOf(part, ...started);
      try {
        if (part.stop) await stopWithin(part, remaining, ownReserve + (remainingGrace - reserved) / 2);
      } catch (error) {
        failures.push(part.wrap?.('stop', error) ?? asError(error));
      }
    }
    return failures;
  }

  async function stopWithin(part: LifecyclePart, remaining: number, grace: number): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      limit = setTimeout(() => {
        log.error('a part of the platform did not stop in time; the others are stopped without it', { part: part.name });
        resolve();
      }, remaining + grace);
    });
    try {
      await Promise.race([part.stop?.(remaining, grace), tooLate]);
    } finally {
      clearTimeout(limit);
    }
  }
}

const reserveOf = (...parts: readonly LifecyclePart[]): number =>
  parts.reduce((sum, { stop, reserveMs = RESERVE_MS }) => sum + (stop ? reserveMs : 0), 0);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
