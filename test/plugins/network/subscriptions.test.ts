import t from 'tap';
import type { Author } from '#core/messaging';
import { type RecordedCall, startPlatform, type Tap, type TestPlatform } from '#core/testing';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { allPlugins, PHONE } from '../messages/network-under-test.js';
import { faultsIn } from './payload-schemas.js';

const SUBSCRIPTIONS = ['msgapp', 'svc', 'journey_outbound', 'channel'] as const;
type Subscription = (typeof SUBSCRIPTIONS)[number];
type Kind = 'network' | 'sandbox' | 'channel';

const hookOf = (subscription: Subscription) => `https://${subscription.replace('_', '-')}.test/hook`;
const CONNECTOR = 'https://connector.test/hook';

/** A number of a kind, with a webhook for each subscription, and a function for every event. */
async function startKind(t: Tap, kind: Kind, inboundOnChannel: boolean) {
  const plugins = [...allPlugins().filter(({ manifest }) => manifest.name !== 'webhooks'), webhooks({ inboundOnChannel })];
  const test = await startPlatform(t, { plugins });
  const { admin, call, http, clock, platform } = test;
  const maker = await test.number('network');
  let named = 0;
  http.answer('https://*', () => ({ body: { messages: [{ id: `out-${++named}` }] } }));
  const uuid =
    kind === 'channel'
      ? (
          await call('POST', '/v1/numbers', {
            token: maker.token,
            payload: { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'web', name: 'Web', endpoint: CONNECTOR },
          })
        ).body.number.uuid
      : (await admin('POST', '/numbers', { kind, address: '+27110000009', name: 'Library' })).body.number.uuid;
  const { text: token } = (await admin('POST', `/numbers/${uuid}/tokens`, { name: 'Dev token' })).body;
  for (const subscription of SUBSCRIPTIONS) {
    const made = await admin('POST', '/webhooks', { number: uuid, url: hookOf(subscription), subscriptions: [subscription] });
    t.equal(made.status, 201, `${subscription} is accepted on a ${kind} number`);
  }
  const journey = platform.ids.uuid();
  const definition = containerOf({
    texts: { hi: 'Welcome' },
    blocks: [{ name: 'hi', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } }],
  });
  await admin('PUT', `/journeys/${journey}`, {
    number: uuid,
    name: 'Greeting',
    definition,
    triggers: [{ on: 'message', words: ['start'] }],
  });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });

  let written = 0;
  const post = async (path: string, payload: object) => {
    const answer = await call('POST', path, { token, payload });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const inbound = async (body: string) => {
    if (kind !== 'channel') {
      const said = { from: PHONE, name: 'Ann', type: 'text', text: { body } };
      return (await admin('POST', `/network/numbers/${uuid}/messages`, said)).body.message.conversation as string;
    }
    const message = { type: 'text', from: PHONE, id: `in-${++written}`, timestamp: '1767600000', text: { body } };
    await post(`/v1/numbers/${uuid}/messages`, { contact: { id: PHONE, profile: { name: 'Ann' } }, message });
    return (await platform.conversations.list(uuid, 1))[0]!.uuid;
  };
  if (kind !== 'channel') await admin('PATCH', `/network/numbers/${uuid}/policy`, { mode: 'manual' });
  const settle = () => clock.advance(0);
  const conversation = await inbound('hello');
  await settle();

  /** The webhooks that receive each event, and its body. */
  async function deliveriesFrom(happen: () => Promise<unknown>): Promise<{ to: Subscription; call: RecordedCall }[]> {
    const before = http.calls.length;
    await happen();
    await settle();
    return http.calls.slice(before).flatMap((call) => {
      const to = SUBSCRIPTIONS.find((subscription) => hookOf(subscription) === call.url);
      return to ? [{ to, call }] : [];
    });
  }

  const newestOut = async () => (await platform.conversations.newest(conversation, 10)).find(({ direction }) => direction === 'outbound')!;
  const events: Readonly<Record<string, () => Promise<unknown>>> = {
    inbound: () => inbound('a question'),
    'sent by the API': () => post('/v1/messages', { to: PHONE, type: 'text', text: { body: 'from the API' } }),
    status: async () => {
      const { uuid: message, external_id: id } = await newestOut();
      if (kind !== 'channel') return admin('POST', `/network/messages/${message}/statuses`, { statuses: [{ status: 'delivered' }] });
      return post(`/v1/numbers/${uuid}/statuses`, { status: { id, recipient_id: PHONE, status: 'delivered', timestamp: '1767600009' } });
    },
    'sent by an operator': async () => {
      const answer = await admin('POST', `/conversations/${conversation}/messages`, {
        operator: { id: 'op-1', name: 'Olu' },
        text: { body: 'from the desk' },
      });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    },
    'inbound, and a journey answers': () => inbound('start'),
    ...(kind !== 'channel' && {
      'inbound reaction, switched off': async () => react(await newestOut()),
      'inbound reaction, switched on': async () => {
        await admin('PATCH', `/numbers/${uuid}`, { reactions: true });
        return react(await newestOut());
      },
    }),
  };
  const react = ({ external_id }: { external_id?: string | undefined }) =>
    admin('POST', `/network/numbers/${uuid}/messages`, {
      from: PHONE,
      type: 'reaction',
      reaction: { message_id: external_id, emoji: '👍' },
    });
  return { ...test, uuid, token, events, deliveriesFrom, journey, conversation };
}

