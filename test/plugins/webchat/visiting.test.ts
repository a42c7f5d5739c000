import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { sessions, uploads } from '../../../plugins/webchat/records.js';
import type { CallRefused, VisitorEvent } from '../../../plugins/webchat/testing/index.js';
import { flowTurn, publishedFlow } from '../form-turns.js';
import { SECRET, startChat, textTurn } from './chat-under-test.js';

const chat = await startChat(t);
const buttons = (...titles: string[]) => ({
  type: 'interactive',
  interactive: {
    type: 'button',
    header: { type: 'text', text: 'Loan' },
    body: { text: 'Renew *it*?' },
    footer: { text: 'Riverside' },
    action: { buttons: titles.map((title, i) => ({ type: 'reply', reply: { id: `b${i}`, title } })) },
  },
});
const isOut = ({ event, data }: VisitorEvent): boolean => event === 'message' && data.direction === 'out';
const refused = (work: Promise<unknown>): Promise<CallRefused> =>
  work.then(
    () => {
      throw new Error('the call was not refused');
    },
    (error) => error,
  );

t.test('a visitor writes, gets the reply in the stream, and finds the conversation after a reload', async (t) => {
  const ann = chat.visitor();
  const opened = await ann.open();
  t.match(opened, { visitor: /^web:[\w-]{22}$/, messages: [], cursor: '0', more: false });
  t.equal(await chat.platform.contacts.known(chat.number.uuid, opened.visitor), undefined, 'no contact before the first message');
  await ann.listen();
  const first = await ann.say('Hello *there*');
  t.match(first, { position: 1, direction: 'in', type: 'text', status: 'sent' });
  t.strictSame(first.text, { body: 'Hello *there*', spans: [{ type: 'text', text: 'Hello *there*' }] });
  await chat.send(opened.visitor, textTurn('Good **morning**'));
  const { data, id } = await ann.until(isOut);
  t.match(data, { position: 2, text: { body: 'Good **morning**', spans: [{ type: 'text' }, { type: 'strong' }] }, author: 'operator' });
  t.notMatch(JSON.stringify(ann.events), /Dana/, 'operators have no names');
  t.equal(id, ann.cursor);
  ann.cut();
  const reload = chat.visitor({ token: ann.token });
  const again = await reload.open();
  t.match(again, { visitor: opened.visitor, token: ann.token, cursor: id });
  t.strictSame(
    again.messages.map(({ position }: { position: number }) => position),
    [1, 2],
  );
});

t.test('a message that is posted again is stored once, and its id belongs to its visitor', async (t) => {
  const [ann, ben] = [chat.visitor(), chat.visitor()];
  await ann.open();
  await ben.open();
  const id = '0f9a2f6e-5a53-4b5e-9d3c-8a6c1a1b2c3d';
  const first = await ann.say('once', id);
  t.strictSame(await ann.say('once', id.toUpperCase()), first);
  await ann.poll();
  t.equal(ann.messages().length, 1);
  t.match(await refused(ben.say('mine', id)), { status: 409, reason: 'webchat_client_id_taken' });
});

t.test('a cut stream resumes after the last message: none is missed, none comes twice', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  await ann.say('Hello');
  await ann.listen();
  await ann.until(({ event }) => event === 'message');
  ann.cut();
  await ann.until(({ event }) => event === 'ended');
  for (let n = 1; n <= 70; n++) await chat.send(visitor, textTurn(`missed ${n}`));
  await ann.listen();
  await chat.send(visitor, textTurn('live'));
  await ann.until(({ data }) => data.text?.body === 'live');
  const positions = ann.events.filter(({ event }) => event === 'message').map(({ data }) => data.position);
  t.strictSame(
    positions,
    Array.from({ length: 72 }, (_, i) => i + 1),
  );
  ann.cut();
});

t.test('pages of history: the newest 30, those before a cursor, those after one', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  await ann.say('1');
  for (let n = 2; n <= 65; n++) await chat.send(visitor, textTurn(String(n)));
  const opened = await ann.open();
  t.match(opened, { more: true, messages: { length: 30 } });
  const cursorOfFirst = `${opened.cursor.split('.')[0]}.36`;
  const before = await ann.history(cursorOfFirst);
  t.match(before, { more: true, messages: { length: 30 }, cursor: /\.6$/ });
  const rest = await ann.history(before.cursor);
  t.strictSame([rest.more, rest.messages.map(({ text }: { text: { body: string } }) => text.body)], [false, ['1', '2', '3', '4', '5']]);
  const other = chat.visitor({ token: ann.token });
  await other.poll();
  t.equal(other.messages().length, 65, 'from the beginning, in pages');
  t.equal((await refused(ann.history('7'))).status, 400, 'not a cursor');
});

