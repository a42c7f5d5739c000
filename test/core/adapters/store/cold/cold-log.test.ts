import t from 'tap';
import { LogStore } from '../../../../../core/adapters/store/index.js';
import type { CollectionType, StoreTransaction } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { storeContract } from '../../../../../core/testing/store-contract.js';
import { onlyLong } from '../../../../forms.js';
import { ReplicatedDatabase } from '../../../../plugins/cluster/postgres/replicated-log.js';

let snapshots = 0;

/** Documents of every collection leave memory, in tiny parts, and snapshots follow transactions. */
class ColdLogStore extends LogStore {
  override define<T extends object>(name: string, type: CollectionType<T>): void {
    super.define(name, Object.assign(type, { cold: { after: 0 } }));
  }

  override async transaction<T>(work: (tx: StoreTransaction) => Promise<T> | T): Promise<T> {
    const result = await super.transaction(work);
    // It fails in a store that was stopped meanwhile.
    this.compact().then(
      () => snapshots++,
      () => undefined,
    );
    return result;
  }
}

// The model in store-model.test.ts covers most of it.
t.test('a store over a log of files keeps the contract', { skip: onlyLong }, async (t) => {
  let processes = 0;
  await storeContract(t, () => {
    const database = new ReplicatedDatabase({ leaseMs: 60_000, mayUseFiles: () => true });
    const create = () =>
      new ColdLogStore({
        lines: database.open(`process ${++processes}`),
        log: new RecordingLogger(),
        name: 'the log',
        snapshotEveryBytes: 1 << 30,
        partBytes: 200,
      });
    return { create, isPersistent: true };
  });
  t.ok(snapshots > 10, `${snapshots} snapshots`);
});
