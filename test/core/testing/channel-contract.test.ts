import t from 'tap';
import { type ChannelDriver, consume, definePlugin, type Inbound, type MessageRecord, queue, textOf } from '#core';
import {
  type ChannelNumber,
  type ChannelUnderTest,
  channelContract,
  type DeliveredText,
  type RecordedCall,
  type TestPlatform,
} from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { brokenOn } from './failing-tap.js';

const CONNECTOR = 'https://connector.test/hook';

type Fault = Parameters<NonNullable<ChannelUnderTest['fault']>>[2];

/** A channel whose connector is a URL with scripted HTTP: a service with buttons, statuses and faults. */
const connectorChannel = (): ChannelUnderTest => {
  const has: DeliveredText[] = [];
  const faults: Fault[] = [];
  const listen = ({ http }: TestPlatform): void =>
    void http.answer(`POST ${CONNECTOR}`, ({ json }) => {
      const fault = faults.shift();
      if (fault === 'refused') return { status: 400 };
      if (fault === 'busy') return { status: 503, headers: { 'retry-after': '1' } };
      if (fault === 'broken') return 'refuse';
      has.push({ to: json.to, text: json.turn.text?.body });
      return fault === 'unknown' ? 'reset' : { body: { messages: [{ id: `out-${has.length}` }] } };
    });
  const post = async ({ call }: TestPlatform, { uuid, token }: ChannelNumber, from: string, message: object) => {
    const payload = { contact: { id: from, profile: { name: 'Ann' } }, message: { from, timestamp: '1767600000', ...message } };
    await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload });
  };
  return {
    plugins: [channels(), webhooks()],
    number: { kind: 'channel', type: 'channel_http_api', address: 'web:1' },
    async prepare(test, { uuid }) {
      listen(test);
      await test.admin('POST', '/webhooks', { number: uuid, url: CONNECTOR, subscriptions: ['channel'] });
    },
    delivered: () => [...has],
    write: (test, number, { from, id, text }) => post(test, number, from, { type: 'text', id, text: { body: text } }),
    async tap(test, number, { from, id, option }) {
      const last = test.http.callsTo(CONNECTOR).at(-1)!.json.turn.interactive.type;
      const type = last === 'list' ? 'list_reply' : 'button_reply';
      await post(test, number, from, {
        type: 'interactive',
        id,
        interactive: { type, [type]: option },
        context: { id: `out-${has.length}` },
      });
    },
    reply: (test, number, { from, id, text, to }) =>
      post(test, number, from, { type: 'text', id, text: { body: text }, context: { id: to.external_id } }),
    async report({ call }, { uuid, token }, { message: { external_id: id, to }, status }) {
      const payload = { status: { id, recipient_id: to, status, timestamp: '1767600001' } };
      await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload });
    },
    fault: (_, _number, kind, times) => void faults.push(...Array<Fault>(times).fill(kind)),
    reopen: listen,
  };
};

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

const parcelIn = ({ headers, body }: RecordedCall): DeliveredText => ({
  ...(JSON.parse(Buffer.from(headers['x-parcel']!, 'base64').toString()) as { to: string; text: string }),
  ...(body.length > 0 && { bytes: body }),
});

/** The id of the media file in a message, if it is stored. */
const fileOf = ({ type, content }: MessageRecord): string | undefined =>
  /^media:(.*)/.exec(String((content[type] as { link?: unknown }).link))?.[1];

async function receive(
  { platform }: TestPlatform,
  { uuid }: ChannelNumber,
  { from, ...message }: Pick<Inbound, 'from' | 'id' | 'type' | 'content'>,
): Promise<void> {
  const number = await platform.numbers.require(uuid);
  const inbound = { ...message, from, contact: { id: from, name: from }, timestamp: '1767600000' };
  await platform.store.transaction((tx) => platform.messages.received(tx, number, inbound));
}

/** A channel of the kind that people call by something else than a phone number; `form` is what its remote end accepts as a recipient. */
function namedChannel(type: string, form: RegExp, contacts: readonly [string, ...string[]]): () => ChannelUnderTest {
  const parcels = queue<{ number: string; message: string; to: string; text: string; file: string | undefined }>(`${type}.parcels`);
  const plugin = definePlugin({
    name: type,
    version: '0.1.0',
    register: ({ store, messages, numbers, media, http }) => ({
      channels: [
        {
          type,
          deliver: (tx, { number, message }) =>
            tx.push(
              parcels,
              { number: number.uuid, message: message.uuid, to: message.to, text: textOf(message), file: fileOf(message) },
              { serial: message.to },
            ),
        },
      ],
      consumes: [
        consume(parcels, async ({ payload: { number: uuid, message, to, text, file } }) => {
          const outcome = await http.send({
            method: 'POST',
            url: 'https://remote.test/',
            headers: { 'x-parcel': Buffer.from(JSON.stringify({ to, text })).toString('base64') },
            ...(file !== undefined && { body: (await media.get(file)).bytes }),
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
    prepare: ({ http }) => void http.answer('*', (call) => ({ status: form.test(parcelIn(call).to) ? 200 : 400 })),
    delivered: ({ http }) => http.calls.map(parcelIn).filter(({ to }) => form.test(to)),
    write: (test, number, { from, id, text }) => receive(test, number, { from, id, type: 'text', content: { text: { body: text } } }),
    async media(test, number, { from, id, bytes }) {
      const { id: file } = await test.platform.media.put(number.uuid, bytes, { mimeType: 'image/png' });
      await receive(test, number, {
        from,
        id,
        type: 'image',
        content: { image: { id: file, link: `media:${file}`, mime_type: 'image/png' } },
      });
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

t.test(
  'the contract detects a service whose long texts are cut, whose replies have no context, and which loses statuses and messages',
  async (t) => {
    const poor = (): ChannelUnderTest => {
      const channel = connectorChannel();
      return {
        ...channel,
        delivered: async (...of) =>
          (await channel.delivered(...of)).flatMap(({ to, text = '' }) => (text === 'two' ? [] : [{ to, text: text.slice(0, 100) }])),
        tap: (test, number, { from, id, option }) => channel.write!(test, number, { from, id, text: option.title }),
        report: async () => undefined,
      };
    };
    const broken = await brokenOn((t) => channelContract(t, poor));
    for (const rule of [
      'a long text is delivered as a whole, or refused or failed with a reason',
      'a tap on an option arrives as an interactive reply with the message as its context',
      'statuses are recorded in any order, each once',
      'all messages are delivered once after the service was busy, in their order if the channel keeps it',
      'after the process was killed nothing is lost, and nothing is doubled that must not be',
    ]) {
      t.ok(broken.includes(rule), rule);
    }
  },
);

t.test('the contract detects a channel that changes the bytes of files', async (t) => {
  const wrong = (): ChannelUnderTest => {
    const channel = namedChannel('letters', /./, ['ann@example.org'])();
    return {
      ...channel,
      delivered: async (...of) =>
        (await channel.delivered(...of)).map(({ bytes, ...rest }) => ({ ...rest, ...(bytes && { bytes: bytes.subarray(1) }) })),
    };
  };
  t.strictSame(await brokenOn((t) => channelContract(t, wrong)), ['files keep their bytes in both directions']);
});