t.test('options: what is tapped is looked up, and marked as chosen', async (t) => {
  const [ann, ben] = [chat.visitor(), chat.visitor()];
  const { visitor } = await ann.open();
  await ben.open();
  await ann.say('Hello');
  const { uuid } = await chat.send(visitor, buttons('Yes', 'No'));
  await ann.poll();
  t.match(ann.messages().at(-1), {
    header: 'Loan',
    footer: 'Riverside',
    text: { body: 'Renew *it*?' },
    options: [
      { key: 0, id: 'b0', title: 'Yes' },
      { key: 1, id: 'b1', title: 'No' },
    ],
  });
  t.match(await refused(ann.tap(uuid, 2)), { status: 400, reason: 'webchat_option_unknown' });
  t.match(await refused(ben.tap(uuid, 1)), { status: 400, reason: 'webchat_option_unknown' }, 'a message to another visitor');
  t.match(await ann.tap(uuid, 1), { type: 'interactive', text: { body: 'No' } });
  const [reply] = await chat.platform.conversations.newest((await chat.platform.messages.get(uuid))!.conversation, 1);
  t.match(reply, {
    type: 'interactive',
    content: { interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'No' } } },
    context: { id: uuid },
  });
  const list = {
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Which?' },
      action: { button: 'Choose', sections: [{ title: 'A', rows: [{ id: 'a', title: 'One', description: 'first' }] }] },
    },
  };
  await chat.send(visitor, list);
  await ann.poll();
  t.match(ann.messages().at(-1), {
    list_button: 'Choose',
    options: [{ key: 0, id: 'a', title: 'One', description: 'first', section: 'A' }],
  });
  const reload = chat.visitor({ token: ann.token });
  await reload.open();
  t.equal(reload.messages()[1]!.chosen, 1);
});

t.test('statuses: sent when stored, delivered and read when the visitor says so; the other way, what operators have seen', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  const hello = await ann.say('Hello');
  await ann.listen();
  const sent = [await chat.send(visitor, textTurn('1')), await chat.send(visitor, textTurn('2'))];
  const statuses = async () =>
    Promise.all(sent.map(async ({ uuid }) => (await chat.platform.messages.get(uuid))!.statuses.map(({ status }) => status)));
  t.strictSame(await statuses(), [['sent'], ['sent']]);
  await ann.received(3);
  t.strictSame(await statuses(), [
    ['sent', 'delivered'],
    ['sent', 'delivered'],
  ]);
  await ann.seen(2);
  await ann.seen(2);
  t.strictSame(await statuses(), [
    ['sent', 'delivered', 'read'],
    ['sent', 'delivered'],
  ]);
  t.match(await ann.until(({ event, data }) => event === 'status' && data.status === 'read'), { data: { position: 2 } });
  await chat.platform.store.transaction((tx) => chat.platform.messages.markRead(tx, chat.number, hello.id, { isTyping: true }));
  t.match(await ann.until(({ event }) => event === 'seen'), { data: { position: 1 } });
  t.match(await ann.until(({ event }) => event === 'typing'), { data: { on: true } });
  await chat.clock.advance(25_000);
  await ann.until(({ event, data }) => event === 'typing' && !data.on);
  await ann.typing(true);
  t.match(chat.told('typing.contact').at(-1), { number: chat.number.uuid, on: true });
  ann.cut();
  const reload = chat.visitor({ token: ann.token });
  await reload.open();
  t.strictSame(
    reload.messages().map(({ status }) => status),
    ['read', 'read', 'delivered'],
  );
});

