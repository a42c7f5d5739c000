import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import t from 'tap';
import { createPlatform, verifySignature } from '#core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { clockPlugin } from '../../sandbox/server/clock-plugin.js';
import { admin } from './admin-call.js';
import { startReceiver } from './receiver.js';

async function start(t: Tap, options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox({ logLevel: 'error', ...options });
  t.teardown(() => sandbox.stop());
  return sandbox;
}

const seedFor = (url: string) => ({
  channels: [{ from_addr: 'web:test', name: 'Test', endpoint: 'http://127.0.0.1:9/' }],
  webhooks: [{ number: 'web:test', url, subscriptions: ['msgapp'] }],
});

/** Posts a message to the channel like a connector, whose delivery goes to the webhook. */
async function bringIn({ api, numbers: [channel] }: Sandbox, id: string): Promise<void> {
  const response = await fetch(`${api}/v1/numbers/${channel!.uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel!.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      contact: { id: '+1', profile: { name: 'Sam' } },
      message: { type: 'text', from: '+1', id, timestamp: '1767600000', text: { body: 'hi' } },
    }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + patient(10_000);
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('it did not happen');
    await realSleep(10);
  }
}

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

for (const clock of ['manual', 'real'] as const) {
  t.test(`with a ${clock} clock, 138 seconds of retries pass in moments, signed and at the times of the retry policy`, async (t) => {
    const receiver = await startReceiver(t, 500);
    const sandbox = await start(t, { seed: seedFor(receiver.url), clock });
    const { hmac_secret: secret, uuid: webhook } = sandbox.webhooks[0]!;
    await bringIn(sandbox, 'm1');
    await until(async () => (await admin(sandbox, '/clock')).body.timers.some(({ kind }: { kind: string }) => kind === 'retry'));

    const stopwatch = performance.now();
    const reached: { kind: string; id: string; title: string }[] = [];
    for (let retry = 1; retry <= 5; retry++) {
      const { status, body } = await admin(sandbox, '/clock', { next: true });
      t.equal(status, 200);
      reached.push(body.reached[0]);
    }
    const tookMs = performance.now() - stopwatch;
    t.ok(tookMs < patient(1_000), `five retries took ${Math.round(tookMs)} ms`);

    const { deliveries } = (await admin(sandbox, `/deliveries?webhook=${webhook}`)).body;
    const { delivery, attempts } = (await admin(sandbox, `/deliveries/${deliveries[0].uuid}`)).body;
    t.match(delivery, { state: 'dropped', attempts: 6 });
    t.strictSame(
      reached.map(({ kind, id, title }) => [kind, id, title]),
      [1, 2, 3, 4, 5].map((n) => ['retry', delivery.uuid, `retry ${n} of delivery ${delivery.uuid} (msgapp) to ${webhook}`]),
    );
    const dues = attempts.slice(1).map(({ started_at }: { started_at: string }) => seconds(delivery.first_failed_at, started_at));
    // A clock that follows real time also counts the time that this machine takes.
    const late = clock === 'manual' ? 0.001 : patient(3_000) / 1000;
    for (const [i, anchor] of [17, 36, 60, 91, 138].entries()) {
      const gap = [17, 19, 24, 31, 47][i]!;
      t.ok(dues[i] >= anchor - 0.1 * gap && dues[i] <= anchor + 0.04 * gap + late, `retry ${i + 1} after ${dues[i]} s`);
    }
    t.equal(receiver.received.length, 6);
    for (const { headers, body } of receiver.received) {
      const [, signature] = Object.entries(headers).find(([name]) => name.endsWith('hook-signature')) ?? [];
      t.ok(verifySignature(secret, body, signature as string), 'the signature verifies');
    }

    await t.test('it is advanced, set, paused and resumed, and every change is an event', async (t) => {
      const events: unknown[] = [];
      sandbox.platform.listen(({ name, data }) => name === 'clock.changed' && events.push((data as { by: string }).by));
      const { body: first } = await admin(sandbox, '/clock');
      t.match(first, { mode: clock, paused: clock === 'manual' });
      const { body: advanced } = await admin(sandbox, '/clock/advance', { seconds: 43 });
      t.ok(seconds(first.now, advanced.now) >= 43 && seconds(first.now, advanced.now) < 43 + patient(2_000) / 1000);
      const later = new Date(Date.parse(advanced.now) + 3_600_000).toISOString();
      const { body: set } = await admin(sandbox, '/clock', { set: later });
      t.ok(set.now >= later);
      t.match(await admin(sandbox, '/clock', { paused: true }), { body: { mode: 'manual', paused: true } });
      const { body: paused } = await admin(sandbox, '/clock');
      await realSleep(30);
      t.equal((await admin(sandbox, '/clock')).body.now, paused.now);
      t.match(await admin(sandbox, '/clock', { paused: false }), { body: { mode: 'real', paused: false } });
      await realSleep(30);
      t.ok((await admin(sandbox, '/clock')).body.now > paused.now);
      await until(() => events.length === 4);
      t.strictSame(events, ['advance', 'set', 'pause', 'resume']);
    });
  });
}

t.test('the clock never goes back, and says so; a request to a receiver that does not respond times out in real time', async (t) => {
  const receiver = await startReceiver(t, 0);
  const sandbox = await start(t, { seed: seedFor(receiver.url), clock: 'manual', seedKey: 'k' });
  t.match((await admin(sandbox, '/clock')).body, { timers: [] });
  t.match(await admin(sandbox, '/clock', { set: '2026-01-05T07:59:59Z' }), {
    status: 409,
    body: { errors: [{ details: /shows 2026-01-05T08:00:00.000Z and it never goes back/ }] },
  });
  t.match(await admin(sandbox, '/clock', { set: '2036-01-05T07:59:59Z' }), {
    status: 409,
    body: { errors: [{ details: /366 days/ }] },
  });
  t.match(await admin(sandbox, '/clock', { next: true }), { status: 409, body: { errors: [{ details: /Nothing is pending/ }] } });
  t.match(await admin(sandbox, '/clock', { advance: 1, next: true }), { status: 400 });
  t.match(await admin(sandbox, '/clock', {}), { status: 400 });
  t.match(await admin(sandbox, '/clock', { advance: -1 }), { status: 400 });
  t.match(await admin(sandbox, '/clock', { next: false }), { status: 400 });
  t.equal(sandbox.clock.now().toISOString(), '2026-01-05T08:00:00.000Z');

  const before = sandbox.clock.now();
  await bringIn(sandbox, 'm1');
  await until(async () => (await admin(sandbox, '/deliveries?limit=1')).body.deliveries[0].state === 'retry_wait');
  const { deliveries } = (await admin(sandbox, '/deliveries?limit=1')).body;
  const { attempts } = (await admin(sandbox, `/deliveries/${deliveries[0].uuid}`)).body;
  t.ok(attempts[0].duration_ms >= 4_900, `timed out after ${attempts[0].duration_ms} ms`);
  t.strictSame(sandbox.clock.now(), before, 'the clock did not move');
});

t.test('a parked session, a media link and a preview are listed with what they are', async (t) => {
  const sandbox = await start(t, { clock: 'manual' });
  const { channels, platform } = sandbox;
  const [channel] = channels;
  await fetch(sandbox.phone!, { method: 'POST', body: JSON.stringify({ from: '+27611111111', text: 'hi' }) });
  const timers = async (): Promise<{ kind: string; id: string; title: string; at: string }[]> =>
    (await admin(sandbox, '/clock')).body.timers;
  await until(async () => (await timers()).some(({ kind }) => kind === 'session'));
  const media = await platform.media.put(channel!.uuid, Buffer.from('picture'), { mimeType: 'image/png' });
  platform.media.link(media.id);
  const listed = await timers();
  t.match(
    listed.find(({ kind }) => kind === 'media_link'),
    {
      id: media.id,
      title: `expiry of a link to media file ${media.id}`,
      at: new Date(sandbox.clock.now().getTime() + 120_000).toISOString(),
    },
  );
  const session = listed.find(({ kind }) => kind === 'session')!;
  t.match(session.title, `of parked session ${session.id}`);
  t.strictSame(
    listed.map(({ at }) => at),
    listed.map(({ at }) => at).sort(),
  );
  await admin(sandbox, '/clock', { set: session.at });
  const { status } = await fetch(
    `${sandbox.api}${new URL(platform.media.link(media.id)).pathname}${new URL(platform.media.link(media.id)).search}`,
  );
  t.equal(status, 200, 'a new link works');
});

t.test('the time and the pace of the clock survive a restart with a data folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-clock-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  const first = await startSandbox({ seed: 'empty', data, clock: 'manual', logLevel: 'error' });
  await admin(first, '/clock', { advance: 86_400 });
  const stopped = first.clock.now();
  await first.stop();

  const second = await startSandbox({ data, logLevel: 'error' });
  t.same([second.clock.isPaused, second.clock.now()], [true, stopped]);
  await admin(second, '/clock', { paused: false });
  await admin(second, '/clock', { advance: 3_600 });
  const { body } = await admin(second, '/clock');
  await second.stop();

  const third = await startSandbox({ data, logLevel: 'error' });
  const { body: continued } = await admin(third, '/clock');
  t.match(continued, { mode: 'real', paused: false });
  t.ok(Math.abs(continued.offset_ms - body.offset_ms) < 20, 'it is as far ahead of the machine as before');
  await third.stop();

  const fourth = await startSandbox({ data, clock: 'manual', logLevel: 'error' });
  t.equal(fourth.clock.isPaused, true, 'a mode that the user asks for applies');
  t.ok(fourth.clock.now().toISOString() > continued.now);
  await fourth.stop();

  writeFileSync(join(data, 'clock.json'), '{"paused":');
  await t.rejects(startSandbox({ data, logLevel: 'error' }), /clock\.json cannot be read/);
  t.equal(readFileSync(join(data, 'clock.json'), 'utf8'), '{"paused":');
});

t.test('a platform whose clock cannot be moved answers moves with 409', async (t) => {
  const platform = createPlatform({
    plugins: [clockPlugin({ movable: undefined, pendingTimers: (limit) => platform.pendingTimers(limit) })],
    admin: { key: 'k'.repeat(32) },
    logLevel: 'error',
  });
  const { default: Hapi } = await import('@hapi/hapi');
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  const call = async (method: string, url: string, payload?: object) =>
    (await server.inject({ method, url, headers: { authorization: `Bearer ${'k'.repeat(32)}` }, ...(payload && { payload }) })).statusCode;
  t.equal(await call('GET', '/admin/v1/clock'), 200);
  t.equal(await call('POST', '/admin/v1/clock', { advance: 1 }), 409);
  t.equal(await call('POST', '/admin/v1/clock/advance', { seconds: 1 }), 409);
});