const onNetwork: Readonly<Record<string, readonly Subscription[]>> = {
  inbound: ['msgapp'],
  'sent by the API': ['svc'],
  status: ['msgapp'],
  'sent by an operator': [],
  'inbound, and a journey answers': ['msgapp', 'journey_outbound'],
  'inbound reaction, switched off': [],
  'inbound reaction, switched on': ['msgapp'],
};
const onChannel: typeof onNetwork = {
  inbound: ['msgapp'],
  'sent by the API': ['channel'],
  status: ['msgapp'],
  'sent by an operator': ['channel'],
  'inbound, and a journey answers': ['msgapp', 'channel', 'journey_outbound'],
};
const onChannelWithInbound: typeof onNetwork = {
  ...onChannel,
  inbound: ['msgapp', 'channel'],
  'inbound, and a journey answers': ['msgapp', 'channel', 'channel', 'journey_outbound'],
};

const matrix: [kind: Kind, inboundOnChannel: boolean, expected: typeof onNetwork][] = [
  ['network', false, onNetwork],
  ['network', true, onNetwork],
  ['sandbox', false, onNetwork],
  ['channel', false, onChannel],
  ['channel', true, onChannelWithInbound],
];

t.test('every subscription fires for its events, on each kind of number, and for no others', async (t) => {
  for (const [kind, inboundOnChannel, expected] of matrix) {
    await t.test(inboundOnChannel ? `${kind}, with inbound messages on channel` : kind, async (t) => {
      const { events, deliveriesFrom } = await startKind(t, kind, inboundOnChannel);
      t.strictSame(Object.keys(events), Object.keys(expected));
      for (const [event, happen] of Object.entries(events)) {
        const received = await deliveriesFrom(happen);
        t.strictSame(received.map(({ to }) => to).sort(), [...expected[event]!].sort(), event);
        for (const { to, call } of received) {
          t.equal(call.headers['x-svc-hook-subscription'], to);
          t.strictSame(faultsIn(to, call.json), [], `${event} to ${to} matches its schema`);
          const { messages = [call.json], statuses = messages } = call.json;
          t.equal(statuses.length, 1, 'one message or one status');
        }
      }
    });
  }
});

/** The author in a message of the API. */
const authorsIn = (received: { call: RecordedCall }[]) => received.map(({ call }) => call.json._vnd?.v1.author as Author);

