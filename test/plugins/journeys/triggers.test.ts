import t from 'tap';
import { ManualClock } from '#core/testing';
import { quoted } from '../../../plugins/journeys/explaining/triggers.js';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

const says = (text: string): Draft => ({
  texts: { text },
  blocks: [{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } }],
});
const asks = (text: string): Draft => ({
  texts: { text },
  blocks: [{ name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'text' } }],
});

/** A channel, and a function that publishes journeys with triggers. */
async function start(t: import('#core/testing').Tap, clock = new ManualClock()) {
  const channel = await startChannel(t, { ports: { clock } });
  const put = async (draft: Draft, triggers: readonly object[]) => {
    const uuid = await channel.publish(draft);
    const { body } = await channel.admin('GET', `/journeys/${uuid}`);
    const { number, name } = body.journey;
    const answer = await channel.admin('PUT', `/journeys/${uuid}`, { number, name, definition: body.definition, triggers });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    await channel.admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
    return uuid;
  };
  return { ...channel, put };
}

t.test('triggers apply in the order of journeys, and a catch-all only when no other matches, however old it is', async (t) => {
  const { put, say, received } = await start(t);
  await put(says('caught'), [{ on: 'catch_all' }]);
  await put(says('hours'), [{ on: 'message', words: ['hours', 'open'] }]);
  await put(says('caught, but younger'), [{ on: 'catch_all' }]);
  for (const text of ['Hours', 'what?', ' open ']) await say(text);
  t.strictSame(received(), ['hours', 'caught', 'hours']);
});

t.test('a keyword starts its journey as phones write it', async (t) => {
  const { put, say, received } = await start(t);
  await put(says('caught'), [{ on: 'catch_all' }]);
  await put(says('menu'), [{ on: 'message', words: ['menu', "what's new", '👍', '?'] }]);
  await put(says('order'), [{ on: 'message', when: "has_only_phrase(event.message.text.body, 'order')" }]);
  const typed = ['menu ', ' Menu.', '*menu*', '“MENU”!', 'menu\u00a0', 'ｍｅｎｕ', 'me\u200bnu', 'What’s  new?', '👍🏽', '?'];
  for (const text of [...typed, 'order ', ' ORDER', 'menus', 'the menu', '!']) await say(text);
  t.strictSame(received(), [...typed.map(() => 'menu'), 'order', 'order', 'caught', 'caught', 'caught']);
});

t.test('a journey gets a message with its further parts once, and no quiet message', async (t) => {
  const { put, received, platform, uuid: number, settle, admin } = await start(t);
  await put(says('got @event.message.parts[0].document.filename and @event.message.parts[1].document.filename'), [{ on: 'message' }]);
  const file = (n: number) => {
    const document = { id: `m${n}`, link: `media:m${n}`, mime_type: 'application/pdf', filename: `${n}.pdf` };
    return { id: `mail-1#${n}`, type: 'document', content: { document } };
  };
  const record = (await platform.numbers.get(number))!;
  const mail = { contact: { id: CONTACT }, from: CONTACT, timestamp: '1767600000', type: 'text', content: { text: { body: 'my files' } } };
  const receive = (about: object) =>
    platform.store.transaction((tx) => platform.messages.received(tx, record, { ...mail, id: 'mail-1', ...about }));
  const { message } = await receive({ parts: [file(2), file(3)] });
  await settle();
  t.strictSame(received(), ['got 2.pdf and 3.pdf']);
  const { message: robot } = await receive({ id: 'robot-1', quiet: 'a program has written it' });
  await settle();
  t.strictSame(received(), ['got 2.pdf and 3.pdf']);
  const whyOf = async (uuid: string) => (await admin('GET', `/why?message=${uuid}`)).body.links;
  for (const [uuid, why] of [
    [robot.uuid, 'No journey answers it: a program has written it.'],
    [message.parts![0]!, 'No journey answers it: it is a further part of the message mail-1.'],
  ] as const)
    t.ok(
      (await whyOf(uuid)).some((link: { state: string; summary: string }) => link.state === 'skipped' && link.summary === why),
      why,
    );
});

