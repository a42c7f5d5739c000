import t from 'tap';
import { compact } from '../../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../../core/adapters/store/json-store.js';
import type { CollectionType } from '../../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../../core/testing/recording-logger.js';
import { storeContract } from '../../../../../core/testing/store-contract.js';
import { sampled } from '../../../../forms.js';
import { ENCRYPTIONS, SimulatedDisk } from '../simulated-disk.js';
import { FOLDER } from '../store-on-disk.js';

/** Every collection stays on disk, in tiny parts, and a merge follows each transaction. */
class ColdStore extends JsonStore {
  override define<T extends object>(name: string, type: CollectionType<T>): void {
    super.define(name, Object.assign(type, { cold: { after: 0 } }));
  }
}

for (const [how, encryption] of sampled(Object.entries(ENCRYPTIONS), 2))
  t.test(`a JSON store whose documents stay on disk, ${how}, keeps the contract`, async (t) => {
    let merges = 0;
    await storeContract(t, () => {
      const disk = new SimulatedDisk(encryption);
      const create = () =>
        new ColdStore({
          folder: FOLDER,
          log: new RecordingLogger(),
          fs: disk,
          encryption,
          compactAfterBytes: 1,
          // Parts of one document, except where so many documents are merged that their files would take minutes.
          compact: async (input) => {
            merges++;
            const files = await disk.list(FOLDER);
            const bytes = files.reduce((sum, { name, size }) => sum + (input.segments.includes(name) ? size : 0), 0);
            return compact({ ...input, partBytes: bytes > 100_000 ? 10_000 : 20 }, disk);
          },
        });
      return { create, isPersistent: true };
    });
    t.ok(merges > 100, `${merges} merges`);
  });