t.test("svc receives what was posted, with the service's fields and the network's id", async (t) => {
  const { deliveriesFrom, call, token, uuid, conversation, platform } = await startKind(t, 'network', false);
  const { contact } = await platform.conversations.require(conversation);
  const posted = {
    to: `+${PHONE}`,
    type: 'text',
    text: { body: 'see https://example.org' },
    preview_url: true,
    recipient_type: 'individual',
    render_mentions: true,
  };
  let answered = '';
  const received = await deliveriesFrom(async () => {
    answered = (await call('POST', '/v1/messages', { token, payload: posted })).body.messages[0].id;
  });
  t.equal(received.length, 1);
  const { json, headers } = received[0]!.call;
  t.equal(headers['x-msgapp-id'], answered);
  t.equal(headers['x-svc-hook-subscription'], 'svc');
  const { token: id } = { token: (await platform.tokens.list(uuid))[0]!.uuid };
  const message = await platform.messages.known(uuid, 'outbound', answered);
  t.strictSame(json, {
    preview_url: true,
    recipient_type: 'individual',
    render_mentions: true,
    to: PHONE,
    type: 'text',
    text: { body: 'see https://example.org' },
    from: '+27110000009',
    id: answered,
    timestamp: '1767600000',
    _vnd: {
      v1: {
        author: { type: 'SYSTEM', id, name: 'Dev token', request_id: json._vnd.v1.author.request_id },
        card_uuid: null,
        direction: 'outbound',
        faq_uuid: null,
        in_reply_to: null,
        inserted_at: '2026-01-05T08:00:00.000000Z',
        labels: [],
        last_status: null,
        last_status_timestamp: null,
        on_fallback_channel: false,
        rendered_content: null,
        uuid: message!.uuid,
        chat: {
          uuid: conversation,
          contact_uuid: contact,
          owner: `+${PHONE}`,
          state: 'OPEN',
          state_reason: 'Opened by inbound message.',
          unread_count: 0,
          assigned_to: null,
          permalink: `http://posthorn.test/app/c/${conversation}`,
          inserted_at: '2026-01-05T08:00:00.000000Z',
          updated_at: '2026-01-05T08:00:00.000000Z',
        },
      },
    },
  });
});

t.test('svc does not receive messages that the network refuses', async (t) => {
  const { deliveriesFrom, call, token, admin, uuid } = await startKind(t, 'network', false);
  await admin('PATCH', `/network/numbers/${uuid}/policy`, { rules: [{ outcome: 'refuse' }] });
  const received = await deliveriesFrom(async () => {
    t.equal((await call('POST', '/v1/messages', { token, payload: { to: PHONE, text: { body: 'no' } } })).status, 400);
  });
  t.strictSame(received, []);
});

t.test('journey_outbound receives messages of journeys in the form of svc', async (t) => {
  const { deliveriesFrom, events, journey } = await startKind(t, 'network', false);
  const received = (await deliveriesFrom(events['inbound, and a journey answers']!)).filter(({ to }) => to === 'journey_outbound');
  const { json, headers } = received[0]!.call;
  t.match(headers['x-msgapp-id'], /^wamid/);
  t.match(json, {
    preview_url: false,
    recipient_type: 'individual',
    to: PHONE,
    type: 'text',
    text: { body: 'Welcome' },
    from: '+27110000009',
    id: headers['x-msgapp-id'],
    timestamp: /^\d+$/,
    _vnd: { v1: { author: { type: 'SYSTEM', id: journey, name: 'Greeting' }, card_uuid: /./, direction: 'outbound' } },
  });
});

t.test('messages of operators, of the API and of journeys have different authors', async (t) => {
  const { deliveriesFrom, events, call, token, journey } = await startKind(t, 'network', false);
  const [api] = authorsIn(await deliveriesFrom(events['sent by the API']!));
  t.match(api, { type: 'SYSTEM', name: 'Dev token', request_id: /./ });
  const ofJourney = authorsIn(await deliveriesFrom(events['inbound, and a journey answers']!)).filter(Boolean);
  t.strictSame(ofJourney, [{ type: 'SYSTEM', id: journey, name: 'Greeting' }]);
  await events['sent by an operator']!();
  const history = (await call('GET', `/v1/contacts/${PHONE}/messages`, { token })).body.messages;
  t.match(
    history.map(({ _vnd }: { _vnd: { v1: { author: Author } } }) => _vnd.v1.author.type),
    ['OPERATOR', 'SYSTEM', 'OWNER', 'SYSTEM', 'OWNER'],
  );
  t.strictSame(history[0]._vnd.v1.author, { type: 'OPERATOR', id: 'op-1', name: 'Olu' });
});

