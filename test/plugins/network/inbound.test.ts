import { createHash } from 'node:crypto';
import t from 'tap';
import { PHONE, startNetwork } from '../messages/network-under-test.js';
import { flow } from '../messages/posted-messages.js';

const contacts = [{ profile: { name: 'Ann' }, wa_id: PHONE }];
const at = { from: PHONE, timestamp: '1767600000' };

/** A number whose owner's webhook receives what contacts send. */
async function startListening(...args: Parameters<typeof startNetwork>) {
  const test = await startNetwork(...args);
  await test.listen(['msgapp']);
  const deliveriesFrom = async (message: object) => {
    const answer = await test.phone(message);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    await test.settle();
    return { body: test.received().at(-1)!.json, recorded: answer.body.message };
  };
  return { ...test, deliveriesFrom };
}

t.test('webhooks receive a text, key for key', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const { body, recorded } = await deliveriesFrom({ type: 'text', text: { body: 'hi' } });
  t.match(recorded.external_id, /^wamid\.[\w-]{52}$/);
  t.strictSame(body, { contacts, messages: [{ ...at, id: recorded.external_id, type: 'text', text: { body: 'hi' } }] });
});

t.test('webhooks receive media of every type with file, id, link, mime_type and sha256', async (t) => {
  const { deliveriesFrom, upload, call, clock } = await startListening(t);
  const kinds: [type: string, mime: string, more: object][] = [
    ['audio', 'audio/ogg', {}],
    ['voice', 'audio/ogg', {}],
    ['video', 'video/mp4', {}],
    ['image', 'image/jpeg', { caption: 'look' }],
    ['document', 'application/pdf', { caption: 'read', filename: 'a.pdf' }],
    ['sticker', 'image/webp', {}],
  ];
  for (const [type, mime_type, more] of kinds) {
    const id = await upload(mime_type, `bytes of ${type}`);
    const { body, recorded } = await deliveriesFrom({ type, [type]: { id, ...more } });
    const { link } = body.messages[0][type];
    t.strictSame(body, {
      contacts,
      messages: [
        {
          ...at,
          timestamp: body.messages[0].timestamp,
          id: recorded.external_id,
          type,
          [type]: {
            file: `/v1/media/${id}`,
            id,
            link,
            mime_type,
            sha256: createHash('sha256').update(`bytes of ${type}`).digest('hex'),
            ...more,
          },
        },
      ],
    });
    const path = link.replace('http://posthorn.test', '');
    t.match(await call('GET', path), { status: 200, body: `bytes of ${type}` });
    await clock.advance(120_000);
    t.equal((await call('GET', path)).status, 403, 'the link is valid for two minutes');
  }
});

t.test('file is a path on the application, below the prefix that it is mounted under', async (t) => {
  const { deliveriesFrom, upload, call, token } = await startListening(t, {
    prefix: '/messaging',
    publicUrl: 'http://posthorn.test/messaging',
  });
  const id = await upload('image/png');
  const { body } = await deliveriesFrom({ type: 'image', image: { id } });
  t.equal(body.messages[0].image.file, `/messaging/v1/media/${id}`);
  t.equal((await call('GET', `/v1/media/${id}`, { token })).status, 200);
});

t.test('webhooks receive a location with address, name, latitude and longitude', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const location = { address: '1 Long Street', name: 'Library', latitude: -33.92, longitude: 18.42 };
  const { body, recorded } = await deliveriesFrom({ type: 'location', location });
  t.strictSame(body, { contacts, messages: [{ ...at, id: recorded.external_id, type: 'location', location }] });
});

t.test('webhooks receive contact cards with all their fields', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const card = {
    addresses: [
      { city: 'Cape Town', country: 'South Africa', country_code: 'za', state: 'WC', street: '1 Long Street', type: 'HOME', zip: '8001' },
    ],
    birthday: '1990-01-31',
    contact_image: 'aGVsbG8=',
    emails: [{ email: 'bee@example.org', type: 'WORK' }],
    ims: [{ service: 'AIM', user_id: 'bee' }],
    name: { first_name: 'Bee', formatted_name: 'Bee Cee', last_name: 'Cee' },
    org: { company: 'Riverside Library' },
    phones: [
      { phone: '+27 82 000 0002', type: 'CELL', wa_id: '27820000002' },
      { phone: '+27 21 000 0000', type: 'WORK' },
    ],
    urls: [{ url: 'https://example.org', type: 'WORK' }],
  };
  const { body, recorded } = await deliveriesFrom({ type: 'contacts', contacts: [card] });
  t.strictSame(body, { contacts, messages: [{ ...at, id: recorded.external_id, type: 'contacts', contacts: [card] }] });
});

t.test('webhooks receive a system message with its body, without contacts', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const system = { body: 'Ann changed her number', type: 'user_changed_number', new_wa_id: '27820009999' };
  const { body, recorded } = await deliveriesFrom({ type: 'system', system });
  t.strictSame(body, { messages: [{ ...at, id: recorded.external_id, type: 'system', system }] });
});

