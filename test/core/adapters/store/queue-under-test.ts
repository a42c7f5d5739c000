import { ManualClock } from '../../../../core/adapters/clock/manual-clock.js';
import { StoredQueue } from '../../../../core/adapters/queue/stored-queue.js';
import { SeededIds } from '../../../../core/adapters/seeded-ids.js';
import { queue } from '../../../../core/ports/queue.js';
import type { Store } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';

export const tasks = queue<{ name: string }>('test.tasks');

export function queueOver(store: Store, clock = new ManualClock()) {
  const log = new RecordingLogger();
  return { store, clock, log, queue: new StoredQueue({ store, clock, ids: new SeededIds('queue'), log }) };
}
