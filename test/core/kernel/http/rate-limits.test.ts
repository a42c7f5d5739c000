import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform, definePlugin, integer, object, PlatformError, type RateBucket, route, string } from '#core';
import { ADMIN_KEY, type Answer, InlinePool, ManualClock, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { createRateLimiter } from '../../../../core/kernel/http/rate-limit.js';
import { channels } from '../../../../plugins/channels/plugin.js';

/** A time of 08:00:12.345, and the end of its minute. */
const MOMENT = Date.UTC(2026, 0, 5, 8, 0, 12, 345);
const TURN = Date.UTC(2026, 0, 5, 8, 1);
const RESET = (TURN - 1000 + 345) / 1000;

/** Routes in each bucket that respond with the status requested. */
const asking = definePlugin({
  name: 'asking',
  version: '1.0.0',
  register: () => ({
    routes: (['general', 'text', 'media', 'none'] as const).map((bucket) =>
      route({
        method: 'POST',
        path: `/v1/${bucket}`,
        bucket,
        summary: 'Answers.',
        request: { payload: object({ status: integer() }) },
        responses: { 200: object({ ok: string() }), 201: object({ ok: string() }) },
        handler({ payload: { status } }, h) {
          if (status >= 400) throw new PlatformError(status, 'asked_for', 'As requested');
          return h.response({ ok: 'yes' }).code(status);
        },
      }),
    ),
  }),
})();

async function startLimited(t: Tap, rateLimits: boolean | { general?: number; text?: number }) {
  const clock = new ManualClock({ start: new Date(MOMENT) });
  const started = await startPlatform(t, { plugins: [channels(), asking], rateLimits, ports: { clock } });
  const { token } = await started.number('network');
  const ask = (bucket: RateBucket = 'general', { status = 200, as = token } = {}): Promise<Answer> =>
    started.call('POST', `/v1/${bucket}`, { token: as, payload: { status } });
  return { ...started, ask };
}

const rateHeaders = ({ headers }: Answer) =>
  ['bucket', 'limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`] as string | undefined);

t.test('a number may make 60 calls a minute', async (t) => {
  const { ask } = await startLimited(t, true);
  for (let i = 1; i <= 60; i++) {
    const answer = await ask();
    t.strictSame([answer.status, ...rateHeaders(answer)], [200, 'general', '60', String(60 - i), String(RESET)]);
  }
  const { status, headers, body } = await ask();
  t.equal(status, 429);
  t.equal(headers['retry-after'], '48');
  t.strictSame(body, {
    errors: [
      {
        ...{ code: 429, title: 'Too Many Requests', cause: 'rate_limited' },
        details: "More than 60 calls a minute in bucket 'general'; try again in 48 s",
      },
    ],
  });
});

t.test('every response to a call that counts has the rate-limit headers', async (t) => {
  const { ask, call, clock } = await startLimited(t, { general: 4 });
  for (const [status, left] of [
    [200, '3'],
    [201, '2'],
    [404, '1'],
    [500, '0'],
    [429, '0'],
  ] as const) {
    const answer = await ask('general', { status });
    t.strictSame([answer.status, ...rateHeaders(answer)], [status, 'general', '4', left, String(RESET)]);
  }
  await clock.advanceTo(new Date(TURN));
  const invalid = await ask('general', { status: 'many' as never });
  t.strictSame([invalid.status, rateHeaders(invalid)[2]], [400, '3'], 'an invalid body counts too');
  t.strictSame(
    rateHeaders(await call('POST', '/v1/general')),
    [undefined, undefined, undefined, undefined],
    'a call without a token does not',
  );
});

t.test('a refused call does not reach the handler', async (t) => {
  const { ask, log } = await startLimited(t, { general: 1 });
  await ask();
  t.equal((await ask('general', { status: 500 })).status, 429);
  t.equal((await ask('general', { status: 'many' as never })).status, 429);
  t.strictSame(log.lines, []);
});

t.test('each bucket and each number has its own count', async (t) => {
  const { ask, number } = await startLimited(t, { general: 1, text: 1 });
  const other = await number('network');
  await ask('general');
  t.equal((await ask('general')).status, 429);
  t.equal((await ask('text')).status, 200, 'another bucket');
  t.equal((await ask('media')).headers['x-ratelimit-limit'], '60', 'the default is 60');
  t.equal((await ask('general', { as: other.token })).status, 200, 'another number');
});

t.test('all tokens of a number share its count', async (t) => {
  const { ask, admin, number } = await startLimited(t, { general: 1 });
  const { uuid, token } = await number('network');
  const { body } = await admin('POST', `/numbers/${uuid}/tokens`, { name: 'another' });
  await ask('general', { as: token });
  t.equal((await ask('general', { as: body.text })).status, 429);
});

t.test('posts of a channel, the admin API and routes in bucket none are not limited', async (t) => {
  const { ask, admin, call, number } = await startLimited(t, { general: 1 });
  const { uuid, token } = await number('channel');
  for (let i = 0; i < 3; i++) {
    const message = { type: 'text', from: 'ada', id: `m${i}`, timestamp: '1767600000', text: { body: 'hi' } };
    const payload = { contact: { id: 'ada', profile: { name: 'Ada' } }, message };
    const received = await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload });
    t.strictSame([received.status, rateHeaders(received)[0]], [200, undefined]);
    t.equal((await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload: {} })).status, 400);
    t.equal((await ask('none')).status, 200);
    t.equal((await admin('GET', '/numbers')).status, 200);
  }
});