t.test('limits: 20 messages in a minute for a visitor, and a body within bounds', async (t) => {
  const ann = chat.visitor();
  await ann.open();
  await chat.clock.advance(60_000);
  for (let n = 1; n <= 20; n++) await ann.say(`${n}`);
  const more = await refused(ann.say('21'));
  t.match(more, { status: 429, reason: 'rate_limited' });
  t.ok(Number(more.retryAfter) >= 1 && Number(more.retryAfter) <= 60, String(more.retryAfter));
  await chat.clock.advance(60_000);
  await ann.say('in the next minute');
  t.equal((await refused(ann.say('x'.repeat(4_097)))).status, 400);
  t.equal((await ann.say('😀'.repeat(4_096))).text!.body.length, 8_192, 'characters, not units of UTF-16');
  t.equal((await refused(ann.say('x', 'not-a-uuid'))).status, 400);
  t.equal((await refused(chat.visitor({ token: 'unknown' }).say('x'))).status, 401);
});

t.test('limits of a user are those of one number', async (t) => {
  const settings = { key: 'branch', identity_secret: SECRET };
  const { body } = await chat.admin('POST', '/connections', { type: 'webchat', settings });
  const url = chat.url.replace(chat.number.uuid, body.connection.number.uuid);
  const user = { id: 'lim', hash: createHmac('sha256', SECRET).update('lim').digest('hex') };
  const [here, there] = [chat.visitor(), chat.visitor({ url, origin: undefined as never })];
  await here.open({ user });
  await there.open({ user });
  await chat.clock.advance(60_000);
  for (let n = 1; n <= 20; n++) await here.say(`${n}`);
  t.equal((await refused(here.say('21'))).status, 429);
  t.match(await there.say('the first'), { position: 1 });
});

t.test('an unknown or expired token gives a new session', async (t) => {
  const ann = chat.visitor({ token: 'unknown' });
  const renewed = await ann.open();
  t.match(renewed, { renewed: true, visitor: /^web:/ });
  t.not(renewed.token, 'unknown');
  const { store, ids } = chat.platform;
  const upload = { id: ids.uuid(), number: chat.number.uuid, visitor: renewed.visitor, expires_at: chat.clock.now().toISOString() };
  await store.transaction((tx) => tx.in(uploads).put(upload));
  await chat.clock.advance(31 * 24 * 60 * 60 * 1000);
  t.strictSame([await store.open(sessions).count(), await store.open(uploads).count()], [0, 0], 'what has expired is deleted');
  t.equal((await refused(ann.poll())).status, 401);
  t.match(await chat.visitor({ token: renewed.token }).open(), { renewed: true });
  t.equal(chat.log.lines.filter(({ level }) => level === 'error').length, 0);
});

t.test('a form has a link that its own contact sees, until the response arrives', async (t) => {
  const ann = chat.visitor();
  const { visitor } = await ann.open();
  await ann.say('hello');
  await ann.listen();
  const flow = await publishedFlow(chat);
  const { uuid } = await chat.send(visitor, flowTurn(flow));
  const { data } = await ann.until(({ event, data }) => event === 'message' && data.form !== undefined);
  t.match(data, { header: 'Library', text: { body: 'How was it?' }, footer: 'Thank you', form: { cta: 'Give feedback' } });
  const { href } = new URL(data.form.url, `${chat.url}/`);
  t.match(href, `${chat.server.info.uri}/flow-messages/${uuid}?token=`, 'relative: it works under each address of the platform');
  t.equal((await fetch(href, { headers: { accept: 'text/html' } })).status, 200);
  const response = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"response":{"rating":"good"}}' };
  t.equal((await fetch(href, response)).status, 200);
  t.equal((await fetch(href, response)).status, 410);
  const { data: reply } = await ann.until(({ event, data }) => event === 'message' && data.direction === 'in' && data.form !== undefined);
  t.match(reply, { form: {}, context: uuid, type: 'interactive', text: undefined });
  await ann.poll();
  t.strictSame((await chat.visitor({ token: ann.token }).open()).messages[1]!.form, { cta: 'Give feedback' }, 'it is closed');
  await t.rejects(chat.send(visitor, flowTurn('1')), { code: 'message_refused', message: /not one of this platform/ });
  ann.cut();
});

t.test('the platform stops within a second, with open streams', async (t) => {
  const ann = chat.visitor();
  await ann.open();
  await ann.listen();
  const begun = performance.now();
  await chat.server.stop();
  t.ok(performance.now() - begun < 1_500, `${performance.now() - begun} ms`);
  await sleep(0);
});
