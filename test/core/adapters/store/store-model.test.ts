import fc from 'fast-check';
import t from 'tap';
import { LogStore, type LogStoreOptions } from '../../../../core/adapters/store/index.js';
import { MemoryStore } from '../../../../core/adapters/store/memory-store.js';
import { runSteps, type Steps, wait } from '../../../../core/ports/steps.js';
import {
  type Collection,
  type CollectionType,
  collection,
  type IndexValue,
  peek,
  peekAll,
  peekBy,
  type ReadableCollection,
  type Store,
} from '../../../../core/ports/store.js';
import { RecordingLogger } from '../../../../core/testing/recording-logger.js';
import { runs } from '../../../forms.js';
import { ReplicatedDatabase } from '../../../plugins/cluster/postgres/replicated-log.js';
import { ENCRYPTIONS, everything, SimulatedDisk } from './simulated-disk.js';
import { storeOn } from './store-on-disk.js';

interface Thing {
  id: string;
  a?: IndexValue;
  b?: IndexValue;
  u?: number;
}

const declared = { key: 'id', unique: { u: ['u'] }, indexes: { ab: ['a', 'b'] } } as const;
const things = collection<Thing>(declared);
const coldThings = [0, 1e6].map((after) => collection<Thing>({ ...declared, cold: { after } }));

const encryptions = fc.constantFrom(...Object.values(ENCRYPTIONS));

type Model = Map<string, Thing>;

/** The elements of random transactions. */
type Step = { kind: 'put'; thing: Thing } | { kind: 'delete'; id: string } | { kind: 'read'; after: string; a: IndexValue; limit: number };
interface Round {
  readonly steps: readonly Step[];
  /** The step after it. */
  readonly after: 'go on' | 'throw' | 'compact' | 'restart' | 'crash';
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const value: fc.Arbitrary<IndexValue> = fc.constantFrom<IndexValue>(null, true, 0, 1, 2, 'x', 'y');
const thing: fc.Arbitrary<Thing> = fc
  .record({ id, a: value, b: value, u: fc.nat(4) }, { requiredKeys: ['id'] })
  .map((document) => ({ ...document }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: thing.map((document): Step => ({ kind: 'put', thing: document })) },
  { weight: 2, arbitrary: id.map((key): Step => ({ kind: 'delete', id: key })) },
  { weight: 3, arbitrary: fc.tuple(id, value, fc.nat(4)).map(([after, a, limit]): Step => ({ kind: 'read', after, a, limit })) },
);
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    steps: fc.array(step, { maxLength: 8 }),
    after: fc.oneof(
      { weight: 6, arbitrary: fc.constant<Round['after']>('go on') },
      { weight: 4, arbitrary: fc.constantFrom<Round['after']>('throw', 'compact', 'restart', 'crash') },
    ),
  }),
  { maxLength: 20, size: 'max' },
);

const sorted = (model: Model): Thing[] => [...model.values()].sort((x, y) => (x.id < y.id ? -1 : 1));
const rank = (v: IndexValue) => [v === null ? 0 : typeof v === 'boolean' ? 1 : typeof v === 'number' ? 2 : 3, v] as const;
const compare = (x: IndexValue, y: IndexValue) => rank(x)[0] - rank(y)[0] || (x === y ? 0 : x! < y! ? -1 : 1);
const byAb = (model: Model): Thing[] =>
  sorted(model)
    .filter(({ a, b }) => a !== undefined && b !== undefined)
    .sort((x, y) => compare(x.a!, y.a!) || compare(x.b!, y.b!));
const hasTwins = (model: Model): boolean => {
  const values = [...model.values()].flatMap(({ u }) => (u === undefined ? [] : [u]));
  return new Set(values).size < values.length;
};

