import t from 'tap';
import { beforeCommit, definePlugin, messageQueued, Unavailable } from '#core';
import { startPlatform, type TestPlatform } from '#core/testing';
import { messages } from '../../../plugins/messages/plugin.js';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { allPlugins, PHONE, startNetwork } from './network-under-test.js';
import { text } from './posted-messages.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const key = (value: string) => ({ 'Idempotency-Key': value });
const isNew = { status: 200, headers: { 'idempotent-replayed': undefined } };
const isRepeated = { status: 200, headers: { 'idempotent-replayed': 'true' } };

/** A plugin that acts in each transaction that records a message to a contact. */
const committing = (act: () => void | Promise<void>) =>
  definePlugin({ name: 'committing', version: '1.0.0', register: () => ({ on: [beforeCommit(messageQueued, act)] }) })();

async function sentOf(platform: TestPlatform['platform']): Promise<number> {
  const { 'core.messages': messages = [] } = (await platform.readState()).collections;
  return messages.filter(({ direction }) => direction === 'outbound').length;
}

t.test('a repeated call sends once, and gets the first response for 24 hours', async (t) => {
  const { send, clock, platform, call, number } = await startNetwork(t);
  const first = await send(text, key('a'));
  t.match(first, isNew);
  await clock.advance(DAY - 1);
  const again = await send(text, key('a'));
  t.match(again, isRepeated);
  t.strictSame(again.body, first.body);
  t.equal(await sentOf(platform), 1);

  for (const [what, body, headers] of [
    ['another key', text, key('b')],
    ['keys differ in case', text, key('A')],
    ['no key', text, {}],
    ['the longest key', text, key('~'.repeat(255))],
  ] as const) {
    const answer = await send(body, headers);
    t.match(answer, isNew, what);
  }
  t.equal(await sentOf(platform), 5);
  const other = await number('network', { address: '+27110000009' });
  const elsewhere = await call('POST', '/v1/messages/', { token: other.token, payload: { to: PHONE, ...text }, headers: key('a') });
  t.match(elsewhere, isNew, 'the key of another number');

  await clock.advance(1);
  t.match(await send(text, key('a')), isNew, 'a day later it is a new key');
  t.equal(await sentOf(platform), 7);
});

t.test('a key is that of one body, and of one reply', async (t) => {
  const { send, say } = await startNetwork(t);
  const { external_id: id } = await say('hi');
  t.equal((await send(text, key('a'))).status, 200);
  const reused = { status: 409, body: { errors: [{ details: /another body was sent with this Idempotency-Key/i }] } };
  t.match(await send({ ...text, text: { body: 'other' } }, key('a')), reused);
  t.match(await send(text, { ...key('a'), 'X-Svc-In-Reply-To': String(id) }), reused);
  t.match(await send(text, key('a')), { status: 200 }, 'the refusal has not replaced the response');
  for (const invalid of ['', 'a b', 'ä', 'a'.repeat(256)])
    t.match(await send(text, key(invalid)), { status: 400, body: { errors: [{ details: /Idempotency-Key must be/ }] } }, invalid);
});

t.test('a key whose call is in progress gets 409', async (t) => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const waiting = committing(() => {
    begin();
    return released;
  });
  const { send, platform } = await startNetwork(t, { plugins: [...allPlugins(), waiting] });
  const first = send(text, key('a'));
  await begun;
  t.match(await send(text, key('a')), { status: 409, body: { errors: [{ details: /in progress/ }] } });
  release();
  t.match(await first, isNew);
  t.match(await send(text, key('a')), isRepeated);
  t.equal(await sentOf(platform), 1);
});

t.test('refusals of a message are kept; 401, 429 and 5xx are not', async (t) => {
  const { send, call, platform } = await startNetwork(t, { rateLimits: { text: 1 } });
  const missing = { type: 'image', image: { id: '404' } };
  const refused = await send(missing, key('a'));
  t.ok(refused.status >= 400 && refused.status < 500, String(refused.status));
  const again = await send(missing, key('a'));
  t.match(again, { status: refused.status, headers: { 'idempotent-replayed': 'true' } });
  t.strictSame(again.body, refused.body);
  t.equal((await send(text, key('a'))).status, 409, 'the key belongs to the refused body');

  t.equal((await call('POST', '/v1/messages', { token: 'wrong', payload: { to: PHONE, ...text }, headers: key('b') })).status, 401);
  t.equal((await send(text, key('b'))).status, 429, 'one text a minute');
  t.equal(await sentOf(platform), 0);
});

t.test('a call that failed with 503 has sent nothing, and its repetition sends', async (t) => {
  let left = 1;
  const failing = committing(() => {
    if (left-- > 0) throw new Unavailable('not now');
  });
  const { send, platform } = await startNetwork(t, { plugins: [...allPlugins(), failing] });
  t.equal((await send(text, key('a'))).status, 503);
  t.equal(await sentOf(platform), 0);
  t.match(await send(text, key('a')), isNew);
  t.match(await send(text, key('a')), isRepeated);
  t.equal(await sentOf(platform), 1);
});

t.test('keys are bounded: with too many in 24 hours a new one gets 503, and none is removed before', async (t) => {
  const plugins = [...allPlugins().filter(({ manifest }) => manifest.name !== 'messages'), messages({ idempotencyKeys: 3 })];
  const { send, clock, platform } = await startNetwork(t, { plugins });
  for (const one of ['a', 'b', 'c']) {
    t.match(await send(text, key(one)), isNew, one);
    await clock.advance(HOUR);
  }
  t.match(await send(text, key('d')), { status: 503, headers: { 'retry-after': String }, body: { errors: [{ details: /used 3 keys/ }] } });
  t.equal(await sentOf(platform), 3, 'nothing was sent');
  for (const one of ['a', 'b', 'c']) t.match(await send(text, key(one)), isRepeated, one);
  t.match(await send(text), isNew, 'without a key');
  await clock.advance(DAY - 3 * HOUR);
  t.match(await send(text, key('d')), isNew, 'the first key has expired');
  t.equal((await send(text, key('a'))).status, 503);
  t.match(await send(text, key('b')), isRepeated);
  await clock.advance(DAY);
  t.match(await send(text, key('e')), isNew);
  t.equal((await platform.readState()).collections['messages.idempotency-keys']?.length, 1, 'expired keys are removed');
});

t.test('keys outlive a restart', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startNetwork(t, { dataDir });
  const first = await before.send(text, key('a'));
  await before.server.stop();
  const after = await startPlatform(t, { plugins: allPlugins(), dataDir });
  const again = await after.call('POST', '/v1/messages', {
    token: before.token,
    payload: { to: `+${PHONE}`, ...text },
    headers: key('a'),
  });
  t.match(again, isRepeated);
  t.strictSame(again.body, first.body);
});
