import { storeFailed } from '../admin/store.js';
import { messageOf } from '../errors.js';
import type { Parts } from './parts.js';

/**
 * Starts all parts. With a store that several processes share, resolves as soon as this process is a standby; the parts after the store
 * then start when it takes over. If they cannot, the platform stops, which releases the data, and announces it as `store.failed`.
 */
export async function startOrStandBy(
  parts: Pick<Parts, 'lifecycle' | 'rawStore' | 'log' | 'loaded' | 'workers' | 'shutdown' | 'announce'>,
): Promise<void> {
  const { lifecycle, log, loaded, workers, shutdown, announce } = parts;
  const { ownership } = parts.rawStore;
  if (!ownership) return lifecycle.start();
  let isStandby = false;
  const standby = new Promise<void>((resolve) => {
    ownership.onStandby(() => {
      isStandby = true;
      resolve();
      // Worker threads take hundreds of milliseconds to start, which a take-over need not wait for. A start reports what fails here.
      for (const { manifest } of loaded) for (const task of manifest.tasks ?? []) workers.check(task as never).catch(() => undefined);
    });
  });
  const started = lifecycle.start();
  started.catch((error) => {
    // A stop ends the wait of a standby, or its take-over.
    if (!isStandby || lifecycle.isStopRequested() || shutdown.isStopping()) return;
    log.error('the platform could not start after the take-over; restart the process', { error });
    announce(storeFailed, { state: 'failed', reason: `the platform could not start after the take-over: ${messageOf(error)}` });
  });
  await Promise.race([started, standby]);
}
