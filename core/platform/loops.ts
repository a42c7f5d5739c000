import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as realTime } from 'node:timers/promises';
import { messageOf, NotReady } from '../errors.js';
import type { ConnectionRecord, Loop, OwnedLoop } from '../messaging/connection.js';
import type { Connections } from '../messaging/connections.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';

const MAX_WAIT_MS = 60_000;
const STOP_MS = 1_000;
/** More runs than that within a second of the clock wait for nothing, such as the scripted responses of a test. */
const RUNS_PER_SECOND = 100;

/** Whether a loop runs, or waits after a failure. */
export interface LoopHealth {
  state: 'running' | 'waiting';
  /** Failures in a row. */
  failures: number;
  last_error: string | null;
  /** When it runs again. */
  next_at: string | null;
}

interface LoopPorts {
  readonly loops: () => readonly OwnedLoop[];
  readonly connections: Pick<Connections, 'list'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Hides secrets in the errors that the admin API shows. */
  readonly mask: (text: string) => string;
  /** Why this process must not act for the numbers, such as one that no longer owns their data. */
  readonly refusal: () => string | undefined;
  readonly onFailure: (loop: string) => void;
}

interface Supervised {
  readonly abort: AbortController;
  readonly health: LoopHealth;
  ended: Promise<void>;
}

/** Runs the loops of plugins, each once for every number that is connected and not stopped. */
export type Loops = ReturnType<typeof createLoops>;

export function createLoops({ loops, connections, clock, log, mask, refusal, onFailure }: LoopPorts) {
  const supervised = new Map<string, Supervised>();
  /** Runs work in the async context of the start: that of an admin call would make the work of loops part of the call. */
  let inStart: ((work: () => void) => void) | undefined;
  /** The numbers that changed since the start began: the list that it reads does not apply to them. */
  const changed = new Set<string>();
  const keyOf = ({ name }: Loop, number: string): string => `${name}/${number}`;

  return {
    async start(): Promise<void> {
      inStart = AsyncLocalStorage.snapshot();
      const connected = loops().length > 0 ? await connections.list() : [];
      for (const one of connected) if (!changed.has(one.number)) follow(one.number, one);
    },

    /** A number was connected, also again, stopped, resumed or disconnected. */
    changed({ number, connection }: { readonly number: string; readonly connection: ConnectionRecord | null }): void {
      if (!inStart) return;
      changed.add(number);
      inStart(() => follow(number, connection));
    },

    /** The state of the loop of a number; null if none receives for it. */
    healthOf(number: string): LoopHealth | null {
      const own = loops().flatMap((loop) => supervised.get(keyOf(loop, number)) ?? []);
      return own.find(({ abort }) => !abort.signal.aborted)?.health ?? null;
    },

    /** Ends all loops. Waits at most a second in real time for what they do. */
    async stop(): Promise<void> {
      inStart = undefined;
      const all = [...supervised.values()];
      for (const { abort } of all) abort.abort();
      const limit = new AbortController();
      const tooLate = realTime(STOP_MS, undefined, { signal: limit.signal }).catch(() => undefined);
      await Promise.race([Promise.all(all.map(({ ended }) => ended)), tooLate]);
      limit.abort();
    },
  };

  function follow(number: string, connection: ConnectionRecord | null): void {
    for (const loop of loops()) {
      const key = keyOf(loop, number);
      const before = supervised.get(key);
      before?.abort.abort();
      if (!connection || connection.stopped || connection.type !== loop.type) continue;
      const abort = new AbortController();
      const health: LoopHealth = { state: 'running', failures: 0, last_error: null, next_at: null };
      const one: Supervised = { abort, health, ended: Promise.resolve() };
      supervised.set(key, one);
      // The previous one may still be at its last request: two of a number would receive the same twice.
      one.ended = (before?.ended ?? Promise.resolve())
        .then(() => repeat(loop, connection, one))
        .finally(() => {
          if (supervised.get(key) === one) supervised.delete(key);
        });
    }
  }

  async function repeat(loop: OwnedLoop, connection: ConnectionRecord, { abort: { signal }, health }: Supervised): Promise<void> {
    const lines = log.child({ plugin: loop.plugin, loop: loop.name, number_id: connection.number });
    let [since, runs, pauses] = [clock.monotonic(), 0, 0];
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      try {
        await clock.during(async () => {
          const why = refusal();
          if (why !== undefined) throw new NotReady(why, 'standby');
          await loop.run(connection, { signal, log: lines });
        });
        Object.assign(health, { failures: 0, last_error: null });
        await new Promise((resolve) => setImmediate(resolve));
        const now = clock.monotonic();
        if (now - since >= 1_000) [since, runs, pauses] = [now, 0, 0];
        if (++runs < RUNS_PER_SECOND) continue;
        await clock.sleep(delayMs(pauses++), signal);
        [since, runs] = [clock.monotonic(), 0];
      } catch (error) {
        if (signal.aborted) return lines.debug('a loop failed while it ended', { error });
        // It has received for some time.
        if (clock.monotonic() - startedAt > MAX_WAIT_MS) health.failures = 0;
        const waitMs = delayMs(health.failures++);
        onFailure(loop.name);
        lines.warn('receiving failed, and is tried again', { error, failures: health.failures, wait_ms: waitMs });
        const next_at = new Date(clock.now().getTime() + waitMs).toISOString();
        Object.assign(health, { state: 'waiting', last_error: mask(messageOf(error)), next_at });
        await clock.sleep(waitMs, signal);
        Object.assign(health, { state: 'running', next_at: null });
      }
    }
  }
}

const delayMs = (before: number): number => Math.min(1_000 * 2 ** before, MAX_WAIT_MS);
