import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import t from 'tap';
import { definePlugin, verifySignature } from '#core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { stateText } from '../../sandbox/state/state-file.js';
import { onlyLong } from '../forms.js';
import { admin } from './admin-call.js';
import { startReceiver } from './receiver.js';

async function start(t: Tap, options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ logLevel: 'error', ...options });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-state-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

const seedFor = (url: string) => ({
  numbers: [{ kind: 'network' as const, address: '+27600000001', name: 'Library', account: 'a' }],
  channels: [{ from_addr: 'web:test', name: 'Test', endpoint: url }],
  webhooks: [{ number: 'web:test', url, subscriptions: ['msgapp'] }],
});

async function bringIn({ api, numbers }: Sandbox, id: string): Promise<number> {
  const channel = numbers.find(({ kind }) => kind === 'channel')!;
  const response = await fetch(`${api}/v1/numbers/${channel.uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      contact: { id: '+1', profile: { name: 'Sam' } },
      message: { type: 'text', from: '+1', id, timestamp: '1767600000', text: { body: 'hi' } },
    }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + patient(10_000);
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('it did not happen');
    await realSleep(10);
  }
}

const deliveriesOf = async (sandbox: Sandbox): Promise<{ uuid: string; state: string }[]> =>
  (await admin(sandbox, '/deliveries')).body.deliveries;

/** A sandbox with a contact, messages, a media file, a flow, a delivered delivery, and one that waits for its retry. */
async function startUsed(t: Tap, options: SandboxOptions = {}) {
  const receiver = await startReceiver(t);
  const sandbox = await start(t, { seed: seedFor(receiver.url), clock: 'manual', ...options });
  await bringIn(sandbox, 'first');
  await until(async () => (await deliveriesOf(sandbox)).some(({ state }) => state === 'delivered'));
  receiver.answer(500);
  await bringIn(sandbox, 'second');
  await until(async () => (await deliveriesOf(sandbox)).some(({ state }) => state === 'retry_wait'));
  const channel = sandbox.numbers.find(({ kind }) => kind === 'channel')!;
  const media = await sandbox.platform.media.put(channel.uuid, Buffer.from('picture'), { mimeType: 'image/png' });
  receiver.received.length = 0;
  return { sandbox, receiver, media };
}

/** The sandboxes of several tests: a start takes half a second of CPU. The resets come last. */
const shared = {
  'in memory': await startUsed(t),
  'with a data folder': await startUsed(t, { data: newFolder(t) }),
};
const kinds = ['in memory', 'with a data folder'] as const;

for (const kind of kinds) {
  t.test(`${kind}: an import restores the same ids, media, retries and signatures`, async (t) => {
    const { sandbox, receiver, media } = shared[kind];
    const secret = sandbox.webhooks[0]!.hmac_secret;
    const { text, status } = await admin(sandbox, '/state/export', {});
    t.equal(status, 200);
    t.equal((await admin(sandbox, '/state/export', {})).text, text, 'two exports of a state are equal, byte for byte');
    const deliveries = await deliveriesOf(sandbox);
    await admin(sandbox, '/clock', { advance: 20 });
    await bringIn(sandbox, 'third');
    // Also its first attempt has ended: it would be counted below.
    const hasRested = ({ state }: { state: string }): boolean => state === 'delivered' || state === 'retry_wait';
    await until(async () => (await deliveriesOf(sandbox)).filter(hasRested).length === 3);

    receiver.received.length = 0;
    t.match(await admin(sandbox, '/state/import', text), { status: 200, body: { new_secrets: [], missing_secrets: [] } });
    t.equal((await admin(sandbox, '/state/export', {})).text, text, 'the same state, with the same ids and the same time');
    t.strictSame(await deliveriesOf(sandbox), deliveries);
    t.equal((await sandbox.platform.media.get(media.id)).bytes.toString(), Buffer.from('picture').toString());
    receiver.answer(200);
    const { body: moved } = await admin(sandbox, '/clock', { next: true });
    t.match(moved.reached, [{ kind: 'retry' }]);
    t.equal(receiver.received.length, 1, 'the retry of the imported delivery was sent, and none of what was replaced');
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const [, signature] = Object.entries(headers).find(([name]) => name.endsWith('hook-signature')) ?? [];
    t.ok(verifySignature(secret, body, signature as string));
    t.equal(await bringIn(sandbox, 'fourth'), 200, 'the tokens work');
    await until(async () => (await deliveriesOf(sandbox)).length === 3);
  });
}

t.test('sealed secrets move to another sandbox; omitted ones are created again, and reported', async (t) => {
  const { sandbox } = shared['in memory'];
  const key = { 'posthorn-export-key': encodeURIComponent('pass ✓') };
  t.match(await admin(sandbox, '/state/export', { secrets: 'sealed' }), { status: 400 });
  const { text: sealed } = await admin(sandbox, '/state/export', { secrets: 'sealed' }, key);
  const { text: omitted } = await admin(sandbox, '/state/export', {});
  for (const { token } of sandbox.numbers) t.notOk(omitted.includes(token) || sealed.includes(token), 'no token');
  for (const { hmac_secret } of sandbox.webhooks) t.notOk(omitted.includes(hmac_secret) || sealed.includes(hmac_secret), 'no secret');

  const other = await start(t, { seed: 'empty', clock: 'manual' });
  const before = (await admin(other, '/state/export', {})).text;
  t.match(await admin(other, '/state/import', sealed), { status: 409, body: { errors: [{ details: /POSTHORN_EXPORT_KEY/ }] } });
  t.match(await admin(other, '/state/import', sealed, { 'posthorn-export-key': 'wrong' }), {
    status: 409,
    body: { errors: [{ details: /passphrase is wrong/ }] },
  });
  t.equal((await admin(other, '/state/export', {})).text, before);
  t.match(await admin(other, '/state/import', sealed, key), { status: 200, body: { new_secrets: [], missing_secrets: [] } });
  t.strictSame([other.numbers, other.webhooks, other.channels], [sandbox.numbers, sandbox.webhooks, sandbox.channels]);
  t.strictSame(other.withoutToken, []);
  t.equal(await bringIn(other, 'here'), 200);

  const third = await start(t, { seed: 'empty', clock: 'manual' });
  const { body } = await admin(third, '/state/import', omitted);
  const webhooks = [...sandbox.webhooks.map(({ uuid }) => uuid), sandbox.channels[0]!.webhook.uuid].sort();
  t.strictSame(body.new_secrets.map(({ webhook }: { webhook: string }) => webhook).sort(), webhooks);
  const made = body.new_secrets.find(({ webhook }: { webhook: string }) => webhook === third.webhooks[0]!.uuid);
  t.equal(third.webhooks[0]!.hmac_secret, made.hmac_secret);
  t.strictSame([...third.withoutToken].sort(), sandbox.numbers.map(({ uuid }) => uuid).sort());
});

t.test('a state that cannot be used is refused, and nothing changes', async (t) => {
  const { sandbox } = shared['in memory'];
  const { text } = await admin(sandbox, '/state/export', {});
  const deliveries = await deliveriesOf(sandbox);
  // biome-ignore lint/suspicious/noExplicitAny: a test changes any part of the file
  const changed = (change: (file: any) => void): string => {
    const file = JSON.parse(text);
    change(file);
    return JSON.stringify(file);
  };
  const cases: readonly (readonly [name: string, text: string, says: RegExp])[] = [
    ['not JSON', '{', /it is not JSON/],
    ['nothing', '', /it is not JSON/],
    ['null', 'null', /not an exported state/],
    ['other JSON', '{"a":1}', /not an exported state/],
    ['a newer version', changed((file) => (file.version = 2)), /version 2, and this release reads version 1; import it with/],
    ['no version', changed((file) => delete file.version), /version undefined/],
    ['a missing part', changed((file) => delete file.collections), /it is incomplete/],
    [
      'records of another plugin',
      changed((file) => (file.collections['pigeons.lofts'] = [{ id: 'a' }])),
      /pigeons\.lofts, which no plugin/,
    ],
    [
      'a record that is no object',
      changed((file) => (file.collections['core.numbers'][0] = 'text')),
      /record 1 of core\.numbers is not an object/,
    ],
    [
      'a record without its key',
      changed((file) => delete file.collections['core.numbers'][0].uuid),
      /record 1 of core\.numbers has no uuid/,
    ],
    ['an invalid record', changed((file) => (file.collections['core.numbers'][0].name = 7)), /core\.numbers .+ is invalid/],
    [
      'a delivery with no number of attempts',
      changed((file) => (file.collections['core.settled-deliveries'][0].attempts = 'many')),
      /"attempts" must be/,
    ],
    ['a timer without a time', changed((file) => (file.collections['core.jobs'][0].dueAt = 'x')), /nothing was changed: .*dueAt must be/],
    ['a record twice', changed((file) => file.collections['core.numbers'].push(file.collections['core.numbers'][0])), /twice/],
    [
      'a unique value twice',
      changed((file) => file.collections['core.numbers'].push({ ...file.collections['core.numbers'][0], uuid: 'x' })),
      /already has a document/,
    ],
    ['an invalid delivery', changed((file) => (file.collections['core.settled-deliveries'][0].state = 'lost')), /"state" must be/],
    ...[{ seq: 'first' }, { id: '000000000001/x' }].map((about): [string, string, RegExp] => [
      `a settled delivery with ${JSON.stringify(about)}`,
      changed((file) => Object.assign(file.collections['core.settled-deliveries'][0], about)),
      /seq must be|id is not <seq>/,
    ]),
    ...[{ attempts: 'many' }, { state: 'lost' }, { id: 'x' }].map((about): [string, string, RegExp] => [
      `a pending delivery with ${JSON.stringify(about)}`,
      changed((file) => {
        const { id, number, seq, ...delivery } = file.collections['core.settled-deliveries'][0];
        file.collections['core.outbox'] = [{ ...delivery, id: `${number}/${String(seq + 1).padStart(12, '0')}`, ...about }];
      }),
      /attempts must be|state is unknown|id is not/,
    ]),
    ['a damaged media file', changed((file) => (file.media[Object.keys(file.media)[0]!] = 'AAAA')), /media file .+ is damaged/],
    ['a missing media file', changed((file) => (file.media = {})), /media file .+ is missing/],
    ['deep nesting', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, /not an exported state/],
    [
      'a deep record',
      changed((file) => (file.collections['core.numbers'][0].deep = 'DEEP')).replace(
        '"DEEP"',
        `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      ),
      /./,
    ],
  ];
  for (const [name, state, says] of cases) {
    const { status, body } = await admin(sandbox, '/state/import', state);
    t.equal(status, 409, name);
    t.match(body.errors?.[0]?.details, says, name);
  }
  t.equal((await admin(sandbox, '/state/export', {})).text, text);
  t.strictSame(await deliveriesOf(sandbox), deliveries);
});

