import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import compact from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { storeContract } from '../../../../core/testing/store-contract.js';
import { sampled } from '../../../forms.js';
import { ENCRYPTIONS } from './simulated-disk.js';

for (const [how, encryption] of sampled(Object.entries(ENCRYPTIONS), 2))
  t.test(`the JSON store keeps the contract, ${how}`, async (t) => {
    await storeContract(t, (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-store-'));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      return { create: () => new JsonStore({ folder, log: new RecordingLogger(), compact, encryption }), isPersistent: true };
    });
  });
