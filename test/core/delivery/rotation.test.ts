import t from 'tap';
import { verifySignature } from '#core';
import { ADMIN_KEY, startPlatform, type Tap } from '#core/testing';
import { MemorySecrets } from '../../../core/adapters/secrets/memory-secrets.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { anyBody } from './webhook-platform.js';

const URL = 'https://endpoint.test/hook';
const HOUR_MS = 3_600_000;

async function startEndpoint(t: Tap) {
  const secrets = new MemorySecrets();
  const test = await startPlatform(t, { plugins: [webhooks(), anyBody()], ports: { secrets } });
  const { admin, platform, clock, http, number } = test;
  const { uuid } = await number('network');
  const made = (await admin('POST', '/webhooks', { number: uuid, url: URL })).body;
  http.answer(URL, {});
  let posted = 0;
  return {
    ...test,
    webhook: made.webhook.uuid as string,
    secret: made.hmac_secret as string,
    /** The stored previous secret. */
    previous: () => secrets.get(`webhook:${made.webhook.uuid}:previous`),
    rotate: async (payload: object = {}) => (await admin('POST', `/webhooks/${made.webhook.uuid}/rotate-secret`, payload)).body,
    /** Whether a receiver with this secret accepts the standard header, and the second one. */
    async received(...secrets: string[]) {
      const webhook = await platform.webhooks.require(made.webhook.uuid);
      await platform.store.transaction((tx) =>
        platform.deliveries.post(tx, { event: `e-${++posted}`, webhook, kind: 'network', body: { posted } }),
      );
      await clock.advance(0);
      const { body, headers } = http.callsTo(URL).at(-1)!;
      return secrets.map((secret) => [
        verifySignature(secret, body, headers['x-svc-hook-signature']),
        verifySignature(secret, body, headers['x-svc-hook-signature-previous']),
      ]);
    },
    headers: () => http.callsTo(URL).at(-1)!.headers,
  };
}

t.test('after a rotation only the new secret signs, from the next attempt on', async (t) => {
  const { secret, rotate, received, headers, webhook } = await startEndpoint(t);
  t.strictSame(await received(secret), [[true, false]]);
  const { hmac_secret: fresh, webhook: shown } = await rotate();
  t.match(shown, { uuid: webhook, previous_secret_until: undefined });
  t.match(fresh, /^\S{43}$/);
  t.not(fresh, secret);
  t.strictSame(await received(fresh, secret), [
    [true, false],
    [false, false],
  ]);
  t.notOk('x-svc-hook-signature-previous' in headers());
});

t.test('a rotation needs no request body', async (t) => {
  const { call, admin, webhook } = await startEndpoint(t);
  t.match(await call('POST', `/admin/v1/webhooks/${webhook}/rotate-secret`, { token: ADMIN_KEY }), {
    status: 200,
    body: { webhook: { uuid: webhook, previous_secret_until: undefined }, hmac_secret: /^\S{43}$/ },
  });
  t.match(await admin('POST', `/webhooks/${webhook}/rotate-secret`, []), { status: 400 });
});

t.test('during an overlap the old secret signs too, in a second header; afterwards it does not', async (t) => {
  const { secret, rotate, received, headers, clock } = await startEndpoint(t);
  const { hmac_secret: fresh, webhook } = await rotate({ overlap_hours: 24 });
  t.equal(webhook.previous_secret_until, new Date(clock.now().getTime() + 24 * HOUR_MS).toISOString());
  t.strictSame(await received(fresh, secret), [
    [true, false],
    [false, true],
  ]);
  t.match(
    headers()['x-svc-hook-signature'],
    /^[A-Za-z0-9+/]{43}=$/,
    'the standard header is one signature, for receivers that compare its whole value',
  );
  await clock.advance(24 * HOUR_MS);
  t.strictSame(await received(fresh, secret), [
    [true, false],
    [false, false],
  ]);
  t.notOk('x-svc-hook-signature-previous' in headers());
});

t.test('an old secret is stored while it signs, and then deleted', async (t) => {
  const { secret, rotate, previous, clock, platform, webhook } = await startEndpoint(t);
  const { hmac_secret: second } = await rotate({ overlap_hours: 1 });
  t.equal(await previous(), secret);
  await clock.advance(HOUR_MS / 2);
  await rotate({ overlap_hours: 2 });
  await clock.advance(2 * HOUR_MS - 1);
  t.equal(await previous(), second, 'the end of the first overlap does not end the second');
  await clock.advance(1);
  t.equal(await previous(), undefined);
  t.notOk('previous_secret_until' in (await platform.webhooks.require(webhook)));
  await rotate({ overlap_hours: 1 });
  await rotate();
  t.equal(await previous(), undefined, 'without an overlap it is deleted immediately');
  await clock.advance(HOUR_MS);
});

t.test('a receiver that checks both headers accepts every delivery during a rotation', async (t) => {
  const { secret, rotate, received, clock, headers, http } = await startEndpoint(t);
  // A receiver: the standard header against the new secret once it has it, until then the second header against the old one.
  const accepts = (known: string): boolean => {
    const { body } = http.callsTo(URL).at(-1)!;
    return ['x-svc-hook-signature', 'x-svc-hook-signature-previous'].some((name) => verifySignature(known, body, headers()[name]));
  };
  await received(secret);
  t.ok(accepts(secret));
  const { hmac_secret: fresh } = await rotate({ overlap_hours: 1 });
  await received(fresh);
  t.ok(accepts(secret), 'the receiver does not have the new secret yet');
  t.ok(accepts(fresh));
  await clock.advance(HOUR_MS);
  await received(fresh);
  t.ok(accepts(fresh));
});

t.test('a second rotation keeps one old secret: the previous one', async (t) => {
  const { secret, rotate, received } = await startEndpoint(t);
  const { hmac_secret: second } = await rotate({ overlap_hours: 24 });
  const { hmac_secret: third } = await rotate({ overlap_hours: 1 });
  t.strictSame(await received(third, second, secret), [
    [true, false],
    [false, true],
    [false, false],
  ]);
});

t.test('only the response that creates a secret contains it', async (t) => {
  const { rotate, admin, webhook, events, received, log } = await startEndpoint(t);
  const { hmac_secret: fresh } = await rotate({ overlap_hours: 24 });
  await received(fresh);
  t.notOk(JSON.stringify([(await admin('GET', `/webhooks/${webhook}`)).body, events, log.lines]).includes(fresh));
  t.ok(events.some(({ name }) => name === 'webhook.secret_rotated'));
});

t.test('a retry is signed with the secret that is current when it is sent', async (t) => {
  const { http, secret, rotate, received, clock } = await startEndpoint(t);
  http.answer(URL, { status: 500 }, {});
  await received(secret);
  const { hmac_secret: fresh } = await rotate();
  await clock.advance(20_000);
  const [first, second] = http.callsTo(URL);
  t.equal(first!.text, second!.text);
  t.ok(verifySignature(secret, first!.body, first!.headers['x-svc-hook-signature']));
  t.ok(verifySignature(fresh, second!.body, second!.headers['x-svc-hook-signature']));
});
