import t from 'tap';
import { type ChannelDriver, consume, definePlugin, queue, textOf } from '#core';
import { type ChannelUnderTest, channelContract } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { brokenOn } from './failing-tap.js';

const CONNECTOR = 'https://connector.test/hook';

/** A channel whose connector is a URL with scripted HTTP. */
const connectorChannel = (): ChannelUnderTest => ({
  plugins: [channels(), webhooks()],
  number: { kind: 'channel', type: 'channel_http_api', address: 'web:1' },
  async prepare({ admin, http }, { uuid }) {
    const named = { count: 0 };
    http.answer(`POST ${CONNECTOR}`, () => ({ body: { messages: [{ id: `out-${++named.count}` }] } }));
    await admin('POST', '/webhooks', { number: uuid, url: CONNECTOR, subscriptions: ['channel'] });
  },
  delivered: ({ http }) => http.callsTo(CONNECTOR).map(({ json }) => ({ to: json.to, text: json.turn.text?.body })),
  async write({ call }, { uuid, token }, { from, id, text }) {
    const message = { type: 'text', from, id, timestamp: '1767600000', text: { body: text } };
    const payload = { contact: { id: from, profile: { name: 'Ann' } }, message };
    await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload });
  },
});

/** The local network stores what it delivered in the conversation. */
const networkChannel = (): ChannelUnderTest => ({
  plugins: [network()],
  number: { kind: 'network', type: 'network', address: '+27600000001' },
  async delivered({ platform }, { uuid }) {
    const [conversation] = await platform.conversations.list(uuid, 1);
    const all = conversation ? await platform.conversations.newest(conversation.uuid, 100) : [];
    const out = all.filter(({ direction, external_id }) => direction === 'outbound' && external_id !== undefined).reverse();
    return out.map(({ to, content }) => ({ to: `+${to.replace('+', '')}`, text: (content.text as { body?: string } | undefined)?.body }));
  },
});

t.test('channels with connectors keep the contract of channels', (t) => channelContract(t, connectorChannel));
t.test('the local network keeps the contract of channels', (t) => channelContract(t, networkChannel));

/** A channel of the kind that people call by something else than a phone number; `form` is what its remote end accepts as a recipient. */
function namedChannel(type: string, form: RegExp, contacts: readonly [string, ...string[]]): () => ChannelUnderTest {
  const parcels = queue<{ number: string; message: string; to: string; text: string }>(`${type}.parcels`);
  const plugin = definePlugin({
    name: type,
    version: '0.1.0',
    register: ({ store, messages, numbers, http }) => ({
      channels: [
        {
          type,
          deliver: (tx, { number, message }) =>
            tx.push(parcels, { number: number.uuid, message: message.uuid, to: message.to, text: textOf(message) }, { serial: message.to }),
        },
      ],
      consumes: [
        consume(parcels, async ({ payload: { number: uuid, message, to, text } }) => {
          const outcome = await http.send({
            method: 'POST',
            url: 'https://remote.test/',
            body: JSON.stringify({ to, text }),
            deadlineMs: 1_000,
            maxResponseBytes: 100,
          });
          const number = await numbers.require(uuid);
          await store.transaction(async (tx) => {
            if (outcome.kind === 'response' && outcome.status === 200) await messages.accepted(tx, number, message, message);
            else await messages.undeliverable(tx, number, message, 'there is no such recipient');
          });
        }),
      ],
    }),
  });
  return () => ({
    plugins: [plugin()],
    number: { kind: 'channel', type, address: contacts[0] },
    contacts,
    prepare: ({ http }) => void http.answer('*', ({ json: { to } }) => ({ status: form.test(to) ? 200 : 400 })),
    delivered: ({ http }) => http.calls.map(({ json }) => json).filter(({ to }) => form.test(to)),
    async write({ platform }, { uuid }, { from, id, text }) {
      const number = await platform.numbers.require(uuid);
      const inbound = {
        id,
        from,
        contact: { id: from, name: from },
        timestamp: '1767600000',
        type: 'text',
        content: { text: { body: text } },
      };
      await platform.store.transaction((tx) => platform.messages.received(tx, number, inbound));
    },
  });
}

for (const [what, type, form, contacts] of [
  ['e-mail addresses', 'letters', /^[^@\s]+@[^@\s]+$/, ['ada@example.org', 'Ada.Lovelace+night@Example.org', "o'neil@bücher.example"]],
  ['handles', 'handles', /^@\w+$/, ['@ada', '@Ada_1815', '@27820001001']],
  // The second one is not a double, and groups have negative numbers.
  ['numbers of 64 bits', 'updates', /^-?\d+$/, ['12345678', '9007199254740993', '9223372036854775807', '-1001234567890']],
] as const) {
  t.test(`a channel whose contacts have ${what} keeps the contract of channels`, (t) =>
    channelContract(t, namedChannel(type, form, contacts)),
  );
}

/** A channel with a test's own driver. */
const channelOf = (deliver: ChannelDriver['deliver'], delivered: ChannelUnderTest['delivered']) => (): ChannelUnderTest => ({
  plugins: [definePlugin({ name: 'odd', version: '0.1.0', register: () => ({ channels: [{ type: 'odd', deliver }] }) })()],
  number: { kind: 'channel', type: 'odd', address: 'odd' },
  delivered,
});

t.test('the contract detects a channel that delivers before the commit and reports no outcome', async (t) => {
  const delivered: { to: string; text: string | undefined }[] = [];
  const eager = channelOf(
    (_, { message, turn }) => {
      delivered.push({ to: message.to, text: 'type' in turn && turn.type === 'text' ? turn.text.body : undefined });
    },
    () => delivered,
  );
  const broken = await brokenOn((t) => channelContract(t, eager));
  for (const rule of [
    'a text reaches the remote end, and its message is reported as accepted or undeliverable',
    'a transaction that fails delivers nothing',
    'a message sent in a transaction is delivered once, even if the transaction runs more than once',
    'platforms in one process share no channel state',
  ]) {
    t.ok(broken.includes(rule), rule);
  }
});
