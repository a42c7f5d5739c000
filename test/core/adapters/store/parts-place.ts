import { compact } from '../../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import type { Store } from '../../../../core/ports/store.js';
import { collection, liveCollection } from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { LiveDocuments } from '../../../../scripts/crash/live-documents.js';
import type { SimulatedDisk } from './simulated-disk.js';

export const FOLDER = '/data';

export interface Thing {
  readonly id: string;
  readonly group: string;
  readonly n: number;
  readonly place?: number;
  readonly text: string;
}

export const things = collection<Thing>({
  key: 'id',
  unique: { n: ['n'] },
  indexes: { group: ['group', 'n'], place: ['group', 'place', 'id'] },
});

export interface Task {
  readonly id: string;
  readonly state: string;
  readonly tries?: Readonly<Record<string, number>>;
}

export const tasks = liveCollection<Task>('id');

export interface Place {
  readonly store: JsonStore;
  readonly tasks: LiveDocuments<Task>;
}

/** Starts a store whose parts are small. It merges only when a test asks for it, and when it stops. */
export async function openPlace(disk: SimulatedDisk, partBytes = 1_000): Promise<Place> {
  const owner = new LiveDocuments<Task>();
  const store = new JsonStore({
    folder: FOLDER,
    log: new RecordingLogger(),
    fs: disk,
    partBytes,
    compact: (input) => compact(input, disk),
    now: () => 0,
  });
  store.define('test.things', things);
  store.defineLive('test.tasks', tasks, owner);
  await store.start();
  return { store, tasks: owner };
}

export class Model {
  readonly things = new Map<string, Thing>();
  readonly tasks = new Map<string, Task>();

  copy(): Model {
    const copy = new Model();
    for (const [id, thing] of this.things) copy.things.set(id, thing);
    for (const [id, task] of this.tasks) copy.tasks.set(id, task);
    return copy;
  }

  /** @returns the differences of a store, also in its indexes */
  async differences({ store, tasks: live }: Place): Promise<string[]> {
    const found = store.open(things);
    const all = [...this.things.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const byN = all.toSorted((a, b) => a.n - b.n);
    const byGroup = byN.toSorted((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
    const placed = all.filter(({ place }) => place !== undefined);
    const byPlace = placed.toSorted((a, b) => (a.group === b.group ? a.place! - b.place! : a.group < b.group ? -1 : 1));
    const wrong: string[] = [];
    const compare = (what: string, there: unknown, expected: unknown) => {
      const [a, b] = [there, expected].map((value) => JSON.stringify(value));
      if (a !== b) wrong.push(`${what}: ${a!.slice(0, 300)} instead of ${b!.slice(0, 300)}`);
    };
    compare('find by group', await found.find('group'), byGroup);
    compare('find by place, backwards', (await found.find('place', { order: 'descending' })).length, placed.length);
    compare('find by place', await found.find('place'), byPlace);
    compare('list', await found.list(), all);
    compare('find by n', await found.find('n'), byN);
    compare('count', await found.count(), all.length);
    for (const thing of all) compare(`get ${thing.id}`, [await found.get(thing.id), await found.getBy('n', [thing.n])], [thing, thing]);
    const sorted = (tasks: Iterable<Task>) => [...tasks].sort((a, b) => (a.id < b.id ? -1 : 1));
    compare('tasks', sorted(live.all.values()), sorted(this.tasks.values()));
    return wrong;
  }
}

/** Applies a change to a store and a model. */
export async function putThing(store: Store, model: Model, thing: Thing): Promise<void> {
  await store.transaction((tx) => tx.in(things).put(thing));
  model.things.set(thing.id, thing);
}

export const partsOf = (disk: SimulatedDisk, collection = 'test.things'): string[] =>
  disk.files.filter((file) => new RegExp(`/${collection.replace('.', '\\.')}\\.\\d+\\.json$`).test(file));
