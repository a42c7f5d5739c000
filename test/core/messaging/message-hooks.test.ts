import t from 'tap';
import { type Contributions, collection, consume, definePlugin, MessageRefused, PlatformError, queue, type Sendable } from '#core';
import { NETWORK_CAPABILITIES } from '#core/basics';
import { startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';

type BeforeSend = NonNullable<Contributions['beforeSend']>[number];
type BeforeReceive = NonNullable<Contributions['beforeReceive']>[number];

const notes = collection<{ id: string }>({ key: 'id' });
const cause = { meaning: 'The word is forbidden.', who: 'caller', action: 'Use another word.', retry: false } as const;

/** Plugins with one hook each, named `first`, `second`, in load order. */
const plugins = (hooks: readonly { beforeSend?: BeforeSend; beforeReceive?: BeforeReceive }[]) =>
  hooks.map(({ beforeSend, beforeReceive }, i) =>
    definePlugin({
      name: ['first', 'second', 'third'][i]!,
      version: '1.0.0',
      ...(i === 0 && { collections: { notes }, causes: { forbidden_word: cause } }),
      register: () => ({ ...(beforeSend && { beforeSend: [beforeSend] }), ...(beforeReceive && { beforeReceive: [beforeReceive] }) }),
    })(),
  );

const text = (body: string) => ({ type: 'text', text: { body } });
const bodyOf = (turn: Sendable): string => (turn as unknown as { text: { body: string } }).text.body;
const forbidden = () => new PlatformError(403, 'forbidden_word', 'The word is forbidden');

async function startSending(t: Tap, ...beforeSend: BeforeSend[]) {
  const test = await startPlatform(t, { plugins: [...plugins(beforeSend.map((run) => ({ beforeSend: run }))), messages(), network()] });
  const { uuid, token } = await test.number('network');
  await test.admin('PATCH', `/network/numbers/${uuid}/policy`, { window_hours: null });
  const stored = async () => (await test.platform.contacts.list(uuid)).length;
  const post = (message: object) => test.call('POST', '/v1/messages', { token, payload: { to: '27611111111', ...message } });
  const sent = async (message: object) => {
    const { status, body } = await post(message);
    t.equal(status, 200, JSON.stringify(body));
    return (await test.platform.messages.known(uuid, 'outbound', body.messages[0].id))!;
  };
  return { ...test, uuid, post, sent, stored };
}

t.test('beforeSend of several plugins run in load order, each with the frozen result of the previous one', async (t) => {
  const seen: string[] = [];
  const { sent, post } = await startSending(
    t,
    (_, { turn, number, to, author }) => {
      seen.push(bodyOf(turn));
      t.ok([turn, (turn as unknown as { text: object }).text, number, author].every(Object.isFrozen), 'all parts are frozen');
      t.equal(to, '27611111111');
      return bodyOf(turn) === 'plain' ? undefined : { turn: text(`${bodyOf(turn)}, dear customer`) };
    },
    async (_, { turn }) => {
      seen.push(bodyOf(turn));
      if (bodyOf(turn).startsWith('darn')) throw forbidden();
      return { turn: text(`${bodyOf(turn)}.`) };
    },
  );
  const message = await sent(text('hello'));
  t.match(message, { content: { text: { body: 'hello, dear customer.' } }, rewritten_by: ['first', 'second'] });
  t.match(await sent(text('plain')), { content: { text: { body: 'plain.' } }, rewritten_by: ['second'] });
  const refused = await post(text('darn'));
  t.match(refused, {
    status: 403,
    headers: { 'x-posthorn-cause': 'forbidden_word' },
    body: { errors: [{ details: 'The word is forbidden' }] },
  });
  t.strictSame(seen, ['hello', 'hello, dear customer', 'plain', 'plain', 'darn', 'darn, dear customer']);
});

t.test('a check sees the message as it will be sent, whatever its place in the list', async (t) => {
  const seen: unknown[] = [];
  const { sent, post } = await startSending(
    t,
    {
      check(_, { turn, number }) {
        seen.push([number.kind, bodyOf(turn)]);
        if (bodyOf(turn).startsWith('darn')) throw forbidden();
      },
    },
    (_, { turn }) => (bodyOf(turn) === 'plain' ? undefined : { turn: text(`${bodyOf(turn)}!`) }),
  );
  t.match(await sent(text('hello')), { content: { text: { body: 'hello!' } }, rewritten_by: ['second'] });
  t.match(await sent(text('plain')), { content: { text: { body: 'plain' } }, rewritten_by: undefined });
  t.match(await post(text('darn')), { status: 403, headers: { 'x-posthorn-cause': 'forbidden_word' } });
  t.strictSame(seen, [
    ['network', 'hello!'],
    ['network', 'plain'],
    ['network', 'darn!'],
  ]);
});

t.test('a message that beforeSend changed is checked like any other, and the error of a bad one names the plugin', async (t) => {
  const bad: Readonly<Record<string, unknown>> = {
    'not an object': 'hello',
    'no turn': {},
    'an unknown key': { turn: text('a'), to: '27622222222' },
    'a turn that is no object': { turn: 'hello' },
    'content of another type': { turn: { type: 'text', image: { link: 'https://a.example/a.png', mime_type: 'image/png' } } },
    'a field of the wrong type': { turn: { type: 'text', text: { body: 5 } } },
    'an unknown field': { turn: { type: 'text', text: { body: 'a' }, more: 1 } },
    'an empty text': { turn: text(' ') },
    'a text over the limit': { turn: text('a'.repeat(4097)) },
    'four buttons': {
      turn: {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'a' },
          action: { buttons: ['a', 'b', 'c', 'd'].map((id) => ({ type: 'reply', reply: { id, title: id } })) },
        },
      },
    },
    'a type of file that the network refuses': { turn: { type: 'image', image: { link: 'https://a.example/a', mime_type: 'image/tiff' } } },
    'more than a mebibyte': { turn: { type: 'contacts', contacts: [{ note: 'a'.repeat(1024 * 1024) }] } },
    'too many levels': { turn: JSON.parse(`${'{"type":"text","text":'.repeat(1)}${'['.repeat(70)}${']'.repeat(70)}}`) },
    'a number that JSON does not have': { turn: { type: 'text', text: { body: 1n } } },
  };
  let change: unknown;
  const { post, sent, stored, log } = await startSending(t, () => change as never);
  for (const [name, value] of Object.entries(bad)) {
    change = value;
    const { status, headers, body } = await post(text('hello'));
    t.match({ status, headers }, { status: 503, headers: { 'x-posthorn-cause': 'bad_rewrite' } }, name);
    t.match(body.errors[0].details, /^The plugin 'first' returned a message from beforeSend that cannot be used: ./, name);
  }
  t.equal(await stored(), 0, 'no message, contact or conversation is stored');
  const failed = log.lines.filter(({ level }) => level === 'error');
  t.ok(
    failed.every(({ fields }) => (fields.error as { code?: string } | undefined)?.code === 'bad_rewrite'),
    JSON.stringify(failed[0]),
  );
  change = { turn: { type: 'location', location: { latitude: 1, longitude: 2 } } };
  t.match(await sent(text('where?')), { type: 'location', content: { location: { latitude: 1 } } }, 'the type may change');
  change = { turn: { template: { name: 'unknown', language: { code: 'en' } } } };
  t.match(
    await post(text('hello')),
    { status: 404, body: { errors: [{ title: 'Template not found' }] } },
    'the driver checks the changed message',
  );
});

