import { setTimeout as sleep } from 'node:timers/promises';

/** How a stop goes, in milliseconds. */
export interface ShutdownSettings {
  /** For how long calls are still taken when the platform has said that it is not ready any more. */
  readonly noticeMs: number;
  /** What is under way when that is over may take so long to end. */
  readonly deadlineMs: number;
}

/**
 * More than the five seconds of an attempt, so that whatever was being sent when the stop came has an outcome; and less than
 * the ten seconds after which Docker kills.
 */
export const SHUTDOWN: ShutdownSettings = { noticeMs: 0, deadlineMs: 8_000 };

/** What is over then is put away in: whatever hangs, a stop takes this and its deadline, and no more. */
export const GRACE_MS = 2_000;

/** The course of a stop. By real time, whatever clock the platform has: nobody may be left to move that one. */
export function createShutdown({ noticeMs, deadlineMs }: ShutdownSettings) {
  let noticed: Promise<void> | undefined;
  let endsAt: number | undefined;

  return {
    isStopping: (): boolean => noticed !== undefined,

    /** Readiness ends with the call. It resolves when those who watch it had the time to send their calls elsewhere. */
    begin(): Promise<void> {
      noticed ??= (noticeMs > 0 ? sleep(noticeMs) : Promise.resolve()).then(() => {
        endsAt = performance.now() + deadlineMs;
      });
      return noticed;
    },

    /** Without a server nobody gives notice: then the time begins when it is first asked for. */
    remainingMs(): number {
      endsAt ??= performance.now() + deadlineMs;
      return Math.max(0, endsAt - performance.now());
    },
  };
}