t.test('webhooks receive an unsupported message with its errors, without contacts', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const { body, recorded } = await deliveriesFrom({ type: 'unsupported' });
  t.strictSame(body, {
    messages: [
      {
        ...at,
        id: recorded.external_id,
        type: 'unsupported',
        errors: [
          {
            code: 131051,
            title: 'Unsupported message type',
            details: 'Message type is not currently supported',
            href: 'https://posthorn.invalid/network-errors',
          },
        ],
      },
    ],
  });
});

t.test('only a message with errors has the key errors', async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const errors = [{ code: 131052, title: 'Media download error', details: 'Gone', href: 'https://errors.test/131052' }];
  const { body } = await deliveriesFrom({ type: 'text', text: { body: 'hi' }, errors });
  t.strictSame(body.messages[0].errors, errors);
  t.notHas((await deliveriesFrom({ type: 'text', text: { body: 'hi' } })).body.messages[0], 'errors');
});

t.test('a reply has the id and the sender of the message it quotes', async (t) => {
  const { deliveriesFrom, send } = await startListening(t);
  const { id } = (await send({ text: { body: 'hello' } })).body.messages[0];
  const { body, recorded } = await deliveriesFrom({ type: 'text', text: { body: 'yes' }, context: { id } });
  t.strictSame(body.messages[0], {
    ...at,
    id: recorded.external_id,
    type: 'text',
    text: { body: 'yes' },
    context: { id, from: '+27110000000' },
  });
  const own = await deliveriesFrom({ type: 'text', text: { body: 'as I message' }, context: { id: recorded.external_id } });
  t.strictSame(own.body.messages[0].context, { id: recorded.external_id, from: PHONE });
});

t.test('webhooks receive a reaction if enabled: with its emoji, or without when it is removed', async (t) => {
  const { phone, send, settle, received, admin, uuid, deliveriesFrom, told } = await startListening(t);
  const message_id = (await send({ text: { body: 'hello' } })).body.messages[0].id;
  t.equal((await phone({ type: 'reaction', reaction: { message_id, emoji: '👍' } })).status, 201);
  await settle();
  t.strictSame(received(), [], 'until then none is delivered');
  t.match(told('advice'), [{ name: 'reactions_not_enabled', number: uuid, message: /reactions are disabled/, fix: /"reactions": true/ }]);
  await phone({ type: 'reaction', reaction: { message_id, emoji: '👍' } });
  t.equal(told('advice').length, 1, 'issued once');

  t.match(await admin('PATCH', `/numbers/${uuid}`, { reactions: true }), { status: 200, body: { number: { reactions: true } } });
  const { body, recorded } = await deliveriesFrom({ type: 'reaction', reaction: { message_id, emoji: '👍' } });
  t.strictSame(body, {
    contacts,
    messages: [{ ...at, id: recorded.external_id, type: 'reaction', reaction: { message_id, emoji: '👍' } }],
  });
  for (const emoji of [undefined, '']) {
    t.strictSame((await deliveriesFrom({ type: 'reaction', reaction: { message_id, emoji } })).body.messages[0].reaction, { message_id });
  }
});

t.test('a webhook receives whether a message was forwarded, with or without a message that it replies to', async (t) => {
  const { deliveriesFrom, admin } = await startListening(t);
  const contextOf = async (context: object | null) => {
    const { body, recorded } = await deliveriesFrom({ type: 'text', text: { body: 'look' }, context });
    t.strictSame(recorded.context, body.messages[0].context, 'as it is recorded');
    return { context: body.messages[0].context, uuid: recorded.uuid, id: recorded.external_id };
  };
  t.strictSame((await contextOf({ forwarded: true })).context, { forwarded: true });
  t.strictSame((await contextOf({ forwarded: true, frequently_forwarded: true })).context, {
    forwarded: true,
    frequently_forwarded: true,
  });
  for (const none of [null, {}, { forwarded: false, frequently_forwarded: null }]) t.equal((await contextOf(none)).context, undefined);
  const { id } = await contextOf(null);
  t.strictSame((await contextOf({ id, frequently_forwarded: true })).context, { id, from: PHONE, frequently_forwarded: true });
  const refused = { from: PHONE, type: 'text', text: { body: 'x' }, context: { forwarded: 'yes' } };
  const { body } = await admin('GET', '/numbers');
  t.equal((await admin('POST', `/network/numbers/${body.numbers[0].uuid}/messages`, refused)).status, 400);
});

