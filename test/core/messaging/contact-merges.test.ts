import t from 'tap';
import { startPlatform } from '#core/testing';
import { contacts as contactRecords } from '../../../core/messaging/contact.js';
import { freshFolder } from '../adapters/store/folders.js';
import { BRAZIL, bodies, outbound, PHONE, startContacts, USER } from './contacts-under-test.js';

const DAY_MS = 24 * 60 * 60 * 1000;

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

t.test('a split gives an id back in all its spellings, with the messages that came under it', async (t) => {
  const { receive, all, contacts, history, within, number } = await startContacts(t);
  const phone = await receive(BRAZIL[1]);
  const account = await receive(USER);
  await within((tx) => contacts.merge(tx, number, { contact: phone.contact, into: account.contact }));
  await receive(BRAZIL[1]);
  await receive(BRAZIL[0]);
  await receive(USER);
  await within((tx) => contacts.renumber(tx, number, [USER], PHONE));
  await within((tx) => contacts.split(tx, number, phone.contact));
  const [ofPhone, ofAccount] = await all();
  t.strictSame(await contacts.idsOf(ofPhone!), [BRAZIL[1], BRAZIL[0]]);
  t.strictSame((await contacts.idsOf(ofAccount!)).sort(), [PHONE, USER]);
  t.strictSame(bodies(await history(ofPhone!)), ['message 1', 'message 3', 'message 4', 'note']);
  t.strictSame(bodies(await history(ofAccount!)), ['message 2', 'note', 'message 5', 'note']);
  for (const id of BRAZIL) t.equal((await receive(id)).contact, phone.contact);

  const doubles = await startContacts(t);
  await doubles.within(async (tx) => {
    for (const [i, id] of BRAZIL.entries()) {
      const created_at = new Date(Date.UTC(2025, 0, 1, 0, 0, i)).toISOString();
      tx.in(contactRecords).put({ uuid: id, number: doubles.number.uuid, id, address: id, fields: {}, created_at, updated_at: created_at });
    }
  });
  await doubles.within((tx) => doubles.contacts.merge(tx, doubles.number, { contact: BRAZIL[1], into: BRAZIL[0] }));
  await doubles.within((tx) => doubles.contacts.split(tx, doubles.number, BRAZIL[1]));
  for (const one of await doubles.all()) t.strictSame(await doubles.contacts.idsOf(one), [one.uuid], 'each spelling has its contact again');
});

t.test('an id that passed to a third person remains with that one after a split', async (t) => {
  const { receive, contacts, within, number } = await startContacts(t);
  const second = '16505550002';
  const ann = await receive(PHONE, { aliases: [USER] });
  const bob = await receive(second, { aliases: ['US.2'] });
  await within((tx) => contacts.merge(tx, number, { contact: bob.contact, into: ann.contact }));
  const stranger = await receive(second, { aliases: ['US.9'] });
  t.match(await within((tx) => contacts.split(tx, number, bob.contact)), { id: 'US.2', address: 'US.2', fields: { msgapp_id: 'US.2' } });
  t.equal((await receive(second)).contact, stranger.contact);
  t.equal((await receive('US.2')).contact, bob.contact);

  // The contact would have no id.
  const carl = await receive('16505550003');
  await within((tx) => contacts.merge(tx, number, { contact: carl.contact, into: ann.contact }));
  await receive('16505550003', { aliases: ['US.3'] });
  await t.rejects(
    within((tx) => contacts.split(tx, number, carl.contact)),
    { code: 'contact_without_id', status: 409 },
  );
});

t.test('merges in a circle at the same time, and a send and a message among them, leave one contact', async (t) => {
  const { receive, send, all, contacts, history, within, number } = await startContacts(t);
  for (const id of [PHONE, '16505550002', '16505550003']) await receive(id);
  const [a, b, c] = (await all()).map(({ uuid }) => uuid) as [string, string, string];
  const merges = [
    [a, b],
    [b, c],
    [c, a],
  ] as const;
  const results = await Promise.allSettled([
    ...merges.map(([contact, into]) => within((tx) => contacts.merge(tx, number, { contact, into }))),
    send(PHONE),
    receive('16505550003'),
  ]);
  t.strictSame(
    results.filter(({ status }) => status === 'rejected').map((result) => (result as PromiseRejectedResult).reason.code),
    ['contact_not_found'],
  );
  const [person, ...others] = await all();
  t.strictSame(others, []);
  t.strictSame(
    bodies(await history(person!))
      .filter((body) => body !== 'note')
      .sort(),
    ['hello', 'message 1', 'message 2', 'message 3', 'message 4'],
  );
});

t.test('contacts of a channel that share an address, as in a group, are merged and split without it', async (t) => {
  const { receive, contacts, history, within, number } = await startContacts(t, 'channel');
  const one = await receive('a', { from: 'room' });
  const other = await receive('b', { from: 'room' });
  await receive('a', { from: 'room', aliases: ['b'] });
  t.strictSame(await contacts.idsOf(await contacts.require(one.contact)), ['a', 'b']);
  await receive('b', { from: 'room' });
  await within((tx) => contacts.split(tx, number, other.contact));
  t.strictSame(bodies(await history(await contacts.require(one.contact))), ['message 1', 'note', 'message 3', 'note']);
  t.strictSame(bodies(await history(await contacts.require(other.contact))), ['message 2', 'message 4', 'note']);
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
