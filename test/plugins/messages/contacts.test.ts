import t from 'tap';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { allPlugins, PHONE, startNetwork } from './network-under-test.js';

t.test('a check of contacts returns an id for each valid phone number', async (t) => {
  const { call, token } = await startNetwork(t);
  const check = (contacts: unknown) => call('POST', '/v1/contacts', { token, payload: { blocking: 'wait', contacts } });
  const answer = await check(['+27820001001', '27 82 000 1001', 'ann', '+0123']);
  t.equal(answer.status, 200);
  t.strictSame(answer.body.contacts, [
    { input: '+27820001001', status: 'valid', wa_id: PHONE },
    { input: '27 82 000 1001', status: 'valid', wa_id: PHONE },
    { input: 'ann', status: 'invalid' },
    { input: '+0123', status: 'invalid' },
  ]);
  t.match(answer.body.meta, { api_status: 'stable' });
  t.match(await check([]), { status: 400, body: { errors: [{ code: 1009 }] } });
  t.match(await check(undefined), { status: 400, body: { errors: [{ code: 1008 }] } });
});

t.test('every call accepts every id of a contact', async (t) => {
  const { call, token, send, phone, platform, uuid } = await startNetwork(t);
  const [network, client] = ['551187654321', '+55 11 98765-4321'];
  await phone({ from: network, type: 'text', text: { body: 'oi' } });
  const { body } = await call('POST', '/v1/contacts', { token, payload: { contacts: [client] } });
  t.match(body.contacts, [{ input: client, status: 'valid', wa_id: network }]);
  const sent = await send({ to: client, type: 'text', text: { body: 'hello' } });
  t.match(await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id), { to: network });
  const { conversation } = (await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id))!;
  t.equal((await platform.conversations.newest(conversation, 10)).length, 2);
  const path = `/v1/contacts/${encodeURIComponent(client)}`;
  t.match(await call('PATCH', `${path}/profile`, { token, payload: { name: 'Ana' } }), { status: 201 });
  t.match((await call('GET', `/v1/contacts/${network}/profile`, { token })).body.fields, { name: 'Ana' });
  t.equal((await call('GET', `${path}/messages`, { token })).body.messages.length, 2);
  await phone({ from: network, type: 'system', system: { body: 'changed', type: 'user_changed_number', new_wa_id: '5511900000001' } });
  t.match(await platform.contacts.list(uuid), [{ id: '5511900000001', fields: { name: 'Ana' } }]);
  t.match(await call('GET', `${path}/profile`, { token }), { status: 200 });
});

t.test('contacts of a channel are not on the network', async (t) => {
  const { call, token } = await startChannel(t, { plugins: allPlugins() });
  t.match(await call('POST', '/v1/contacts', { token, payload: { contacts: ['+27820001001'] } }), {
    status: 403,
    body: { error: { code: 'not_supported' } },
  });
});

t.test('the profile of a contact has every reserved field, null if unset', async (t) => {
  const { call, token, say, send, clock, uuid } = await startNetwork(t);
  t.match(await call('GET', `/v1/contacts/${PHONE}/profile`, { token }), { status: 404, body: { errors: [{ code: 1006 }] } });
  const { contact } = await say('hi');
  await clock.advance(1000);
  await send({ text: { body: 'hello' } });
  const answer = await call('GET', `/v1/contacts/%2B${PHONE}/profile`, { token });
  t.equal(answer.status, 200);
  t.strictSame(answer.body, {
    schema: uuid,
    uuid: contact,
    updated_at: '2026-01-05T08:00:00.000Z',
    generation: null,
    fields: {
      name: 'Ann',
      surname: null,
      location: null,
      language: null,
      birthday: null,
      opted_in: false,
      opted_in_at: null,
      is_blocked: false,
      msgapp_id: PHONE,
      msgapp_profile_name: 'Ann',
      first_message_received_at: '2026-01-05T08:00:00.000Z',
      last_message_received_at: '2026-01-05T08:00:00.000Z',
      last_message_sent_at: '2026-01-05T08:00:01.000Z',
      last_seen_at: '2026-01-05T08:00:00.000Z',
    },
  });
});

