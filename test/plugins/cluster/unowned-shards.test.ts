import t from 'tap';
import { definePlugin } from '#core';
import { ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { unownedShards, type WatchedDirectory } from '../../../plugins/cluster/unowned-shards.js';

const DESK = 'https://on-call.test/alerts';
const LEASE_MS = 3_000;

/** Two shards of a cluster of three, each a platform that posts alerts to the same desk, on one clock. */
async function start(t: Tap) {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock }).answer(DESK, {});
  const owned = new Set(['shard-1', 'shard-2', 'shard-3']);
  const state: { problem?: string } = {};
  const directory: WatchedDirectory = {
    shards: [...owned],
    leaseMs: LEASE_MS,
    members: () => [
      {
        ...{ id: 'p', url: '', version: '', isDraining: false, isFresh: true },
        reports: ['shard-1', 'shard-2', 'shard-3'].map((shard) => ({
          ...{ shard, transaction: 0, rate: 0 },
          role: owned.has(shard) ? 'owner' : 'starting',
        })),
      },
    ],
    problem: () => state.problem,
  };
  const shards = await Promise.all(
    ['shard-1', 'shard-2'].map((shard) =>
      startPlatform(t, {
        plugins: [definePlugin({ name: 'watch', version: '1.0.0', register: (context) => unownedShards(directory, shard, context) })()],
        alerts: [{ url: DESK, from: 'info' }],
        ports: { clock, http },
      }),
    ),
  );
  const said = (): string[] => http.callsTo(DESK).map(({ json }) => `${json.severity} ${json.state} ${json.name}`);
  const adviceOf = async (n: number) => (await shards[n]!.admin('GET', '/advice')).body.advice;
  const pass = (seconds: number) => clock.advance(seconds * 1_000);
  return { clock, http, owned, state, shards, said, adviceOf, pass };
}

t.test('a shard without an owner has one alert of the whole cluster, and a recovery message', async (t) => {
  const { owned, said, pass, http, adviceOf, shards } = await start(t);
  await pass(10);
  owned.delete('shard-3');
  await pass(30);
  t.strictSame(said(), [], 'a take-over raises nothing');
  await pass(100);
  t.strictSame(said(), ['critical raised shard_without_owner']);
  t.match(http.callsTo(DESK)[0]!.json.text, /why none serves shard-3,.*GET \/admin\/v1\/cluster/);
  t.match([await adviceOf(0), await adviceOf(1)], [[{ name: 'shard_without_owner', about: { shard: 'shard-3' }, message: /503/ }], []]);
  await shards[0]!.admin('DELETE', `/advice/${(await adviceOf(0))[0].id}`);
  await pass(100);
  t.strictSame(said(), ['critical raised shard_without_owner', 'critical resolved shard_without_owner'], 'dismissed by an operator');

  owned.add('shard-3');
  await pass(5);
  owned.delete('shard-3');
  await pass(100);
  owned.add('shard-3');
  await pass(100);
  t.strictSame(said().slice(2), ['critical raised shard_without_owner', 'critical resolved shard_without_owner'], 'lost again');
  t.strictSame(await adviceOf(0), []);
});

t.test('the owner of the next shard reports the first, and nothing is raised while the database is away', async (t) => {
  const { owned, said, pass, state, adviceOf } = await start(t);
  owned.delete('shard-1');
  await pass(40);
  t.strictSame(said(), ['critical raised shard_without_owner']);
  t.match(await adviceOf(1), [{ about: { shard: 'shard-1' } }]);
  owned.add('shard-1');
  await pass(100);
  state.problem = 'connection refused';
  owned.clear();
  await pass(300);
  state.problem = undefined as never;
  owned.add('shard-1').add('shard-2').add('shard-3');
  await pass(100);
  t.strictSame(said(), ['critical raised shard_without_owner', 'critical resolved shard_without_owner']);
});
