import t from 'tap';
import type { MessageRecord } from '#core';
import type { Tap } from '#core/testing';
import { adviseDoubles } from '../../../plugins/cloud-api/numbers/doubles.js';
import { contactAliases } from '../../../plugins/cloud-api/records.js';
import { containerOf, type Draft } from '../journeys/engine/journey-under-test.js';
import { asks } from '../journeys/short-journeys.js';
import { PHONE_ID, startCloud, WABA } from './cloud-under-test.js';

const text = (body = 'hello') => ({ type: 'text', text: { body } });
const BRAZIL = ['5511987654321', '551187654321'] as const;
const MEXICO = ['5215512345678', '525512345678'] as const;
const ARGENTINA = ['5491123456789', '541123456789', '54111523456789'] as const;
const PHONE = '16505550001';
/** The user id of that phone in the stand-in, which is its first contact. */
const USER = 'US.1349000000000001';

interface Who {
  readonly from?: string;
  readonly user?: string;
  /** The contacts beside the message; one with the ids of the sender if not given. */
  readonly contacts?: readonly object[];
  readonly more?: object;
}

/** A number without messages, whose network is written by the test. */
async function startPeople(t: Tap, options: Parameters<typeof startCloud>[1] = {}) {
  const test = await startCloud(t, { opens: false, ...options, cloud: { closedWindow: 'send', ...options.cloud } });
  const { standIn, platform, uuid, settle, admin } = test;
  // Its statuses would name user ids of its own.
  standIn.change({ statuses: 'manual', closedWindow: 'open' });
  standIn.contact(PHONE);
  let count = 0;
  const emit = async (value: object): Promise<void> => {
    const metadata = { display_phone_number: '15550783881', phone_number_id: PHONE_ID };
    await standIn.emit({
      wabaId: WABA,
      phoneNumberId: PHONE_ID,
      field: 'messages',
      value: { messaging_product: 'whatsapp', metadata, ...value },
    });
    await settle(1_000);
  };
  const arrive = async ({ from, user, contacts, more }: Who, body = `message ${++count}`): Promise<MessageRecord> => {
    const ids = { ...(from && { wa_id: from }), ...(user && { user_id: user }) };
    const id = `wamid.IN${++count}`;
    const message = { ...(from && { from }), ...(user && { from_user_id: user }), id, timestamp: '1767600000', ...text(body), ...more };
    await emit({ contacts: contacts ?? [{ profile: { name: 'Ann' }, ...ids }], messages: [message] });
    return (await platform.messages.known(uuid, 'inbound', id))!;
  };
  return {
    ...test,
    ...{ emit, arrive },
    to: async (to: string, body = 'hello') => {
      const { status, body: answer } = await test.send({ ...text(body), to });
      await settle(300);
      return { status, message: (await platform.messages.known(uuid, 'outbound', answer.messages?.[0].id))! };
    },
    people: () => platform.contacts.list(uuid),
    said: (): string[] => standIn.sent.map(({ body }) => body.text.body),
    async publish(draft: Draft): Promise<void> {
      const journey = platform.ids.uuid();
      const put = { number: uuid, name: 'Asks', definition: containerOf(draft), triggers: [{ on: 'message' }] };
      await admin('PUT', `/journeys/${journey}`, put);
      const { status, body } = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
  };
}

t.test('a user id first and the phone number later, or the other way round, is one person, and the journey gets the answer', async (t) => {
  for (const [first, second] of [
    [{ user: USER }, { user: USER, from: PHONE }],
    [{ user: USER, from: PHONE }, { user: USER }],
    [{ user: USER, from: PHONE }, { from: PHONE }],
    [{ from: PHONE }, { user: USER, from: PHONE }],
    [{ from: BRAZIL[0] }, { user: USER, from: BRAZIL[1] }],
    [{ from: MEXICO[1], user: USER }, { from: MEXICO[0] }],
    [{ from: ARGENTINA[0] }, { from: ARGENTINA[1] }],
  ] satisfies [Who, Who][]) {
    const { publish, arrive, said, people } = await startPeople(t);
    await publish(asks);
    await arrive(first, 'hi');
    await arrive(second, 'Ann');
    t.strictSame(said(), ['What is your name?', 'Where do you live, Ann?'], JSON.stringify([first, second]));
    t.equal((await people()).length, 1, JSON.stringify([first, second]));
  }
});

t.test('a send to another spelling reaches the person who wrote, and the waiting journey gets the answer', async (t) => {
  for (const [network, client] of [
    [BRAZIL[1], BRAZIL[0]],
    [BRAZIL[0], BRAZIL[1]],
    [MEXICO[0], MEXICO[1]],
    [ARGENTINA[0], ARGENTINA[1]],
    [ARGENTINA[0], ARGENTINA[2]],
  ] as const) {
    const { publish, arrive, to, said, people, standIn } = await startPeople(t);
    await publish(asks);
    await arrive({ from: network }, 'hi');
    const { message } = await to(`+${client}`, 'Your parcel is here');
    t.equal(message.to, network);
    t.equal(standIn.sent.at(-1)!.body.to, network, 'in the spelling of the network');
    await arrive({ from: network }, 'Ann');
    t.equal(said().at(-1), 'Where do you live, Ann?', client);
    t.equal((await people()).length, 1);
  }
});

t.test('the answer to a send names the id of the network: a person that it knows already is the same, with one history', async (t) => {
  const { standIn, arrive, to, people, platform, uuid, told } = await startPeople(t);
  // A country whose spellings are not known here.
  const [network, client] = ['22990011223', '2290190011223'];
  standIn.contact(client, { waId: network });
  const first = await arrive({ from: network }, 'hi');
  const { message } = await to(client);
  const [person, ...others] = await people();
  t.strictSame(others, []);
  t.strictSame(await platform.contacts.idsOf(person!), [network, client]);
  t.equal((await platform.messages.get(message.uuid))!.conversation, first.conversation);
  t.match(told('contact.merged'), [{ by: 'channel' }]);
  t.equal((await to(client)).message.contact, person!.uuid);
  t.equal((await platform.messages.known(uuid, 'inbound', first.external_id!))!.contact, person!.uuid);
});

t.test('an answer about another recipient than that of the message teaches nothing', async (t) => {
  const { standIn, arrive, to, people } = await startPeople(t);
  await arrive({ from: PHONE });
  const answer = { messaging_product: 'whatsapp', messages: [{ id: 'wamid.X' }] };
  for (const contacts of [
    [{ input: PHONE, wa_id: PHONE }],
    [
      { input: '16505550002', wa_id: PHONE },
      { input: '1', wa_id: '1' },
    ],
  ]) {
    standIn.rule({ on: { path: '/*/messages' }, times: 1, respond: { status: 200, body: JSON.stringify({ ...answer, contacts }) } });
    await to('16505550002');
  }
  t.strictSame(
    (await people()).map(({ id }) => id),
    [PHONE, '16505550002'],
  );
});

t.test('a person who hides the phone number is known to be the recipient of a message by its status', async (t) => {
  const { standIn, settle, publish, arrive, to, people, said, emit } = await startPeople(t);
  await publish(asks);
  await arrive({ user: USER }, 'hi');
  const { status } = await to(PHONE, 'Your parcel is here');
  t.equal(status, 200);
  await emit({
    statuses: [{ id: standIn.sent.at(-1)!.id, status: 'delivered', timestamp: '1767600001', recipient_id: PHONE, recipient_user_id: USER }],
  });
  await settle();
  t.strictSame(
    (await people()).map(({ id }) => id),
    [PHONE],
  );
  await arrive({ user: USER }, 'Ann');
  t.equal(said().at(-1), 'Where do you live, Ann?');
});

t.test('a contact entry of another person is not believed, and neither are a group and a recipient who is another person', async (t) => {
  const { arrive, to, people, standIn, emit, platform } = await startPeople(t);
  const bob = { profile: { name: 'Bob' }, wa_id: '16505550099', user_id: 'US.99' };
  const entries: [Who, string?][] = [
    [{ from: PHONE, user: USER, contacts: [bob] }],
    [{ from: PHONE, contacts: [bob] }],
    [{ user: USER, contacts: [bob] }],
    // One id of the sender, and one of another person.
    [{ from: PHONE, user: USER, contacts: [{ ...bob, wa_id: PHONE }] }],
    [{ from: PHONE, user: USER, contacts: [{ ...bob, user_id: USER }] }],
    [{ from: PHONE, contacts: [{ profile: { name: 'Bob' }, user_id: 'US.99' }] }],
    [{ from: PHONE, contacts: [] }],
  ];
  for (const [who] of entries) await arrive(who);
  const [ann, ...others] = await people();
  t.strictSame(others, []);
  t.strictSame(await platform.contacts.idsOf(ann!), [PHONE, USER]);
  t.equal(ann!.fields.name, null, 'nor is the name');
  t.not((await arrive({ from: '16505550099', user: 'US.99', contacts: [bob] })).contact, ann!.uuid);

  await to(PHONE);
  const about = { id: standIn.sent.at(-1)!.id, timestamp: '1767600001' };
  await emit({ statuses: [{ ...about, status: 'sent', recipient_id: '16505550099' }] });
  await emit({
    statuses: [{ ...about, status: 'delivered', recipient_id: '120363043968066561', recipient_type: 'group', recipient_user_id: 'US.7' }],
  });
  t.strictSame(await platform.contacts.idsOf((await people())[0]!), [PHONE, USER]);
  t.equal((await people()).length, 2);
});

t.test('a message without any id of its sender has those of the only contact beside it', async (t) => {
  const { arrive, people } = await startPeople(t);
  await arrive({ contacts: [{ profile: { name: 'Ann' }, wa_id: PHONE, user_id: USER }] });
  t.match(await people(), [{ id: PHONE, fields: { name: 'Ann' } }]);
});

t.test('a changed phone number keeps person, journey and history; sends to the former number reach the new one', async (t) => {
  for (const system of [
    { type: 'user_changed_number', wa_id: '16505550002', body: 'Ann changed' },
    { type: 'user_changed_number', new_wa_id: '16505550002', body: 'Ann changed' },
  ]) {
    const { publish, arrive, to, said, people, standIn, listen, received, platform } = await startPeople(t);
    await publish(asks);
    await listen(['msgapp']);
    await arrive({ from: PHONE, user: USER }, 'hi');
    await arrive({ from: PHONE, user: USER, contacts: [], more: { type: 'system', text: undefined, system } });
    t.match(received().at(-1)!.json.messages, [{ from: PHONE, system: { body: 'Ann changed', new_wa_id: '16505550002' } }]);
    await arrive({ from: '16505550002', user: USER }, 'Ann');
    t.equal(said().at(-1), 'Where do you live, Ann?');
    const [ann, ...others] = await people();
    t.strictSame(others, []);
    t.strictSame(await platform.contacts.idsOf(ann!), ['16505550002', USER, PHONE]);
    await to(PHONE);
    t.equal(standIn.sent.at(-1)!.body.to, '16505550002');
  }
});

t.test(
  'a number that changed before its message arrived is one person, and a stranger who gets the former number is another',
  async (t) => {
    const { arrive, people, platform } = await startPeople(t);
    const first = await arrive({ from: PHONE, user: USER });
    await arrive({ from: '16505550002' });
    const system = { type: 'user_changed_number', wa_id: '16505550002', user_id: 'US.2', body: 'Ann changed' };
    await arrive({ from: PHONE, contacts: [], more: { type: 'system', text: undefined, system } });
    t.equal((await people()).length, 1);
    const [ann] = await people();
    t.equal(ann!.uuid, first.contact);
    t.strictSame((await platform.contacts.idsOf(ann!)).sort(), [PHONE, '16505550002', USER, 'US.2'].sort());
    t.not((await arrive({ from: PHONE, user: 'US.77' })).contact, ann!.uuid);
    t.equal((await arrive({ from: '16505550002', user: 'US.2' })).contact, ann!.uuid);
  },
);

t.test('a change of a phone number that another person has already is of the person whose account it names', async (t) => {
  const { arrive, people, platform } = await startPeople(t);
  const ann = await arrive({ from: PHONE, user: USER });
  const bob = await arrive({ from: PHONE, user: 'US.77' });
  const system = { type: 'user_changed_number', wa_id: '16505550002', body: 'Ann changed' };
  const change = await arrive({ from: PHONE, user: USER, contacts: [], more: { type: 'system', text: undefined, system } });
  t.equal(change.contact, ann.contact);
  const ids: Record<string, string[]> = {};
  for (const person of await people()) ids[person.uuid] = await platform.contacts.idsOf(person);
  t.strictSame(ids, { [ann.contact]: ['16505550002', USER], [bob.contact]: [PHONE, 'US.77'] });
});

t.test('messages of a group keep its id for webhooks, journeys and people', async (t) => {
  const { arrive, listen, received, admin } = await startPeople(t);
  await listen(['msgapp']);
  const message = await arrive({ from: PHONE, more: { group_id: '120363043968066561' } }, 'hello all');
  t.equal(message.group_id, '120363043968066561');
  t.match(received().at(-1)!.json.messages, [{ from: PHONE, group_id: '120363043968066561', text: { body: 'hello all' } }]);
  t.match((await admin('GET', `/messages/${message.uuid}`)).body.message, { group_id: '120363043968066561' });
  t.notOk('group_id' in (await arrive({ from: PHONE })));
});

t.test('aliases that an earlier release stored lead to the contact', async (t) => {
  const { arrive, people, platform, uuid } = await startPeople(t);
  const first = await arrive({ from: '5511900000001' });
  await platform.store.transaction((tx) => tx.in(contactAliases).put({ key: `${uuid}/US.5`, number: uuid, contact: '5511900000001' }));
  t.equal((await arrive({ user: 'US.5' })).contact, first.contact);
  t.equal((await people()).length, 1);
  t.strictSame(await platform.contacts.idsOf((await people())[0]!), ['5511900000001', 'US.5']);
});

t.test('an alias of an earlier release that another contact has as its id is listed as advice', async (t) => {
  const { arrive, people, platform, clock, uuid, told } = await startPeople(t);
  for (const from of ['5511900000001', '5511900000002']) await arrive({ from });
  const [holder, other] = await people();
  await platform.store.transaction((tx) => tx.in(contactAliases).put({ key: `${uuid}/${other!.id}`, number: uuid, contact: holder!.id }));
  await adviseDoubles({ ...platform, clock } as never);
  t.match(told('advice'), [{ name: 'contacts_doubled', about: { contact: holder!.uuid, other_contact: other!.uuid } }]);
  t.equal((await arrive({ from: other!.id })).contact, other!.uuid, 'nothing is merged');
});

t.test('pending sends keep their order when two conversations become one, and count for one contact', async (t) => {
  const { standIn, arrive, to, said, settle, send, people } = await startPeople(t, {
    cloud: { pairBurst: 1, pairSeconds: 60, maxWaitSeconds: 3_600 },
  });
  await arrive({ from: PHONE });
  await arrive({ user: USER });
  const rule = standIn.rule({ on: { path: '/*/messages' }, holdMs: 5_000 });
  const bodies = ['one', 'two', 'three', 'four'];
  for (const [i, body] of bodies.entries()) await send({ ...text(body), to: i % 2 === 0 ? PHONE : USER });
  await settle(100);
  standIn.rules.remove(rule.id);
  await arrive({ from: PHONE, user: USER });
  t.equal((await people()).length, 1);
  await settle(10_000);
  t.strictSame(said(), ['one', 'two'], 'the next one waits: the contact has had both');
  await settle(10 * 60_000);
  t.strictSame(said(), bodies);
  t.equal((await to(PHONE)).status, 200);
});

t.test('an operator merges and splits contacts, and a reply by context still finds its message', async (t) => {
  const { arrive, to, people, admin, platform, standIn, publish, said } = await startPeople(t);
  await publish(asks);
  await arrive({ from: PHONE }, 'hi');
  const question = standIn.sent.at(-1)!.id;
  await arrive({ from: '16505550002' }, 'hi');
  const [ann, other] = await people();
  const answer = await admin('POST', '/contacts/merge', { contact: other!.uuid, into: ann!.uuid });
  t.equal(answer.status, 200);
  t.match(answer.body, {
    contact: { uuid: ann!.uuid },
    ids: [PHONE, '16505550002'],
    merges: [{ contact: other!.uuid, id: '16505550002' }],
  });
  t.match((await admin('GET', `/contacts/${other!.uuid}`)).body, { contact: { uuid: ann!.uuid }, ids: [PHONE, '16505550002'] });
  await arrive({ from: '16505550002', more: { context: { from: '15550783881', id: question } } }, 'Ann');
  t.equal(said().at(-1), 'Where do you live, Ann?', 'one of the two waits, and the other question resumes by its context');
  t.equal((await to('16505550002')).message.contact, ann!.uuid);
  t.match(await admin('POST', '/contacts/split', { contact: other!.uuid }), {
    status: 200,
    body: { contact: { id: '16505550002' }, merges: [] },
  });
  t.equal((await people()).length, 2);
  t.equal((await arrive({ from: '16505550002' })).contact, other!.uuid);
  for (const [path, body, status] of [
    ['merge', { contact: ann!.uuid, into: ann!.uuid }, 409],
    ['merge', { contact: 'unknown', into: ann!.uuid }, 404],
    ['merge', { contact: ann!.uuid, into: 'unknown' }, 404],
    ['merge', { contact: ann!.uuid }, 400],
    ['split', { contact: other!.uuid }, 404],
    ['split', {}, 400],
  ] as const)
    t.equal((await admin('POST', `/contacts/${path}`, body)).status, status, `${path} ${JSON.stringify(body)}`);
  t.equal((await platform.contacts.idsOf((await people())[0]!)).length, 1);
});