t.test('calls that replace the state have a record, which the new state does not replace', async (t) => {
  const sandbox = await start(t, { data: newFolder(t), seed: 'empty' });
  const state = stateText(await sandbox.exportState());
  const send = (path: string, body: string) =>
    fetch(`${sandbox.admin.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${sandbox.admin.key}` }, body });
  t.equal((await send('/state/import', 'no state')).status, 409);
  t.equal((await send('/state/import', state)).status, 200);
  t.equal((await send('/state/reset', '')).status, 200);
  t.match((await admin(sandbox, '/audit?action=state.import')).body.records, [
    { call: 'POST /state/reset', status: 200, operator: { id: 'key' } },
    { call: 'POST /state/import', status: 200 },
    { call: 'POST /state/import', status: 409 },
  ]);
});

t.test('a state with which the sandbox cannot start leaves the previous one', async (t) => {
  const { sandbox } = shared['in memory'];
  const { text } = await admin(sandbox, '/state/export', {});
  const file = JSON.parse(text);
  // The seed of the file names a number that its records do not contain.
  file.sandbox.seeded.numbers.push({ uuid: 'no-such-number', kind: 'network', name: 'Gone', address: '+1', token: '' });
  const { status, body } = await admin(sandbox, '/state/import', JSON.stringify(file));
  t.equal(status, 409);
  t.match(body.errors[0].details, /continues with the previous one/);
  t.equal((await admin(sandbox, '/state/export', {})).text, text);
  t.equal(await bringIn(sandbox, 'after'), 200);
});

