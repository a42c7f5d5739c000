import t from 'tap';
import {
  beforeCommit,
  type Contributions,
  definePlugin,
  integer,
  messageAccepted,
  messageReceived,
  object,
  type Plugin,
  string,
  textOf,
  verifySignature,
} from '#core';
import { startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

const URL = 'https://owner.test/';

type Fields = NonNullable<Contributions['payloadFields']>;

const plugin = (name: string, contributions: Contributions): Plugin =>
  definePlugin({ name, version: '1.0.0', register: () => contributions })();

/** Tells webhooks the text of each message, with a body that need not fit its schema. */
const echo = (body = (text: string): object => ({ text })): Plugin =>
  plugin('echo', {
    subscriptions: [
      {
        name: 'echo.text',
        summary: 'A contact wrote.',
        body: object({ text: string() }),
        on: (post) => [
          beforeCommit(messageReceived, async ({ number, conversation, message }, tx) => {
            const event = { number: number.uuid, conversation: conversation.uuid, event: message.uuid, body: body(textOf(message)) };
            await post(tx, event);
            await post(tx, event);
          }),
        ],
      },
    ],
  });

/** As a plugin in JavaScript may do it: `about` replaces parts of the posted event. */
const careless = (about: object): Plugin =>
  plugin('echo', {
    subscriptions: [
      {
        ...{ name: 'echo.text', summary: 'A contact wrote.', body: object({}) },
        on: (post) => [
          beforeCommit(messageReceived, ({ number, message }, tx) =>
            post(tx, { number: number.uuid, event: message.uuid, body: {}, ...about } as never),
          ),
        ],
      },
    ],
  });

const field = (name: string, value: Fields[number]['value'], subscription: Fields[number]['subscription'] = 'network'): Plugin =>
  plugin(name, { payloadFields: [{ subscription, summary: 'A number.', schema: object({ n: integer() }), value }] });

async function start(t: Tap, ...more: Plugin[]) {
  const test = await startPlatform(t, { plugins: [network(), messages(), channels(), webhooks(), ...more] });
  const { uuid, token } = await test.number('network');
  await test.admin('PATCH', `/network/numbers/${uuid}/policy`, { window_hours: null });
  const hook = (about: object) => test.admin('POST', '/webhooks', { number: uuid, url: URL, ...about });
  const write = (body: string) =>
    test.admin('POST', `/network/numbers/${uuid}/messages`, { from: '27611111111', type: 'text', text: { body } });
  return { ...test, uuid, token, hook, write, received: () => test.http.callsTo(URL) };
}

t.test('deliveries of a subscription of a plugin have order, retries, identity and signature like others', async (t) => {
  const { hook, write, http, clock, received, admin } = await start(t, echo());
  http.answer(URL, { status: 500 }, {});
  const { status, body } = await hook({ subscriptions: ['echo.text'] });
  t.equal(status, 201);
  t.strictSame(body.webhook.subscriptions, ['echo.text']);
  for (const text of ['one', 'two']) await write(text);
  await clock.advance(200_000);
  t.strictSame(
    received().map(({ json }) => json.text),
    ['one', 'two', 'one'],
    'the first attempts are in order, then the retry',
  );
  for (const call of received()) {
    t.ok(verifySignature(body.hmac_secret, call.body, call.headers['x-svc-hook-signature']));
    t.equal(call.headers['x-svc-hook-subscription'], 'echo.text');
  }
  const { deliveries } = (await admin('GET', `/deliveries?webhook=${body.webhook.uuid}`)).body;
  t.match(deliveries, [
    { kind: 'echo.text', subscription: 'echo.text', state: 'delivered' },
    { kind: 'echo.text', state: 'delivered' },
  ]);
});

t.test('the admin API lists the subscriptions of plugins, and refuses unknown ones by naming those that exist', async (t) => {
  const { hook, admin } = await start(t, echo());
  const { uuid } = (await hook({ subscriptions: ['msgapp'] })).body.webhook;
  t.match((await admin('GET', '/webhooks')).body.subscriptions.at(-1), { kind: 'echo.text', name: 'echo.text' });
  for (const unknown of ['echo.other', 'echo', 'other.text', 'Echo.text', 'network', '', 'echo.text ']) {
    for (const { status, body } of [
      await hook({ subscriptions: [unknown] }),
      await admin('PATCH', `/webhooks/${uuid}`, { subscriptions: ['svc', unknown] }),
    ]) {
      t.equal(status, 400, unknown);
      t.match(
        JSON.stringify(body),
        /subscriptions\[[01]\] (must be one of \[msgapp, svc, journey_outbound, channel|is not allowed to be empty)/,
        unknown,
      );
    }
  }
  t.match((await admin('PATCH', `/webhooks/${uuid}`, { subscriptions: ['svc', 'echo.text'] })).body.webhook.subscriptions, [
    'svc',
    'echo.text',
  ]);
});

t.test('a webhook whose plugin is gone is shown, and keeps its other subscriptions', async (t) => {
  const { platform, hook, write, received, clock, http, admin, uuid } = await start(t);
  http.answer(URL, {});
  const { webhook } = (await hook({ subscriptions: ['msgapp'] })).body;
  await platform.store.transaction((tx) => platform.webhooks.update(tx, webhook.uuid, { subscriptions: ['network', 'echo.text'] }));
  t.strictSame((await admin('GET', `/webhooks?number=${uuid}`)).body.webhooks[0].subscriptions, ['msgapp', 'echo.text']);
  await write('hi');
  await clock.advance(0);
  t.equal(received().length, 1);
});

t.test('fields of several plugins are added under their names, and replace none of the body', async (t) => {
  const seen: unknown[] = [];
  const { hook, write, received, http, clock, call, token, uuid } = await start(
    t,
    field('loyalty', (_tx, delivery) => {
      seen.push(delivery);
      return { n: 1 };
    }),
    field('weather', async () => undefined),
    field('tides', async () => ({ n: 2 })),
    field('extra', () => ({ n: 3 }), 'service'),
  );
  http.answer(URL, {});
  await hook({ subscriptions: ['msgapp', 'svc'] });
  const { message } = (await write('hi')).body;
  await clock.advance(0);
  const { json } = received()[0]!;
  t.strictSame(Object.keys(json), ['contacts', 'messages', 'loyalty', 'tides']);
  t.match(json, { loyalty: { n: 1 }, tides: { n: 2 } });
  t.match(seen, [
    { number: uuid, message: message.uuid, conversation: message.conversation, body: { messages: [{ text: { body: 'hi' } }] } },
  ]);
  const send = (more: object) => call('POST', '/v1/messages', { token, payload: { to: '27611111111', text: { body: 'a' }, ...more } });
  await send({});
  await send({ extra: { n: 7 } });
  await clock.advance(0);
  const sent = received().filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc');
  t.strictSame(
    sent.map((one) => one.json.extra),
    [{ n: 3 }, { n: 7 }],
    'the field that a client posted remains',
  );
});

t.test('a plugin adds a field to the subscription of another one', async (t) => {
  const { hook, write, received, http, clock } = await start(
    t,
    echo(),
    field('loyalty', () => ({ n: 1 }), 'echo.text'),
  );
  http.answer(URL, {});
  await hook({ subscriptions: ['echo.text'] });
  await write('hi');
  await clock.advance(0);
  t.strictSame(received()[0]!.json, { text: 'hi', loyalty: { n: 1 } });
});

t.test('in a test platform, a body or field that does not fit its schema fails, and nothing is stored', async (t) => {
  for (const [wrong, message] of [
    [echo(() => ({ words: 'hi' })), /a delivery for 'echo.text' matches no payload/],
    [field('loyalty', () => ({ n: 'one' })), /the field 'loyalty' of a delivery for 'network' does not fit its schema/],
  ] as const) {
    const { hook, write, log, platform, uuid } = await start(t, wrong);
    await hook({ subscriptions: ['msgapp', ...(wrong.manifest.name === 'echo' ? ['echo.text'] : [])] });
    t.equal((await write('hi')).status, 500);
    t.match(JSON.stringify(log.lines), message);
    t.strictSame(await platform.contacts.list(uuid), []);
  }
});

t.test('a delivery without its event, number or body is refused with the name of the subscription, and nothing is stored', async (t) => {
  for (const [about, message] of [
    [{ event: undefined }, /the subscription 'echo.text' posts a delivery without its event/],
    [{ event: '' }, /without its event/],
    [{ number: undefined }, /the subscription 'echo.text' posts a delivery without its number/],
    [{ body: undefined }, /the subscription 'echo.text' posts a delivery whose body is not an object/],
  ] as const) {
    const { hook, write, log, platform, uuid } = await start(t, careless(about));
    await hook({ subscriptions: ['echo.text'] });
    t.equal((await write('hi')).status, 500);
    t.match(JSON.stringify(log.lines), message);
    t.strictSame(await platform.contacts.list(uuid), []);
  }
});

t.test('a platform refuses subscriptions and fields that cannot be', async (t) => {
  const on = () => [];
  const body = object({ a: string() });
  const value = () => ({ n: 1 });
  const cases: readonly (readonly [Plugin[], RegExp])[] = [
    [
      [plugin('a', { subscriptions: [{ name: 'text', summary: 's', body, on }] })],
      /subscriptions\[0\] must be named 'a\.<name>' in lower case, not 'text'/,
    ],
    [[plugin('a', { subscriptions: [{ name: 'b.text', summary: 's', body, on }] })], /subscriptions\[0\] must be named 'a\./],
    [[plugin('a', { subscriptions: [{ name: 'a.Text', summary: 's', body, on }] })], /in lower case, not 'a.Text'/],
    [[plugin('a', { subscriptions: [{ name: 'a.b', summary: 's', body: {} as never, on }] })], /named a.b has an invalid body/],
    [[plugin('a', { subscriptions: [{ name: 'a.b', summary: 's', body } as never] })], /is not a subscription: it needs name/],
    [
      [plugin('a', { subscriptions: [1, 2].map(() => ({ name: 'a.b', summary: 's', body, on })) })],
      /subscription 'a.b' is already contributed/,
    ],
    [[field('a', value, 'b.c')], /payloadFields: no plugin contributes the subscription 'b.c'/],
    [[field('a', value, 'msgapp' as never)], /payloadFields\[0\] has an invalid subscription: use network, service/],
    [[webhooks(), field('messages', value)], /the payload 'messageReceived' has a field 'messages' already/],
    [[webhooks(), field('statuses', value)], /the payload 'messageStatus' has a field 'statuses' already/],
    [[webhooks(), field('text', value, 'journey_outbound')], /the payload 'journeyMessageSent' has a field 'text' already/],
    [[plugin('a', { payloadFields: [{ subscription: 'network', summary: 's', schema: body } as never] })], /is not a field of payloads/],
  ];
  for (const [plugins, message] of cases) await t.rejects(startPlatform(t, { plugins }), message, String(message));
});

t.test('the OpenAPI document has the subscription and the field', async (t) => {
  const { platform } = await start(
    t,
    echo(),
    field('loyalty', () => ({ n: 1 })),
  );
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  const { webhooks: described } = (await platform.openApi('api')) as any;
  t.match(described.echoText.post, { summary: 'A contact wrote.', tags: ['echo'] });
  t.match(JSON.stringify(described.echoText.post.parameters), /"enum":\["echo.text"\]/);
  const { schema } = described.messageReceived.post.requestBody.content['application/json'];
  t.match(schema.allOf[1], { properties: { loyalty: { description: 'A number.', properties: { n: { type: 'integer' } } } } });
});

t.test('a subscription may be about a sent message, whose status its outcome does not change', async (t) => {
  const accepted = plugin('sends', {
    subscriptions: [
      {
        name: 'sends.accepted',
        summary: 'A message was accepted.',
        body: object({ id: string() }),
        on: (post) => [
          beforeCommit(messageAccepted, ({ number, message }, tx) =>
            post(tx, { number: number.uuid, event: message.uuid, message: message.uuid, body: { id: message.uuid } }),
          ),
        ],
      },
    ],
  });
  const { hook, received, http, clock, call, token } = await start(t, accepted);
  http.answer(URL, { status: 404 });
  await hook({ subscriptions: ['sends.accepted'] });
  const sent = await call('POST', '/v1/messages', { token, payload: { to: '27611111111', text: { body: 'a' } } });
  t.equal(sent.status, 200);
  await clock.advance(0);
  t.equal(received().length, 1, 'a 404 cancels it, and does not touch the message');
});
