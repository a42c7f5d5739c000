import { StoreUnavailable } from '../ports/store.js';
import type { Parts } from './parts.js';

/**
 * Starts all parts. With a store that several processes share, resolves as soon as this process is a standby; the parts after the store
 * then start when it takes over.
 */
export async function startOrStandBy(
  parts: Pick<Parts, 'lifecycle' | 'rawStore' | 'log' | 'loaded' | 'workers' | 'shutdown'>,
): Promise<void> {
  const { lifecycle, log, loaded, workers, shutdown } = parts;
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
    const isStopped = error instanceof StoreUnavailable || shutdown.isStopping();
    if (isStandby && !isStopped) log.error('the platform could not start after the take-over', { error });
  });
  await Promise.race([started, standby]);
}
