import t from 'tap';
import { jobs } from '../../../core/adapters/queue/job-record.js';
import type { RevisionRecord } from '../../../plugins/journeys/definitions/journey.js';
import { revisions } from '../../../plugins/journeys/records.js';
import { simulations } from '../../../plugins/simulation/records.js';
import { expiries } from '../../../plugins/simulation/simulations.js';
import { asks, fetches, ID, JOURNEY, says, startSimulation } from './simulation-under-test.js';

const chat = {
  blocks: [asks('first'), { ...asks('second'), exits: [{ to: 'second' }] }],
  texts: { first: 'First?', second: 'You said @first.' },
};

t.test('requests of one simulation run one after the other', async (t) => {
  const { simulate, http } = await startSimulation(t, {
    blocks: [asks('say'), fetches('wait', { url: 'https://slow.test/@say' }), { ...says('told'), exits: [{ to: 'say' }] }],
    texts: { say: 'Go on', told: 'After @say: @wait.json.n' },
  });
  let inside = 0;
  let most = 0;
  http.answer('https://slow.test/*', async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
    return { body: { n: http.calls.length } };
  });
  await simulate();
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((input) => simulate({ input })));
  const told = all.map(({ body }) => (body.message as string).split('\n')[0]!.split(': '));
  t.strictSame(
    told.map(([text]) => text),
    ['After a', 'After b', 'After c', 'After d'],
  );
  t.strictSame(told.map(([, n]) => n).sort(), ['1', '2', '3', '4'], 'in the order of their arrival, which several processes may change');
  t.equal(most, 1);
});

t.test('a journey that release 0.1.0 published changes only when it is published again', async (t) => {
  const year = { blocks: [asks('y'), { ...says('told'), exits: [{ to: 'y' }] }], texts: { y: '?', told: '@isstring(y) @(y + 1)' } };
  const { simulate, admin, platform } = await startSimulation(t, year);
  await platform.store.transaction(async (tx) => {
    const [{ reads_answers, ...stored }] = (await tx.in(revisions).find('journey', { equals: [JOURNEY] })) as [RevisionRecord];
    t.equal(reads_answers, true);
    tx.in(revisions).put(stored);
  });
  const said = async (simulation_id: string) => /\w+ 1991/.exec((await simulate({ simulation_id, input: '1990' })).body.message)?.[0];
  t.equal(await said('running'), 'true 1991', 'as it was');
  await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'staging' });
  t.equal(await said('published'), 'false 1991');
  t.equal(await said('running'), 'false 1991');
});

t.test('two concurrent first requests start one simulation', async (t) => {
  const { simulate } = await startSimulation(t, chat);
  const both = await Promise.all([simulate(), simulate()]);
  t.strictSame(
    both.map(({ status }) => status),
    [200, 400],
  );
  t.strictSame(both[1]?.body, { errors: ['Invalid input, must be a non-empty string'] });
});

t.test('a simulation stays on its revision, even if another is published or requested later', async (t) => {
  const { simulate, admin } = await startSimulation(t, chat);
  await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'staging' });
  t.match(await simulate({ revision: 'staging' }), { status: 200 });
  t.match(await simulate({ input: 'x', revision: 'production' }), { body: { message: 'You said x.' } });
});

t.test('contact, parent and child of a later request have no effect', async (t) => {
  const { simulate } = await startSimulation(t, chat);
  await simulate({ contact: { name: 'Ann' }, parent: { a: 1 } });
  const { body } = await simulate({ input: 'x', contact: { name: 'Bea' }, parent: { a: 2 }, child: { b: 1 } });
  t.match(body, { contact: { name: 'Ann' }, context: { parent: { a: 1 } } });
  t.notOk('child' in body.context);
  t.strictSame(body.contact, body.context.contact);
});

t.test('with debug the response has details; without it only the fields of the interface', async (t) => {
  const { simulate } = await startSimulation(t, {
    blocks: [says('hi'), asks('first')],
    texts: { hi: 'Hi @contact.nmae', first: 'First?' },
  });
  const { body: plain } = await simulate({ simulation_id: 'plain-1' });
  t.strictSame(Object.keys(plain), [
    'simulation_id',
    'state',
    'message',
    'card',
    'options',
    'skill_calls',
    'actions',
    'http_calls',
    'contact',
    'context',
  ]);
  const { body } = await simulate({ debug: true });
  t.strictSame(Object.keys(body).slice(10).sort(), ['elapsed_ms', 'events', 'http_answers', 'messages', 'path', 'warnings']);
  t.match(body, {
    path: [{ block: 'hi', exit: 'default', to: 'first' }],
    warnings: [{ block: 'hi', expression: '@contact.nmae', reason: /./ }],
    messages: [
      { type: 'text', text: { body: 'Hi @contact.nmae' } },
      { type: 'text', text: { body: 'First?' } },
    ],
  });
  t.ok(body.events.some(({ type }: { type: string }) => type === 'journey_entered'));
  t.equal((await simulate({ simulation_id: ID, debug: 'yes', input: 'x' })).status, 400);
});

