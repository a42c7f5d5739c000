import t from 'tap';
import { asks, fetches, JOURNEY, says, startSimulation } from './simulation-under-test.js';

const draft = {
  texts: { name: 'Your name?', shop: '@result.body.state', late: 'Too late' },
  blocks: [asks('name'), fetches('order', { url: 'https://shop.test/orders/1' }), asks('more', 'name'), says('done', 'late')],
};

t.test('a turn shows what it changed, and every earlier turn can be continued again', async (t) => {
  const { admin } = await startSimulation(t, draft);
  const run = async (payload: object) => admin('POST', `/journeys/${JOURNEY}/simulated-turns`, payload);
  const turn = async (payload: object) => {
    const answer = await run(payload);
    t.equal(answer.status, 201, JSON.stringify(answer.body).slice(0, 400));
    return answer.body.turn;
  };
  const first = await turn({ contact: { name: 'Ann' } });
  t.match(first, { state: 'waiting_for_input', message: 'Your name?', after: null, revision: 'draft' });
  t.ok(first.changes.every(({ change }: { change: string }) => change === 'added'));
  const mocks = [
    { url: 'https://shop.test/orders/:id', response: { body: { state: 'sent' } } },
    { url: 'https://shop.test/order', response: {} },
  ];
  const second = await turn({ after: first.id, input: 'Ada', http_mocks: mocks });
  t.match(second.http_calls, [{ mock: 1, nearest: /^mock 2, ends before/, status: 200, answer: { status: 200 }, params: { id: '1' } }]);
  t.match(
    second.changes.find(({ path }: { path: string[] }) => path.join('.') === 'results.name'),
    { change: 'added', after: { value: 'Ada' } },
  );
  const other = await turn({ after: first.id, input: 'Bob' });
  t.match(other.http_calls, [{ mock: null, nearest: null, status: null, failures: [/^no mock matched GET/] }]);
  const third = await turn({ after: second.id, input: 'again' });
  t.equal(third.state, 'end');
  t.match((await run({ after: third.id, input: 'x' })).body.errors, [
    { title: /conflict/i, details: 'The journey has ended in this turn' },
  ]);
});

t.test('errors', async (t) => {
  const { admin } = await startSimulation(t, draft);
  const details = async (payload: object) => {
    const { status, body } = await admin('POST', `/journeys/${JOURNEY}/simulated-turns`, payload);
    return `${status} ${body.errors?.[0].details}`;
  };
  t.match(await details({ wait_ms: 5 }), '400 wait_ms needs a turn that waits: after');
  t.match(await details({ after: 'x' }), '400 after needs input or wait_ms, and not both');
  t.match(await details({ after: 'x', input: 'y' }), /^404/);
  t.match(await details({ revision: 'staging' }), '409 The journey has no staging revision');
  t.match(await details({ http_mocks: [{}] }), '400 Invalid http_mocks: mock 1: url must be a non-empty string');
});

t.test('time passes in a simulation only', async (t) => {
  const waits = { ...asks('name'), exits: [{ to: 'done' }, { label: 'timeout', to: 'late' }] };
  const { admin, clock } = await startSimulation(t, {
    texts: { name: 'Your name?', late: 'Too late', done: 'Thanks' },
    blocks: [
      { ...waits, config: { ...waits.config, timeout: { seconds: 60 } } },
      { ...says('late'), exits: [{ to: 'name' }] },
      { ...says('done'), exits: [{ to: null }] },
    ],
  });
  const turn = async (payload: object) => (await admin('POST', `/journeys/${JOURNEY}/simulated-turns`, payload)).body.turn;
  const first = await turn({});
  t.match(first, { at: clock.now().toISOString(), timeout_in_ms: 60_000 });
  const soon = await turn({ after: first.id, wait_ms: 20_000 });
  t.match(soon, { timeout_in_ms: 40_000, messages: [], state: 'waiting_for_input' });
  const late = await turn({ after: soon.id, wait_ms: 110_000 });
  t.match(late, { message: 'Too late\n\nYour name?\n\nToo late\n\nYour name?', timeout_in_ms: 50_000 });
  t.equal(Date.parse(late.at) - Date.parse(first.at), 130_000);
  t.match(await turn({ after: soon.id, input: 'Ann' }), { message: 'Thanks', state: 'end', timeout_in_ms: null });
});

t.test('a turn starts on a revision with contact, parent and child, and skips secrets', async (t) => {
  const { admin, number } = await startSimulation(t, {
    texts: { all: '@contact.name, @parent.a, @child.b' },
    blocks: [says('all'), fetches('order', { url: 'https://shop.test/@secrets.KEY' }), asks('more', 'all')],
  });
  await admin('PUT', `/numbers/${number}/secrets`, { name: 'KEY', value: 'a secret of the shop' });
  const given = { revision: 'production', contact: { name: 'Ann' }, parent: { a: 1 }, child: { b: 2 } };
  const { status, body } = await admin('POST', `/journeys/${JOURNEY}/simulated-turns`, { ...given, input: 'hi' });
  t.equal(status, 201);
  t.match(body.turn, { revision: 'production', message: /^Ann, 1, 2\n/, context: { event: { message: { text: { body: 'hi' } } } } });
  t.match(body.turn.http_calls[0].url, 'https://shop.test/‹redacted:KEY›');
  t.notMatch(JSON.stringify(body), 'a secret of the shop');
});
