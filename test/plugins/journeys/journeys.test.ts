import t from 'tap';
import { TaskFailed } from '#core/ports';
import { InlinePool } from '#core/testing';
import { inboundText, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';
import { asks, MESSAGE, OPEN, poolWith, says } from './short-journeys.js';

t.test('a journey answers the message of a contact, and continues with every reply', async (t) => {
  const { say, publish, received, told, platform, uuid } = await startChannel(t);
  const journey = await publish(asks, { name: 'Asking' });
  await say('hi');
  t.strictSame(received(), ['What is your name?'], 'the message that starts a journey does not answer its first question');
  await say('Ann');
  await say('Kaapstad');
  t.strictSame(received(), ['What is your name?', 'Where do you live, Ann?', 'Goodbye Ann of Kaapstad']);
  t.match(told('journey.turn_taken'), [
    { session: { journey, state: 'waiting', turns: 1 }, failure: null },
    { session: { state: 'waiting', turns: 2 } },
    { session: { state: 'ended', turns: 3, expires_at: null } },
  ]);
  const [conversation] = await platform.conversations.list(uuid, 1);
  const [newest] = await platform.conversations.newest(conversation!.uuid, 1);
  t.match(newest, {
    direction: 'outbound',
    author: { type: 'SYSTEM', id: journey, name: 'Asking' },
    journey: { uuid: journey, block: 'bye' },
  });
  await say('hi again');
  t.equal(received().at(-1), 'What is your name?', 'and then it starts again');
});

t.test('the oldest journey with matching words answers', async (t) => {
  const { say, publish, received } = await startChannel(t);
  await publish(says('opening hours'), { words: ['Hours', ' when are you open? '] });
  await publish(says('hours, but younger'), { words: ['hours'] });
  await publish(says('anything'));
  await publish(says('shadowed'), { words: ['shadow'] });
  const cases: [text: string, answer: string][] = [
    ['hours', 'opening hours'],
    ['  HOURS\n', 'opening hours'],
    ['When are you open?', 'opening hours'],
    ['hours please', 'anything'],
    ['shadow', 'anything'],
  ];
  for (const [text, answer] of cases) {
    await say(text);
    t.equal(received().at(-1), answer, text);
  }
});

t.test('a journey that is disabled, deleted or not published to production answers no messages', async (t) => {
  const { say, publish, received, admin, uuid, platform } = await startChannel(t);
  const journey = await publish(says('here'));
  await say('one');
  await admin('POST', `/journeys/${journey}/disable`);
  await say('two');
  await admin('POST', `/journeys/${journey}/enable`);
  await say('three');
  await admin('DELETE', `/journeys/${journey}`);
  await say('four');
  t.strictSame(received(), ['here', 'here']);

  const draft = platform.ids.uuid();
  const definition = (await admin('GET', `/journeys/${journey}`)).body.definition;
  await admin('PUT', `/journeys/${draft}`, { number: uuid, name: 'Draft', definition, triggers: [{ on: 'message' }] });
  await say('five');
  await admin('POST', `/journeys/${draft}/publish`, { revision: 'staging' });
  await say('six');
  t.strictSame(received(), ['here', 'here']);
  await admin('POST', `/journeys/${draft}/publish`, { revision: 'production' });
  await say('seven');
  t.equal(received().length, 3);
});

t.test('a message that matches no journey is only recorded', async (t) => {
  const { say, publish, received, told } = await startChannel(t);
  await publish(says('here'), { words: ['hello'] });
  t.match(await say('goodbye'), { status: 200 });
  t.strictSame(received(), []);
  t.equal(told('message.received').length, 1);
});

t.test('contact fields that a journey writes are available in the same turn, and stored', async (t) => {
  const { say, publish, received, platform, uuid, told } = await startChannel(t);
  await publish({
    texts: { ask: 'Town?', thanks: '@contact.name of @contact.town' },
    blocks: [
      { name: 'town', type: OPEN, config: { prompt: 'ask', set_contact_property: { property_key: 'town', property_value: '@town' } } },
      { name: 'thanks', type: MESSAGE, config: { prompt: 'thanks' } },
    ],
  });
  await say('hi');
  await say('Durban');
  t.equal(received().at(-1), 'Ann of Durban');
  const [contact] = await platform.contacts.list(uuid);
  t.match(contact?.fields, { name: 'Ann', town: 'Durban' });
  t.match(told('contact.changed').at(-1), { keys: ['town'], contact: { fields: { town: 'Durban' } } });
});

t.test('fields that change during a turn are not lost', async (t) => {
  const pool = new InlinePool();
  let during: (() => Promise<unknown>) | undefined;
  const workers = poolWith(pool, async () => void (await during?.()));
  const { say, publish, platform, uuid, admin } = await startChannel(t, { ports: { workers } });
  await publish({
    texts: { ask: 'Town?' },
    blocks: [
      { name: 'town', type: OPEN, config: { prompt: 'ask', set_contact_property: { property_key: 'town', property_value: '@town' } } },
    ],
  });
  await say('hi');
  const [contact] = await platform.contacts.list(uuid);
  during = () => admin('PATCH', `/contacts/${contact!.uuid}`, { fields: { vip: true } });
  await say('Durban');
  t.match((await platform.contacts.get(contact!.uuid))?.fields, { town: 'Durban', vip: true });
});

t.test('a journey answers fifty concurrent messages one by one, in the order of their recording', async (t) => {
  let steps = 0;
  const workers = poolWith(new InlinePool(), async () => {
    // Some steps take longer than others.
    for (let turns = (steps++ % 3) * 20; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  });
  const { post, publish, received, settle, platform, uuid, told } = await startChannel(t, { ports: { workers } });
  await publish({
    texts: { ask: 'And?', echo: 'You said @said' },
    blocks: [
      { name: 'said', type: OPEN, config: { prompt: 'ask' } },
      { name: 'echo', type: MESSAGE, config: { prompt: 'echo' }, exits: [{ to: 'said' }] },
    ],
  });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => post(inboundText(`number ${n}`, { id: `in-${n}` }))));
  t.ok(answers.every(({ status }) => status === 200));
  await settle();
  const [conversation] = await platform.conversations.list(uuid, 1);
  const inbound = (await platform.conversations.newest(conversation!.uuid, 500))
    .filter(({ direction }) => direction === 'inbound')
    .reverse()
    .map(({ content }) => (content.text as { body: string }).body);
  t.equal(inbound.length, 50);
  t.strictSame(
    received(),
    inbound.flatMap((text, n) => (n === 0 ? ['And?'] : [`You said ${text}`, 'And?'])),
  );
  t.strictSame(
    told('journey.turn_taken').map(({ session }) => session.turns),
    Array.from({ length: 50 }, (_, n) => n + 1),
  );
});

