import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import type { Turn } from '#core';
import type { Reply, ScriptedAnswer } from '#core/testing';
import { outboundPayloadSchema } from '../../../plugins/channels/plugin.js';
import { CONNECTOR, CONTACT, startChannel, textTurn } from './channel-under-test.js';

const KEYS = ['block', 'context', 'evaluated_resources', 'resources', 'to', 'turn', 'version', 'waiting_for_user_input'];

/** Every shape of a turn in the interface. */
const turns: Readonly<Record<string, object>> = {
  text: textTurn('*Hello* 👋'),
  template: {
    template: {
      name: 'order_ready',
      namespace: 'ns_1',
      language: { code: 'en' },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
    },
  },
  buttons: {
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Sure?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'y', title: 'Yes' } }] },
    },
  },
  list: {
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Where?' },
      action: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'Archive' }] }] },
    },
  },
  flow: {
    type: 'interactive',
    interactive: {
      type: 'flow',
      header: { type: 'text', text: 'Visit' },
      body: { text: 'Book a visit' },
      footer: { text: 'It is free' },
      action: {
        name: 'flow',
        parameters: {
          flow_action: 'navigate',
          flow_action_payload: { screen: 'WELCOME' },
          flow_cta: 'Book',
          flow_id: '123',
          flow_message_version: '3',
          flow_token: 'token',
          mode: 'published',
        },
      },
    },
  },
  video: { type: 'video', video: { link: 'https://files.test/a.mp4', mime_type: 'video/mp4', caption: 'look' } },
  audio: { type: 'audio', audio: { link: 'https://files.test/a.ogg', mime_type: 'audio/ogg' } },
  document: { type: 'document', document: { link: 'https://files.test/a.pdf', mime_type: 'application/pdf', filename: 'a.pdf' } },
  image: { type: 'image', image: { link: 'https://files.test/a.png', mime_type: 'image/png' } },
};

t.test('a connector receives eight keys, whatever the message and its origin', async (t) => {
  const { say, send, settle, deliveries } = await startChannel(t);
  await say('hi');
  for (const [name, turn] of Object.entries(turns)) {
    await send(turn as Turn);
    await settle();
    const { json, headers } = deliveries().at(-1)!;
    t.strictSame(Object.keys(json).sort(), KEYS, name);
    t.strictSame(
      json,
      {
        to: CONTACT,
        version: '0.0.1-alpha',
        block: null,
        context: {},
        resources: [],
        evaluated_resources: [],
        waiting_for_user_input: false,
        turn,
      },
      name,
    );
    t.equal(outboundPayloadSchema.validate(json, { convert: false }).error, undefined, name);
    t.equal(headers['content-type'], 'application/json');
    t.equal(headers['x-svc-hook-subscription'], 'channel');
  }
});

t.test('a message of a journey has its block, context and resources, plain and evaluated', async (t) => {
  const { say, publish, deliveries } = await startChannel(t);
  await publish({
    texts: { hello: 'Hello @contact.name', ask: 'Which @event.message.text.body?', one: 'The first' },
    blocks: [
      { name: 'greet', type: 'MobilePrimitives.Message', config: { prompt: 'hello' } },
      { name: 'which', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'ask', choices: [{ name: 'first', prompt: 'one' }] } },
    ],
  });
  await say('book');
  const [greeting, question] = deliveries().map(({ json }) => json);
  t.strictSame(Object.keys(greeting).sort(), KEYS);
  t.match(greeting, {
    to: CONTACT,
    version: '0.0.1-alpha',
    block: { uuid: 'greet', type: 'MobilePrimitives.Message', config: { prompt: 'hello' } },
    context: { contact: { name: 'Ann' }, event: { message: { type: 'text', text: { body: 'book' } } } },
    resources: [{ uuid: 'hello', values: [{ content_type: 'TEXT', value: 'Hello @contact.name' }] }],
    evaluated_resources: [{ uuid: 'hello', values: [{ content_type: 'TEXT', value: 'Hello Ann' }] }],
    waiting_for_user_input: false,
    turn: { type: 'text', text: { body: 'Hello Ann' } },
  });
  t.match(question, {
    block: { uuid: 'which', type: 'MobilePrimitives.SelectOneResponse' },
    waiting_for_user_input: true,
    turn: {
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Which book?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'first', title: 'The first' } }] },
      },
    },
  });
  t.strictSame(question.resources.map(({ uuid }: { uuid: string }) => uuid).sort(), ['ask', 'one']);
  for (const payload of [greeting, question]) t.equal(outboundPayloadSchema.validate(payload, { convert: false }).error, undefined);
});