t.test('fields of a contact are set and cleared; numbers in custom fields are returned as text', async (t) => {
  const { call, token, say, told } = await startNetwork(t);
  await say('hi');
  const patch = (payload: object) => call('PATCH', `/v1/contacts/${PHONE}/profile`, { token, payload });
  const answer = await patch({ language: 'eng', visits: 3, opted_in: true, msgapp_id: '1', last_seen_at: 'never' });
  t.equal(answer.status, 201);
  t.match(answer.body.fields, {
    language: 'eng',
    visits: '3',
    opted_in: true,
    opted_in_at: '2026-01-05T08:00:00.000Z',
    msgapp_id: PHONE,
    last_seen_at: '2026-01-05T08:00:00.000Z',
  });
  t.match((await patch({ language: null })).body.fields, { language: null, visits: '3' });
  t.match(told('contact.changed').at(-1), { keys: ['language'] });
  t.match(await patch({}), { status: 400 });
  t.match(await patch({ visits: { deep: true } }), { status: 400, body: { errors: [{ code: 1009, details: /visits/ }] } });
});

t.test("a conversation is shown newest first, with its chat and the service's metadata", async (t) => {
  const { call, token, say, send, phone, clock } = await startNetwork(t);
  const first = await say('hi');
  await clock.advance(1000);
  await send({ text: { body: 'hello' } });
  await phone({ type: 'location', location: { latitude: 1.5, longitude: 2.5 } });
  const answer = await call('GET', `/v1/contacts/${PHONE}/messages`, { token, headers: { accept: 'application/vnd.v1+json' } });
  t.equal(answer.status, 200);
  const { chat, messages } = answer.body;
  t.strictSame(chat, {
    uuid: first.conversation,
    contact_uuid: first.contact,
    owner: `+${PHONE}`,
    state: 'OPEN',
    state_reason: 'Opened by inbound message.',
    unread_count: 1,
    assigned_to: null,
    permalink: `http://posthorn.test/app/c/${first.conversation}`,
    inserted_at: '2026-01-05T08:00:00.000000Z',
    updated_at: '2026-01-05T08:00:01.000000Z',
  });
  t.strictSame(messages[2], {
    from: PHONE,
    id: first.external_id,
    timestamp: '1767600000',
    type: 'text',
    text: { body: 'hi' },
    _vnd: {
      v1: {
        author: { id: first.contact, name: 'Ann', type: 'OWNER' },
        card_uuid: null,
        direction: 'inbound',
        faq_uuid: null,
        in_reply_to: null,
        inserted_at: '2026-01-05T08:00:00.000000Z',
        labels: [],
        last_status: null,
        last_status_timestamp: null,
        on_fallback_channel: false,
        rendered_content: null,
        uuid: first.uuid,
      },
    },
  });
  t.match(messages[1], { to: PHONE, from: '+27110000000', recipient_type: 'individual', preview_url: false });
  t.match(messages, [{ type: 'location' }, { text: { body: 'hello' }, _vnd: { v1: { author: { type: 'SYSTEM', request_id: /./ } } } }, {}]);
  t.equal((await call('GET', `/v1/contacts/${PHONE}/messages?limit=1`, { token })).body.messages.length, 1);
});

t.test('media in a conversation have a link that works', async (t) => {
  const { call, token, phone, upload } = await startNetwork(t);
  const id = await upload('image/png', 'a picture');
  await phone({ type: 'image', image: { id } });
  const [{ image }] = (await call('GET', `/v1/contacts/${PHONE}/messages`, { token })).body.messages;
  t.match(image, { id, file: `/v1/media/${id}` });
  t.match(await call('GET', image.link.replace('http://posthorn.test', '')), { status: 200, body: 'a picture' });
});

