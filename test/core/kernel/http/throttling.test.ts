import t from 'tap';
import { definePlugin, integer, object, route, string } from '#core';
import { ManualClock, startPlatform, type Tap } from '#core/testing';
import { createRateLimiter } from '../../../../core/kernel/http/rate-limit.js';

const TURN = Date.UTC(2026, 0, 5, 8, 1);
const limits = (general: number) => ({ general, text: 60, media: 60 });

/** A limiter whose clock the test moves. */
function startLimiter(general: number) {
  const clock = new ManualClock({ start: new Date(TURN - 20_000) });
  const limiter = createRateLimiter(limits(general), clock);
  const use = (calls: number): void => {
    for (let i = 0; i < calls; i++) limiter.count('n', 'general');
  };
  return {
    limiter,
    use,
    enqueue: (signal = new AbortController().signal) => limiter.waitForNextWindow('n', 'general', signal),
    moveTo: (moment: number) => clock.advanceTo(new Date(moment)),
  };
}

t.test('queued calls count in the next window before new calls', async (t) => {
  const { limiter, use, enqueue, moveTo } = startLimiter(3);
  use(4);
  const queuedCall = [enqueue(), enqueue()];
  await moveTo(TURN - 1);
  await moveTo(TURN + 5);
  t.match(limiter.count('n', 'general'), { remaining: 0 }, 'one of three places is left');
  t.match(limiter.count('n', 'general'), { refused: { status: 429 } });
  for (const state of await Promise.all(queuedCall)) {
    t.match(state, { bucket: 'general', limit: 3, reset: (TURN + 59_000) / 1000 });
    t.notOk(state.refused);
  }
});

t.test("at most one window's quota is queued, for each number and bucket", async (t) => {
  const { limiter, use, enqueue, moveTo } = startLimiter(2);
  use(3);
  const queuedCall = [enqueue(), enqueue()];
  t.match(await enqueue(), { remaining: 0, refused: { retryAfterSeconds: 20 } });
  const others = [
    limiter.waitForNextWindow('other', 'general', new AbortController().signal),
    limiter.waitForNextWindow('n', 'text', new AbortController().signal),
  ];
  await moveTo(TURN);
  for (const state of await Promise.all([...queuedCall, ...others])) t.notOk(state.refused);
});

t.test('a call whose client disconnects frees its place in the queue', async (t) => {
  const { use, enqueue, moveTo } = startLimiter(1);
  use(2);
  const client = new AbortController();
  const gone = enqueue(client.signal);
  t.ok((await enqueue()).refused);
  client.abort();
  t.ok((await gone).refused);
  const next = enqueue();
  await moveTo(TURN);
  t.notOk((await next).refused);
  t.ok((await enqueue(client.signal)).refused, 'a disconnected client is not queued');
});

t.test('a stop refuses the queued calls and queues no more', async (t) => {
  const { limiter, use, enqueue } = startLimiter(2);
  use(3);
  const queuedCall = enqueue();
  limiter.stop();
  t.match(await queuedCall, { refused: { status: 429, retryAfterSeconds: 20 } });
  t.match(await enqueue(), { refused: { status: 429 } });
});

const bucketOf = () => 'text' as const;
const asking = definePlugin({
  name: 'asking',
  version: '1.0.0',
  register: () => ({
    routes: [{}, { bucketOf }].map((about, i) =>
      route({
        method: 'POST',
        path: `/v1/asked-${i}`,
        summary: 'Answers.',
        ...about,
        request: { payload: object({ n: integer() }) },
        responses: { 200: object({ ok: string() }) },
        handler: () => ({ ok: 'yes' }),
      }),
    ),
  }),
})();

async function startThrottled(t: Tap) {
  const clock = new ManualClock({ start: new Date(TURN - 10) });
  const test = await startPlatform(t, { plugins: [asking], rateLimits: { general: 1, text: 1 }, ports: { clock } });
  const { token, uuid } = await test.number('network');
  const ask = (path: string, throttling?: string) =>
    test.call('POST', path, { token, payload: { n: 1 }, headers: { ...(throttling !== undefined && { 'x-throttling': throttling }) } });
  return { ...test, uuid, ask };
}

t.test('a call with X-throttling is queued until the next window instead of being refused', async (t) => {
  for (const path of ['/v1/asked-0', '/v1/asked-1']) {
    const { ask, clock } = await startThrottled(t);
    t.equal((await ask(path, '1')).status, 200);
    t.equal((await ask(path)).status, 429);
    t.equal((await ask(path, '0')).status, 429);
    const queuedCall = ask(path, '1');
    t.match(await ask(path, '1'), { status: 429, headers: { 'x-ratelimit-remaining': '0', 'retry-after': '1' } }, 'the queue is full');
    await clock.advanceTo(new Date(TURN));
    t.match(await queuedCall, {
      status: 200,
      headers: { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String((TURN + 59_000) / 1000) },
    });
    t.equal((await ask(path)).status, 429, 'the queued call counted');
  }
});

t.test('a token revoked during the wait is refused afterwards', async (t) => {
  for (const path of ['/v1/asked-0', '/v1/asked-1']) {
    const { ask, clock, platform, uuid } = await startThrottled(t);
    await ask(path);
    const queuedCall = ask(path, '1');
    t.equal((await ask(path, '1')).status, 429);
    const [token] = await platform.tokens.list(uuid);
    await platform.store.transaction((tx) => platform.tokens.revoke(tx, uuid, token!.uuid));
    await clock.advanceTo(new Date(TURN));
    t.match(await queuedCall, { status: 401, body: { errors: [{ title: 'Access denied' }] } }, path);
  }
});

t.test('a call whose connection closes leaves the queue', async (t) => {
  const { ask, clock, server } = await startThrottled(t);
  const connections: { emit(name: string): void }[] = [];
  server.ext('onRequest', (request, h) => {
    connections.push(request.raw.res);
    return h.continue;
  });
  await ask('/v1/asked-0');
  const gone = ask('/v1/asked-0', '1').catch(() => 'the connection is closed');
  t.equal((await ask('/v1/asked-0', '1')).status, 429);
  connections[1]?.emit('close');
  await gone;
  const next = ask('/v1/asked-0', '1');
  t.equal((await ask('/v1/asked-0', '1')).status, 429);
  await clock.advanceTo(new Date(TURN));
  t.equal((await next).status, 200);
});

t.test('a server that stops does not wait for queued calls', async (t) => {
  const { ask, server } = await startThrottled(t);
  await ask('/v1/asked-0');
  const queuedCall = ask('/v1/asked-0', '1');
  t.equal((await ask('/v1/asked-0', '1')).status, 429);
  await server.stop();
  t.equal((await queuedCall).status, 429);
});