t.test("the window is a minute of the platform's clock, and setting the time of day does not reset the limit", async (t) => {
  const { ask, clock } = await startLimited(t, { general: 1 });
  const left = TURN - MOMENT;
  await ask();
  clock.jump(7_200_000);
  t.equal((await ask()).status, 429);
  clock.jump(-14_400_000);
  await clock.advance(left - 1);
  t.match(await ask(), { status: 429, headers: { 'retry-after': '1', 'x-ratelimit-reset': String((TURN - 1) / 1000) } });
  await clock.advance(1);
  t.equal((await ask()).status, 200);
  t.equal((await ask()).status, 429);
  await clock.advance(3_600_000);
  t.match(await ask(), { status: 200, headers: { 'x-ratelimit-reset': String((TURN + 3_659_000) / 1000) } });
});

t.test('a monotonic clock that goes back does not reset the limit, and windows continue from there', async (t) => {
  let elapsed = 0;
  const clock = { now: () => new Date(MOMENT), monotonic: () => elapsed, sleep: async () => {} };
  const limiter = createRateLimiter({ general: 1, text: 1, media: 1 }, clock);
  const isTaken = (at: number): boolean => {
    elapsed = at;
    return limiter.count('number', 'general')?.refused === undefined;
  };
  t.strictSame([0, 1, -60_000, 2, -3_600_000, 3].map(isTaken), [true, false, false, false, false, false]);
  t.strictSame([TURN - MOMENT, -1, TURN - MOMENT + 1].map(isTaken), [true, false, false]);
});

t.test('limits are on unless they are switched off', async (t) => {
  const server = Hapi.server();
  const ports = { workers: new InlinePool(), log: new RecordingLogger() };
  const platform = createPlatform({ plugins: [asking], admin: { key: ADMIN_KEY }, ports });
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  const token = await platform.store.transaction((tx) => {
    const { uuid } = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '1', name: 'n' });
    return platform.tokens.issue(tx, uuid, 'test').text;
  });
  const { headers } = await server.inject({
    method: 'POST',
    url: '/v1/general',
    headers: { authorization: `Bearer ${token}` },
    payload: { status: 200 },
  });
  t.match(headers, { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });

  const { ask } = await startLimited(t, false);
  const answers = await Promise.all(Array.from({ length: 61 }, () => ask()));
  t.ok(answers.every((answer) => answer.status === 200 && rateHeaders(answer)[1] === undefined));
});

t.test('reset is second 59 of the window plus the fraction of the call', async (t) => {
  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:00Z') });
  const limiter = createRateLimiter({ general: 2, text: 2, media: 2 }, clock);
  const steps: readonly (readonly [at: string, remaining: number, reset: string, retryAfter?: number])[] = [
    ['2026-01-05T08:00:12.345Z', 1, '2026-01-05T08:00:59.345Z'],
    ['2026-01-05T08:00:40.000Z', 0, '2026-01-05T08:00:59.000Z'],
    ['2026-01-05T08:00:40.001Z', 0, '2026-01-05T08:00:59.001Z', 20],
    ['2026-01-05T08:00:59.999Z', 0, '2026-01-05T08:00:59.999Z', 1],
    ['2026-01-05T08:01:00.000Z', 1, '2026-01-05T08:01:59.000Z'],
    ['2026-01-05T09:00:00.500Z', 1, '2026-01-05T09:00:59.500Z'],
  ];
  for (const [at, remaining, reset, retryAfter] of steps) {
    await clock.advanceTo(new Date(at));
    const state = limiter.count('number', 'general');
    t.match(state, { remaining, reset: Date.parse(reset) / 1000 }, at);
    t.match(state?.refused, retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter }, at);
  }
});