/** Compares every way to read with a naive model. */
async function assertLike(
  view: ReadableCollection<Thing>,
  model: Model,
  { after, a, limit }: { after: string; a: IndexValue; limit: number },
) {
  const all = sorted(model);
  const of = (documents: readonly (Thing | undefined)[]) => JSON.stringify(documents.map((one) => one && Object.entries(one).sort()));
  const checks: [string, readonly (Thing | undefined)[], readonly (Thing | undefined)[]][] = [
    ['list', await view.list(), all],
    ['a page of the list', await view.list({ after, limit }), all.filter((one) => one.id > after).slice(0, limit)],
    ['get', [await view.get(after)], [model.get(after)]],
    [
      'equals',
      await view.find('ab', { equals: [a], limit }),
      byAb(model)
        .filter((one) => one.a === a)
        .slice(0, limit),
    ],
    [
      'descending',
      await view.find('ab', { before: [a], order: 'descending', limit }),
      byAb(model)
        .filter((one) => compare(one.a!, a) < 0)
        .reverse()
        .slice(0, limit),
    ],
  ];
  if (!hasTwins(model)) checks.push(['unique', [await view.getBy('u', [limit])], [all.find(({ u }) => u === limit)]]);
  for (const [what, found, wanted] of checks) {
    if (of(found) !== of(wanted)) throw new Error(`${what}: ${of(found)} instead of ${of(wanted)}`);
  }
  if ((await view.count()) !== model.size) throw new Error(`counted ${await view.count()} instead of ${model.size}`);
}

/** In one go, unless it reads in every way. */
function* stepsOf(inside: Collection<Thing>, steps: readonly Step[], model: Model): Steps<void> {
  for (const one of steps) {
    if (one.kind === 'put') {
      inside.put(one.thing);
      model.set(one.thing.id, one.thing);
    } else if (one.kind === 'delete') {
      inside.delete(one.id);
      model.delete(one.id);
    } else {
      yield assertLike(inside, model, one);
    }
  }
}

/** Runs transactions one after the other and compares each with the model; `next` returns the store to continue with. */
async function likeTheModel(
  all: readonly Round[],
  start: Store,
  next: (store: Store, after: Round['after']) => Promise<Store>,
  type = things,
): Promise<void> {
  let store = start;
  let model: Model = new Map();
  for (const { steps, after } of all) {
    const changed = new Map(model);
    const outcome = await store
      .transaction((tx) =>
        runSteps(
          (function* () {
            yield* stepsOf(tx.in(type), steps, changed);
            if (after === 'throw') throw new Error('thrown');
          })(),
        ),
      )
      .then(
        () => 'committed',
        (error: Error) => (error.message === 'thrown' ? 'thrown' : error.name === 'UniqueViolation' ? 'refused' : Promise.reject(error)),
      );
    const wanted = after === 'throw' ? 'thrown' : hasTwins(changed) ? 'refused' : 'committed';
    if (outcome !== wanted) throw new Error(`${outcome} instead of ${wanted}`);
    if (outcome === 'committed') model = changed;
    store = await next(store, after);
    for (const limit of [0, 2, 10]) await assertLike(store.open(type), model, { after: 'b', a: 1, limit });
  }
  await store.stop();
}

t.test('random transactions on the memory store match a naive model', async (t) => {
  const property = fc.asyncProperty(rounds, async (all) => {
    const store = new MemoryStore({ log: new RecordingLogger() });
    store.define('test.things', things);
    await store.start();
    await likeTheModel(all, store, async () => store);
  });
  await fc.assert(property, { numRuns: runs(150) });
  t.pass('300 runs');
});

t.test('random transactions on the JSON store match it too, with compactions, restarts and crashes', async (t) => {
  const property = fc.asyncProperty(rounds, encryptions, async (all, encryption) => {
    let disk = new SimulatedDisk(encryption);
    const open = async () => {
      const store = storeOn(disk);
      store.define('test.things', things);
      await store.start();
      return store;
    };
    await likeTheModel(all, await open(), async (store, after) => {
      if (after === 'compact') await (store as Awaited<ReturnType<typeof open>>).compact();
      if (after === 'restart') await store.stop();
      if (after === 'crash') disk = disk.afterCrash(everything);
      return after === 'restart' || after === 'crash' ? open() : store;
    });
  });
  await fc.assert(property, { numRuns: runs(100) });
  t.pass('200 runs');
});

