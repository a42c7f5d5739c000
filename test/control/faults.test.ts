import t from 'tap';
import { verifySignature } from '../../core/signature.js';
import { onlyLong } from '../forms.js';
import type { Received } from './receiver-process.js';
import { type ControlledSandbox, headerOf, newFolder, startControlled, startReceiver, textOf } from './sandbox-with-receiver.js';

const hookSignature = (request: Parameters<typeof headerOf>[0]) => headerOf(request, 'x-svc-hook-signature');

/** Adds a rule for the webhook `/hook`. */
const add = ({ admin, webhook }: ControlledSandbox, effect: object, more: object = {}) =>
  admin('POST', '/faults', { where: 'deliveries', match: { webhook: webhook.uuid }, effect, ...more });

t.test('each effect on a delivery is what the receiver, and what we, see', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  const { sandbox, write, settled, receiver, webhook } = box;
  let texts = 0;
  /** One delivery with a fault on its first attempt. */
  const faulty = async (effect: object, more: object = {}) => {
    const text = `text ${++texts}`;
    t.equal((await add(box, effect, more)).status, 200, JSON.stringify(effect));
    const uuid = await write(text);
    await sandbox.clock!.advance(6_000);
    const shown = await settled(uuid, 1);
    const received = (await receiver.requests('/hook')).filter((request) => textOf(request).includes(`"${text}"`));
    return { uuid, ...shown, attempt: shown.attempts[0], detail: shown.details[0], received };
  };

  const status = await faulty({ kind: 'status', status: 503 });
  t.match(status, { attempt: { status: 503, error_code: 'http_503', result: 'retry' }, detail: { fault: { kind: 'status' } } });
  t.equal(status.received.length, 0, 'the receiver got nothing');
  await sandbox.clock!.advance(20_000);
  t.match(await settled(status.uuid), { delivery: { state: 'delivered', attempts: 2 } }, 'the next attempt is real');

  const delay = await faulty({ kind: 'delay', delay_ms: 3_000 });
  t.match(delay, { attempt: { status: 200, result: 'delivered' } });
  t.ok(delay.attempt.duration_ms >= 3_000);
  t.equal(delay.received.length, 1);

  const late = await faulty({ kind: 'delay', delay_ms: 6_000 });
  t.match(late, { attempt: { status: 504, error_code: 'timeout', error: 'no response within 5 seconds' } });

  const timeout = await faulty({ kind: 'timeout' });
  t.match(timeout, { attempt: { status: 504, error_code: 'timeout' } });
  t.ok(Math.abs(timeout.attempt.duration_ms - 5_000) < 500, 'by the clock of the sandbox');
  t.equal(timeout.received.length, 1, 'the receiver got the request, and has to recognize the retry');

  const refuse = await faulty({ kind: 'refuse' });
  t.match(refuse, { attempt: { status: 504, error_code: 'network_error', error: 'the connection was refused' } });
  t.equal(refuse.received.length, 0);

  const reset = await faulty({ kind: 'reset' });
  t.match(reset, { attempt: { status: 504, error_code: 'network_error', error: 'the connection was reset' }, detail: { response: null } });
  t.equal(reset.received.length, 1);

  const half = await faulty({ kind: 'half_body' });
  t.match(half, { attempt: { status: 200 }, detail: { response: { body: { bytes: 14, cut: true } } } });
  t.equal(half.attempt.response, '{"messages":[{', 'half of the 29 bytes');

  const bad = await faulty({ kind: 'bad_json' });
  t.throws(() => JSON.parse(bad.attempt.response), 'the response that we read is no JSON');

  const dns = await faulty({ kind: 'dns' });
  t.match(dns, {
    delivery: { state: 'cancelled', reason: 'dns_not_found' },
    attempt: { status: 502, error: 'the host 127.0.0.1 does not exist' },
  });

  const twice = await faulty({ kind: 'duplicate', copies: 2 });
  t.equal(twice.received.length, 3);
  t.equal(new Set(twice.received.map((request: Received) => request.body)).size, 1, 'the same bytes three times');
  t.equal(twice.attempts.length, 1, 'one attempt for us');

  const wrong = await faulty({ kind: 'wrong_signature' });
  t.notOk(verifySignature(webhook.secret, textOf(wrong.received[0]!), hookSignature(wrong.received[0]!)));
  const stale = await faulty({ kind: 'stale_signature' });
  t.notOk(verifySignature(webhook.secret, textOf(stale.received[0]!), hookSignature(stale.received[0]!)));
  t.ok(verifySignature(webhook.secret, '{}', hookSignature(stale.received[0]!)), 'the right key, for another body');

  const clean = await faulty({ kind: 'status' }, { match: { webhook: 'another' } });
  t.match(clean, { attempt: { status: 200 }, detail: { fault: null } }, 'a rule that does not match does nothing');
  t.ok(verifySignature(webhook.secret, textOf(clean.received[0]!), hookSignature(clean.received[0]!)));
});

