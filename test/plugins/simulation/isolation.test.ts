import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import type { CollectionType } from '#core';
import { deliveryRecords as deliveries } from '../../../core/delivery/delivery.js';
import { contacts } from '../../../core/messaging/contact.js';
import { conversations } from '../../../core/messaging/conversation.js';
import { messages } from '../../../core/messaging/message.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { sessions } from '../../../plugins/journeys/sessions.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONTACT, startChannel } from '../channel-under-test.js';

t.test('a simulation beside a live conversation of the same contact touches nothing but itself', async (t) => {
  const test = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { publish, say, call, token, heard, http, events, settle, platform } = test;
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
  const kept = [contacts, conversations, messages, deliveries, sessions] as readonly CollectionType<object>[];
  const state = async () => JSON.stringify(await Promise.all(kept.map((collection) => platform.store.open(collection).list())));
  const [before, calls, told] = [await state(), http.calls.length, events.length];

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
  t.equal(await state(), before, 'every collection of conversations is as it was');
  t.equal(http.calls.length, calls, 'nothing went out');
  t.equal(events.length, told, 'nothing was announced');
  await say('and you?');
  t.strictSame(heard(), ['Your name?', 'Hello Ann', 'Your name?'], 'the live conversation goes on where it was');
});

t.test('the code has one way of running a journey, and no question whether it is a simulation', async (t) => {
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
