import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore, type JsonStoreOptions } from '../../../../core/adapters/store/json-store.js';
import { collection, type Store } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import type { SimulatedDisk } from './simulated-disk.js';

export interface Entry {
  id: string;
  n: number;
  text: string;
}

/** Two collections that are always written together, and a counter of the writes. */
export const left = collection<Entry>({ key: 'id', indexes: { n: ['n'] } });
export const right = collection<Entry>({ key: 'id', unique: { n: ['n'] } });
export const counters = collection<{ name: string; count: number }>({ key: 'name' });

export const FOLDER = '/data';

type Options = Partial<
  Pick<JsonStoreOptions, 'compactAfterBytes' | 'heap' | 'partBytes' | 'markEveryMs' | 'compact' | 'now' | 'encryption'>
> & {
  log?: RecordingLogger;
};

export function storeOn(disk: SimulatedDisk, options: Options = {}): JsonStore {
  const { log = new RecordingLogger(), ...rest } = options;
  // On a busy machine a start can take over a second, and would log its progress.
  const now = () => 0;
  const store = new JsonStore({
    folder: FOLDER,
    log,
    fs: disk,
    encryption: disk.encryption,
    compact: (input) => compact(input, disk),
    now,
    ...rest,
  });
  store.define('test.left', left);
  store.define('test.right', right);
  store.define('test.counters', counters);
  return store;
}

/** Writes the next entry to both collections. @returns its number */
export function addEntry(store: Store, text = ''): Promise<number> {
  return store.transaction(async (tx) => {
    const n = (await tx.in(counters).get('entries'))?.count ?? 0;
    tx.in(left).put({ id: `e${String(n).padStart(4, '0')}`, n, text });
    tx.in(right).put({ id: `e${String(n).padStart(4, '0')}`, n, text });
    tx.in(counters).put({ name: 'entries', count: n + 1 });
    return n;
  });
}

/** The number of entries. @throws Error when the collections are inconsistent */
export async function countEntries(store: Store): Promise<number> {
  const count = (await store.open(counters).get('entries'))?.count ?? 0;
  const wanted = JSON.stringify(Array.from({ length: count }, (_, n) => n));
  const byKey = [store.open(left).list(), store.open(right).list()];
  const byNumber = [store.open(left).find('n'), store.open(right).find('n')];
  for (const found of await Promise.all(byKey)) {
    if (found.some(({ id }, i) => i > 0 && id <= found[i - 1]!.id)) throw new Error('the keys are not in order');
    // Beyond 9,999, key order is not the order of the numbers.
    found.sort((a, b) => a.n - b.n);
  }
  for (const found of await Promise.all([...byKey, ...byNumber])) {
    const numbers = JSON.stringify(found.map(({ n }) => n));
    if (numbers !== wanted) throw new Error(`counted ${count}, but found ${found.length} with others: ${numbers.slice(0, 200)}`);
  }
  return count;
}