t.test('reserved fields have fixed types, and names of fields a maximum length', async (t) => {
  const { call, token, say } = await startNetwork(t);
  await say('hi');
  const patch = (payload: object) => call('PATCH', `/v1/contacts/${PHONE}/profile`, { token, payload });
  for (const wrong of [
    { opted_in: 'yes' },
    { is_blocked: 1 },
    { language: 5 },
    { birthday: true },
    { name: ['Ann'] },
    { ['k'.repeat(257)]: 'x' },
  ]) {
    t.match(await patch(wrong), { status: 400, body: { errors: [{ code: 1009 }] } }, JSON.stringify(wrong).slice(0, 40));
  }
  t.match((await patch({ name: '', birthday: null, opted_in: null })).body.fields, { name: '', birthday: null, opted_in: null });
});

t.test('journeys and clients see when a contact wrote, and when a message was last sent to it', async (t) => {
  const { say, send, clock, admin, uuid, platform, call, token } = await startNetwork(t);
  const { contact, conversation } = await say('hi');
  await clock.advance(1000);
  await send({ text: { body: 'hello' } });
  await clock.advance(1000);
  const journey = platform.ids.uuid();
  const definition = containerOf({
    texts: {
      when: '@contact.first_message_received_at @contact.last_message_received_at @contact.last_message_sent_at @contact.last_seen_at',
    },
    blocks: [{ name: 'when', type: 'MobilePrimitives.Message', config: { prompt: 'when' } }],
  });
  await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'When', definition, triggers: [{ on: 'message', words: ['when'] }] });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  const moment = (second: number) => `2026-01-05T08:00:0${second}.000Z`;
  const newest = async () => (await platform.conversations.newest(conversation, 1))[0]?.content.text;
  await say('when');
  await clock.advance(0);
  t.strictSame(await newest(), { body: [moment(0), moment(2), moment(1), moment(2)].join(' ') });
  await clock.advance(1000);
  await call('POST', `/v1/stacks/${journey}/start`, { token, payload: { wa_id: PHONE } });
  await clock.advance(0);
  t.strictSame(await newest(), { body: [moment(0), moment(2), moment(2), moment(2)].join(' ') }, 'also when it starts without a message');
  const seen = {
    first_message_received_at: moment(0),
    last_message_received_at: moment(2),
    last_message_sent_at: moment(3),
    last_seen_at: moment(2),
  };
  t.match((await admin('GET', `/contacts/${contact}`)).body.contact.fields, seen);
  t.match((await admin('GET', `/conversations/${conversation}`)).body.contact.fields, seen);
});

t.test('contacts of a channel are found by their id', async (t) => {
  const { call, token, say } = await startChannel(t, { plugins: allPlugins() });
  await say('hi');
  const answer = await call('GET', `/v1/contacts/${encodeURIComponent(CONTACT)}/profile`, { token });
  t.match(answer, { status: 200, body: { fields: { name: 'Ann', msgapp_id: null } } });
  t.match((await call('GET', `/v1/contacts/${encodeURIComponent(CONTACT)}/messages`, { token })).body.chat, { owner: CONTACT });
});

t.test('contacts of a channel are found by their wa_id, which has no plus', async (t) => {
  const { call, token, say, platform, uuid, settle, deliveries } = await startChannel(t, { plugins: allPlugins() });
  await say('hi');
  const waId = CONTACT.slice(1);
  t.match(await call('GET', `/v1/contacts/${waId}/profile`, { token }), { status: 200, body: { fields: { name: 'Ann' } } });
  t.equal((await call('POST', '/v1/messages', { token, payload: { to: waId, text: { body: 'hello' } } })).status, 200);
  await settle();
  t.equal(deliveries().at(-1)?.json.to, CONTACT);
  t.equal((await platform.contacts.list(uuid)).length, 1, 'and not a new contact');
  await say('hi', { from: waId });
  t.equal((await platform.contacts.list(uuid)).length, 2, 'a sender without a plus is another contact');
  t.match((await call('GET', `/v1/contacts/${waId}/messages`, { token })).body.chat, { owner: waId }, 'and is found first');
});
