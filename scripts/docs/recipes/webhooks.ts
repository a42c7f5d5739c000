import { ADMIN_KEY, type Answer } from '#core/testing';
import { Printed } from './print.js';
import { ANN, inShop, PNG, type Shop } from './shop.js';

/** How to create a webhook, and the headers of each request to its receiver. */
export const subscribeRecipes = (): Promise<Printed> =>
  inShop('subscribe', async (shop) => {
    const { admin, onNetwork, wanted, phone } = shop;
    const body = {
      number: onNetwork.uuid,
      url: 'https://receiver.example/hook',
      name: 'Warehouse',
      subscriptions: ['msgapp', 'svc'],
      headers: { 'X-Api-Key': 'a key of yours' },
      retry_also: ['http_502'],
    };
    const made = await wanted(201, admin('POST', '/webhooks', body));
    await wanted(201, phone({ from: ANN, type: 'text', id: 'wamid.1', text: { body: 'hi' } }));
    const [call] = await received(shop, 'https://receiver.example/hook');
    return new Printed()
      .say('Call `POST /admin/v1/webhooks` with the admin key. `headers`, `retry_also` and `name` are optional.')
      .show('new webhook', body)
      .say('Only this response contains the secret:')
      .show('webhook made', made)
      .say('Every request to the webhook has these headers:')
      .show('headers', call!.headers);
  });

interface Said {
  readonly title: string;
  readonly note?: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** The type of a file that is uploaded first. */
  readonly file?: string;
}

const said: readonly Said[] = [
  { title: 'Text', message: { type: 'text', text: { body: 'Is my book here?' } } },
  {
    title: 'Image',
    note: 'Download the file from `link` within two minutes, or from `GET /v1/media/{id}` with the token of the number within 30 days.',
    file: 'image/png',
    message: { type: 'image', image: { caption: 'My card' } },
  },
  { title: 'Voice message', file: 'audio/ogg', message: { type: 'voice', voice: {} } },
  { title: 'Audio', file: 'audio/mpeg', message: { type: 'audio', audio: {} } },
  { title: 'Video', file: 'video/mp4', message: { type: 'video', video: { caption: 'The shelf' } } },
  { title: 'Document', file: 'application/pdf', message: { type: 'document', document: { filename: 'form.pdf', caption: 'Signed' } } },
  { title: 'Sticker', file: 'image/webp', message: { type: 'sticker', sticker: {} } },
  {
    title: 'Location',
    message: { type: 'location', location: { latitude: -33.92, longitude: 18.42, name: 'Home', address: '2 River Road' } },
  },
  {
    title: 'Contact card',
    message: {
      type: 'contacts',
      contacts: [{ name: { formatted_name: 'Bo', first_name: 'Bo' }, phones: [{ phone: '+27820001002', type: 'CELL' }] }],
    },
  },
  {
    title: 'Reaction',
    note: 'Webhooks receive reactions once the number has `{"reactions": true}` ([how](admin.md#create-a-number-and-a-token)).',
    message: { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } },
  },
  {
    title: 'Reaction removed',
    message: { type: 'reaction', reaction: { message_id: 'wamid.1' } },
  },
  {
    title: 'Button reply',
    note: '`context.id` is the id of the message with the buttons.',
    message: { type: 'interactive', interactive: { type: 'button_reply', button_reply: { title: 'Keep it' } } },
  },
  {
    title: 'List reply',
    message: { type: 'interactive', interactive: { type: 'list_reply', list_reply: { title: 'North' } } },
  },
  {
    title: 'Completed form',
    message: { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response: { day: '2026-01-12' } } } },
  },
  { title: 'Button of a template', message: { type: 'button', button: { text: 'I come', payload: 'yes' } } },
  { title: 'Quoted and forwarded', message: { type: 'text', text: { body: 'This one' }, context: { id: 'wamid.1', forwarded: true } } },
  {
    title: 'New phone number',
    note: 'A message from the network itself about a contact. The body has no `contacts`.',
    message: { type: 'system', system: { body: 'Ann changed her number', type: 'user_changed_number', new_wa_id: '27820001003' } },
  },
  {
    title: 'Unsupported',
    note: 'The contact sent a message that the network cannot deliver. The body has no `contacts`.',
    message: { type: 'unsupported' },
  },
];

/** Every message of a contact as subscription `msgapp` delivers it. */
export const inboundEventRecipes = (): Promise<Printed> =>
  inShop('inbound events', async (shop) => {
    const { call, onNetwork, phone, wanted } = shop;
    const printed = new Printed();
    for (const [i, { title, note, message, file }] of said.entries()) {
      const type = String(message.type);
      for (const interactive of offers[title] ?? []) {
        const payload = { to: ANN, type: 'interactive', interactive };
        await wanted(200, call('POST', '/v1/messages', { token: onNetwork.token, payload }));
      }
      const part = file && { [type]: { ...(message[type] as object), id: await uploaded(shop, file) } };
      await wanted(201, phone({ from: ANN, name: 'Ann', id: `wamid.${i + 1}`, timestamp: '1767600000', ...message, ...part }));
      const events = (await shop.received('network', 'msgapp')).map(({ json }) => json).filter(({ messages }) => messages);
      if (events.length !== 1) throw new Error(`a ${title} led to ${events.length} requests and not one`);
      printed.say(`### ${title}`);
      if (note) printed.say(note);
      printed.show(`event ${title.toLowerCase()}`, events[0]);
    }
    return printed;
  });

