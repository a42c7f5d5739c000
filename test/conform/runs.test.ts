import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { type ConnectorFlaw, type Json, SECRET, serve, startConnector, verifiers } from './connector-subject.js';

const CHANNEL = '11111111-2222-4333-8444-555555555555';
const TOKEN = 'the-token-of-the-channel';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

t.test('the admin API runs the checks of a connector, and reports each result as an event', async (t) => {
  const receiver = await serve(t, (incoming) => ({ status: incoming.json === undefined ? 400 : 200 }));
  const channel = { from_addr: 'web:1', name: 'Subject', endpoint: 'http://127.0.0.1:9', uuid: CHANNEL, token: TOKEN, hmac_secret: SECRET };
  const sandbox = await startSandbox({
    seed: { channels: [channel], webhooks: [{ number: 'web:1', url: receiver, name: 'Receiver', subscriptions: ['msgapp'] }] },
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  const { api, admin, platform, webhooks } = sandbox;
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> => {
    const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${admin.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const ended = async (id: string): Promise<Json> => {
    for (const end = Date.now() + patient(60_000); Date.now() < end; await sleep(50)) {
      const { run } = (await call('GET', `/conform/runs/${id}`)).body;
      if (run.state !== 'running') return run;
    }
    throw new Error('the run did not end');
  };
  const events: Json[] = [];
  platform.listen('conform.checked', ({ data }) => void events.push(data));
  const url = await startConnector(t, { api, channel: CHANNEL, token: TOKEN }, { verify: verifiers.acceptsHex });
  await call('PATCH', `/channels/${CHANNEL}`, { endpoint: url });

  const started = await call('POST', '/conform/runs', {
    kind: 'connector',
    channel: CHANNEL,
    drive: `${url}/drive`,
    only: ['C-05', 'C-07', 'C-49'],
  });
  t.match(started, { status: 201, body: { run: { url, of: 3 } } });
  t.match(await call('POST', '/conform/runs', { kind: 'connector', channel: CHANNEL }), { status: 409 }, 'one run at the same time');
  const run = await ended(started.body.run.id);
  t.match(run, {
    kind: 'connector',
    state: 'ended',
    checks: [
      { id: 'C-05', result: 'pass' },
      { id: 'C-07', result: 'fail' },
      { id: 'C-49', result: 'pass' },
    ],
  });
  t.match(run.checks[1], { expected: /4XX/, received: 'status 200', fix: /base64/, exchanges: [{ response: { status: 200 } }] });
  const { call: recorded } = run.checks[2].exchanges.at(-1);
  t.ok(
    (await call('GET', '/calls')).body.calls.some(({ id }: Json) => id === recorded),
    'the evidence names the call that the connector made',
  );
  t.strictSame(
    events.map(({ id, result, number, of }) => ({ id, result, number, of })),
    [
      { id: 'C-05', result: 'pass', number: 1, of: 3 },
      { id: 'C-07', result: 'fail', number: 2, of: 3 },
      { id: 'C-49', result: 'pass', number: 3, of: 3 },
    ],
  );
  t.notMatch(JSON.stringify(run), new RegExp(`${SECRET}|${TOKEN}|${admin.key}`), 'no credentials');

  const webhook = await call('POST', '/conform/runs', { kind: 'webhook', webhook: webhooks[0]!.uuid, only: ['W-01', 'W-05'] });
  t.match(await ended(webhook.body.run.id), {
    checks: [
      { id: 'W-01', result: 'pass' },
      { id: 'W-05', result: 'fail' },
    ],
  });
  const integration = await call('POST', '/conform/runs', { kind: 'integration', url: receiver, secret: SECRET, only: ['I-01'] });
  t.match(await ended(integration.body.run.id), { checks: [{ id: 'I-01', result: 'fail' }] });
  const ofApi = await call('POST', '/conform/runs', { kind: 'api', url: api, token: 'unknown', only: ['A-01'] });
  t.match(await ended(ofApi.body.run.id), { checks: [{ id: 'A-01', result: 'fail' }] });

  t.match(await call('GET', `/conform/runs/${UNKNOWN}`), { status: 404 });
  t.match(await call('POST', '/conform/runs', { kind: 'connector', channel: UNKNOWN }), { status: 404 });
  t.match(await call('POST', '/conform/runs', { kind: 'connector' }), {
    status: 400,
    body: { errors: [{ details: 'channel is required' }] },
  });
  t.match(await call('POST', '/conform/runs', { kind: 'journey' }), { status: 400 });
  t.match(await call('POST', '/conform/runs', { kind: 'webhook', webhook: UNKNOWN }), { status: 404 });
});

/** A sandbox with a channel whose connector has the flaw; a call of its admin API returns the body. */
async function withConnector(t: Tap, flaw: ConnectorFlaw) {
  const channel = { from_addr: 'web:1', name: 'Subject', endpoint: 'http://127.0.0.1:9', uuid: CHANNEL, token: TOKEN, hmac_secret: SECRET };
  const { api, admin, platform, stop } = await startSandbox({ seed: { channels: [channel] }, logLevel: 'error' });
  t.teardown(stop);
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> => {
    const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${admin.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const until = async (id: string, isEnough: (run: Json) => boolean): Promise<Json> => {
    for (const end = Date.now() + patient(30_000); Date.now() < end; await sleep(30)) {
      const { run } = (await call('GET', `/conform/runs/${id}`)).body;
      if (isEnough(run)) return run;
    }
    throw new Error('the run did not get there');
  };
  const url = await startConnector(t, { api, channel: CHANNEL, token: TOKEN }, flaw);
  await call('PATCH', `/channels/${CHANNEL}`, { endpoint: url });
  return {
    ...{ call, until, url, platform },
    start: async (only?: readonly string[]): Promise<string> =>
      (await call('POST', '/conform/runs', { kind: 'connector', channel: CHANNEL, drive: `${url}/drive`, ...(only && { only }) })).body.run
        .id,
    ended: (id: string) => until(id, ({ state }) => state !== 'running'),
  };
}

t.test('the evidence of a failed check names the deliveries that it caused and the calls that the connector made', async (t) => {
  const flaw: ConnectorFlaw = {
    report: ({ status }, { turn }) => ({ status: turn.type === 'text' ? { ...status, recipient_id: 'another contact' } : status }),
    respond: (incoming, good) => (incoming.json?.turn?.type === 'audio' ? { ...good, body: { messages: [{ id: 7 }] } } : good),
  };
  const { call, start, ended } = await withConnector(t, flaw);
  const id = await start(['C-26', 'C-45']);
  const run = await ended(id);
  t.match(run.checks, [
    { id: 'C-26', result: 'fail' },
    { id: 'C-45', result: 'fail' },
  ]);
  const [direct, through] = run.checks;
  t.match(direct.exchanges, [{ by: 'run', request: { body: { text: /"audio"/ } }, response: { status: 200 } }]);
  t.match(
    direct.calls,
    [{ method: 'POST', path: `/v1/numbers/${CHANNEL}/statuses`, status: 400, error: /./ }],
    'what it posted about them',
  );
  const [sent, delivered, ...posts] = through.exchanges;
  t.match(sent, { by: 'run', request: { url: /\/v1\/messages$/ }, response: { status: 200 } });
  t.match(delivered, { by: 'platform', response: { status: 200 } });
  t.ok(posts.length >= 2 && posts.every(({ by }: Json) => by === 'subject'));
  for (const recorded of [sent.call, direct.calls[0].id, ...posts.map((post: Json) => post.call)])
    t.match(await call('GET', `/calls/${recorded}`), { status: 200 });
  const { body: delivery } = await call('GET', `/deliveries/${delivered.delivery}`);
  t.equal(delivered.request.body.text, delivery.details[0].request.body.content, 'byte by byte');
  t.strictSame((await call('GET', `/conform/runs/${id}/checks/C-45`)).body.check, through);
  t.match(await call('GET', `/conform/runs/${id}/checks/C-01`), { status: 404 });
  const { runs } = (await call('GET', `/conform/runs?subject=${CHANNEL}`)).body;
  t.match(runs, [{ id, state: 'ended', checks: [{ id: 'C-26' }, { id: 'C-45' }] }]);
  t.notOk('exchanges' in runs[0].checks[0], 'the list has no evidence');
  t.strictSame((await call('GET', `/conform/runs?subject=${UNKNOWN}`)).body, { runs: [] });
});

t.test('a run that is cancelled sends nothing more, and keeps its results', async (t) => {
  let received = 0;
  const { call, start, until, platform } = await withConnector(t, {
    async respond(_, good) {
      received++;
      if (received > 2) await sleep(patient(2_000));
      return good;
    },
  });
  const events: Json[] = [];
  platform.listen('conform.ended', ({ data }) => void events.push(data));
  const id = await start();
  const running = await until(id, ({ checks }) => checks.length > 0);
  t.match(running, { state: 'running', ended_at: null, remaining: [{ id: 'C-02', level: 'MUST', title: /\S/ }] });
  t.equal(running.checks.length + running.remaining.length, running.of);
  const { body } = await call('POST', `/conform/runs/${id}/cancel`);
  t.match(body.run, { id, state: 'cancelled', error: null, ended_at: /^\d{4}-/, checks: [{ id: 'C-01', result: 'pass' }] });
  const sent = received;
  const again = await start(['C-40']);
  await until(again, ({ state }) => state === 'ended');
  await sleep(600);
  t.equal(received, sent, 'nothing more was sent, also while another run follows');
  t.match((await call('POST', `/conform/runs/${id}/cancel`)).body.run, { state: 'cancelled', ended_at: body.run.ended_at });
  t.match(events, [
    { run: id, state: 'cancelled', passed: 1 },
    { run: again, state: 'ended' },
  ]);
  t.match(await call('POST', `/conform/runs/${UNKNOWN}/cancel`), { status: 404 });
});

t.test('the failed checks of a run are repeated, with those that were skipped because of them', async (t) => {
  let isFixed = false;
  const { call, start, ended } = await withConnector(t, {
    respond: (_, good) => (isFixed || good.status !== 200 ? good : { ...good, body: { message_id: 'm' } }),
  });
  const first = await ended(await start(['C-05', 'C-17', 'C-18', 'C-36']));
  t.match(first.checks, [{ result: 'pass' }, { result: 'fail' }, { result: 'skipped', reason: 'C-17 failed' }, { result: 'pass' }]);
  t.strictSame(first.to_repeat, ['C-17', 'C-18']);
  isFixed = true;
  const { status, body } = await call('POST', `/conform/runs/${first.id}/repeat`);
  t.match({ status, of: body.run.of }, { status: 201, of: 2 });
  const second = await ended(body.run.id);
  t.strictSame(
    second.checks.map(({ id, result }: Json) => `${id} ${result}`),
    ['C-05 pass', 'C-17 pass', 'C-18 pass', 'C-36 pass'],
  );
  t.strictSame(second.checks[0], first.checks[0], 'the results of other checks are taken over');
  t.match(await call('POST', `/conform/runs/${second.id}/repeat`), {
    status: 409,
    body: { errors: [{ details: /No check .* has failed/ }] },
  });
  const one = await call('POST', `/conform/runs/${second.id}/repeat`, { only: ['C-05'] });
  t.match((await ended(one.body.run.id)).checks.length, 4);
  t.match(await call('POST', `/conform/runs/${second.id}/repeat`, { only: ['C-99'] }), { status: 400 });
  t.match(await call('POST', `/conform/runs/${UNKNOWN}/repeat`), { status: 404 });
});

t.test('a run whose requests get no response says why', async (t) => {
  const { call, start, ended } = await withConnector(t, {});
  await call('PATCH', `/channels/${CHANNEL}`, { endpoint: 'http://127.0.0.1:9' });
  t.match(await ended(await start(['C-01', 'C-05'])), { state: 'ended', unreachable: /ECONNREFUSED/ });
  t.match(await call('POST', '/conform/runs', { kind: 'connector', channel: CHANNEL, only: ['W-01'] }), {
    status: 400,
    body: { errors: [{ details: 'only: there is no check W-01 of kind connector' }] },
  });
});

t.test('a long response is cut in memory, and its size is stated', async (t) => {
  const long = `a${'ä'.repeat(100_000)}`;
  const { start, ended } = await withConnector(t, { respond: (_, good) => ({ ...good, body: long }) });
  const run = await ended(await start(['C-01']));
  const { body } = run.checks[0].exchanges[0].response;
  t.match({ bytes: body.bytes, cut: body.cut }, { bytes: 200_001, cut: true });
  t.equal(body.text, long.slice(0, 32_768), 'up to the last whole character within 64 KiB');
});