t.test(
  'requests and deliveries continue during resets and imports: no client sees an error, and each state is complete',
  { skip: onlyLong },
  async (t) => {
    const receiver = await startReceiver(t);
    const sandbox = await start(t, { seed: seedFor(receiver.url) });
    const { text } = await admin(sandbox, '/state/export', {});
    let isDone = false;
    const statuses: number[] = [];
    const client = (async () => {
      for (let i = 0; !isDone; i++) {
        statuses.push(await bringIn(sandbox, `m${i}`));
        await realSleep(5);
      }
    })();
    const events: string[] = [];
    sandbox.platform.listen(({ name }) => events.push(name));
    for (let i = 0; i < 2; i++) {
      await realSleep(50);
      t.equal((await admin(sandbox, '/state/reset', {})).status, 200);
      t.equal((await admin(sandbox, '/state/import', text)).status, 200);
    }
    isDone = true;
    await client;
    t.ok(statuses.length > 5, `${statuses.length} requests`);
    t.strictSame([...new Set(statuses)], [200]);
    await until(async () => (await deliveriesOf(sandbox)).every(({ state }) => state === 'delivered'));
  },
);

t.test('a sandbox that can start with neither state responds with 503, and requests do not hang', async (t) => {
  let isBroken = false;
  const fragile = definePlugin({
    name: 'fragile',
    version: '1.0.0',
    register: () => ({
      start: async () => {
        if (isBroken) throw new Error('broken on purpose');
      },
    }),
  })();
  const sandbox = await start(t, { seed: 'empty', plugins: [fragile] });
  isBroken = true;
  await t.rejects(sandbox.reset(), /broken on purpose/);
  const response = await fetch(`${sandbox.api}/v1/anything`);
  t.equal(response.status, 503);
  t.match(await response.json(), { errors: [{ details: /no platform any more; start it again/ }] });
});

