import type { Logger } from '../ports/logger.js';

/** A part of the platform that is started in order and stopped in reverse. */
export interface Part {
  readonly name: string;
  start?(): Promise<void> | void;
  /** @param leftMs how long it may take; what takes longer is left behind */
  stop?(leftMs: number): Promise<void> | void;
  /** What it may take for itself when the time of all is over, in milliseconds; little if not given. */
  readonly graceMs?: number;
  /** Makes an error say whose it is. */
  wrap?(phase: 'start' | 'stop', error: unknown): Error;
}

/** What all together may take when their time is over; and what is left for one then. */
const GRACE_MS = 1_000;
const LEAST_MS = 50;

type State = 'new' | 'starting' | 'started' | 'stopping' | 'stopped' | 'failed';

/**
 * Starts parts in order and stops them in reverse. A failed start stops what was started so far, the part that failed
 * included, so that nothing is left half-started; stop runs every part even when one fails or does not end, and can be called again.
 */
export function createLifecycle(parts: readonly Part[], { leftMs, log }: { leftMs: () => number; log: Pick<Logger, 'error'> }) {
  let state: State = 'new';
  let started: Part[] = [];
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
    const endsAt = performance.now() + leftMs() + GRACE_MS;
    for (const part of started.reverse()) {
      try {
        await ended(part, endsAt);
      } catch (error) {
        failures.push(part.wrap?.('stop', error) ?? asError(error));
      }
    }
    started = [];
    return failures;
  }

  async function ended(part: Part, endsAt: number): Promise<void> {
    const left = Math.max(0, endsAt - performance.now());
    let limit: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      limit = setTimeout(
        () => {
          log.error('a part of the platform did not stop in time; the others are stopped without it', { part: part.name });
          resolve();
        },
        left + (part.graceMs ?? LEAST_MS),
      );
    });
    try {
      await Promise.race([part.stop?.(leftMs()), tooLate]);
    } finally {
      clearTimeout(limit);
    }
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