t.test('each firing is an event with the id of the rule, and a rule that is used up stays listed', async (t) => {
  const box = await startControlled(t);
  const { body } = await add(box, { kind: 'status', status: 404 }, { times: 2 });
  const [{ id }] = body.faults;
  for (const text of ['one', 'two', 'three']) await box.settled(await box.write(text));
  t.match(box.events('fault.fired'), [
    {
      rule: id,
      where: 'deliveries',
      effect: { kind: 'status', status: 404 },
      fired: 1,
      left: 1,
      on: { webhook: box.webhook.uuid, attempt: 0 },
    },
    { rule: id, fired: 2, left: 0 },
  ]);
  t.match((await box.admin('GET', '/faults')).body.faults, [{ id, seen: 2, fired: 2, times: 2 }]);
  t.match(await box.admin('DELETE', `/faults/${id}`), { status: 200, body: { faults: [] } });
  t.match(await box.admin('DELETE', `/faults/${id}`), { status: 404 });
  t.match(box.events('fault.changed'), [
    { rule: id, where: 'deliveries', left: 2, is: 'on' },
    { rule: id, left: 0, is: 'off' },
  ]);
  await box.admin('POST', '/clock', { advance: 1 });
  const { times } = (await box.admin('GET', '/endpoints/traffic')).body;
  t.strictSame(times.flatMap(({ marks }: { marks: { text: string }[] }) => marks.map(({ text }) => text)).slice(1), [
    'Fault on: status (deliveries)',
    'Fault off: status (deliveries)',
    'Clock advanced',
  ]);
});

t.test('a reordered delivery is overtaken by a newer one of the same conversation', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  await add(box, { kind: 'reorder', window_ms: 3_000 }, { match: { contains: 'first' } });
  const first = await box.write('first');
  await box.write('second');
  await box.sandbox.clock!.advance(1_000);
  const texts = async () => (await box.receiver.requests('/hook')).map((request) => /first|second/.exec(textOf(request))?.[0]);
  t.strictSame(await texts(), ['second']);
  await box.sandbox.clock!.advance(3_000);
  t.strictSame(await texts(), ['second', 'first']);
  t.match(await box.settled(first), { delivery: { state: 'delivered', attempts: 1 }, attempts: [{ n: 0, trigger: 'auto' }] });
});

t.test('the same seed gives the same faults, another seed others', { skip: onlyLong }, async (t) => {
  const outcomes = async (seed: number) => {
    const box = await startControlled(t);
    await add(box, { kind: 'status', status: 404 }, { rate: 0.5, seed });
    const states: string[] = [];
    for (let n = 0; n < 12; n++) states.push((await box.settled(await box.write(`text ${n}`))).delivery.state);
    await box.sandbox.stop();
    return states.join(' ');
  };
  const [one, same, other] = [await outcomes(7), await outcomes(7), await outcomes(8)];
  t.equal(one, same);
  t.not(one, other);
  t.match(one, /cancelled.*delivered|delivered.*cancelled/);
});

t.test('rules do not act after until', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  const until = new Date(box.sandbox.clock!.now().getTime() + 60_000).toISOString();
  await add(box, { kind: 'status', status: 404 }, { times: 5, until });
  const before = await box.write('before');
  await box.sandbox.clock!.advance(60_000);
  const after = await box.write('after');
  await box.sandbox.clock!.advance(0);
  t.match(
    [await box.settled(before), await box.settled(after)],
    [{ delivery: { state: 'cancelled' } }, { delivery: { state: 'delivered' } }],
  );
  t.match(box.events('fault.changed'), [{ is: 'on' }, { rule: 'fault_1', left: 4, is: 'expired' }]);
  await box.admin('DELETE', '/faults/fault_1');
  const { times } = (await box.admin('GET', '/endpoints/traffic')).body;
  const marks = times.flatMap((time: { marks: { kind: string; text: string }[] }) => time.marks);
  t.strictSame(
    marks.filter(({ kind }: { kind: string }) => kind === 'fault').map(({ text }: { text: string }) => text),
    ['Fault on: status (deliveries)', 'Fault off: status (deliveries)'],
    'the end of its time is marked, its removal is not',
  );
});

t.test('with a data folder, rules and their counters survive a restart', async (t) => {
  const data = `${newFolder(t)}/data`;
  const receiver = await startReceiver(t);
  const first = await startControlled(t, { data }, receiver);
  await add(first, { kind: 'status', status: 404 }, { times: 3 });
  for (const text of ['one', 'two']) await first.settled(await first.write(text));
  await first.sandbox.stop();

  const second = await startControlled(t, { data }, receiver);
  t.match((await second.admin('GET', '/faults')).body.faults, [{ id: 'fault_1', times: 3, seen: 2, fired: 2 }]);
  const states: string[] = [];
  for (const text of ['three', 'four']) states.push((await second.settled(await second.write(`${text} after the restart`))).delivery.state);
  t.strictSame(states, ['cancelled', 'delivered']);
  t.match((await add(second, { kind: 'refuse' })).body.faults, [{ id: 'fault_2' }], 'ids are not used again');
});