t.test("the id in the response becomes the message's id, and a reply that quotes it is linked to it", async (t) => {
  const { say, send, settle, message, http, told } = await startChannel(t);
  await say('hi');
  http.answer(CONNECTOR, { body: { messages: [{ id: 'their-7', more: true }, { id: 'ignored' }], extra: 1 } });
  const { uuid } = await send();
  t.equal((await message(uuid))?.external_id, undefined);
  await settle();
  t.equal((await message(uuid))?.external_id, 'their-7');
  t.match(told('message.accepted'), [{ message: { uuid, external_id: 'their-7' } }]);
  t.strictSame(told('advice'), []);
});

t.test('a message whose response has no id is delivered all the same, with advice', async (t) => {
  const answers: [what: string, answer: Reply][] = [
    ['nothing at all', {}],
    ['text', { body: 'OK' }],
    ['half a JSON', { body: '{"messages":[{"id":"x"' }],
    ['null', { body: null }],
    ['a list', { body: [{ id: 'x' }] }],
    ['no messages', { body: { id: 'x' } }],
    ['no message', { body: { messages: [] } }],
    ['a message without an id', { body: { messages: [{}] } }],
    ['an empty id', { body: { messages: [{ id: '' }] } }],
    ['an id that is an object', { body: { messages: [{ id: {} }] } }],
    ['messages that are no list', { body: { messages: { id: 'x' } } }],
    ['a body that ends far too late', { body: { messages: [{ id: 'x' }] }, bodyAfterMs: 40_000 }],
    ['a body that is too long', { body: `${' '.repeat(70_000)}{"messages":[{"id":"x"}]}` }],
    ['no content', { status: 204 }],
  ];
  for (const [what, answer] of answers) {
    const { say, send, settle, clock, message, http, told, platform } = await startChannel(t);
    await say('hi');
    http.answer(CONNECTOR, answer);
    const { uuid } = await send();
    await settle();
    await clock.advance(10_000);
    t.match(await platform.deliveries.list({ message: uuid, limit: 10 }), [{ state: 'delivered', attempts: 1 }], what);
    t.equal((await message(uuid))?.external_id, undefined, what);
    t.match(told('advice'), [{ name: 'connector_response_invalid', about: { delivery: String } }], what);
    t.equal(told('message.undeliverable').length, 0, what);
  }
});

t.test('an id may be a number, and the response compressed', async (t) => {
  const compressed = (coding: string, body: Uint8Array): Reply => ({ headers: { 'content-encoding': coding }, body });
  const json = JSON.stringify({ messages: [{ id: 'x' }] });
  const answers: [what: string, answer: Reply, id: string | undefined][] = [
    ['a number', { body: { messages: [{ id: 7 }] } }, '7'],
    ['zero', { body: { messages: [{ id: 0 }] } }, '0'],
    ['a number with more digits than JavaScript keeps', { body: '{"messages":[{"id": 12345678901234567890}]}' }, '12345678901234567890'],
    ['gzip', compressed('gzip', gzipSync(json)), 'x'],
    ['x-gzip, in capital letters', compressed('X-GZIP', gzipSync(json)), 'x'],
    ['deflate', compressed('deflate', deflateSync(json)), 'x'],
    ['brotli', compressed('br', brotliCompressSync(json)), 'x'],
    ['gzip of gzip', compressed('gzip, gzip', gzipSync(gzipSync(json))), 'x'],
    ['not compressed at all', compressed('gzip', Buffer.from(json)), 'x'],
    ['a bomb', compressed('gzip', gzipSync(json + ' '.repeat(1_000_000))), undefined],
  ];
  const { say, send, settle, message, http, platform } = await startChannel(t);
  await say('hi');
  for (const [what, answer, id] of answers) {
    http.answer(CONNECTOR, answer);
    const { uuid } = await send();
    await settle();
    // The same id would belong to the earlier message.
    t.equal((await message(uuid))?.external_id, id, what);
    const [delivery] = await platform.deliveries.list({ message: uuid, limit: 1 });
    if (id === 'x') t.match((await platform.deliveries.show(delivery!.uuid)).attempts, [{ response: json }], what);
    await platform.store.transaction((tx) => platform.messages.identify(tx, uuid, `old-${uuid}`));
  }
});

t.test('an id that an earlier message already has is ignored, with advice', async (t) => {
  const { say, send, settle, message, http, told } = await startChannel(t);
  await say('hi');
  http.answer(CONNECTOR, { body: { messages: [{ id: 'same' }] } });
  const first = await send();
  const second = await send();
  await settle();
  t.equal((await message(first.uuid))?.external_id, 'same');
  t.equal((await message(second.uuid))?.external_id, undefined);
  t.match(told('advice'), [{ name: 'message_id_repeated', about: { message: first.uuid } }]);
});

