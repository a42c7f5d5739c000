import type { Logger } from '../ports/logger.js';

/** A part of the platform that is started in order and stopped in reverse. */
export interface LifecyclePart {
  readonly name: string;
  start?(): Promise<void> | void;
  /**
   * @param leftMs until the deadline of the stop, in milliseconds; what can be cut off is cut off then
   * @param graceMs what it may take after that; when it takes longer it is left behind
   */
  stop?(remainingMs: number, graceMs: number): Promise<void> | void;
  /** What of the time after the deadline nobody else has, in milliseconds, more than 0; 50 if not given. */
  readonly reserveMs?: number;
  /** Makes an error say whose it is. */
  wrap?(phase: 'start' | 'stop', error: unknown): Error;
}

/** What a stop may take. */
export interface StopTimes {
  /** Until the deadline, which is that of all together. */
  remainingMs(): number;
  /** What all together may take after that. */
  readonly graceMs: number;
}

const RESERVE_MS = 50;

type State = 'new' | 'starting' | 'started' | 'stopping' | 'stopped' | 'failed';

/**
 * Starts parts in order and stops them in reverse. A failed start stops what was started so far, the part that failed
 * included, so that nothing is left half-started; stop runs every part even when one fails or does not end, and can be called again.
 *
 * A stop takes no longer than its deadline and the grace after it, whatever hangs. Until the deadline a part may take what it needs. Of
 * the grace every part that has a stop has its reserve; reserves that are more than half of the grace together shrink to that half.
 * Whoever's turn it is may take half of what is not reserved, beside its own reserve, and what it does not need is left to those
 * after it. So who comes early has much, and what hangs leaves something to everybody.
 */
export function createLifecycle(
  parts: readonly LifecyclePart[],
  { remainingMs, graceMs, log }: StopTimes & { log: Pick<Logger, 'error'> },
) {
  let state: State = 'new';
  const started: LifecyclePart[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  return {
    state: (): State => state,

    async start(): Promise<void> {
      if (state !== 'new') throw new Error(`a platform starts once, and this one is ${state}: make a new one`);
      state = 'starting';
      starting = startAll();
      await starting;
    },

    /** Waits for a start under way. @throws AggregateError with every failure, after all parts have been stopped */
    stop(): Promise<void> {
      if (!starting) return Promise.resolve();
      stopping ??= (async () => {
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
      const left = remainingMs();
      const remainingGrace = Math.max(0, endsAt - left - performance.now());
      const reserved = Math.min(remainingGrace, scale * reserveOf(part, ...started));
      const own = (reserved * reserveOf(part)) / reserveOf(part, ...started);
      try {
        if (part.stop) await ended(part, left, own + (remainingGrace - reserved) / 2);
      } catch (error) {
        failures.push(part.wrap?.('stop', error) ?? asError(error));
      }
    }
    return failures;
  }

  async function ended(part: LifecyclePart, left: number, grace: number): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      limit = setTimeout(() => {
        log.error('a part of the platform did not stop in time; the others are stopped without it', { part: part.name });
        resolve();
      }, left + grace);
    });
    try {
      await Promise.race([part.stop?.(left, grace), tooLate]);
    } finally {
      clearTimeout(limit);
    }
  }
}

const reserveOf = (...parts: readonly LifecyclePart[]): number =>
  parts.reduce((sum, { stop, reserveMs = RESERVE_MS }) => sum + (stop ? reserveMs : 0), 0);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