for (const type of coldThings) {
  t.test(`so do collections whose documents stay on disk, with cold.after ${type.cold!.after}`, async (t) => {
    let found = 0;
    const property = fc.asyncProperty(rounds, fc.constantFrom(10, 30, 60), encryptions, async (all, partBytes, encryption) => {
      let disk = new SimulatedDisk(encryption);
      const open = async () => {
        const store = storeOn(disk, { partBytes });
        store.define('test.things', type);
        await store.start();
        return store;
      };
      const next = async (store: Store, after: Round['after']) => {
        if (after === 'compact') await (store as Awaited<ReturnType<typeof open>>).compact();
        if (after === 'restart') await store.stop();
        if (after === 'crash') disk = disk.afterCrash(everything);
        found += disk.files.filter((file) => /things\.\d+\.json$/.test(file)).length;
        return after === 'restart' || after === 'crash' ? open() : store;
      };
      await likeTheModel(all, await open(), next, type);
    });
    await fc.assert(property, { numRuns: runs(200) });
    t.ok(found > 0, `parts in ${found} rounds`);
  });
}

/** Processes on a log whose snapshots are files: an owner, and perhaps a standby that writes snapshots all the time. */
class LogProcesses {
  readonly #database = new ReplicatedDatabase({ leaseMs: 60_000, mayUseFiles: () => true });
  readonly #options: Pick<LogStoreOptions, 'partBytes'>;
  readonly #type: CollectionType<Thing>;
  #standby: { readonly store: LogStore; readonly started: Promise<void> } | undefined;
  #count = 0;