t.test('calls of the API get 429, 500 and 503, or a late response', async (t) => {
  const box = await startControlled(t);
  const path = `/v1/numbers/${box.number}/messages`;
  const rule = (effect: object) => box.admin('POST', '/faults', { where: 'api', match: { path }, effect });
  const message = { type: 'text', from: '+27820001001', id: 'in-1', timestamp: '1767600000', text: { body: 'hello' } };
  const post = () => box.call('POST', path, { payload: { contact: { id: '+27820001001', profile: { name: 'Ann' } }, message } });
  const other = await post();
  await rule({ kind: 'status', status: 429 });
  t.match(await post(), { status: 429, body: { errors: [{ code: /./ }] } });
  t.equal((await post()).status, other.status, 'counted: the next call is not affected');
  await rule({ kind: 'status', status: 500 });
  const failed = await post();
  t.equal(failed.status, 500);
  t.ok(failed.headers.get('retry-after'));
  await rule({ kind: 'status', status: 503 });
  t.equal((await post()).status, 503);
  await rule({ kind: 'delay', delay_ms: 300 });
  const began = performance.now();
  t.equal((await post()).status, other.status);
  t.ok(performance.now() - began >= 290);
  t.match(box.events('fault.fired'), [{ on: { method: 'POST', path, number: box.number } }, {}, {}, {}]);
});

t.test('the disk of a data folder fails with ENOSPC, and is slow, on request', async (t) => {
  const box = await startControlled(t, { data: `${newFolder(t)}/data` });
  const { body } = await box.admin('POST', '/faults', { where: 'store', effect: { kind: 'disk_full' } });
  await t.rejects(box.write('lost'), /was answered 503/, 'nothing is acknowledged');
  t.match((await box.admin('GET', '/store')).body, { store: { state: 'failed' } });
  t.match(await box.admin('POST', '/store/reopen'), { status: 200 });
  await box.settled(await box.write('kept'));
  t.match(box.events('fault.fired'), [{ rule: body.faults[0].id, where: 'store', on: { operation: 'write', file: /journal/ } }]);

  await box.admin('POST', '/faults', { where: 'store', effect: { kind: 'delay', delay_ms: 400 } });
  const began = performance.now();
  await box.write('slow');
  t.ok(performance.now() - began >= 390);
});

t.test('a reset ends a failed disk, and requests get responses again', async (t) => {
  const box = await startControlled(t, { data: `${newFolder(t)}/data` });
  await box.admin('POST', '/faults', { where: 'store', effect: { kind: 'disk_full' } });
  await t.rejects(box.write('lost'), /was answered 503/);
  t.match(await box.admin('POST', '/state/reset'), { status: 200, body: { reset: 'done' } });
  t.match((await box.admin('GET', '/store')).body, { store: { state: 'open' } });
  t.match((await box.admin('GET', '/faults')).body, { faults: [] });
});

t.test('a rule that could never act is refused with the reason', async (t) => {
  const box = await startControlled(t);
  const refused = async (rule: object, details: RegExp | string, status = 400) =>
    t.match(await box.admin('POST', '/faults', rule), { status, body: { errors: [{ details }] } });
  await refused({}, 'where is required');
  await refused({ where: 'deliveries' }, 'effect is required');
  await refused({ where: 'api', effect: { kind: 'dns' } }, /effect.kind dns has no effect on api; it takes status, delay/);
  await refused({ where: 'api', effect: { kind: 'status', status: 404 } }, /must be 429, 500, 503/);
  await refused(
    { where: 'deliveries', effect: { kind: 'dns' }, match: { host: 'x' } },
    /match.host is not known: deliveries match webhook/,
  );
  await refused({ where: 'deliveries', effect: { kind: 'dns' }, rate: 0.5, times: 2 }, 'rate and times exclude each other');
  await refused({ preset: 'none' }, /preset must be one of flaky-endpoint, slow-then-dead/);
  await refused({ where: 'store', effect: { kind: 'disk_full' } }, /in memory/, 409);
});

t.test('presets add their rules in their order', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  t.match(await box.admin('POST', '/faults', { preset: 'slow-then-dead' }), {
    body: { faults: [{ effect: { kind: 'delay' }, times: 3 }, { effect: { kind: 'refuse' } }] },
  });
  for (const { id } of (await box.admin('GET', '/faults')).body.faults) await box.admin('DELETE', `/faults/${id}`);
  await box.admin('POST', '/faults', { preset: 'flaky-endpoint' });
  const uuid = await box.write('hello');
  await box.sandbox.clock!.advance(60_000);
  t.match(
    (await box.settled(uuid)).attempts.map(({ status }: { status: number }) => status),
    [500, 500, 200],
  );
});
