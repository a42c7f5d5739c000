import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import type { CollectionType } from '#core';
import { RecordingLogger } from '#core/testing';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';

/** A store that lists all its collections. */
class KnownStore extends MemoryStore {
  readonly all = new Map<string, CollectionType<object>>();

  override define<T extends object>(name: string, type: CollectionType<T>): void {
    this.all.set(name, type as unknown as CollectionType<object>);
    super.define(name, type);
  }
}

t.test('a simulation during a live conversation of the same contact changes only its own records', async (t) => {
  const store = new KnownStore({ log: new RecordingLogger() });
  const plugins = [channels(), webhooks(), journeys(), simulation()];
  const test = await startChannel(t, { plugins, ports: { store }, secretKey: '0'.repeat(64) });
  const { publish, say, call, token, received, http, events, settle } = test;
  const journey = await publish({
    blocks: [
      {
        name: 'name',
        type: 'MobilePrimitives.OpenResponse',
        config: { prompt: 'ask', set_contact_property: { property_key: 'name', property_value: '@name' } },
      },
      { name: 'hook', type: 'Svc.Http', config: { method: 'POST', url: 'https://shop.test/hook', body: '@name', mode: 'async' } },
      { name: 'label', type: 'Svc.Label', config: { labels: ['question'] } },
      { name: 'hello', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'greet' }, exits: [{ to: 'name' }] },
    ],
    texts: { ask: 'Your name?', greet: 'Hello @contact.name' },
  });
  http.answer('POST https://shop.test/hook', {});
  await say('hi');
  await say('Ann');
  /** All collections without the records of simulations, and without their timers among the jobs. */
  const state = async () => {
    const others = [...store.all].filter(([name]) => !name.startsWith('simulation.'));
    const lists = others.map(async ([name, collection]) => {
      const documents = await store.open(collection).list();
      return [name, documents.filter((document) => !('queue' in document && document.queue === 'simulation.expiries'))];
    });
    return Object.fromEntries(await Promise.all(lists)) as Record<string, object[]>;
  };
  const [before, calls, eventCount] = [await state(), http.calls.length, events.length];
  const filled = Object.keys(before).filter((name) => before[name]!.length > 0);
  t.ok(filled.length >= 8, filled.join(', '));

  const simulate = (input?: string) =>
    call('POST', `/v1/journeys/${journey}/simulation`, {
      token,
      payload: {
        simulation_id: 'beside-1',
        contact: { id: CONTACT, name: 'Zoe' },
        http_mocks: [{ url: 'https://shop.test/*' }],
        ...(input !== undefined && { input }),
      },
    });
  t.match(await simulate(), { body: { message: 'Your name?', contact: { name: 'Zoe' } } });
  t.match(await simulate('Eve'), {
    body: { message: 'Hello Eve', contact: { name: 'Eve' }, http_calls: [{ body: 'Eve', mocked: true, status: 200 }] },
  });
  await simulate('again');
  await settle();
  t.equal(JSON.stringify(await state()), JSON.stringify(before), 'all collections are unchanged, byte by byte');
  t.equal(http.calls.length, calls, 'no request was sent');
  t.equal(events.length, eventCount, 'no event was emitted');
  await say('and you?');
  t.strictSame(received(), ['Your name?', 'Hello Ann', 'Your name?'], 'the live conversation continues');
});

t.test('simulations and conversations run journeys with the same code, without a flag for simulations', async (t) => {
  const files = ['core', 'plugins'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const asking = files.filter((file) => /is_?simulat(ion|ed)|simulat(ing|ed)\s*[?:]/i.test(readFileSync(file, 'utf8')));
  t.strictSame(asking, []);
  const running = files.filter((file) => /journeys\.runTurn\(/.test(readFileSync(file, 'utf8')));
  t.ok(running.includes('plugins/simulation/simulations.ts') && running.length > 1, running.join(', '));
});