t.test('a message that the connector refuses or never accepts is undeliverable, and failed', async (t) => {
  const cases: [answer: ScriptedAnswer, reason: string, attempts: number][] = [
    [{ status: 400 }, 'cancelled: http_4xx', 1],
    [{ status: 404, body: { messages: [{ id: 'x' }] } }, 'cancelled: http_4xx', 1],
    [{ status: 502 }, 'cancelled: http_502', 1],
    ['unknown host', 'cancelled: dns_not_found', 1],
    [{ status: 500 }, 'dropped: exhausted', 6],
    ['refuse', 'dropped: exhausted', 6],
    ['hang', 'dropped: exhausted', 6],
  ];
  for (const [answer, reason, attempts] of cases) {
    const { say, send, clock, message, http, told, deliveries } = await startChannel(t);
    await say('hi');
    http.answer(CONNECTOR, answer);
    const { uuid } = await send();
    await clock.advance(200_000);
    t.equal(deliveries().length, attempts, reason);
    const error = typeof answer === 'object' ? `the endpoint answered ${answer.status}` : '';
    t.match(told('message.undeliverable'), [{ message: { uuid }, reason }]);
    t.ok(told('message.undeliverable')[0].reason.startsWith(`${reason} (${error}`), 'with the error of the last attempt');
    t.match(told('message.status'), [{ message: { uuid }, report: { status: 'failed', errors: [{ details: reason }] }, stands: true }]);
    t.match(await message(uuid), { pending_for: undefined, status: 'failed', statuses: [{ status: 'failed' }] });
    t.strictSame(told('message.accepted'), []);
  }
});

t.test('a failed message is pending again when it is redelivered', async (t) => {
  const { say, send, settle, message, http, platform, admin, report } = await startChannel(t);
  await say('hi');
  http.answer(CONNECTOR, { status: 400 }, { body: { messages: [{ id: 'out-9' }] } });
  const { uuid } = await send();
  await settle();
  t.match(await message(uuid), { status: 'failed' });
  const [delivery] = await platform.deliveries.list({ message: uuid, limit: 1 });
  await admin('POST', `/deliveries/${delivery!.uuid}/redeliver`);
  const again = await message(uuid);
  t.strictSame([again?.status, again?.status_timestamp, again?.statuses], [undefined, undefined, []]);
  await settle();
  await report('out-9', 'delivered');
  t.match(await message(uuid), { external_id: 'out-9', status: 'delivered', statuses: [{ status: 'delivered' }] });
});

t.test('a message on a channel without a webhook for it fails, with advice', async (t) => {
  const { say, send, told, platform, webhook, deliveries, settle } = await startChannel(t);
  await say('hi');
  await platform.store.transaction((tx) => platform.webhooks.update(tx, webhook.uuid, { subscriptions: ['network'] }));
  const { uuid } = await send();
  await settle();
  t.match(
    deliveries().map(({ json }) => json),
    [{ statuses: [{ id: uuid, status: 'failed', errors: [{ code: 131026, details: /no webhook/ }] }] }],
    'it fails, and webhooks receive the status',
  );
  t.match(told('advice'), [{ name: 'channel_without_webhook' }]);
  t.match(told('message.undeliverable'), [{ message: { status: 'failed' }, reason: /no webhook/ }]);
});

t.test('other webhooks of the channel receive the same payload, but their responses have no effect', async (t) => {
  const { say, send, settle, message, admin, http, uuid, told } = await startChannel(t);
  await say('hi');
  const { body } = await admin('POST', '/webhooks', { number: uuid, url: 'https://monitor.test', subscriptions: ['channel'] });
  http.answer('https://monitor.test', { body: { messages: [{ id: 'monitor' }] } }, { status: 400 });
  const named = await send();
  await settle();
  t.equal((await message(named.uuid))?.external_id, 'out-1');
  await send();
  await settle();
  t.strictSame(http.bodies('https://monitor.test'), http.bodies(CONNECTOR));
  const [copy] = (await admin('GET', `/deliveries?webhook=${body.webhook.uuid}&message=${named.uuid}`)).body.deliveries;
  await admin('POST', `/deliveries/${copy.uuid}/redeliver`);
  t.equal((await message(named.uuid))?.pending_for, undefined, 'also after a redelivery');
  await settle();
  t.strictSame([...told('message.undeliverable'), ...told('advice')], []);
});