for (const kind of kinds) {
  t.test(`${kind}: a reset keeps URL, tokens and secrets, and starts again with the seed`, async (t) => {
    const { sandbox } = shared[kind];
    const before = {
      api: sandbox.api,
      key: sandbox.admin.key,
      numbers: sandbox.numbers,
      channels: sandbox.channels,
      webhooks: sandbox.webhooks,
    };
    t.match(await admin(sandbox, '/state/reset', {}), { status: 200, body: { reset: 'done' } });
    const { api, numbers, channels, webhooks } = sandbox;
    t.strictSame({ api, key: sandbox.admin.key, numbers, channels, webhooks }, before);
    t.strictSame(await deliveriesOf(sandbox), []);
    t.strictSame((await admin(sandbox, '/numbers')).body.numbers.length, 2);
    t.equal(sandbox.platform.clock.now().getTime() >= 0, true);
    // The tokens work, the secrets sign, and jobs run.
    t.equal(await bringIn(sandbox, 'first'), 200, 'an id of before is not known any more');
    await until(async () => (await deliveriesOf(sandbox)).length === 1);
  });
}

t.test('an event stream ends with a replacement, and the next one has the event state.reset', async (t) => {
  const { sandbox } = shared['in memory'];
  const stream = async () =>
    (
      await fetch(`${sandbox.admin.url}/events`, {
        headers: { authorization: `Bearer ${sandbox.admin.key}`, 'last-event-id': 'earlier-1' },
      })
    ).body!;
  const first = await stream();
  const read = (async () => {
    let text = '';
    for await (const chunk of first.pipeThrough(new TextDecoderStream())) text += chunk;
    return text;
  })();
  await sandbox.reset();
  await read;
  let text = '';
  for await (const chunk of (await stream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('state.reset')) break;
  }
  t.match(text, /"by":"reset"/);
});

t.test('a crash during a replacement leaves one of the two states, never a mix', async (t) => {
  const receiver = await startReceiver(t);
  // Before the commit: the notes name both states, and the store has the previous one.
  const data = newFolder(t);
  const first = await startSandbox({ data, seed: seedFor(receiver.url), clock: 'manual', logLevel: 'error' });
  await first.stop();
  const notes = JSON.parse(readFileSync(join(data, 'sandbox.json'), 'utf8'));
  const next = { state: 'not committed', isKept: false, seeded: { numbers: [], channels: [], webhooks: [], journeys: [] } };
  writeFileSync(join(data, 'sandbox.json'), JSON.stringify({ ...notes, next }));
  const second = await startSandbox({ data, logLevel: 'error' });
  t.strictSame([second.isResumed, second.numbers], [true, first.numbers]);

  // After the commit that empties the state for a reset, before the seed.
  const emptied = `${data}-emptied`;
  const { platform } = second;
  const stop = platform.stop;
  t.type(stop, 'function');
  await second.reset();
  t.strictSame(second.numbers, first.numbers);
  await second.stop();
  cpSync(data, emptied, { recursive: true });
  const third = await startSandbox({ data: emptied, logLevel: 'error' });
  t.strictSame([third.isResumed, third.numbers, third.webhooks], [true, first.numbers, first.webhooks]);
  await third.stop();
});

t.test('the same seed key gives the same state after a reset as after a start, ids and timestamps included', async (t) => {
  const receiver = await startReceiver(t);
  const options = { seed: seedFor(receiver.url), seedKey: 'k', clock: 'manual' } as const;
  const sandbox = await start(t, options);
  const use = async (): Promise<string> => {
    await bringIn(sandbox, 'first');
    await until(async () => (await deliveriesOf(sandbox)).some(({ state }) => state === 'delivered'));
    await admin(sandbox, '/clock', { advance: 5 });
    return stateText(await sandbox.exportState());
  };
  // Durations and dates of responses are real.
  const withoutReal = (text: string): string => text.replace(/"duration_ms": [\d.]+|"date": "[^"]+"/g, '');
  const first = withoutReal(await use());
  await sandbox.reset();
  t.equal(withoutReal(await use()), first);
});