t.test('a conversation stays on the revision it started on', async (t) => {
  const { say, publish, received } = await startChannel(t);
  const uuid = await publish(asks);
  await say('hi');
  await publish({ ...asks, texts: { ...asks.texts, where: 'Which town, @who?', bye: 'See you' } }, { uuid });
  await say('Ann');
  await say('Kaapstad');
  t.strictSame(received(), ['What is your name?', 'Where do you live, Ann?', 'Goodbye Ann of Kaapstad']);
  await say('hi');
  await say('Bo');
  t.equal(received().at(-1), 'Which town, Bo?', 'the next session is on the new revision');
});

t.test('a session in progress runs to its end when its journey is disabled or deleted', async (t) => {
  for (const [method, path] of [
    ['POST', '/disable'],
    ['DELETE', ''],
  ] as const) {
    const { say, publish, received, admin } = await startChannel(t);
    const journey = await publish(asks);
    await say('hi');
    t.equal((await admin(method, `/journeys/${journey}${path}`)).status, 200);
    await say('Ann');
    t.equal(received().at(-1), 'Where do you live, Ann?');
  }
});

t.test('a journey calls another journey of its number, and none of another number', async (t) => {
  const { say, publish, received, admin, maker, clock, told } = await startChannel(t);
  const other = await publish(asks, { words: ['never'] });
  const caller = (journey: string): Draft => ({
    texts: { back: 'Back again, @child.who', failed: 'That did not work' },
    blocks: [
      { name: 'call', type: 'Core.RunFlow', config: { flow_id: journey }, exits: [{ to: 'back' }, { label: 'error', to: 'failed' }] },
      { name: 'back', type: MESSAGE, config: { prompt: 'back' }, exits: [{ to: null }] },
      { name: 'failed', type: MESSAGE, config: { prompt: 'failed' } },
    ],
  });
  await publish(caller(other), { words: ['call'] });
  await say('call');
  await say('Ann');
  await say('Kaapstad');
  t.strictSame(received(), ['What is your name?', 'Where do you live, Ann?', 'Goodbye Ann of Kaapstad', 'Back again, Ann']);

  const foreign = await publish(asks, { number: maker.uuid });
  await publish(caller(foreign), { words: ['abroad'] });
  await say('abroad');
  t.equal(received().at(-1), 'That did not work');

  await publish(caller('d3b0a2a8-0000-4000-8000-000000000000'), { words: ['nowhere'] });
  await say('nowhere');
  t.equal(received().at(-1), 'That did not work');

  await clock.advance(1);
  await admin('POST', `/journeys/${other}/disable`);
  await say('call');
  t.equal(received().at(-1), 'That did not work');
  t.ok(told('journey.turn_taken').every(({ failure }) => failure === null));
});

