import { createHmac } from 'node:crypto';
import t from 'tap';
import { isOrigin } from '../../../plugins/webchat/connection.js';
import type { CallRefused } from '../../../plugins/webchat/testing/index.js';
import { SECRET, startChat, textTurn } from './chat-under-test.js';

const chat = await startChat(t);
const { number, platform } = chat;
const hashOf = (id: string, secret = SECRET) => createHmac('sha256', secret).update(id).digest('hex');
const userOf = (id: string) => ({ user: { id, hash: hashOf(id) } });
const now = () => Math.floor(chat.clock.now().getTime() / 1000);
function jwt(claims: object, { alg = 'HS256', secret = SECRET } = {}) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT' })}.${part({ exp: now() + 600, ...claims })}`;
  return { user: { jwt: `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}` } };
}
const refusal = async (work: Promise<unknown>) => {
  const error = (await work.then(
    () => undefined,
    (one) => one,
  )) as CallRefused | undefined;
  return error && [error.status, error.reason];
};

t.test('an identified user has one conversation on all browsers; name and fields come from a JWT only', async (t) => {
  const [phone, desk] = [chat.visitor(), chat.visitor()];
  t.match(await phone.open(userOf('42')), { visitor: 'user:42' });
  await phone.say('from the phone');
  await desk.open(jwt({ sub: '42', name: 'Ann Example', plan: 'gold', admin: { no: 1 } }));
  t.match(desk.messages(), [{ text: { body: 'from the phone' } }]);
  const contact = (await platform.contacts.known(number.uuid, 'user:42'))!;
  t.match(contact.fields, { name: 'Ann Example', plan: 'gold' });
  t.notOk('admin' in contact.fields);
});

t.test('who is not signed is refused', async (t) => {
  const wrong = [401, 'webchat_identity_wrong'];
  const open = (body: object) => refusal(chat.visitor().open(body));
  t.strictSame(await open({ user: { id: '42', hash: hashOf('43') } }), wrong);
  t.strictSame(await open({ user: { id: '42', hash: hashOf('42', 'another secret of thirty-two or more') } }), wrong);
  t.strictSame(await open({ user: { id: '42' } }), wrong);
  t.strictSame(await open(jwt({ sub: '42' }, { alg: 'none' })), wrong);
  t.strictSame(await open(jwt({ sub: '42' }, { secret: 'another secret of thirty-two or more' })), wrong);
  t.strictSame(await open(jwt({ sub: '42', exp: now() - 120 })), wrong);
  t.strictSame(await open(jwt({ sub: '42', exp: now() + 7_300 })), wrong);
  t.strictSame(await open(jwt({ sub: 42 })), wrong);
  t.strictSame(await open({ user: { jwt: 'a.b' } }), wrong);
  t.strictSame(await open({ user: { jwt: '....' } }), wrong);
});

t.test('a login brings the anonymous conversation along, once, and ends the anonymous session', async (t) => {
  const ann = chat.visitor();
  const before = await ann.open();
  await ann.say('anonymous');
  const elsewhere = chat.visitor({ token: ann.token });
  await elsewhere.listen();
  const after = await ann.open(userOf('login'));
  t.match(after, { visitor: 'user:login', messages: [{ text: { body: 'anonymous' } }] });
  t.not(after.token, before.token);
  await elsewhere.until(({ event }) => event === 'ended' || event === 'gap');
  t.strictSame(
    await refusal(elsewhere.poll()),
    [401, 'webchat_session_unknown'],
    'the anonymous token does not read the conversation of the user',
  );
  const other = chat.visitor();
  await other.open();
  await other.say('on another browser');
  await other.open(userOf('login'));
  const bodies = chat.visitor();
  await bodies.open(userOf('login'));
  t.strictSame(
    bodies.messages().map(({ text }) => text?.body),
    ['anonymous'],
    'the user has a conversation already; notes are not shown',
  );
});

t.test('another user on the same browser sees nothing of the first', async (t) => {
  const ann = chat.visitor();
  const { token } = await ann.open(userOf('first'));
  await ann.say('secret');
  const second = chat.visitor({ token });
  const opened = await second.open(userOf('second'));
  t.match(opened, { visitor: 'user:second', messages: [] });
  t.strictSame(await refusal(chat.visitor({ token }).poll()), [401, 'webchat_session_unknown'], 'the session of the first has ended');
});