t.test('channels accept only the types that connectors receive, and their limits if the driver has some', async (t) => {
  let change: Sendable = { type: 'location', location: { latitude: 1, longitude: 2 } };
  const pigeon = definePlugin({
    name: 'pigeon',
    version: '1.0.0',
    register: ({ messages, ids }) => ({
      channels: [
        {
          type: 'pigeon',
          capabilities: { limits: { ...NETWORK_CAPABILITIES.limits, text: 3 } },
          deliver: (tx, { number, message }) => messages.accepted(tx, number, message.uuid, ids.uuid()),
        },
      ],
    }),
  });
  const { platform, number } = await startPlatform(t, { plugins: [...plugins([{ beforeSend: () => ({ turn: change }) }]), pigeon()] });
  const record = await platform.numbers.require((await number('channel', { type: 'pigeon' })).uuid);
  const send = () =>
    platform.store.transaction((tx) =>
      platform.channels.sendTo(
        tx,
        record,
        { id: 'ann', address: 'ann' },
        { turn: text('hi') as Sendable, author: { type: 'SYSTEM', id: '1', name: 'T' } },
      ),
    );
  await t.rejects(send(), { code: 'bad_rewrite', message: /'pigeon' do not support messages of type 'location'/ });
  change = text('long') as Sendable;
  await t.rejects(send(), { code: 'bad_rewrite', message: /limit 'text' of the channel: 4 of at most 3/ });
  change = text('hey') as Sendable;
  t.match(await send(), { content: { text: { body: 'hey' } } });
});

