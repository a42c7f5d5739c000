import t from 'tap';
import { beforeCommit, collection, definePlugin, messageReceived } from '#core';
import type { MessageHappened } from '#core/messaging';
import { channels } from '../../../plugins/channels/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONTACT, inboundText, startChannel, tokenOf } from './channel-under-test.js';

const file = { id: 'file-1', mime_type: 'application/x', link: 'https://files.test/1', sha256: 'ab12' };
const contact = { id: CONTACT, profile: { name: 'Ann' } };

/** A message of every type, with its required and optional fields. */
const types: Record<string, { part: object; required: string[]; optional?: object }> = {
  text: { part: { body: 'hi' }, required: ['body'] },
  audio: { part: { id: 'file-1', mime_type: 'audio/ogg' }, required: ['id', 'mime_type'] },
  image: { part: file, required: ['id', 'mime_type', 'link', 'sha256'], optional: { caption: 'look' } },
  video: {
    part: { ...file, filename: 'a.mp4' },
    required: ['id', 'mime_type', 'link', 'sha256', 'filename'],
    optional: { caption: 'look' },
  },
  document: {
    part: { ...file, filename: 'a.pdf' },
    required: ['id', 'mime_type', 'link', 'sha256', 'filename'],
    optional: { caption: null },
  },
  sticker: {
    part: { ...file, filename: 'a.webp' },
    required: ['id', 'mime_type', 'link', 'sha256', 'filename'],
    optional: { caption: '' },
  },
  button: { part: { text: 'Yes' }, required: ['text'], optional: { payload: 'yes' } },
  'interactive button_reply': {
    part: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } },
    required: ['type', 'button_reply', 'button_reply.id', 'button_reply.title'],
  },
  'interactive list_reply': {
    part: { type: 'list_reply', list_reply: { id: 'y', title: 'Yes' } },
    required: ['type', 'list_reply', 'list_reply.id', 'list_reply.title'],
    optional: { list_reply: { id: 'y', title: 'Yes', description: 'the first' } },
  },
};
const typeOf = (name: string): string => name.split(' ')[0]!;
const messageOf = (name: string, id: string, part: object = types[name]!.part) => {
  const type = typeOf(name);
  return { contact, message: { type, from: CONTACT, id, timestamp: '1767600000', [type]: part } };
};

