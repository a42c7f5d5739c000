import { Printed } from './print.js';
import { ANN, inShop, PNG, type Shop } from './shop.js';

interface Sent {
  readonly name: string;
  readonly title: string;
  readonly note?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const outbound: readonly Sent[] = [
  { name: 'text', title: 'Text', body: { to: ANN, type: 'text', text: { body: 'Hello *Ann*, your book is here.' } } },
  {
    name: 'image',
    title: 'Image',
    body: { to: ANN, type: 'image', image: { link: 'https://example.org/shelf.jpg', caption: 'Your shelf' } },
  },
  { name: 'video', title: 'Video', body: { to: ANN, type: 'video', video: { link: 'https://example.org/tour.mp4', caption: 'A tour' } } },
  { name: 'audio', title: 'Audio', body: { to: ANN, type: 'audio', audio: { link: 'https://example.org/hours.mp3' } } },
  {
    name: 'document',
    title: 'Document',
    body: { to: ANN, type: 'document', document: { link: 'https://example.org/card.pdf', filename: 'card.pdf', caption: 'Your card' } },
  },
  {
    name: 'buttons',
    title: 'Reply buttons',
    note: 'Up to 3 buttons. The contact answers with a [button reply](#button-reply).',
    body: {
      to: ANN,
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: 'Your book' },
        body: { text: 'Shall we keep it for you?' },
        footer: { text: 'We keep books for a week' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'keep', title: 'Keep it' } },
            { type: 'reply', reply: { id: 'return', title: 'Return it' } },
          ],
        },
      },
    },
  },
  {
    name: 'list',
    title: 'List',
    note: 'Up to 10 rows in all sections together. The contact answers with a [list reply](#list-reply).',
    body: {
      to: ANN,
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'Which branch?' },
        action: {
          button: 'Branches',
          sections: [
            {
              title: 'City',
              rows: [
                { id: 'north', title: 'North', description: 'Open until 18:00' },
                { id: 'south', title: 'South' },
              ],
            },
          ],
        },
      },
    },
  },
  {
    name: 'flow',
    title: 'Flow',
    note: 'Opens a form of the [Flows API](../../plugins/flows/README.md). The contact answers with a [completed form](#completed-form).',
    body: {
      to: ANN,
      type: 'interactive',
      interactive: {
        type: 'flow',
        header: { type: 'text', text: 'Visit' },
        body: { text: 'When shall we meet?' },
        footer: { text: 'Takes a minute' },
        action: {
          name: 'flow',
          parameters: {
            flow_id: '1',
            flow_cta: 'Book a visit',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'VISIT' },
            flow_message_version: '3',
            flow_token: 'visit-4711',
            mode: 'published',
          },
        },
      },
    },
  },
  {
    name: 'template',
    title: 'Template',
    note: 'On a number of the network, [register the template](admin.md#register-a-template) first. On a channel, the connector chooses how to render it.',
    body: {
      to: ANN,
      type: 'template',
      template: {
        name: 'visit_reminder',
        namespace: 'shop',
        language: { code: 'en' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ann' },
              { type: 'text', text: 'Monday' },
            ],
          },
        ],
      },
    },
  },
];

/** Every kind of message that a number sends to a contact of its channel, with the delivery of each message. */
export const outboundRecipes = (): Promise<Printed> =>
  inShop('outbound', async (shop) => {
    const { call, onChannel, wanted } = shop;
    const printed = new Printed();
    let envelope = '';
    const send = (payload: unknown) => wanted(200, call('POST', '/v1/messages', { token: onChannel.token, payload }));
    for (const [i, { name, title, note, body }] of outbound.entries()) {
      const answer = await send(body);
      printed.say(`### ${title}`);
      if (note) printed.say(note);
      printed.show(`send ${name}`, body);
      if (i === 0)
        printed.say('The response contains the id of the message:').show('answer to a send', answer).say('The connector receives:');
      const { turn, ...rest } = await theDelivery(shop);
      if (i === 0) {
        printed
          .show('deliver text', { ...rest, turn })
          .say('The connector responds with its own id of the message:')
          .show('answer of the connector', { messages: [{ id: 'out-1' }] })
          .say('For the other kinds of messages, only `turn` differs.');
        envelope = JSON.stringify(rest);
        continue;
      }
      if (JSON.stringify(rest) !== envelope)
        throw new Error(`a ${name} differs from a text in more than its turn: ${JSON.stringify(rest)}`);
      printed.show(`turn ${name}`, turn);
    }
    const [medium] = (
      await wanted(200, call('POST', '/v1/media', { token: onChannel.token, payload: PNG, headers: { 'content-type': 'image/png' } }))
    ).media;
    const body = { to: ANN, type: 'image', image: { id: medium.id, caption: 'Your card' } };
    await send(body);
    return printed
      .say('### A file of your own')
      .say(
        'Post the bytes of the file to `POST /v1/media`, with its type as `Content-Type`. Use the `id` from the response to send the file:',
      )
      .show('uploaded', { media: [medium] })
      .say('Send the file by its `id`:')
      .show('send uploaded', body)
      .say('The connector receives a signed link, which works for two minutes. Each attempt has a new link:')
      .show('turn uploaded', (await theDelivery(shop)).turn);
  });