t.test('an operator merges two visitors: their streams get a gap', async (t) => {
  const [ann, ben] = [chat.visitor(), chat.visitor()];
  await ann.open();
  await ben.open();
  const one = await ann.say('one');
  await chat.clock.advance(1_000);
  const two = await ben.say('two');
  await ann.listen();
  const contactOf = async (id: string) => (await platform.messages.get(id))!.contact;
  const merge = { contact: await contactOf(one.id), into: await contactOf(two.id) };
  await platform.store.transaction((tx) => platform.contacts.merge(tx, number, merge));
  await ann.until(({ event }) => event === 'gap');
  await ann.poll();
  t.strictSame(
    ann.messages().map(({ text }) => text?.body),
    ['one', 'two'],
  );
  await platform.store.transaction(async (tx) => {
    const contact = await platform.contacts.require(merge.into);
    await platform.channels.send(tx, number, contact, {
      turn: textTurn('for both') as never,
      author: { type: 'SYSTEM', id: '', name: '' },
    });
  });
  t.match(await ann.until(({ data }) => data.text?.body === 'for both'), { data: { author: 'bot' } });
  ann.cut();
});

t.test('erasure ends the sessions of a person, and the export names them', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open(userOf('gone'));
  await ann.say('forget me');
  await ann.listen();
  const contact = (await platform.contacts.known(number.uuid, visitor))!;
  const exported = await chat.admin('GET', `/contacts/${contact.uuid}/export`);
  t.match(JSON.stringify(exported.body), /"webchat_sessions":\[\{"visitor":"user:gone"/);
  t.equal((await chat.admin('DELETE', `/contacts/${contact.uuid}`)).status, 200);
  await ann.until(({ event }) => event === 'ended');
  t.strictSame(await refusal(ann.poll()), [401, 'webchat_session_unknown']);
});

t.test('a web chat for users only refuses others; one without a secret knows no users', async (t) => {
  const add = async (settings: object) => {
    const { body } = await chat.admin('POST', '/connections', { type: 'webchat', settings });
    return chat.url.replace(number.uuid, body.connection.number.uuid);
  };
  const here = { origin: new URL(chat.url).origin };
  const users = await add({ key: 'users', identity_secret: SECRET, require_identity: true });
  t.strictSame(await refusal(chat.visitor({ url: users, ...here }).open()), [401, 'webchat_identity_required']);
  t.match(await chat.visitor({ url: users, ...here }).open(userOf('42')), { visitor: 'user:42' });
  const open = await add({ key: 'open' });
  t.strictSame(await refusal(chat.visitor({ url: open, ...here }).open(userOf('42'))), [401, 'webchat_no_identity']);
  const refused = await chat.admin('POST', '/connections', { type: 'webchat', settings: { require_identity: true } });
  t.match(refused, { status: 400, body: { errors: [{ cause: 'connection_refused' }] } });
  const unknown = chat.url.replace(number.uuid, '01890a5d-ac96-774b-bcce-b302099a8057');
  t.strictSame(await refusal(chat.visitor({ url: unknown, ...here }).open()), [404, 'webchat_not_found']);
});

t.test('limits of an address: streams, and new sessions', async (t) => {
  const few = await startChat(t, { options: { streamsPerAddress: 1, sessionsPerMinute: 2 } });
  const [ann, ben] = [few.visitor(), few.visitor()];
  await ann.open();
  await ann.open();
  await ben.open();
  t.strictSame(await refusal(few.visitor().open()), [429, 'rate_limited']);
  t.match(await ann.open(), { more: false }, 'who has a session continues it');
  await ann.listen();
  t.strictSame(await refusal(ben.listen()), [429, 'webchat_too_many_streams']);
  ann.cut();
  await ann.until(({ event }) => event === 'ended');
});

t.test('origins are exact, or all hosts below one', async (t) => {
  const below = 'https://*.shop.example';
  t.ok(isOrigin('https://shop.example', 'https://shop.example'));
  for (const other of ['http://shop.example', 'https://shop.example:444', 'https://shop.example.evil', 'https://a.shop.example', 'null'])
    t.notOk(isOrigin('https://shop.example', other), other);
  for (const one of ['https://a.shop.example', 'https://a.b.shop.example']) t.ok(isOrigin(below, one), one);
  for (const other of ['https://shop.example', 'https://.shop.example', 'https://evilshop.example', 'http://a.shop.example'])
    t.notOk(isOrigin(below, other), other);
  t.ok(isOrigin('http://*.shop.example:8080', 'http://a.shop.example:8080'));
});