const inbound = (id: string, body: string) => ({
  contact: { id: '27611111111', profile: { name: 'Ann' } },
  message: { type: 'text', from: '27611111111', id, timestamp: '1767600000', text: { body } },
});

async function startReceiving(t: Tap, ...beforeReceive: BeforeReceive[]) {
  const test = await startPlatform(t, { plugins: [...plugins(beforeReceive.map((run) => ({ beforeReceive: run }))), channels()] });
  const { uuid, token } = await test.number('channel', { type: 'channel_http_api' });
  const post = (id: string, body: string) => test.call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: inbound(id, body) });
  const known = (id: string) => test.platform.messages.known(uuid, 'inbound', id);
  return { ...test, uuid, post, known };
}

t.test('beforeReceive changes or refuses a message of a contact; a refused one stores nothing', async (t) => {
  const { post, known, platform, uuid, events } = await startReceiving(
    t,
    async (tx, { message, number }) => {
      t.ok([message, message.content, message.contact, number].every(Object.isFrozen), 'all parts are frozen');
      tx.in(notes).put({ id: message.id });
      const { body } = message.content.text as { body: string };
      return body.includes('4111') ? { content: { text: { body: body.replace('4111', '****') } } } : undefined;
    },
    (_, { message }) => {
      const { body } = message.content.text as { body: string };
      if (body.includes('darn')) throw forbidden();
      if (body === 'menu') return { type: 'button', content: { button: { text: 'Menu', payload: 'menu' } } };
      return undefined;
    },
  );
  t.equal((await post('1', 'my card is 4111')).status, 200);
  t.match(await known('1'), { content: { text: { body: 'my card is ****' } }, rewritten_by: ['first'] });
  t.equal((await post('1', 'my card is 4111')).status, 200, 'a duplicate is accepted');
  t.notOk(
    events.some(({ name }) => name === 'advice'),
    'and does not count as other content',
  );
  t.equal((await post('2', 'menu')).status, 200);
  t.match(await known('2'), { type: 'button', content: { button: { text: 'Menu' } } });
  const refused = await post('3', 'darn 4111');
  t.match(refused, { status: 403, headers: { 'x-posthorn-cause': 'forbidden_word' } });
  t.equal(await known('3'), undefined);
  t.equal(await platform.store.open(notes).get('3'), undefined, 'what the first plugin wrote is not stored either');
  t.equal((await platform.contacts.list(uuid)).length, 1);
});

