import t from 'tap';
import type { CollectionType, OpenCollection } from '#core/ports';
import { MemoryStore, RecordingLogger } from '#core/testing';
import { chunks, createChunks } from '../../../core/memory/chunks.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { simulationMocks, simulations } from '../../../plugins/simulation/records.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { asks, fetches, startSimulation } from './simulation-under-test.js';

const chat = { blocks: [asks('first'), { ...asks('second'), exits: [{ to: 'second' }] }], texts: { first: 'First?', second: 'Second?' } };
const plugins = (options: object) => ({ plugins: [channels(), webhooks(), journeys(), simulation(options)] });
const over = { status: 404, body: { errors: ['Simulation not found or expired'] } };

t.test('beyond the maximum number of simulations, the longest idle one ends', async (t) => {
  const { simulate, clock, platform } = await startSimulation(t, chat, plugins({ kept: 3 }));
  for (const id of ['sim-id-1', 'sim-id-2', 'sim-id-3']) {
    await simulate({ simulation_id: id, http_mocks: [{ url: 'https://a.test/' }] });
    await clock.advance(10);
  }
  t.match(await simulate({ simulation_id: 'sim-id-1', input: 'x' }), { status: 200 });
  await clock.advance(10);
  await simulate({ simulation_id: 'sim-id-4' });
  await clock.advance(10);
  t.match(await simulate({ simulation_id: 'sim-id-2', input: 'x' }), over);
  for (const id of ['sim-id-1', 'sim-id-3', 'sim-id-4']) t.match(await simulate({ simulation_id: id, input: 'x' }), { status: 200 });
  t.equal(await platform.store.open(simulationMocks).count(), 2, 'its mocks are deleted');
  await clock.advance(24 * 3_600_000);
  t.match(await simulate({ simulation_id: 'sim-id-2' }), { status: 200, body: { message: 'First?' } }, 'a day later the id is free');
});

t.test('a simulation that is evicted during its turn ends, and is counted once', async (t) => {
  const draft = {
    blocks: [asks('first'), fetches('fetched', { url: 'https://slow.test/' }), asks('second')],
    texts: { first: 'First?', second: 'Second?' },
  };
  const { simulate, clock, platform, admin, http } = await startSimulation(t, draft, plugins({ kept: 1 }));
  http.answer('GET https://slow.test/', { afterMs: 1_000 });
  await simulate({ http_mocks: [{ url: 'https://a.test/' }] });
  const turn = simulate({ input: 'x' });
  await clock.advance(100);
  await simulate({ simulation_id: 'sim-id-2' });
  await clock.advance(100);
  t.equal(await platform.store.open(simulationMocks).count(), 0, 'the simulation is evicted');
  await clock.advance(1_000);
  t.match(await turn, over);
  const { histories } = (await admin('GET', '/memory')).body.memory;
  t.match(
    histories.filter(({ name }: { name: string }) => name.startsWith('simulations')),
    [
      { name: 'simulations', count: 1 },
      { name: 'simulations-over', count: 1 },
    ],
  );
});

t.test('simulations and their mocks are limited in bytes, and equal long values are stored once', async (t) => {
  const { simulate, clock, platform, admin } = await startSimulation(t, chat, plugins({ keptBytes: 200_000 }));
  const { store } = platform;
  const parent = { about: 'A long story. '.repeat(2_000) };
  await simulate({ parent });
  t.equal(await store.open(chunks).count(), 1);
  const { body } = await simulate({ input: 'An answer of many words. '.repeat(500) });
  t.match(body.context, { parent, first: 'An answer of many words. '.repeat(500) });
  t.equal(await store.open(chunks).count(), 2, 'the story is not stored again');
  for (let n = 0; n < 4; n++) {
    await clock.advance(10);
    await simulate({ simulation_id: `mocked-${n}`, http_mocks: [{ url: 'https://a.test/', response: { body: 'm'.repeat(60_000) } }] });
  }
  await clock.advance(10);
  t.match(await simulate({ input: 'x' }), over);
  t.equal(await store.open(chunks).count(), 0, 'its chunks are deleted with it');
  const { histories } = (await admin('GET', '/memory')).body.memory;
  const [active] = histories.filter(({ name }: { name: string }) => name === 'simulations');
  t.ok(active.bytes > 120_000 && active.bytes <= 210_000, JSON.stringify(active));
});

t.test('a simulation of an earlier release continues, and expires', async (t) => {
  const { simulate, clock, platform } = await startSimulation(t, chat);
  const { store } = platform;
  await simulate({ parent: { about: 'A long story. '.repeat(2_000) } });
  const older = async (): Promise<void> => {
    const [known] = await store.open(simulations).list();
    const { active_at: _, kept_bytes: _bytes, ...rest } = known!;
    const data = await createChunks({ store }).expand(rest.data);
    await store.transaction((tx) => tx.in(simulations).put({ ...rest, data }));
  };
  await older();
  t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'Second?' } });
  await older();
  await clock.advance(30 * 60_000);
  t.match(await simulate({ input: 'x' }), over);
  await clock.advance(25 * 3_600_000);
  t.strictSame(await store.open(simulations).list(), []);
});

for (const hasVersions of [true, false]) {
  t.test(`a turn reads ${hasVersions ? 'its simulation only after another writer' : 'a store without versions'}`, async (t) => {
    const store = new MemoryStore({ log: new RecordingLogger() });
    let reads = 0;
    const opened = store.open.bind(store);
    store.open = <T extends object>(type: CollectionType<T>): OpenCollection<T> => {
      const collection = opened(type);
      if ((type as object) !== simulations) return collection;
      const get = (key: string) => {
        reads++;
        return collection.get(key);
      };
      const { version, ...others } = collection;
      return { ...others, get, ...(hasVersions && version && { version }) };
    };
    const { simulate, platform } = await startSimulation(t, chat, { ports: { store }, secretKey: '0'.repeat(64) });
    await simulate();
    t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'Second?' } });
    t.match(await simulate({ input: 'y' }), { status: 200, body: { context: { first: 'x', second: 'y' } } });
    t.equal(reads, hasVersions ? 1 : 3, 'the first turn finds out that the id is free');
    const [known] = await platform.store.open(simulations).list();
    const data = (known!.data as string).replaceAll('"first":"x"', '"first":"z"');
    await platform.store.transaction((tx) => tx.in(simulations).put({ ...known!, data }));
    t.match(await simulate({ input: 'y' }), { status: 200, body: { context: { first: 'z', second: 'y' } } });
    t.equal(reads, hasVersions ? 2 : 4);
  });
}