const onNetworkOnly: readonly Sent[] = [
  { name: 'sticker', title: 'Sticker', body: { to: ANN, type: 'sticker', sticker: { link: 'https://example.org/owl.webp' } } },
  {
    name: 'location',
    title: 'Location',
    body: {
      to: ANN,
      type: 'location',
      location: { latitude: -33.92, longitude: 18.42, name: 'Riverside Library', address: '1 River Road' },
    },
  },
  {
    name: 'contact card',
    title: 'Contact card',
    body: {
      to: ANN,
      type: 'contacts',
      contacts: [{ name: { formatted_name: 'Front desk', first_name: 'Desk' }, phones: [{ phone: '+27600000001', type: 'WORK' }] }],
    },
  },
];

/** Messages that only numbers of the network can send. */
export const networkRecipes = (): Promise<Printed> =>
  inShop('network', async ({ call, onChannel, onNetwork, phone, wanted }) => {
    const printed = new Printed();
    const send = (payload: unknown) => wanted(200, call('POST', '/v1/messages', { token: onNetwork.token, payload }));
    for (const { name, title, body } of onNetworkOnly) {
      await send(body);
      await wanted(400, call('POST', '/v1/messages', { token: onChannel.token, payload: body }));
      printed.say(`### ${title}`).show(`send ${name}`, body);
    }
    await wanted(201, phone({ from: ANN, type: 'text', id: 'wamid.in-1', text: { body: 'Thank you' } }));
    const reaction = { to: ANN, type: 'reaction', reaction: { message_id: 'wamid.in-1', emoji: '👍' } };
    await send(reaction);
    await wanted(400, call('POST', '/v1/messages', { token: onChannel.token, payload: reaction }));
    const reply = { to: ANN, type: 'text', text: { body: 'You are welcome.' } };
    const replyHeaders = { 'x-svc-in-reply-to': 'wamid.in-1' };
    await wanted(200, call('POST', '/v1/messages', { token: onNetwork.token, payload: reply, headers: replyHeaders }));
    const mark = { status: 'read', typing_indicator: { type: 'text' } };
    await wanted(200, call('PUT', '/v1/messages/wamid.in-1', { token: onNetwork.token, payload: mark }));
    return printed
      .say('### Reaction')
      .say('`message_id` is the id of a message of the conversation. An empty `emoji` removes the reaction.')
      .show('send reaction', reaction)
      .say('### Reply')
      .say('With the header `X-Svc-In-Reply-To: wamid.in-1` the message quotes another message of the conversation:')
      .show('send reply', reply)
      .say('### Mark as read')
      .say(
        '`PUT /v1/messages/wamid.in-1`. With `typing_indicator`, the contact sees a typing indicator until the next message, for at most 25 seconds.',
      )
      .show('mark as read', mark);
  });

const contact = { id: ANN, profile: { name: 'Ann' } };
const about = (id: string) => ({ from: ANN, id, timestamp: '1767600000' });
const file = (name: string, mime_type: string) => ({
  id: `file-${name}`,
  mime_type,
  link: `https://connector.example/files/${name}`,
  sha256: '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',
});

const inbound: readonly Sent[] = [
  { name: 'text', title: 'Inbound text', body: { type: 'text', ...about('in-1'), text: { body: 'Is my book here?' } } },
  {
    name: 'image',
    title: 'Inbound image',
    note: '`caption` is optional. `sha256` is the hexadecimal hash of the file.',
    body: { type: 'image', ...about('in-2'), image: { ...file('card.jpg', 'image/jpeg'), caption: 'My card' } },
  },
  {
    name: 'audio',
    title: 'Inbound audio',
    note: '`id` and `mime_type` are required.',
    body: { type: 'audio', ...about('in-3'), audio: { id: 'file-note.ogg', mime_type: 'audio/ogg' } },
  },
  {
    name: 'video',
    title: 'Inbound video',
    body: { type: 'video', ...about('in-4'), video: { ...file('shelf.mp4', 'video/mp4'), filename: 'shelf.mp4' } },
  },
  {
    name: 'document',
    title: 'Inbound document',
    body: {
      type: 'document',
      ...about('in-5'),
      document: { ...file('form.pdf', 'application/pdf'), filename: 'form.pdf', caption: 'Signed' },
    },
  },
  {
    name: 'sticker',
    title: 'Inbound sticker',
    body: { type: 'sticker', ...about('in-6'), sticker: { ...file('owl.webp', 'image/webp'), filename: 'owl.webp' } },
  },
];

const taps: readonly Sent[] = [
  {
    name: 'button reply',
    title: 'Button reply',
    body: { interactive: { type: 'button_reply', button_reply: { id: 'keep', title: 'Keep it' } } },
  },
  {
    name: 'list reply',
    title: 'List reply',
    body: { interactive: { type: 'list_reply', list_reply: { id: 'north', title: 'North', description: 'Open until 18:00' } } },
  },
  {
    name: 'completed form',
    title: 'Completed form',
    note: '`response_json` contains the entered data and the `flow_token` of the message, as JSON text.',
    body: {
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"visit-4711","day":"2026-01-12"}' },
      },
    },
  },
  {
    name: 'template button',
    title: 'Button of a template',
    body: { type: 'button', button: { text: 'I come', payload: 'yes' } },
  },
];

