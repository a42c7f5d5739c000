import t from 'tap';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { storeContract } from '../../../../core/testing/store-contract.js';

t.test('the memory store keeps the contract', async (t) => {
  await storeContract(t, () => ({ create: () => new MemoryStore({ log: new RecordingLogger() }), isPersistent: false }));
});
