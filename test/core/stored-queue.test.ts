import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import compact from '../../core/adapters/compaction.task.js';
import { JsonStore } from '../../core/adapters/json-store.js';
import { SeededIds } from '../../core/adapters/seeded-ids.js';
import { StoredQueue } from '../../core/adapters/stored-queue.js';
import { ManualClock } from '../../core/testing/manual-clock.js';
import { queueContract } from '../../core/testing/queue-contract.js';
import { RecordingLogger } from '../../core/testing/recording-logger.js';

t.test('the stored queue over JSON files does what every queue does', async (t) => {
  await queueContract(t, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-queue-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new ManualClock();
    const ids = new SeededIds('queue');
    return {
      keeps: true,
      create: () => {
        const log = new RecordingLogger();
        const store = new JsonStore({ folder, log, compact });
        return {
          store,
          queue: new StoredQueue({ store, clock, ids, log }),
          pass: (ms) => clock.advance(ms),
          now: () => clock.now(),
        };
      },
    };
  });
});