/** Every kind of message that a connector posts. */
export const inboundRecipes = (): Promise<Printed> =>
  inShop('inbound', async (shop) => {
    const { call, connectorPosts, onChannel, wanted } = shop;
    const printed = new Printed();
    for (const [i, { name, title, note, body: message }] of inbound.entries()) {
      const body = { contact, message };
      const answer = await wanted(200, connectorPosts('messages', body));
      printed.say(`### ${title}`);
      if (note) printed.say(note);
      printed.show(`inbound ${name}`, body);
      if (i === 0) printed.say('The response:').show('answer to inbound', answer);
    }
    for (const [i, { name, title, note, body: tap }] of taps.entries()) {
      const offer = outbound[[5, 6, 7, 8][i]!]!.body;
      await wanted(200, call('POST', '/v1/messages', { token: onChannel.token, payload: offer }));
      await theDelivery(shop);
      const message = { type: 'interactive', ...about(`in-${7 + i}`), ...tap, context: { id: `out-${i + 1}` } };
      await wanted(200, connectorPosts('messages', { contact, message }));
      printed.say(`### ${title}`);
      if (note) printed.say(note);
      printed.show(`inbound ${name}`, { contact, message });
    }
    return printed;
  });

/** A question of a journey, and a reply to that question (by `context.id`) after the session has expired. */
export const contextRecipes = (): Promise<Printed> =>
  inShop('context', async (shop) => {
    const { admin, clock, connectorPosts, onChannel, wanted, journey } = shop;
    const uuid = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
    const definition = { number: onChannel.uuid, name: 'Café', definition: journey, triggers: [{ on: 'message' }] };
    await wanted(200, admin('PUT', `/journeys/${uuid}`, definition));
    await wanted(200, admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' }));
    const opening = { contact, message: { type: 'text', ...about('in-1'), text: { body: 'hi' } } };
    await wanted(200, connectorPosts('messages', opening));
    const question = await theDelivery(shop);
    await clock.advance(10 * 60_000);
    const reply = { button_reply: { id: question.turn.interactive.action.buttons[1].reply.id, title: 'A table' } };
    const message = { type: 'interactive', ...about('in-2'), timestamp: '1767600600', context: { id: 'out-1' } };
    const late = { contact, message: { ...message, interactive: { type: 'button_reply', ...reply } } };
    await wanted(200, connectorPosts('messages', late));
    const next = await theDelivery(shop);
    return new Printed()
      .say(
        'A journey asks a question. The body has all eight keys; `waiting_for_user_input` is true, because the journey waits for an answer:',
      )
      .show('deliver question', question)
      .say('The connector responds with its own id of the message, and stores that id with the message on its platform:')
      .show('name the question', { messages: [{ id: 'out-1' }] })
      .say(
        'Ten minutes later, when the session of the journey has expired, the contact taps a button of that message. The connector posts the tap with the id:',
      )
      .show('reply with context.id', late)
      .say('The journey resumes at the block that asked, and sends its next question:')
      .show('turn next question', next.turn);
  });

/** Statuses, and the response to an invalid status. */
export const statusRecipes = (): Promise<Printed> =>
  inShop('statuses', async (shop) => {
    const { call, connectorPosts, onChannel, wanted } = shop;
    const send = async () => {
      await wanted(200, call('POST', '/v1/messages', { token: onChannel.token, payload: outbound[0]!.body }));
      await theDelivery(shop);
    };
    await send();
    const status = (id: string, status: string, timestamp: string, more = {}) => ({
      status: { id, recipient_id: ANN, status, timestamp, ...more },
    });
    const printed = new Printed();
    for (const [i, name] of ['sent', 'delivered', 'read'].entries()) {
      const body = status('out-1', name, `${1767600001 + i}`);
      await wanted(200, connectorPosts('statuses', body));
      printed.show(`status ${name}`, body);
    }
    await send();
    const errors = [
      { code: 470, title: 'Blocked', details: 'The contact has blocked this number.', href: 'https://connector.example/errors/470' },
    ];
    const failed = status('out-2', 'failed', '1767600004', { errors });
    await wanted(200, connectorPosts('statuses', failed));
    const unknown = status('out-99', 'delivered', '1767600005');
    return printed
      .say('To explain a failure, add `errors`; [webhooks receive them](webhooks.md#failed).')
      .show('status failed', failed)
      .say('A status for an id that no connector has returned gets 400:')
      .show('status of an unknown id', unknown)
      .show('status refused', await wanted(400, connectorPosts('statuses', unknown)));
  });

/** The one body that the connector has received since the last call. @throws if it received none or several */
async function theDelivery({ delivered }: Shop) {
  const calls = await delivered();
  if (calls.length !== 1) throw new Error(`the connector got ${calls.length} deliveries and not one`);
  return calls[0]!.json;
}
