import t from 'tap';
import type { ContactRecord, Inbound, MessageRecord, NumberRecord, Transaction } from '#core';
import { otherSpellings } from '#core/areas';
import { startPlatform, type Tap } from '#core/testing';
import { contacts as contactRecords } from '../../../core/messaging/contact.js';
import { freshFolder } from '../store/folders.js';

const PHONE = '16505550001';
const USER = 'US.13491208655302741918';
const BRAZIL = ['5511987654321', '551187654321'] as const;

const outbound = { type: 'text', content: { text: { body: 'hello' } }, author: { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' } };
const DAY_MS = 24 * 60 * 60 * 1000;

async function startContacts(t: Tap, kind: NumberRecord['kind'] = 'network', options = {}) {
  const test = await startPlatform(t, { plugins: [], ...options });
  const { store, numbers, messages, contacts, conversations } = test.platform;
  const number: NumberRecord = await store.transaction((tx) =>
    numbers.create(tx, { kind, type: kind === 'channel' ? 'any' : kind, address: '+27110000000', name: 'Library' }),
  );
  const within = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => store.transaction(work);
  let count = 0;
  const inbound = (id: string, about: Partial<Inbound> & { aliases?: readonly string[]; name?: string } = {}): Inbound => {
    const { aliases, name, ...rest } = about;
    const body = { text: { body: `message ${++count}` } };
    return { id: `in-${count}`, contact: { id, name, aliases }, from: id, timestamp: '1767600000', type: 'text', content: body, ...rest };
  };
  const receive = async (id: string, about: Parameters<typeof inbound>[1] = {}): Promise<MessageRecord> => {
    await test.clock.advance(1_000);
    return (await within((tx) => messages.received(tx, number, inbound(id, about)))).message;
  };
  const send = async (id: string): Promise<MessageRecord> => {
    await test.clock.advance(1_000);
    return within(async (tx) => {
      const contact = await contacts.findOrCreate(tx, number, { id, address: id });
      return (await messages.queued(tx, number, contact, outbound)).message;
    });
  };
  return {
    ...test,
    ...{ number, messages, contacts, conversations, within, receive, send },
    all: () => contacts.list(number.uuid),
    /** The messages with a contact, oldest first. */
    async history({ uuid }: ContactRecord): Promise<MessageRecord[]> {
      const conversation = await conversations.ofContact(number.uuid, uuid);
      return conversation ? (await conversations.newest(conversation.uuid, 1_000)).reverse() : [];
    },
    // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
    told: (name: string): any[] => test.events.filter((event) => event.name === name).map(({ data }) => data),
  };
}

const bodies = (history: readonly MessageRecord[]): string[] =>
  history.map(({ type, content }) => (type === 'system' ? 'note' : (content.text as { body: string }).body));

t.test('phone numbers of Brazil, Mexico and Argentina have further spellings, those of other countries and landlines have none', (t) => {
  const spellings: [string, ...string[]][] = [
    [...BRAZIL],
    ['551187654321', '5511987654321'],
    // A number with 9 that begins with 2 to 5 may be another subscriber than the landline without it.
    ['5511934567890'],
    ['551134567890'],
    ['5215512345678', '525512345678'],
    ['525512345678', '5215512345678'],
    ['5491123456789', '541123456789', '54111523456789'],
    ['541123456789', '5491123456789', '54111523456789'],
    ['54111523456789', '5491123456789', '541123456789'],
    ['5492614567890', '542614567890', '54261154567890', '54261415567890'],
    ['54261154567890', '5492614567890', '542614567890', '54261415567890'],
    ['542901155678901'],
    ['54290115567890', '5492901567890', '542901567890', '54290151567890'],
    // 15 are digits of the subscriber here.
    ['541115345678', '5491115345678', '54111515345678'],
    ['27820001001'],
    ['16505550001'],
    ['393401234567'],
  ];
  for (const [id, ...others] of spellings) t.strictSame(otherSpellings('network', id), others, id);
  for (const [id, ...others] of spellings)
    for (const other of others)
      if (!/^54\d*15/.test(other)) t.ok(otherSpellings('network', other).includes(id), `${other} is spelt ${id}, too`);
  t.strictSame(otherSpellings('channel', '27820001001'), ['+27820001001']);
  t.strictSame(otherSpellings('channel', '+27820001001'), ['27820001001']);
  t.strictSame(otherSpellings('channel', BRAZIL[0]), [`+${BRAZIL[0]}`]);
  for (const other of ['visitor-7', USER, '+1', '12']) t.strictSame(otherSpellings('channel', other), [], other);
  t.end();
});

t.test('a contact is found and written to under every id, and clients know it under the first', async (t) => {
  const { receive, send, all, contacts, number } = await startContacts(t);
  const first = await receive(BRAZIL[1], { name: 'Ana', aliases: [USER] });
  const further = [await receive(BRAZIL[0]), await receive(USER, { name: 'Ana' }), await send(BRAZIL[0])];
  const [ana, ...others] = await all();
  t.strictSame(others, []);
  for (const message of further) t.equal(message.conversation, first.conversation);
  t.strictSame(
    further.map(({ from, to, sender_id: id }) => [from, to, id]),
    [
      [BRAZIL[1], number.address, BRAZIL[0]],
      [BRAZIL[1], number.address, USER],
      [number.address, BRAZIL[1], undefined],
    ],
  );
  t.strictSame(await contacts.idsOf(ana!), [BRAZIL[1], USER, BRAZIL[0]]);
  for (const id of [...BRAZIL, USER, '+55 11 98765-4321']) t.equal((await contacts.find(number, id))?.uuid, ana!.uuid, id);
  t.equal((await contacts.known(number.uuid, USER))?.uuid, ana!.uuid);
});

t.test('a phone number becomes the id of a contact that was known by its account, and never the other way', async (t) => {
  const { receive, all, contacts, told } = await startContacts(t);
  await receive(USER, { name: 'Ann' });
  await receive(PHONE, { aliases: [USER] });
  await receive(USER);
  const [ann, ...others] = await all();
  t.strictSame(others, []);
  t.match(ann, { id: PHONE, address: PHONE, fields: { name: 'Ann', msgapp_id: PHONE } });
  t.strictSame(await contacts.idsOf(ann!), [PHONE, USER]);
  t.strictSame(told('contact.merged'), [], 'there was one contact only');
  t.ok(told('contact.changed').some(({ keys }) => keys.includes('msgapp_id')));
});

t.test('a message without a name keeps the name of its contact', async (t) => {
  const { receive, all } = await startContacts(t);
  await receive(PHONE, { name: 'Ann' });
  await receive(PHONE);
  t.match(await all(), [{ fields: { name: 'Ann' } }]);
});

t.test(
  'two contacts that turn out to be one are merged: one history in the order of time, all ids, fields, one event, one entry',
  async (t) => {
    const { receive, send, all, contacts, conversations, history, told, within, number } = await startContacts(t);
    await receive(PHONE, { name: 'Ann' });
    const [older] = await all();
    await within((tx) => contacts.setFields(tx, number, older!.uuid, { city: 'Paarl', language: 'eng', is_blocked: true }));
    await receive(USER, { name: 'Ann Lee' });
    const other = (await all()).find(({ id }) => id === USER)!;
    await within((tx) =>
      contacts.setFields(tx, number, other.uuid, { language: 'afr', branch: 'Main', opted_in: true, opted_in_at: '2026-01-01' }),
    );
    await send(PHONE);
    await receive(USER);
    const before = await conversations.ofContact(number.uuid, other.uuid);
    await receive(PHONE, { aliases: [USER] });

    const [ann, ...rest] = await all();
    t.strictSame(rest, []);
    t.equal(ann!.uuid, older!.uuid, 'the older contact remains');
    t.match(ann!.fields, {
      name: 'Ann Lee',
      city: 'Paarl',
      language: 'afr',
      branch: 'Main',
      is_blocked: true,
      opted_in: true,
      msgapp_id: PHONE,
    });
    t.strictSame(await contacts.idsOf(ann!), [PHONE, USER]);
    const messages = await history(ann!);
    t.strictSame(bodies(messages), ['message 1', 'message 2', 'hello', 'message 3', 'note', 'message 4']);
    t.strictSame(
      messages.map(({ position }) => position),
      [1, 2, 3, 4, 5, 6],
    );
    t.ok(messages.every(({ contact, conversation }) => contact === ann!.uuid && conversation === messages[0]!.conversation));
    t.ok(messages.filter(({ author }) => author.type === 'OWNER').every(({ author }) => author.id === ann!.uuid));
    t.match(messages[4], {
      direction: 'outbound',
      author: { type: 'SYSTEM' },
      content: { system: { body: new RegExp(`${USER}.*${PHONE}`) } },
    });
    t.match(await conversations.ofContact(number.uuid, ann!.uuid), { unread: 3, length: 6, state: 'OPEN' });
    t.match(told('contact.merged'), [{ contact: { uuid: ann!.uuid }, merged: { uuid: other.uuid, id: USER }, by: 'channel' }]);
    t.notOk('messages' in told('contact.merged')[0], 'the stream has no list of all messages');
    t.equal((await contacts.require(other.uuid)).uuid, ann!.uuid, 'its uuid leads to the contact that remains');
    t.equal((await conversations.require(before!.uuid)).contact, ann!.uuid);
  },
);

/** A generator of numbers below a maximum that depends on its seed only. */
function random(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

t.test('in whatever order the ids of a person arrive, and whichever is used to send, it is one person with one history', async (t) => {
  const { receive, send, all, contacts, history, within, number, conversations } = await startContacts(t);
  for (let seed = 0; seed < 40; seed++) {
    const next = random(seed);
    const digits = String(10_000_000 + seed);
    const spellings = [`55119${8}${digits.slice(1)}`, `5511${8}${digits.slice(1)}`];
    const [user, moved] = [`BR.${seed}0000`, `2782000${1_000 + seed}`];
    const any = <T>(list: readonly T[]): T => list[next(list.length)]!;
    const steps: (() => Promise<unknown>)[] = [
      () => receive(spellings[0]!),
      () => receive(spellings[1]!),
      () => receive(user),
      () => receive(any(spellings), { aliases: [user] }),
      () => receive(any(spellings), { aliases: [any(spellings)] }),
      () => send(any([...spellings, user])),
      () => send(moved),
      // The answer to a send, and a status, name both.
      async () => {
        const message = await send(any(spellings));
        await within((tx) => contacts.alias(tx, number, { uuid: message.contact }, [any(spellings), user]));
      },
      () => within((tx) => contacts.renumber(tx, number, [spellings[0]!], moved)),
      () => receive(moved),
    ];
    const order = Array.from({ length: 14 }, () => any(steps));
    // Messages that link the ids, anywhere among them.
    const links = [
      () => receive(spellings[0]!, { aliases: [user] }),
      () => within((tx) => contacts.renumber(tx, number, [spellings[0]!], moved)),
    ];
    const at = next(order.length);
    order.splice(at, 0, ...links);
    order.splice(next(at + 1), 0, () => receive(spellings[1]!));
    for (const step of order) await step();

    const own = new Set([...spellings, user, moved]);
    const people: ContactRecord[] = [];
    for (const contact of await all()) if ((await contacts.idsOf(contact)).some((id) => own.has(id))) people.push(contact);
    t.equal(people.length, 1, `seed ${seed}: ${people.map(({ id }) => id)}`);
    const messages = await history(people[0]!);
    t.strictSame(
      messages.map(({ position }) => position),
      messages.map((_, i) => i + 1),
      `seed ${seed}: positions`,
    );
    t.strictSame(
      messages.map(({ recorded_at }) => recorded_at),
      messages.map(({ recorded_at }) => recorded_at).sort(),
      `seed ${seed}: times`,
    );
    t.ok(
      messages.every(({ contact }) => contact === people[0]!.uuid),
      `seed ${seed}: one contact`,
    );
    const conversation = await conversations.ofContact(number.uuid, people[0]!.uuid);
    t.equal(conversation?.length, messages.length, `seed ${seed}: length`);
    for (const id of own) t.equal((await contacts.find(number, id))?.uuid, people[0]!.uuid, `seed ${seed}: ${id}`);
  }
});

t.test('simultaneous first messages under two ids are of one person as soon as one of them names both', async (t) => {
  const { within, messages, number, all, history } = await startContacts(t);
  const message = (id: string, contact: string, aliases: string[] = []): Inbound => ({
    ...{ id, contact: { id: contact, aliases }, from: contact, timestamp: '1767600000', type: 'text', content: { text: { body: id } } },
  });
  for (let round = 0; round < 5; round++) {
    const [phone, user] = [`1650555${1_000 + round}`, `US.${round}`];
    await Promise.all(
      [message(`a${round}`, phone), message(`b${round}`, user), message(`c${round}`, phone, [user]), message(`d${round}`, user)].map(
        (one) => within((tx) => messages.received(tx, number, one)),
      ),
    );
    const people = (await all()).filter(({ id }) => id === phone || id === user);
    t.equal(people.length, 1);
    t.strictSame(
      (await history(people[0]!))
        .filter(({ type }) => type === 'text')
        .map(({ external_id: id }) => id)
        .sort(),
      ['a', 'b', 'c', 'd'].map((one) => `${one}${round}`),
    );
  }
});

t.test('a phone number passes to another account: its messages are those of another person, and none are mixed', async (t) => {
  const { receive, send, all, contacts, number, told } = await startContacts(t);
  await receive(PHONE, { aliases: [USER], name: 'Ann' });
  const [ann] = await all();
  await receive(PHONE, { aliases: ['US.2'], name: 'Bob' });
  const bob = (await all()).find(({ uuid }) => uuid !== ann!.uuid)!;
  t.match(bob, { id: PHONE, fields: { name: 'Bob' } });
  t.match(await contacts.get(ann!.uuid), { id: USER, address: USER, fields: { name: 'Ann' } });
  t.equal((await send(PHONE)).contact, bob.uuid);
  t.equal((await receive(USER)).contact, ann!.uuid);
  // The network names both ids of the earlier owner in an old status.
  await contacts.list(number.uuid);
  t.strictSame(told('contact.merged'), []);
  t.match(told('advice'), [{ name: 'phone_number_passed_on', about: { contact: ann!.uuid } }]);
});

t.test('an old report about an id never takes it from another person', async (t) => {
  const { receive, all, contacts, within, number } = await startContacts(t);
  const first = await receive(PHONE, { aliases: [USER] });
  await receive(PHONE, { aliases: ['US.2'] });
  await within((tx) => contacts.alias(tx, number, { uuid: first.contact }, [PHONE, USER, 'US.2']));
  t.strictSame((await all()).map(({ id }) => id).sort(), [PHONE, USER]);
});

t.test('a contact keeps its former phone number; a stranger with another account who gets it is another person', async (t) => {
  const { receive, send, all, contacts, within, number } = await startContacts(t);
  const ann = await receive(PHONE, { aliases: [USER] });
  const moved = '16505550002';
  await within((tx) => contacts.renumber(tx, number, [PHONE], moved));
  t.match(await all(), [{ id: moved, address: moved, fields: { msgapp_id: moved } }]);
  const sent = await send(PHONE);
  t.strictSame([sent.to, sent.contact], [moved, ann.contact]);
  t.equal((await receive(moved, { aliases: [USER] })).contact, ann.contact);
  const stranger = await receive(PHONE, { aliases: ['US.9'] });
  t.not(stranger.contact, ann.contact);
  t.equal((await receive(moved)).contact, ann.contact);
  t.equal((await send(PHONE)).contact, stranger.contact);
});

t.test('on a channel ids are texts of the connector: a plus makes another person, and named aliases make one', async (t) => {
  const { receive, all } = await startContacts(t, 'channel');
  await receive('+27820001001');
  await receive('27820001001');
  t.equal((await all()).length, 2);
  await receive('web:abc', { from: 'web:abc' });
  await receive('user:7', { aliases: ['web:abc'], from: 'user:7' });
  t.strictSame(
    (await all()).map(({ id }) => id),
    ['+27820001001', '27820001001', 'web:abc'],
  );
});

t.test(
  'a status names its recipient by any id of the contact, with or without plus, also before the id of the message is known',
  async (t) => {
    const { receive, within, messages, contacts, number, all } = await startContacts(t, 'channel');
    await receive('visitor-7', { from: '+27820001001' });
    await receive('visitor-8', { from: '+27820001002' });
    const [seven] = await all();
    await within((tx) => contacts.alias(tx, number, seven!, ['device-7']));
    const report = (id: string, recipient: string, status: 'sent' | 'delivered' = 'sent', timestamp = '1') =>
      within((tx) => messages.status(tx, number, { id, recipient, status, timestamp }));
    const queue = () => within(async (tx) => (await messages.queued(tx, number, seven!, outbound)).message);
    const ids = ['+27820001001', '27820001001', 'visitor-7', 'device-7'];
    for (const [i, recipient] of ids.entries()) {
      const message = await queue();
      t.equal(await report(`out-${i}`, recipient), 'held', recipient);
      t.equal(await report(`out-${i}`, '27820001002'), 'unknown message', 'nothing is pending for the other contact');
      await within((tx) => messages.accepted(tx, number, message.uuid, `out-${i}`));
      t.match(await messages.get(message.uuid), { status: 'sent' }, recipient);
      t.equal(await report(`out-${i}`, recipient, 'delivered', '2'), 'recorded', recipient);
      for (const wrong of ['+27820001002', '27820001002', 'visitor-8', '27820009999'])
        t.equal(await report(`out-${i}`, wrong, 'delivered', '3'), 'other recipient', wrong);
    }
  },
);

t.test('a message that was read before the merge is sent to the contact that remains', async (t) => {
  const { receive, within, messages, contacts, number, all, told } = await startContacts(t);
  await receive(PHONE);
  await receive(USER);
  const stale = (await all()).find(({ id }) => id === USER)!;
  await receive(PHONE, { aliases: [USER] });
  const { contact } = await within((tx) => messages.queued(tx, number, stale, outbound));
  t.equal(contact.id, PHONE);
  t.equal((await within((tx) => contacts.setFields(tx, number, stale.uuid, { city: 'Paarl' }))).uuid, contact.uuid);
  t.equal(told('contact.merged').length, 1);
});

t.test('a split restores the contact with its ids, fields and messages, and with those that came under its ids since', async (t) => {
  const { receive, send, all, contacts, conversations, history, within, number, told } = await startContacts(t);
  await receive(PHONE, { name: 'Ann' });
  await receive(USER, { name: 'Bob' });
  const before = { ann: (await all()).find(({ id }) => id === PHONE)!, bob: (await all()).find(({ id }) => id === USER)! };
  const conversation = await conversations.ofContact(number.uuid, before.bob.uuid);
  await receive(PHONE, { aliases: [USER] });
  await receive(USER);
  await send(PHONE);
  const bob = await within((tx) => contacts.split(tx, number, before.bob.uuid));
  t.match(bob, { uuid: before.bob.uuid, id: USER, fields: { name: 'Bob' } });
  const ann = (await contacts.get(before.ann.uuid))!;
  t.match(ann, { id: PHONE, fields: { name: 'Ann' } });
  t.strictSame(await contacts.idsOf(ann), [PHONE]);
  t.strictSame(await contacts.idsOf(bob), [USER]);
  t.strictSame(bodies(await history(bob)), ['message 2', 'message 4', 'note']);
  t.strictSame(bodies(await history(ann)), ['message 1', 'note', 'message 3', 'hello', 'note']);
  t.match(await conversations.ofContact(number.uuid, bob.uuid), { uuid: conversation!.uuid, length: 3 });
  const [first] = await history(bob);
  t.equal((await conversations.ofContact(number.uuid, bob.uuid))!.last_outbound_at, undefined);
  t.equal((await conversations.ofContact(number.uuid, bob.uuid))!.first_inbound_at, first!.recorded_at);
  t.match(told('contact.split'), [{ contact: { uuid: ann.uuid }, split: { uuid: bob.uuid } }]);
  t.equal((await receive(USER)).contact, bob.uuid);
  t.equal((await receive(PHONE)).contact, ann.uuid);
  await t.rejects(
    within((tx) => contacts.split(tx, number, before.bob.uuid)),
    { code: 'merged_contact_not_found' },
  );
});

t.test('merges of merges are undone newest first', async (t) => {
  const { receive, all, contacts, history, within, number } = await startContacts(t);
  for (const id of [PHONE, '16505550002', '16505550003']) await receive(id);
  const [a, b, c] = await all();
  await within((tx) => contacts.merge(tx, number, { contact: c!.uuid, into: b!.uuid }));
  await within((tx) => contacts.merge(tx, number, { contact: b!.uuid, into: a!.uuid }));
  t.equal((await contacts.require(c!.uuid)).uuid, a!.uuid);
  await t.rejects(
    within((tx) => contacts.split(tx, number, c!.uuid)),
    { code: 'contact_merged', status: 409 },
  );
  await within((tx) => contacts.split(tx, number, b!.uuid));
  await within((tx) => contacts.split(tx, number, c!.uuid));
  t.strictSame(
    (await all()).map(({ id }) => id),
    [PHONE, '16505550002', '16505550003'],
  );
  for (const [i, contact] of [a, b, c].entries())
    t.strictSame(
      bodies(await history(contact!)).filter((body) => body !== 'note'),
      [`message ${i + 1}`],
    );
});

t.test('a merge can be undone for thirty days, or as long as the option says', async (t) => {
  for (const [options, days] of [
    [{}, 30],
    [{ mergesKeptDays: 2 }, 2],
  ] as const) {
    const { receive, all, contacts, within, number, clock, platform } = await startContacts(t, 'network', options);
    await receive(PHONE);
    await receive(USER);
    const other = (await all()).find(({ id }) => id === USER)!;
    await receive(PHONE, { aliases: [USER] });
    await clock.advance(days * DAY_MS - 1_000);
    t.match(await contacts.identityOf((await all())[0]!), { ids: [PHONE, USER], merges: [{ contact: other.uuid, id: USER }] });
    await clock.advance(2_000);
    await t.rejects(
      within((tx) => contacts.split(tx, number, other.uuid)),
      { code: 'merged_contact_not_found' },
    );
    t.equal(await platform.contacts.get(other.uuid), undefined);
  }
});

t.test('contacts of earlier releases that are doubles are listed as advice once, and never merged by themselves', async (t) => {
  const folder = freshFolder(t);
  const pairs = [[...BRAZIL], ['5215512345678', '525512345678'], ['5491123456789', '54111523456789']];
  const first = await startContacts(t, 'network', { dataDir: folder });
  await first.within(async (tx) => {
    const number = first.number.uuid;
    for (const [i, id] of [...pairs.flat(), '5511900000001', PHONE, '27820001001'].entries()) {
      const created_at = new Date(Date.UTC(2025, 0, 1, 0, 0, i)).toISOString();
      tx.in(contactRecords).put({ uuid: `contact-${i}`, number, id, address: id, fields: {}, created_at, updated_at: created_at });
    }
  });
  await first.server.stop();
  const starts = [1, 2].map(() => async () => {
    const { platform, events, clock, server, admin } = await startPlatform(t, { plugins: [], dataDir: folder });
    await clock.advance(0);
    const told = events.filter(({ name }) => name === 'advice').map(({ data }) => data);
    const { body } = await admin('GET', '/advice');
    t.equal((await platform.contacts.list(first.number.uuid)).length, 9);
    await server.stop();
    return { told, kept: body.advice };
  });
  const { told, kept } = await starts[0]!();
  t.match(told, [
    {
      name: 'contacts_doubled',
      message: /^3 pairs .*5215512345678 and 525512345678.*5491123456789 and 54111523456789.*5511987654321 and 551187654321/,
      fix: /npx posthorn contacts merge 525512345678 5215512345678/,
      about: { contact: 'contact-2', other_contact: 'contact-3' },
    },
  ]);
  t.match(kept, [{ name: 'contacts_doubled' }]);
  t.strictSame((await starts[1]!()).told, [], 'once');
});

t.test('a long history is merged completely, with its chunks', async (t) => {
  const { receive, all, history, within, number, contacts } = await startContacts(t);
  for (const id of [PHONE, USER]) for (let i = 0; i < 260; i++) await receive(id);
  const long = 'x'.repeat(10_000);
  await receive(USER, { content: { text: { body: long } } });
  const [ann, other] = await all();
  await within((tx) => contacts.merge(tx, number, { contact: other!.uuid, into: ann!.uuid }));
  const messages = await history(ann!);
  t.equal(messages.length, 522);
  t.equal((messages.at(-2)!.content.text as { body: string }).body, long);
  await within((tx) => contacts.split(tx, number, other!.uuid));
  t.equal((await history(other!)).length, 262);
});