t.test('media that were sent by id or by a journey are received as sent, with a link of two minutes for stored ones', async (t) => {
  const { deliveriesFrom, call, token, uuid, platform } = await startKind(t, 'network', false);
  const { id } = await platform.media.put(uuid, Buffer.from('a picture'), { mimeType: 'image/png' });
  const [sent] = await deliveriesFrom(() =>
    call('POST', '/v1/messages', { token, payload: { to: PHONE, type: 'image', image: { id, caption: 'look' } } }),
  );
  t.strictSame(sent!.call.json.image, { id, caption: 'look' });
  const [contact] = await platform.contacts.list(uuid);
  const number = await platform.numbers.require(uuid);
  const [said] = await deliveriesFrom(() =>
    platform.store.transaction((tx) =>
      platform.channels.send(tx, number, contact!, {
        turn: { type: 'image', image: { link: `media:${id}`, mime_type: 'image/png' } },
        author: { type: 'SYSTEM', id: '1', name: 'Journey' },
        journey: { uuid: '1', session: '2', block: '3', card: 'A' },
      }),
    ),
  );
  t.equal(said!.to, 'journey_outbound');
  t.match(said!.call.json.image.link, new RegExp(`^http://posthorn.test/v1/media/${id}/content\\?`));
});

t.test('a failed status has errors with code, title, details and href', async (t) => {
  const { deliveriesFrom, events, admin, platform, conversation } = await startKind(t, 'network', false);
  await deliveriesFrom(events['sent by the API']!);
  const message = (await platform.conversations.newest(conversation, 1))[0]!;
  const errors = [{ code: 131026, title: 'Message undeliverable', details: 'no such phone', href: 'https://errors.test/131026' }];
  const [failed] = await deliveriesFrom(() =>
    admin('POST', `/network/messages/${message.uuid}/statuses`, { statuses: [{ status: 'failed', timestamp: '1767600005', errors }] }),
  );
  t.strictSame(failed!.call.json, {
    statuses: [
      {
        id: message.external_id,
        status: 'failed',
        timestamp: '1767600005',
        recipient_id: PHONE,
        message: { recipient_id: PHONE },
        errors,
      },
    ],
  });
});

t.test('a webhook with several subscriptions receives a message under each of them', async (t) => {
  const { admin, uuid, deliveriesFrom, events, http } = await startKind(t, 'channel', true);
  await admin('POST', '/webhooks', { number: uuid, url: 'https://both.test/hook', subscriptions: ['channel', 'msgapp'] });
  await deliveriesFrom(events.inbound!);
  const received = http.callsTo('https://both.test/hook').map(({ headers }) => headers['x-svc-hook-subscription']);
  t.strictSame(received.sort(), ['channel', 'msgapp']);
});

t.test('an inbound message on the subscription channel has the shape that connectors post', async (t) => {
  const { deliveriesFrom, events } = await startKind(t, 'channel', true);
  const received = (await deliveriesFrom(events.inbound!)).filter(({ to }) => to === 'channel');
  t.match(received[0]!.call.json, {
    contact: { id: PHONE, profile: { name: 'Ann' } },
    message: { type: 'text', from: PHONE, id: /^in-/, timestamp: '1767600000', text: { body: 'a question' } },
  });
});

/** The advice that was issued. */
const advised = ({ events }: TestPlatform) =>
  events.filter(({ name }) => name === 'advice').map(({ data }) => (data as { name: string }).name);

t.test('subscriptions that do not suit a number are accepted, with advice', async (t) => {
  const test = await startPlatform(t, { plugins: allPlugins() });
  const network = await test.number('network');
  const channel = await test.number('channel', { type: 'channel_http_api' });
  const make = (number: string, ...subscriptions: string[]) =>
    test.admin('POST', '/webhooks', { number, url: 'https://owner.test', subscriptions });
  t.equal((await make(network.uuid, 'msgapp', 'svc', 'journey_outbound')).status, 201);
  t.equal((await make(channel.uuid, 'channel')).status, 201);
  t.strictSame(advised(test), []);
  t.equal((await make(channel.uuid, 'svc')).status, 201);
  t.equal((await make(channel.uuid, 'msgapp', 'journey_outbound')).status, 201);
  t.equal((await make(network.uuid, 'channel')).status, 201);
  t.strictSame(advised(test), ['subscription_never_fires', 'subscription_not_for_connectors', 'subscription_never_fires']);
  const made = await make(channel.uuid, 'channel');
  await test.admin('PATCH', `/webhooks/${made.body.webhook.uuid}`, { subscriptions: ['svc'] });
  t.equal(advised(test).length, 4, 'also when they are changed');
  for (const { data } of test.events.filter(({ name }) => name === 'advice'))
    t.match(data, { message: /\.$/, fix: /\.$/, about: { webhook: /./ } });
});
