import { setTimeout as sleep } from 'node:timers/promises';

/** The times of a stop, in milliseconds. */
export interface ShutdownSettings {
  /** How long the platform still accepts calls after `/ready` responds with 503. */
  readonly noticeMs: number;
  /** How long work in progress may take to finish after that. */
  readonly deadlineMs: number;
}

/** The deadline exceeds the 5 s of an attempt, so that every attempt gets an outcome, and is below the 10 s after which Docker kills. */
export const SHUTDOWN: ShutdownSettings = { noticeMs: 0, deadlineMs: 8_000 };

/** Time after the deadline for closing files and stopping plugins. A stop never takes longer than deadline and grace period. */
export const GRACE_MS = 2_000;

/** Keeps the time of a stop. Uses real time, whatever clock the platform has: a manual clock might not move any more. */
export function createShutdown({ noticeMs, deadlineMs }: ShutdownSettings) {
  let noticed: Promise<void> | undefined;
  let endsAt: number | undefined;

  return {
    isStopping: (): boolean => noticed !== undefined,

    /** Ends readiness immediately. Resolves after `noticeMs`, in which load balancers can redirect calls. */
    begin(): Promise<void> {
      noticed ??= (noticeMs > 0 ? sleep(noticeMs) : Promise.resolve()).then(() => {
        endsAt = performance.now() + deadlineMs;
      });
      return noticed;
    },

    /** Milliseconds until the deadline. Without a server there is no `begin`; the time then starts with the first call. */
    remainingMs(): number {
      endsAt ??= performance.now() + deadlineMs;
      return Math.max(0, endsAt - performance.now());
    },
  };
}
