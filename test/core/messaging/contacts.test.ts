import t from 'tap';
import type { ContactRecord, Inbound } from '#core';
import { otherSpellings } from '#core/messaging';
import { BRAZIL, bodies, outbound, PHONE, startContacts, USER } from './contacts-under-test.js';

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

t.test('phone numbers that pass from one person to the next keep each history with its person', async (t) => {
  const [first, second, third] = ['16505550010', '16505550011', '16505550012'];
  const ann = { phone: first, account: 'US.1' };
  const bob = { phone: second, account: 'US.2' };
  for (const [bobs, hasAccounts, isEarly] of [
    [third, false, false],
    [third, true, false],
    [third, true, true],
    // They swap.
    [first, true, false],
    [first, true, true],
  ] as const) {
    const name = JSON.stringify({ bobs, hasAccounts, isEarly });
    const { receive, all, contacts, history, within, number, told } = await startContacts(t);
    const accountOf = ({ account }: typeof ann) => (hasAccounts ? [account] : []);
    const changes = (who: typeof ann, to: string) => within((tx) => contacts.renumber(tx, number, [who.phone, ...accountOf(who)], to));
    await receive(bob.phone, { aliases: accountOf(bob) });
    await receive(ann.phone, { aliases: accountOf(ann) });
    // A message under the new number overtakes what the network says about it.
    if (isEarly) await receive(second, { aliases: accountOf(ann) });
    await changes(bob, bobs);
    await changes(ann, second);
    await receive(second, { aliases: accountOf(ann) });
    await receive(bobs, { aliases: accountOf(bob) });
    t.strictSame((await all()).map(({ id }) => id).sort(), [second, bobs].sort(), name);
    t.strictSame(told('contact.merged'), [], name);
    const [ofAnn, ofBob] = [await contacts.find(number, second), await contacts.find(number, bobs)];
    const count = isEarly ? 5 : 4;
    const expected = [
      ['message 2', ...(isEarly ? ['message 3'] : []), `message ${count - 1}`],
      ['message 1', `message ${count}`],
    ];
    t.strictSame([bodies(await history(ofAnn!)), bodies(await history(ofBob!))], expected, name);
  }
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