  constructor(type: CollectionType<Thing>, options: Pick<LogStoreOptions, 'partBytes'>) {
    [this.#type, this.#options] = [type, options];
  }

  async open(): Promise<LogStore> {
    const { store, started } = this.#process(1 << 30);
    await started;
    return store;
  }

  /** Starts a standby, and resolves when it is one. */
  async follow(): Promise<void> {
    const standby = this.#process(1);
    this.#standby = standby;
    await new Promise<void>((resolve) => standby.store.ownership.onStandby(resolve));
  }

  /** Ends the owner. @returns the next one */
  async restart(store: Store): Promise<LogStore> {
    await store.stop();
    if (!this.#standby) return this.open();
    const next = this.#standby;
    await next.started;
    await this.follow();
    return next.store;
  }

  async crash(store: Store): Promise<LogStore> {
    this.#database.endLeases();
    const next = await this.open();
    await store.stop(0).catch(() => undefined);
    return next;
  }

  async stop(): Promise<void> {
    this.#standby?.started.catch(() => undefined);
    this.#standby?.store.ownership.interrupt();
    await this.#standby?.store.stop(0);
  }

  /** The parts of things in the newest snapshot. */
  get parts(): number {
    const files = this.#database.stateOf('main').snapshots.at(-1)?.files ?? [];
    return files.filter(({ name }) => /things\.\d+\.json$/.test(name)).length;
  }

  #process(snapshotEveryBytes: number) {
    const lines = this.#database.open(`process ${++this.#count}`);
    const store = new LogStore({ lines, log: new RecordingLogger(), name: 'the log', snapshotEveryBytes, ...this.#options });
    store.define('test.things', this.#type);
    return { store, started: store.start() };
  }
}

for (const type of [things, ...coldThings]) {
  for (const hasStandby of [false, true]) {
    const name = `so do collections over a log, with cold.after ${type.cold?.after}${hasStandby ? ' and a standby that takes over' : ''}`;
    t.test(name, async (t) => {
      let found = 0;
      const property = fc.asyncProperty(rounds, fc.constantFrom(10, 30, 60), async (all, partBytes) => {
        const processes = new LogProcesses(type, { partBytes });
        const first = await processes.open();
        if (hasStandby) await processes.follow();
        const next = async (store: Store, after: Round['after']) => {
          // A snapshot of the standby may come first.
          if (after === 'compact') await (store as LogStore).compact().catch((error) => hasStandby || Promise.reject(error));
          found += processes.parts;
          if (after === 'crash' && !hasStandby) return processes.crash(store);
          return after === 'restart' || after === 'crash' ? processes.restart(store) : store;
        };
        await likeTheModel(all, first, next, type).finally(() => processes.stop());
      });
      // With fewer, none may have parts.
      await fc.assert(property, { numRuns: Math.max(15, runs(hasStandby ? 50 : 75)) });
      t.ok(found > 0, `parts in ${found} rounds`);
    });
  }
}

for (const [type, place] of [
  [things, 'folder'] as const,
  ...coldThings.flatMap((type) => [[type, 'folder'] as const, [type, 'log'] as const]),
]) {
  const isCold = type.cold !== undefined;
  const how = isCold ? `, on disk and during merges in a ${place}, with cold.after ${type.cold!.after}` : '';
  t.test(`concurrent random transactions are serializable${how}`, async (t) => {
    const transfer = fc.record({
      reads: fc.array(id, { maxLength: 3 }),
      range: fc.nat(4),
      write: id,
      pauses: fc.nat(3),
      inOneGo: fc.boolean(),
    });
    let repeated = 0;
    const property = fc.asyncProperty(fc.array(transfer, { minLength: 2, maxLength: 12, size: 'max' }), async (transfers) => {
      const onDisk = async () => {
        const store = storeOn(new SimulatedDisk(), { partBytes: 10 });
        store.define('test.things', type);
        await store.start();
        return store;
      };
      const store = place === 'log' ? await new LogProcesses(type, { partBytes: 10 }).open() : await onDisk();
      let isStopped = false;
      const serial = new MemoryStore({ log: new RecordingLogger() });
      serial.define('test.things', type);
      await serial.start();
      for (const one of [store, serial])
        await one.transaction((tx) => {
          for (const [u, key] of ['a', 'b', 'c'].entries()) tx.in(type).put({ id: key, a: 1, b: `0: ${key}`, u });
        });
      await store.compact();
      // Each writes a digest of everything it read. Replaying them in commit order must give the same digests.
      const order: number[] = [];
      const digest = async (
        view: ReadableCollection<Thing>,
        { reads, range }: { reads: string[]; range: number },
        pause: () => Promise<void>,
      ) => {
        const seen: unknown[] = [];
        for (const key of reads) {
          seen.push((await view.get(key))?.b ?? null);
          await pause();
        }
        const direction = range % 2 === 0 ? 'ascending' : 'descending';
        if (range > 0) seen.push((await view.find('ab', { order: direction, limit: range })).map(({ b }) => b));
        if (range > 3) seen.push(await view.count(), (await view.getBy('u', [1]))?.b ?? null);
        return JSON.stringify(seen);
      };
      // The same, waiting only for what is not in memory.
      const runInSteps = (i: number) =>
        store.transaction((tx) =>
          runSteps(
            (function* () {
              const { reads, range, write } = transfers[i]!;
              const seen: unknown[] = [];
              for (const key of reads) seen.push((yield* wait(peek(tx, type, key)))?.b ?? null);
              const direction = range % 2 === 0 ? 'ascending' : 'descending';
              if (range > 0) seen.push((yield* wait(peekAll(tx, type, 'ab', { order: direction, limit: range }))).map(({ b }) => b));
              if (range > 3) seen.push(yield* wait(tx.in(type).count()), (yield* wait(peekBy(tx, type, 'u', [1])))?.b ?? null);
              tx.in(type).put({ id: write, a: 1, b: `${i}: ${JSON.stringify(seen)}` });
              tx.afterCommit(() => order.push(i));
              repeated++;
            })(),
          ),
        );
      const run = (target: Store, i: number, pause: () => Promise<void>) =>
        target.transaction(async (tx) => {
          const inside = tx.in(type);
          const b = `${i}: ${await digest(inside, transfers[i]!, pause)}`;
          inside.put({ id: transfers[i]!.write, a: 1, b });
          tx.afterCommit(() => order.push(i));
          repeated++;
        });
      await Promise.all(
        transfers.map(({ pauses, inOneGo }, i) =>
          inOneGo
            ? runInSteps(i)
            : run(store, i, async () => {
                // A log ends a merge when it stops.
                if (isCold) store.compact().catch((error) => (place === 'log' && isStopped ? undefined : Promise.reject(error)));
                for (let turn = 0; turn < pauses; turn++) await new Promise((resolve) => setImmediate(resolve));
              }),
        ),
      );
      for (const i of order.slice()) await run(serial, i, async () => {});
      repeated -= 2 * transfers.length;
      const [together, oneByOne] = [await store.open(type).list(), await serial.open(type).list()];
      if (JSON.stringify(together) !== JSON.stringify(oneByOne)) {
        throw new Error(`${JSON.stringify(together)} differs from the replay in commit order: ${JSON.stringify(oneByOne)}`);
      }
      isStopped = true;
      await store.stop();
    });
    await fc.assert(property, { numRuns: runs(100) });
    t.ok(repeated > 0, `${repeated} transactions ran again`);
  });
}
