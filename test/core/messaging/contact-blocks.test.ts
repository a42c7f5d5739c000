import t from 'tap';
import { definePlugin, type Transaction } from '#core';
import { startPlatform, type Tap } from '#core/testing';
import { messages } from '../../../plugins/messages/plugin.js';
import { PHONE, startContacts, USER } from './contacts-under-test.js';

const author = { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' };
const turn = { type: 'text' as const, text: { body: 'hi' } };

/** A number whose driver accepts every message, with one contact, `ann`, who has written. */
async function startQuiet(t: Tap, unblocksOnMessage: boolean) {
  const quiet = definePlugin({
    name: 'quiet',
    version: '1.0.0',
    register: (context) => ({
      channels: [
        {
          type: 'quiet',
          unblocksOnMessage,
          deliver: (tx, { number, message }) => context.messages.accepted(tx, number, message.uuid, context.ids.uuid()),
        },
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [quiet(), messages()] });
  const { platform } = test;
  const { uuid, token } = await test.number('channel', { type: 'quiet' });
  const number = await platform.numbers.require(uuid);
  let count = 0;
  const write = () =>
    platform.store.transaction((tx) =>
      platform.messages.received(tx, number, {
        ...{ id: `in-${++count}`, contact: { id: 'ann' }, from: 'ann', timestamp: '1767600000' },
        ...{ type: 'text', content: { text: { body: 'hello' } } },
      }),
    );
  const ann = (await write()).message.contact;
  return {
    ...test,
    ...{ platform, token, write, ann },
    within: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => platform.store.transaction(work),
    block: (by: 'contact' | 'network' | 'operator', reason: string) =>
      platform.store.transaction((tx) => platform.contacts.block(tx, number, { uuid: ann }, { by, reason })),
    unblock: (by: 'contact' | 'network' | 'operator') =>
      platform.store.transaction((tx) => platform.contacts.unblock(tx, number, { uuid: ann }, by)),
    send: async () =>
      platform.store.transaction(async (tx) => platform.channels.send(tx, number, await platform.contacts.require(ann), { turn, author })),
    blocks: async () => Object.keys((await platform.contacts.require(ann)).blocked ?? {}),
    told: () => test.events.flatMap(({ name, data }) => (/blocked$/.test(name) ? [[name, (data as { by: string }).by]] : [])),
  };
}

t.test('a message to a blocked contact is refused before it is recorded, from every sender', async (t) => {
  const { block, unblock, send, call, admin, token, told, platform, ann } = await startQuiet(t, false);
  const conversation = (await admin('GET', '/conversations')).body.conversations[0].conversation;
  for (const [by, code, what] of [
    ['network', 131026, 'cannot be reached: the bot was blocked'],
    ['operator', 130403, 'was blocked by an operator: spam'],
    ['contact', 131050, 'has opted out of messages: STOP'],
  ] as const) {
    await block(by, what.split(': ')[1]!);
    const details = `ann ${what}`;
    await t.rejects(send(), { code: 'message_refused', error: { code, details } }, 'a journey or plugin');
    const posted = await call('POST', '/v1/messages', { token, payload: { to: 'ann', type: 'text', text: { body: 'hi' } } });
    t.match(posted, { status: 400, body: { errors: [{ code, details }] } }, 'the API');
    const desk = { operator: { id: 'desk', name: 'Desk' }, type: 'text', text: { body: 'hi' } };
    t.equal((await admin('POST', `/conversations/${conversation.uuid}/messages`, desk)).status, 400, 'the console');
  }
  t.match((await admin('GET', `/contacts/${ann}`)).body.contact.blocked, { contact: { reason: 'STOP', at: String } });
  t.equal((await platform.conversations.require(conversation.uuid)).length, 1, 'nothing was recorded');
  const why = (await admin('GET', `/why?contact=${ann}`)).body;
  const step = { name: 'contact', state: 'broken', summary: /131050: ann has opted out of messages: STOP/ };
  t.match(why.links[why.first], step, 'why no message goes out');

  await block('contact', 'STOP ALL');
  for (const by of ['contact', 'network', 'operator'] as const) await unblock(by);
  await unblock('operator');
  t.equal((await send()).to, 'ann');
  t.notOk('blocked' in (await platform.contacts.require(ann)));
  t.strictSame(told(), [
    ...['network', 'operator', 'contact'].map((by) => ['contact.blocked', by]),
    ...['contact', 'network', 'operator'].map((by) => ['contact.unblocked', by]),
  ]);
});

t.test(
  'a message of the contact lifts the block of the network, its own one if the driver says so, and never that of an operator',
  async (t) => {
    for (const [unblocksOnMessage, left] of [
      [true, ['operator']],
      [false, ['contact', 'operator']],
    ] as const) {
      const { block, blocks, write } = await startQuiet(t, unblocksOnMessage);
      for (const by of ['contact', 'network', 'operator'] as const) await block(by, 'because');
      await write();
      t.strictSame((await blocks()).sort(), left, `unblocksOnMessage: ${unblocksOnMessage}`);
    }
  },
);

t.test('a block of either contact remains after a merge, and a split gives each its own again', async (t) => {
  const { receive, all, contacts, number, within } = await startContacts(t);
  await receive(PHONE);
  await receive(USER);
  const [phone, user] = [await contacts.known(number.uuid, PHONE), await contacts.known(number.uuid, USER)];
  await within((tx) => contacts.block(tx, number, phone!, { by: 'operator', reason: 'spam' }));
  await within((tx) => contacts.block(tx, number, user!, { by: 'contact', reason: 'STOP' }));
  await within((tx) => contacts.block(tx, number, user!, { by: 'operator', reason: 'rude' }));
  await receive(PHONE, { aliases: [USER] });
  const [one, ...rest] = await all();
  t.strictSame(rest, []);
  t.match(one!.blocked, { operator: { reason: 'spam' }, contact: { reason: 'STOP' } });
  const merged = one!.uuid === phone!.uuid ? user! : phone!;
  await within((tx) => contacts.split(tx, number, merged.uuid));
  t.match((await contacts.require(phone!.uuid)).blocked, { operator: { reason: 'spam' }, contact: undefined });
  t.match((await contacts.require(user!.uuid)).blocked, { operator: { reason: 'rude' }, contact: { reason: 'STOP' } });
});

t.test('the field is_blocked of the profile blocks nothing: the interface defines no effect of it', async (t) => {
  const { send, within, platform, ann } = await startQuiet(t, false);
  await within(async (tx) => {
    const contact = await platform.contacts.require(ann);
    return platform.contacts.setFields(tx, await platform.numbers.require(contact.number), ann, { is_blocked: true });
  });
  t.equal((await send()).to, 'ann');
});
