import t from 'tap';
import type { ChannelDriver } from '#core';
import { definePlugin } from '#core';
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