t.test('with debug the path and the warnings of a notebook have the lines of its blocks', async (t) => {
  const { simulate, admin, number } = await startSimulation(t, chat);
  const notebook =
    '# Greeting\n\n```stack\ncard Ask, then: Done do\n  name = ask("Who, @contact.nmae?")\nend\n\ncard Done do\n  text("Hello")\nend\n```\n';
  const put = await admin('PUT', `/journeys/${JOURNEY}/notebook?number=${number}&revision=production`, { notebook });
  t.equal(put.status, 200);
  const place = { block: 'name', line: 5, column: 3 };
  t.match((await simulate({ debug: true })).body, { card: 'Ask', warnings: [{ ...place, expression: '@contact.nmae' }] });
  const { path, warnings } = (await simulate({ input: 'Ann', debug: true })).body;
  t.match(path[0], { ...place, card: 'Ask' });
  t.match(path.at(-1), { card: 'Done', line: 9, column: 3 });
  t.strictSame(warnings, []);
});

t.test('a journey is found by any spelling of its uuid', async (t) => {
  const { simulate } = await startSimulation(t, chat);
  t.equal((await simulate({}, { journey: JOURNEY.toUpperCase() })).status, 200);
  t.match(await simulate({ input: 'Ann' }), { status: 200, body: { message: /Ann/ } }, 'the simulation is the same');
});

t.test('the token of another number never reaches a simulation by its id', async (t) => {
  const { simulate, admin } = await startSimulation(t, chat);
  await simulate();
  const { number } = (await admin('POST', '/numbers', { kind: 'network', address: '+27600000002', name: 'Other' })).body;
  const token = (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'other' })).body.text;
  t.match(await simulate({ input: 'mine now' }, { token }), { status: 404, body: { errors: ['Journey not found'] } });
  t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'You said x.' } }, 'the simulation is unchanged');
});

t.test('the id of an expired simulation is refused for a day, then free', async (t) => {
  const { simulate, clock } = await startSimulation(t, chat);
  await simulate();
  await clock.advance(30 * 60_000);
  t.match(await simulate({ input: 'x' }), { status: 404, body: { errors: ['Simulation not found or expired'] } });
  await clock.advance(24 * 3_600_000 - 1_000);
  t.equal((await simulate({ input: 'x' })).status, 404);
  await clock.advance(2_000);
  t.match(await simulate(), { status: 200, body: { message: 'First?' } });
});

t.test('a simulation expires when no turn has run for 30 minutes, and a turn writes nothing but its record', async (t) => {
  const { simulate, clock, platform } = await startSimulation(t, {
    blocks: [{ ...asks('name'), exits: [{ to: 'name' }] }],
    texts: { name: 'Name?' },
  });
  await simulate();
  const timers = async () => JSON.stringify((await platform.store.open(jobs).list()).filter(({ queue }) => queue === expiries.name));
  const before = await timers();
  t.match(before, /"step":"expire"/);
  for (let turn = 0; turn < 3; turn++) {
    await clock.advance(9 * 60_000);
    t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'Name?' } });
  }
  t.equal(await timers(), before, 'its timer is the one of its start');
  await clock.advance(29 * 60_000);
  t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'Name?' } }, 'the timer has fired and waits for the rest');
  await clock.advance(29 * 60_000);
  t.match(await platform.store.open(simulations).list(), [{ state: 'waiting' }]);
  await clock.advance(60_000);
  t.match(await platform.store.open(simulations).list(), [{ state: 'over', data: '' }]);
  t.match(await simulate({ input: 'x' }), { status: 404, body: { errors: ['Simulation not found or expired'] } });
});

t.test('a simulation of a later release is not found by this one, and continues with that release', async (t) => {
  const { simulate, platform } = await startSimulation(t, chat);
  await simulate();
  const [known] = await platform.store.open(simulations).list();
  const storeData = (data: string) => platform.store.transaction((tx) => tx.in(simulations).put({ ...known!, data }));
  const data = known!.data as string;
  await storeData(JSON.stringify({ ...JSON.parse(data), v: 2 }));
  t.match(await simulate({ input: 'x' }), { status: 404, body: { errors: ['Simulation not found or expired'] } });
  await storeData(data);
  t.match(await simulate({ input: 'x' }), { status: 200, body: { message: 'You said x.' } });
});