/** Messages that must exist before a reply can refer to them. */
const offers: Readonly<Record<string, readonly object[]>> = {
  'Button reply': [
    { type: 'button', body: { text: 'Your book?' }, action: { buttons: [{ type: 'reply', reply: { id: 'keep', title: 'Keep it' } }] } },
  ],
  'List reply': [
    {
      type: 'list',
      body: { text: 'Which branch?' },
      action: { button: 'Branches', sections: [{ rows: [{ id: 'north', title: 'North' }] }] },
    },
  ],
};

/** Every status of a sent message as subscription `msgapp` delivers it, on both kinds of number. */
export const statusEventRecipes = (): Promise<Printed> =>
  inShop('status events', async (shop) => {
    const { admin, call, onNetwork, onChannel, wanted, connectorPosts } = shop;
    await wanted(200, admin('PATCH', `/network/numbers/${onNetwork.uuid}/policy`, { mode: 'manual' }));
    const payload = { to: ANN, type: 'text', text: { body: 'Hello Ann' } };
    const send = async ({ token }: { token: string }) =>
      (await wanted(200, call('POST', '/v1/messages', { token, payload }))).messages[0].id;
    const printed = new Printed();
    const show = async (kind: 'network' | 'channel', title: string) => {
      const events = await shop.received(kind, 'msgapp');
      if (events.length !== 1) throw new Error(`${title} led to ${events.length} requests and not one`);
      printed.show(`event ${title}`, events[0]!.json);
    };
    const first = await send(onNetwork);
    for (const [i, status] of ['sent', 'delivered', 'read'].entries()) {
      const body = { statuses: [{ status, timestamp: `${1767600001 + i}` }] };
      await wanted(200, admin('POST', `/network/messages/${first}/statuses`, body));
      printed.say(`### ${status[0]!.toUpperCase()}${status.slice(1)}`);
      await show('network', `status ${status}`);
    }
    const errors = [
      { code: 131026, title: 'Message undeliverable', details: 'The phone is off.', href: 'https://network.example/errors/131026' },
    ];
    const failed = { statuses: [{ status: 'failed', timestamp: '1767600004', errors }] };
    await wanted(200, admin('POST', `/network/messages/${await send(onNetwork)}/statuses`, failed));
    printed.say('### Failed').say('`errors` has the reason.');
    await show('network', 'status failed');
    await send(onChannel);
    await shop.delivered();
    const reported = { status: { id: 'out-1', recipient_id: ANN, status: 'delivered', timestamp: '1767600005' } };
    await wanted(200, connectorPosts('statuses', reported));
    printed
      .say('### On a channel')
      .say('`id` is the id that the connector returned for the message. `_vnd.v1.uuid` is the id in the response of `POST /v1/messages`.');
    await show('channel', 'status on a channel');
    return printed;
  });

/** The payloads of the subscriptions `svc` and `journey_outbound`. */
export const sentEventRecipes = (): Promise<Printed> =>
  inShop('sent events', async (shop) => {
    const { admin, call, onNetwork, phone, wanted } = shop;
    const payload = { to: ANN, type: 'text', text: { body: 'Hello Ann' } };
    await wanted(200, call('POST', '/v1/messages', { token: onNetwork.token, payload }));
    const [sent] = await shop.received('network', 'svc');
    const uuid = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f002';
    const put = { number: onNetwork.uuid, name: 'Café', definition: shop.journey, triggers: [{ on: 'message' }] };
    await wanted(200, admin('PUT', `/journeys/${uuid}`, put));
    await wanted(200, admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' }));
    await wanted(201, phone({ from: ANN, name: 'Ann', id: 'wamid.1', type: 'text', text: { body: 'hi' } }));
    const [answered] = await shop.received('network', 'journey_outbound');
    return new Printed()
      .say('### svc')
      .say('The header `X-Msgapp-Id` also contains the `id`.')
      .show('event svc', sent!.json)
      .say('### journey_outbound')
      .show('event journey_outbound', answered!.json);
  });

/** The payloads of the subscription `channel`. */
export const channelEventRecipes = (): Promise<Printed> =>
  inShop(
    'channel events',
    async (shop) => {
      const { call, onChannel, wanted, connectorPosts } = shop;
      const payload = { to: ANN, type: 'text', text: { body: 'Hello Ann' } };
      await wanted(200, call('POST', '/v1/messages', { token: onChannel.token, payload }));
      const [outbound] = await shop.received('channel', 'channel');
      const message = { type: 'text', from: ANN, id: 'in-1', timestamp: '1767600000', text: { body: 'hi' } };
      await wanted(200, connectorPosts('messages', { contact: { id: ANN, profile: { name: 'Ann' } }, message }));
      const [inbound] = await shop.received('channel', 'channel');
      return new Printed()
        .say('### Outbound')
        .say('The same body that connectors receive: [examples for each kind of message](messages.md#send-from-a-channel).')
        .show('event channel outbound', outbound!.json)
        .say('### Inbound')
        .say('Webhooks receive inbound messages here only with `webhooks({ inboundOnChannel: true })`.')
        .show('event channel inbound', inbound!.json);
    },
    { inboundOnChannel: true },
  );

/** The requests that one receiver has received. */
async function received({ clock, http }: Shop, url: string) {
  await clock.advance(2_000);
  return http.callsTo(`POST ${url}`);
}

/** Uploads a file as an operator would. @returns its id */
async function uploaded({ call, onNetwork, wanted }: Shop, type: string): Promise<string> {
  const bytes = type === 'image/png' ? PNG : Buffer.from(`the bytes of a file of type ${type}`);
  const path = `/admin/v1/numbers/${onNetwork.uuid}/media`;
  const answer: Promise<Answer> = call('POST', path, { token: ADMIN_KEY, payload: bytes, headers: { 'content-type': type } });
  return (await wanted(201, answer)).media.id;
}