t.test('a failing journey reports its failure, and blocks no other contact', async (t) => {
  const { say, publish, received, told, log } = await startChannel(t);
  const missing = 'd3b0a2a8-0000-4000-8000-000000000000';
  await publish({ blocks: [{ name: 'call', type: 'Core.RunFlow', config: { flow_id: missing } }] }, { words: ['fail'] });
  await publish(says('fine'), { words: ['work'] });
  await say('fail');
  await say('work');
  await say('fail');
  await say('work', { from: '+2' });
  t.strictSame(received(), ['fine', 'fine']);
  t.match(
    told('journey.turn_taken').map(({ session, failure }) => [session.state, failure]),
    [
      ['failed', /^journey_not_found: /],
      ['ended', null],
      ['failed', /^journey_not_found: /],
      ['ended', null],
    ],
  );
  t.strictSame(log.messages('error'), []);
});

t.test('the sessions of a journey are listed, and its definition is shown', async (t) => {
  const { say, publish, admin } = await startChannel(t);
  const journey = await publish(asks, { name: 'Asking' });
  await say('hi');
  const { body } = await admin('GET', `/journeys/${journey}/sessions`);
  t.match(body.sessions, [{ journey, state: 'waiting', turns: 1, expires_at: '2026-01-05T08:05:00.000Z' }]);
  t.strictSame(Object.keys(body.sessions[0]).sort(), [
    'card',
    'contact',
    'created_at',
    'expires_at',
    'journey',
    'number',
    'state',
    'turns',
    'updated_at',
    'uuid',
  ]);
  t.match((await admin('GET', `/journeys/${journey}`)).body, {
    journey: { name: 'Asking', enabled: true },
    definition: { uuid: 'container' },
  });
  t.equal((await admin('GET', '/journeys/d3b0a2a8-0000-4000-8000-000000000000')).status, 404);
});

t.test('journeys use the time zone and country of the platform; by default UTC and the country of the contact', async (t) => {
  const draft = says("@has_phone('011 123 4567').phonenumber, @datevalue(2025-01-15T23:30:00Z, '%d/%m %H:%M')");
  for (const [journeys, text] of [
    [undefined, '+27111234567, 15/01 23:30'],
    [{ country: 'NO', timeZone: 'Africa/Johannesburg' }, ', 16/01 01:30'],
  ] as const) {
    const { say, publish, received } = await startChannel(t, journeys && { journeys });
    await publish(draft);
    await say('hi');
    t.strictSame(received(), [text]);
  }
});

t.test('a deleted journey that is put again is a draft, and does not run before it is published', async (t) => {
  const { say, publish, received, admin, uuid } = await startChannel(t);
  const journey = await publish(says('Old'));
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'staging' });
  await admin('DELETE', `/journeys/${journey}`);
  const { definition } = (await admin('GET', `/journeys/${journey}`)).body;
  const put = await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Back', definition, triggers: [{ on: 'message' }] });
  t.match(put.body.journey, { deleted_at: null, enabled: true, revisions: { staging: null, production: null } });
  await say('hi');
  t.strictSame(received(), []);
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  await say('hi again');
  t.strictSame(received(), ['Old']);
});

t.test('a late answer to a journey that was deleted and put again is ignored until the journey is published', async (t) => {
  const { say, publish, received, admin, uuid } = await startChannel(t);
  const journey = await publish(asks);
  for (const text of ['hi', 'Ann', 'Kaapstad']) await say(text);
  const before = received();
  await admin('DELETE', `/journeys/${journey}`);
  const { definition } = (await admin('GET', `/journeys/${journey}`)).body;
  await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Back', definition, triggers: [{ on: 'message' }] });
  await say('Bo', { context: 'out-1' });
  t.strictSame(received(), before);
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  await say('Bo', { context: 'out-1' });
  t.strictSame(received().slice(before.length), ['Where do you live, Bo?']);
});

t.test('a crashing step fails its session immediately, with an event; the next message starts a new session', async (t) => {
  let breaks = false;
  const workers = poolWith(new InlinePool(), () => {
    if (breaks) throw new TaskFailed('journey.step', 'threw', 'Maximum call stack size exceeded');
  });
  const { say, publish, received, told } = await startChannel(t, { ports: { workers } });
  await publish(asks);
  await say('hi');
  breaks = true;
  await say('Ann');
  const failure = /^step_failed: task 'journey.step' threw: Maximum call stack/;
  const turns = told('journey.turn_taken');
  t.match(turns.at(-1), { session: { state: 'failed', expires_at: null }, failure, events: ['failure'] });
  breaks = false;
  await say('again');
  t.strictSame(received(), ['What is your name?', 'What is your name?']);
  t.equal(told('journey.turn_taken').length, turns.length + 1, 'the step is not retried');
});
