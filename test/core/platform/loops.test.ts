import t from 'tap';
import { ManualClock, ScriptedHttp, type Tap } from '#core/testing';
import { freshFolder } from '../adapters/store/folders.js';
import { type OwlRun, startOwls } from '../messaging/owl-post.js';

const tokens = ['token-of-hedwig', 'token-of-errol', 'token-of-pig'] as const;

/** Runs until its signal aborts. */
const untilAborted: OwlRun = (_, { signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A platform whose loop does `work`, which `steps` records with the token, and an owl for each token. */
async function startLoops(t: Tap, work: OwlRun, options: { dataDir?: string } = {}) {
  const steps: string[] = [];
  let running = 0;
  let most = 0;
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  for (const token of tokens) http.answer(`GET https://owls.test/me?token=${token}`, { body: { id: 'owl-1', name: 'Hedwig' } });
  http.answer('GET https://owls.test/me?token=token-of-pig', { body: { id: 'owl-3', name: 'Pig' } });
  const test = await startOwls(t, {
    ...{ ...options, ports: { clock, http } },
    async run(connection, io, token) {
      steps.push(`${token} begins`);
      most = Math.max(most, ++running);
      try {
        await work(connection, io, token);
        steps.push(`${token} ends`);
      } catch (error) {
        steps.push(`${token} fails`);
        throw error;
      } finally {
        running--;
      }
    },
  });
  const receiving = async () => (await test.admin('GET', '/connections')).body.connections[0]?.receiving;
  return { ...test, steps, receiving, most: () => most };
}

/** Lets the work that a call has started begin: nothing here waits for a clock. */
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

t.test('a loop begins when a number is connected, again with new credentials, and ends when it is stopped or disconnected', async (t) => {
  const { connect, admin, platform, steps, receiving, most } = await startLoops(t, untilAborted);
  const [hedwig, errol] = tokens;
  const { uuid } = (await connect({ token: hedwig })).body.connection.number;
  await turns();
  t.strictSame(await receiving(), { state: 'running', failures: 0, last_error: null, next_at: null });
  await connect({ token: errol });
  await turns();
  t.strictSame(steps.splice(0), [`${hedwig} begins`, `${hedwig} ends`, `${errol} begins`]);
  await platform.store.transaction((tx) => platform.connections.stop(tx, uuid, { code: 1, title: 'Tired' }));
  await turns();
  t.equal(await receiving(), null);
  t.strictSame(steps.splice(0), [`${errol} ends`]);
  await admin('POST', `/numbers/${uuid}/connection/resume`);
  await turns();
  await admin('DELETE', `/numbers/${uuid}/connection`);
  await turns();
  t.strictSame(steps.splice(0), [`${errol} begins`, `${errol} ends`]);
  t.equal(most(), 1);
});

t.test('a loop of a number begins only when the previous one has ended, and each number has its own', async (t) => {
  const ends: (() => void)[] = [];
  const { connect, steps } = await startLoops(t, () => new Promise((resolve) => ends.push(resolve)));
  const [hedwig, errol, pig] = tokens;
  await connect({ token: hedwig });
  await connect({ token: errol });
  await connect({ token: hedwig });
  await connect({ token: pig });
  await turns();
  t.strictSame(steps.splice(0), [`${hedwig} begins`, `${pig} begins`], 'one that does not end keeps the next from beginning');
  ends[0]!();
  await turns();
  t.strictSame(steps.splice(0), [`${hedwig} ends`, `${hedwig} begins`], 'the one in between is no longer wanted');
  for (const end of ends.splice(0)) end();
});

t.test('a loop that fails runs again after 1, 2, 4 … 60 seconds, and immediately after a success', async (t) => {
  let fails = true;
  const { connect, clock, steps, receiving, log, admin } = await startLoops(t, async (_, io, token) => {
    if (fails) throw new Error(`the owl with ${token} is asleep`);
    await clock.sleep(25_000, io.signal);
  });
  await connect({ token: tokens[0] });
  await turns();
  const begun = () => steps.splice(0).filter((step) => step.endsWith('begins')).length;
  t.equal(begun(), 1);
  const start = clock.now().getTime();
  const state = await receiving();
  t.match(state, {
    state: 'waiting',
    failures: 1,
    last_error: 'the owl with [redacted] is asleep',
    next_at: new Date(start + 1_000).toISOString(),
  });
  const waits: number[] = [];
  for (let last = start; waits.length < 8; ) {
    await clock.next();
    if (begun() === 0) continue;
    waits.push((clock.now().getTime() - last) / 1_000);
    last = clock.now().getTime();
  }
  t.strictSame(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
  const warnings = log.lines.filter(({ level, fields }) => level === 'warn' && fields.loop === 'owl');
  t.match(warnings.slice(0, 2), [
    { fields: { plugin: 'owl-post', loop: 'owl', number_id: /./, failures: 1, wait_ms: 1_000 } },
    { fields: { failures: 2, wait_ms: 2_000 } },
  ]);
  t.match((await admin('GET', '/metrics')).body, /posthorn_loop_failures_total\{loop="owl"\} 9\n/);
  fails = false;
  await clock.advance(60_000);
  t.match(await receiving(), { state: 'running' });
  begun();
  await clock.advance(100_000);
  t.ok([3, 4].includes(begun()), 'a poll of 25 seconds is repeated immediately');
  t.match(await receiving(), { failures: 0, last_error: null });
});

t.test('a loop without anything to wait for does not spin', async (t) => {
  const { connect, clock, steps } = await startLoops(t, async () => undefined);
  await connect({ token: tokens[0] });
  await clock.advance(0);
  const begun = () => steps.splice(0).filter((step) => step.endsWith('begins')).length;
  t.equal(begun(), 100);
  await clock.advance(60_000);
  t.equal(begun(), 500, 'it waits for 1, 2, 4, 8 and 16 seconds');
});

t.test('a stop ends loops, and waits at most a second for one that does not end', async (t) => {
  const { connect, server, steps } = await startLoops(t, untilAborted);
  await connect({ token: tokens[0] });
  await turns();
  await server.stop();
  t.strictSame(steps, [`${tokens[0]} begins`, `${tokens[0]} ends`]);

  const stuck = await startLoops(t, () => new Promise(() => undefined));
  await stuck.connect({ token: tokens[0] });
  await turns();
  const begunAt = performance.now();
  await stuck.server.stop();
  const ms = performance.now() - begunAt;
  t.ok(ms > 900 && ms < 5_000, `${ms} ms`);
});

t.test('a start continues with the numbers that are connected, except those that are stopped', async (t) => {
  const dataDir = freshFolder(t);
  const [hedwig, , pig] = tokens;
  const before = await startLoops(t, untilAborted, { dataDir });
  const { uuid } = (await before.connect({ token: hedwig })).body.connection.number;
  await before.connect({ token: pig });
  await before.platform.store.transaction((tx) => before.platform.connections.stop(tx, uuid, { code: 1, title: 'Tired' }));
  await before.clock.advance(0);
  await before.server.stop();
  const after = await startLoops(t, untilAborted, { dataDir });
  await turns();
  t.strictSame(after.steps, [`${pig} begins`]);
});
