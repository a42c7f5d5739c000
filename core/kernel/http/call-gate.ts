import { NotReady, type PlatformError } from '../../errors.js';
import type { Ownership } from '../../ports/store.js';

/** Refuses calls while this process does not own the data of the store. */
export interface CallGate {
  /** The error for a call at the moment; undefined while this process may respond from the data. */
  refusal(): PlatformError | undefined;
  /** The result of a call's work. @throws PlatformError as soon as this process may no longer respond from the data */
  within<T>(work: Promise<T>): Promise<T>;
}

/** A take-over takes seconds at most. */
const RETRY_AFTER_SECONDS = 1;

/** @param isStarting whether the platform is still starting, as it does after a take-over */
export function createCallGate(ownership: Ownership, isStarting: () => boolean): CallGate {
  const running = new Set<(error: Error) => void>();
  ownership.onRefusal((reason) => {
    // A call that waits for the log may still take effect; its caller must not wait for longer.
    for (const reject of running) reject(refused(reason, 'standby'));
  });
  return {
    refusal() {
      const reason = ownership.refusal();
      if (reason !== undefined) return refused(reason, 'standby');
      return isStarting() ? refused('this process takes over the data', 'taking_over') : undefined;
    },
    within: (work) =>
      new Promise((resolve, reject) => {
        running.add(reject);
        work.then(resolve, reject).finally(() => running.delete(reject));
      }),
  };
}

const refused = (reason: string, code: string): NotReady => new NotReady(reason, code, RETRY_AFTER_SECONDS);