t.test('an explanation shows the spaces of a message', async (t) => {
  t.equal(quoted('menu'), "'menu'");
  t.equal(quoted(' the  menu '), "'␣the␣␣menu␣'");
  t.equal(quoted('me\u200bnu\u00a0\nor\tnot'), "'me‹U+200B›nu‹U+00A0›↵or‹U+0009›not'");
  t.equal(quoted('👨‍👩‍👧 café'), "'👨‹U+200D›👩‹U+200D›👧 café'");
});

t.test('the trigger first_message matches the first message that a contact ever sends', async (t) => {
  const { put, say, received, send, settle } = await start(t);
  await put(says('welcome'), [{ on: 'first_message' }]);
  await put(says('again'), [{ on: 'message' }]);
  await say('hi');
  await say('hi');
  await send();
  await settle();
  await say('hi');
  t.strictSame(received(), ['welcome', 'again', 'hello', 'again']);
  await say('hi', { from: '+27820009999' });
  t.equal(received().at(-1), 'welcome', 'another contact has a first message too');
});

t.test('a message is the first one also if time passes while it is recorded', async (t) => {
  class EachReadIsLater extends ManualClock {
    #reads = 0;

    override now(): Date {
      return new Date(super.now().getTime() + this.#reads++);
    }
  }
  const { put, say, received } = await start(t, new EachReadIsLater());
  await put(says('welcome'), [{ on: 'first_message' }]);
  await say('hi');
  t.strictSame(received(), ['welcome']);
});

t.test('of two messages at the same time only one is the first', async (t) => {
  const { put, post, received, settle } = await start(t);
  const { inboundText } = await import('../channels/channel-under-test.js');
  await put(says('welcome'), [{ on: 'first_message' }]);
  await put(says('again'), [{ on: 'message' }]);
  await Promise.all([post(inboundText('a', { id: 'm1' })), post(inboundText('b', { id: 'm2' }))]);
  await settle();
  t.strictSame(received().sort(), ['again', 'welcome']);
});

t.test('a journey without triggers starts by the admin API, once the contact has written and while no session waits', async (t) => {
  const { put, say, received, admin, platform, uuid, settle } = await start(t);
  const journey = await put(asks('How was it?'), []);
  await say('hi');
  t.strictSame(received(), [], 'no message starts it');
  const contact = (await platform.contacts.list(uuid)).find(({ id }) => id === CONTACT)!;
  t.match(await admin('POST', `/journeys/${journey}/start`, { contact: contact.uuid }), {
    status: 202,
    body: { journey, contact: contact.uuid },
  });
  await settle();
  t.strictSame(received(), ['How was it?']);
  t.match(await admin('POST', `/journeys/${journey}/start`, { contact: contact.uuid }), {
    status: 409,
    body: { errors: [{ details: /waits for this contact/ }] },
  });
  await say('good');
  t.equal((await admin('POST', `/journeys/${journey}/start`, { contact: platform.ids.uuid() })).status, 404);
  t.equal((await admin('POST', `/journeys/${platform.ids.uuid()}/start`, { contact: contact.uuid })).status, 404);
  await admin('POST', `/journeys/${journey}/disable`);
  t.match(await admin('POST', `/journeys/${journey}/start`, { contact: contact.uuid }), {
    status: 409,
    body: { errors: [{ details: /disabled/ }] },
  });
  await admin('POST', `/journeys/${journey}/enable`);
  await admin('DELETE', `/journeys/${journey}`);
  t.match(await admin('POST', `/journeys/${journey}/start`, { contact: contact.uuid }), {
    status: 409,
    body: { errors: [{ details: /deleted/ }] },
  });
});