t.test('a bad change of beforeReceive is refused with the name of the plugin, and the message can come again', async (t) => {
  const bad: Readonly<Record<string, unknown>> = {
    'not an object': [],
    'no content': { type: 'text' },
    'an unknown type': { type: 'poem', content: { poem: {} } },
    'content of another type': { content: { image: {} } },
    'content of two types': { content: { text: { body: 'a' }, image: { id: 'a', mime_type: 'image/png' } } },
    'a missing field': { content: { text: {} } },
    'the id': { content: { text: { body: 'a' } }, id: '2' },
  };
  let change: unknown;
  const { post, known, platform, uuid } = await startReceiving(t, () => change as never);
  for (const [name, value] of Object.entries(bad)) {
    change = value;
    const { status, headers, body } = await post('1', 'hello');
    t.match(
      { status, headers, body: JSON.stringify(body) },
      { status: 503, headers: { 'x-posthorn-cause': 'bad_rewrite' }, body: /'first'/ },
      name,
    );
  }
  t.equal((await platform.contacts.list(uuid)).length, 0);
  change = undefined;
  t.equal((await post('1', 'hello')).status, 200);
  t.match(await known('1'), { content: { text: { body: 'hello' } } });
});

t.test('the log names the plugin whose hook throws, and not that of the route or job which calls it', async (t) => {
  const later = queue<{ readonly number: string; readonly to: string }>('later.send');
  const sending = definePlugin({
    ...{ name: 'later', version: '1.0.0' },
    register: ({ channels: sender, numbers, store }) => ({
      consumes: [
        consume(
          later,
          async ({ payload: { number, to } }) => {
            const record = await numbers.require(number);
            const about = { turn: text('job') as Sendable, author: { type: 'SYSTEM', id: '1', name: 'T' } } as const;
            await store.transaction((tx) => sender.sendTo(tx, record, { id: to, address: to }, about));
          },
          { maxAttempts: 1 },
        ),
      ],
    }),
  });
  const fail = (): never => {
    throw new TypeError('out of order');
  };
  const hooks = plugins([{}, { beforeSend: fail }, { beforeReceive: () => Promise.reject('out of order') }]);
  const { platform, number, admin, call, clock, log } = await startPlatform(t, {
    plugins: [...hooks, messages(), network(), channels(), sending()],
  });
  const { uuid, token } = await number('network');
  const channel = await number('channel', { type: 'channel_http_api' });
  await admin('PATCH', `/network/numbers/${uuid}/policy`, { window_hours: null });
  t.equal((await call('POST', '/v1/messages', { token, payload: { to: '27611111111', ...text('a') } })).status, 500);
  const posted = await call('POST', `/v1/numbers/${channel.uuid}/messages`, { token: channel.token, payload: inbound('1', 'hello') });
  t.equal(posted.status, 500);
  await platform.store.transaction((tx) => tx.push(later, { number: uuid, to: '27611111111' }));
  await clock.advance(0);
  t.match(
    log.lines.filter(({ level }) => level === 'error').map(({ message, fields }) => [message, fields.plugin, fields.error]),
    [
      ['a request failed', 'second', { message: 'out of order' }],
      ['a request failed', 'third', { message: 'out of order' }],
      ['a job has failed permanently', 'second', { message: 'out of order' }],
    ],
  );
});

t.test('the local network answers a refused message with its status and cause', async (t) => {
  const refuse: BeforeReceive = () => {
    throw new MessageRefused({ code: 1, title: 'Blocked', details: 'The contact is blocked', href: 'https://a.example' }, 403);
  };
  const { admin, number } = await startPlatform(t, { plugins: [...plugins([{ beforeReceive: refuse }]), network()] });
  const { uuid } = await number('network');
  const answer = await admin('POST', `/network/numbers/${uuid}/messages`, { from: '27611111111', type: 'text', text: { body: 'hi' } });
  t.match(answer, { status: 403, headers: { 'x-posthorn-cause': 'message_refused' } });
});