/** A copy in which one field has another value; undefined removes it. */
function changed<T extends object>(body: T, path: string, value: unknown): T {
  const copy = structuredClone(body);
  const keys = path.split('.');
  const last = keys.pop()!;
  // biome-ignore lint/suspicious/noExplicitAny: a path into whatever the body is
  const parent = keys.reduce((object: any, key) => object[key], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

t.test('a message of every type is accepted, recorded unchanged, and answered with success', async (t) => {
  const { post, platform, uuid } = await startChannel(t);
  for (const [i, [name, { part, optional = {} }]] of Object.entries(types).entries()) {
    for (const [id, whole] of [
      [`plain-${i}`, part],
      [`full-${i}`, { ...part, ...optional }],
    ] as const) {
      const answer = await post(messageOf(name, id, whole));
      t.equal(answer.status, 200, name);
      t.strictSame(answer.body, { success: true });
      const message = await platform.messages.known(uuid, 'inbound', id);
      t.match(message, { direction: 'inbound', type: typeOf(name), from: CONTACT, to: 'library', timestamp: '1767600000' }, name);
      const { caption, ...rest } = whole as Record<string, unknown>;
      t.strictSame(message?.content, { [typeOf(name)]: caption === null ? rest : whole }, `${name}: a caption of null is none`);
    }
  }
});

t.test('null in an optional field means that it is missing, and is stored only for a button, as on the network', async (t) => {
  const { post, platform, uuid } = await startChannel(t);
  const nulls: [name: string, part: object, kept: object][] = [
    ['image', { ...file, caption: null, filename: null }, file],
    ['audio', { id: file.id, mime_type: 'audio/ogg', link: null, sha256: null, filename: null }, { id: file.id, mime_type: 'audio/ogg' }],
    ['button', { text: 'Yes', payload: null }, { text: 'Yes', payload: null }],
    [
      'interactive',
      { type: 'list_reply', list_reply: { id: 'y', title: 'Yes', description: null } },
      { type: 'list_reply', list_reply: { id: 'y', title: 'Yes' } },
    ],
  ];
  for (const [type, part, kept] of nulls) {
    const answer = await post({
      contact,
      message: { type, from: CONTACT, id: type, timestamp: '1767600000', [type]: part, context: null },
    });
    t.equal(answer.status, 200, `${type}: ${JSON.stringify(answer.body)}`);
    t.strictSame((await platform.messages.known(uuid, 'inbound', type))?.content, { [type]: kept }, type);
  }
});

t.test('the errors name each required field that is missing, empty, blank, null or of another kind', async (t) => {
  const { post, platform, uuid } = await startChannel(t);
  const shared: [field: string, isObject?: boolean][] = [
    ['contact.id'],
    ['contact.profile', true],
    ['contact.profile.name'],
    ['message.from'],
    ['message.id'],
    ['message.timestamp'],
    ['message.type'],
  ];
  const bodies = Object.keys(types).flatMap((name) => {
    const type = typeOf(name);
    const own = types[name]!.required.map((field): [string, boolean] => [`message.${type}.${field}`, field.endsWith('_reply')]);
    const fields: [string, boolean?][] = [...(name === 'text' ? shared : []), [`message.${type}`, true], ...own];
    return fields.map(([field, isObject = false]) => ({ body: messageOf(name, 'in-1'), field, isObject }));
  });
  t.equal(bodies.length, 7 + 9 + 1 + 2 + 4 + 5 + 5 + 5 + 1 + 4 + 4);
  const blank = "can't be blank";
  const invalid = 'is invalid';
  for (const { body, field, isObject } of bodies) {
    const [object, ...rest] = field.split('.');
    const changes: [what: string, value: unknown, text: string][] = [
      ['missing', undefined, blank],
      ['null', null, blank],
      ['empty', '', isObject ? invalid : blank],
      ['of nothing but spaces', ' \n', isObject || /\.(type|timestamp)$/.test(field) ? invalid : blank],
      ['a number', 7, invalid],
      ['a list', [], invalid],
      ['an object where text belongs', {}, invalid],
    ];
    for (const [what, value, text] of isObject ? changes.slice(0, -1) : changes) {
      const answer = await post(changed(body, field, value));
      t.equal(answer.status, 400, `${field} ${what}`);
      t.strictSame(answer.body, { message: 'Bad Request', errors: { [object!]: { [rest.join('.')]: [text] } } }, `${field} ${what}`);
    }
  }
  t.strictSame(await platform.contacts.list(uuid), [], 'nothing of all this was recorded');
});

t.test('an unknown type, an invalid timestamp and a reply of another kind are invalid', async (t) => {
  const { post } = await startChannel(t);
  const cases: [field: string, value: unknown, errors: object][] = [
    ['message.type', 'location', { type: ['is invalid'] }],
    ['message.timestamp', 'yesterday', { timestamp: ['is invalid'] }],
    ['message.timestamp', '-1', { timestamp: ['is invalid'] }],
    ['message.timestamp', '1767600000.5', { timestamp: ['is invalid'] }],
    ['message.interactive.type', 'nfm_reply', { 'interactive.nfm_reply': ["can't be blank"] }],
    ['message.interactive.type', 'product_reply', { 'interactive.type': ['is invalid'] }],
    ['message.context', {}, { 'context.id': ["can't be blank"] }],
    ['message.context', { id: '' }, { 'context.id': ["can't be blank"] }],
    ['message.context', 'out-1', { context: ['is invalid'] }],
  ];
  for (const [field, value, message] of cases) {
    const answer = await post(changed(messageOf('interactive button_reply', 'in-1'), field, value));
    t.equal(answer.status, 400, field);
    t.strictSame(answer.body, { message: 'Bad Request', errors: { message } });
  }
});

t.test('a missing object is reported by its required fields, and all errors are reported together', async (t) => {
  const { post } = await startChannel(t);
  const blank = ["can't be blank"];
  const { contact, message } = inboundText('hi');
  const ofContact = { id: blank, profile: blank };
  const ofMessage = { type: blank, from: blank, id: blank, timestamp: blank };
  const cases: [body: unknown, errors: object][] = [
    [{ message }, { contact: ofContact }],
    [{ contact }, { message: ofMessage }],
    [
      { contact: null, message: null },
      { contact: ofContact, message: ofMessage },
    ],
    [{}, { contact: ofContact, message: ofMessage }],
    [
      { contact: {}, message: {} },
      { contact: ofContact, message: ofMessage },
    ],
    [
      { contact: { profile: {} }, message: { ...message, id: '', text: {} } },
      { contact: { id: blank, 'profile.name': blank }, message: { id: blank, 'text.body': blank } },
    ],
  ];
  for (const [body, errors] of cases) {
    const answer = await post(body);
    t.equal(answer.status, 400);
    t.strictSame(answer.body, { message: 'Bad Request', errors });
  }
});

t.test('a body that is not a JSON object is a bad request of the same shape', async (t) => {
  const { call, post, uuid, token } = await startChannel(t);
  const raw = (payload: string, type = 'application/json') =>
    call('POST', `/v1/numbers/${uuid}/messages`, { token, payload, headers: { 'content-type': type } });
  for (const answer of [await raw('{"contact":'), await raw('hi'), await post([]), await post('hi')]) {
    t.equal(answer.status, 400);
    t.match(answer.body, { message: 'Bad Request', errors: { body: { base: [String] } } });
  }
  t.equal((await raw('contact=a', 'application/x-www-form-urlencoded')).status, 415);
  const empty = await post({});
  for (const answer of [await raw(''), await post(null)])
    t.strictSame([answer.status, answer.body], [400, empty.body], 'the missing objects are named');
});

t.test('unknown keys are accepted, and not stored', async (t) => {
  const { post, platform, uuid } = await startChannel(t);
  const body = inboundText('hi');
  const answer = await post({
    ...body,
    extra: 1,
    contact: { ...body.contact, more: true, profile: { name: 'Ann', photo: 'x' } },
    message: { ...body.message, image: { nonsense: true }, text: { body: 'hi', preview_url: true }, forwarded: true },
  });
  t.equal(answer.status, 200);
  t.strictSame((await platform.messages.known(uuid, 'inbound', 'in-1'))?.content, { text: { body: 'hi' } });
});

t.test("a changed profile name updates the contact's name; an unchanged one does not overwrite a name that was set here", async (t) => {
  const { say, platform, uuid, admin } = await startChannel(t);
  const name = async () => (await platform.contacts.list(uuid))[0]!.fields.name;
  await say('hi', { name: 'Ann' });
  t.equal(await name(), 'Ann');
  await say('hi', { name: 'Ann Bee' });
  t.equal(await name(), 'Ann Bee');
  const [{ uuid: contact }] = (await admin('GET', `/numbers/${uuid}/contacts`)).body.contacts;
  await admin('PATCH', `/contacts/${contact}`, { fields: { name: 'Dr Bee' } });
  await say('hi', { name: 'Ann Bee' });
  t.equal(await name(), 'Dr Bee');
  await say('hi', { name: 'Ann Cee' });
  t.equal(await name(), 'Ann Cee');
  t.equal((await platform.contacts.list(uuid)).length, 1);
});

t.test('replies go to the address that the message came from', async (t) => {
  const { post, send, deliveries, settle } = await startChannel(t);
  const { message } = inboundText('hi');
  await post({ contact: { id: 'user-7', profile: { name: 'Ann' } }, message: { ...message, from: 'room-1' } });
  t.equal((await send(undefined, 'user-7')).to, 'room-1');
  await settle();
  t.equal(deliveries()[0]?.json.to, 'room-1');
});

t.test('the context of a reply is recorded, with the sender of the quoted message if it is known', async (t) => {
  const { say, post, send, settle, platform, uuid } = await startChannel(t);
  await say('hi');
  await send();
  await settle();
  await say('and yes', { id: 'in-0', context: 'out-1' });
  t.strictSame((await platform.messages.known(uuid, 'inbound', 'in-0'))?.context, { id: 'out-1', from: 'library' });
  await say('yes', { id: 'in-7', context: 'out-7' });
  t.strictSame((await platform.messages.known(uuid, 'inbound', 'in-7'))?.context, { id: 'out-7' });
  await post(changed(inboundText('no', { id: 'in-8' }), 'message.context', null));
  t.equal((await platform.messages.known(uuid, 'inbound', 'in-8'))?.context, undefined);
});

t.test('a channel accepts only its own token', async (t) => {
  const test = await startChannel(t);
  const { body } = await test.admin('POST', '/channels', { from_addr: 'museum', name: 'Museum', endpoint: 'https://museum.test' });
  const other = await tokenOf(test, body.number.uuid);
  const status = { status: { id: 'out-1', recipient_id: CONTACT, status: 'sent', timestamp: '1' } };
  const cases: [token: string | undefined, status: number, shape: object][] = [
    [undefined, 401, { errors: [{ title: 'Access denied' }] }],
    ['wrong', 401, { errors: [{ title: 'Access denied' }] }],
    [other, 404, { errors: [{ details: /There is no channel of this token/ }] }],
    [test.maker.token, 403, { error: { code: 'not_supported', type: 'NotSupported' } }],
  ];
  for (const [token, expected, shape] of cases) {
    for (const [path, payload] of [
      ['messages', inboundText('hi')],
      ['statuses', status],
    ] as const) {
      const answer = await test.call('POST', `/v1/numbers/${test.uuid}/${path}`, { payload, ...(token !== undefined && { token }) });
      t.equal(answer.status, expected);
      t.match(answer.body, shape);
    }
  }
  t.strictSame(test.told('message.received'), []);
});

t.test('a message is recorded with everything that follows from it, or not at all', async (t) => {
  const notes = collection<{ id: string }>({ key: 'id' });
  let isBroken = true;
  const hearing = definePlugin({
    name: 'hearing',
    version: '1.0.0',
    collections: { notes },
    register: () => ({
      on: [
        beforeCommit(messageReceived, ({ message }: MessageHappened, tx) => {
          tx.in(notes).put({ id: message.uuid });
          if (isBroken) throw new Error('the disk of the notes is full');
        }),
      ],
    }),
  });
  const { post, admin, platform, uuid, settle, http, told } = await startChannel(t, { plugins: [channels(), webhooks(), hearing()] });
  await admin('POST', '/webhooks', { number: uuid, url: 'https://owner.test/hook', subscriptions: ['msgapp'] });
  http.answer('https://owner.test/hook', {});
  t.equal((await post(inboundText('hi'))).status, 500);
  await settle();
  t.equal(await platform.messages.known(uuid, 'inbound', 'in-1'), undefined);
  t.strictSame(await platform.contacts.list(uuid), []);
  t.strictSame(await platform.deliveries.list({ limit: 10 }), []);
  t.strictSame(await platform.store.open(notes).list(), []);
  t.strictSame(told('message.received'), []);
  isBroken = false;
  t.equal((await post(inboundText('hi'))).status, 200, 'the connector may retry');
  await settle();
  t.equal(http.callsTo('https://owner.test/hook').length, 1);
});