t.test('a tapped option has the id that was sent, and names the message that offered it', async (t) => {
  const { deliveriesFrom, send } = await startListening(t);
  const button = { type: 'reply', reply: { id: 'y', title: 'Yes' } };
  const asked = (await send({ type: 'interactive', interactive: { type: 'button', body: { text: '?' }, action: { buttons: [button] } } }))
    .body.messages[0].id;
  const { body, recorded } = await deliveriesFrom({
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { title: 'Yes' } },
  });
  t.strictSame(body.messages[0], {
    ...at,
    id: recorded.external_id,
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } },
    context: { id: asked, from: '+27110000000' },
  });
  await send({
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: '?' },
      action: { button: 'Choose', sections: [{ rows: [{ id: 'r', title: 'Red', description: 'a colour' }] }] },
    },
  });
  const tapped = await deliveriesFrom({ type: 'interactive', interactive: { type: 'list_reply', list_reply: { title: 'Red' } } });
  t.strictSame(tapped.body.messages[0].interactive, { type: 'list_reply', list_reply: { id: 'r', title: 'Red', description: 'a colour' } });
});

t.test('of two options with one title the id selects one', async (t) => {
  const { deliveriesFrom, send } = await startListening(t);
  const sections = [
    {
      rows: [
        { id: 'a', title: 'Ten' },
        { id: 'b', title: 'Ten' },
      ],
    },
  ];
  await send({ type: 'interactive', interactive: { type: 'list', body: { text: '?' }, action: { button: 'When', sections } } });
  const tap = { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'b', title: 'Ten' } } };
  t.match((await deliveriesFrom(tap)).body.messages[0].interactive, { list_reply: { id: 'b', title: 'Ten' } });
});

t.test('a completed form returns with the token it was sent with', async (t) => {
  const { deliveriesFrom, send } = await startListening(t);
  const sent = await send(flow);
  const { body } = await deliveriesFrom({
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { response: { rating: '5' } } },
  });
  t.match(body.messages[0], { context: { id: sent.body.messages[0].id, from: '+27110000000' } });
  t.strictSame(body.messages[0].interactive, {
    type: 'nfm_reply',
    nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"token-1","rating":"5"}' },
  });
});

t.test("webhooks receive a tap on a template's button with its text and payload", async (t) => {
  const { deliveriesFrom } = await startListening(t);
  const { body } = await deliveriesFrom({ type: 'button', button: { text: 'Stop', payload: 'STOP' } });
  t.strictSame(body.messages[0].button, { text: 'Stop', payload: 'STOP' });
});

t.test('a phone keeps its profile name, whatever name the contact has here', async (t) => {
  const { admin, uuid, say, received, settle, platform } = await startListening(t);
  const { contact } = await say('hi');
  await admin('PATCH', `/contacts/${contact}`, { fields: { name: 'Dr Bee' } });
  const message = { from: PHONE, type: 'text', text: { body: 'again' } };
  t.equal((await admin('POST', `/network/numbers/${uuid}/messages`, message)).status, 201);
  await settle();
  t.strictSame(received().at(-1)!.json.contacts, contacts);
  t.match((await platform.contacts.require(contact)).fields, { name: 'Dr Bee', msgapp_profile_name: 'Ann' });
});

t.test('the same message twice is one message', async (t) => {
  const { phone, settle, received } = await startListening(t);
  const message = { id: 'wamid.1', type: 'text', text: { body: 'hi' } };
  t.match(await phone(message), { status: 201, body: { is_duplicate: false } });
  t.match(await phone(message), { status: 201, body: { is_duplicate: true } });
  t.match(await phone({ ...message, from: '+27820009999' }), { status: 409 }, 'and not one of another contact');
  await settle();
  t.equal(received().length, 1);
});

t.test('a phone can refer only to existing messages and media', async (t) => {
  const { phone, admin, number } = await startListening(t);
  const bad: [message: object, says: RegExp][] = [
    [{ type: 'image', image: { id: '1' } }, /image.id is not the id of a media file/],
    [{ type: 'reaction', reaction: { message_id: 'nothing', emoji: '👍' } }, /reaction.message_id is not the id of a message/],
    [{ type: 'text', text: { body: 'x' }, context: { id: 'nothing' } }, /context.id is not the id of a message/],
    [{ type: 'interactive', interactive: { type: 'button_reply', button_reply: { title: 'Yes' } } }, /no recent message offers "Yes"/],
    [{ type: 'text', text: { body: 'x' }, from: 'ann' }, /from is not an international phone number/],
    [{ type: 'telepathy' }, /type must be one of/],
    [{ type: 'text' }, /text is required/],
  ];
  for (const [message, says] of bad) t.match(await phone(message), { status: 400, body: { errors: [{ details: says }] } });
  const channel = await number('channel', { type: 'channel_http_api' });
  t.match(await admin('POST', `/network/numbers/${channel.uuid}/messages`, { from: PHONE, type: 'text', text: { body: 'x' } }), {
    status: 409,
    body: { errors: [{ details: /is of type 'channel_http_api'; the local network serves only / }] },
  });
});
