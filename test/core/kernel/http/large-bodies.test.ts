import t from 'tap';
import { array, boolean, definePlugin, object, route, string } from '#core';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { onlyLong } from '../../../forms.js';

const MANY = 100_000;
const ROUNDS = 3;
/** Validating all keys and items took 6 to 15 times as long as JSON.parse. */
const MAX_TIMES = 4;

const item = object({ name: string() });
const taking = definePlugin({
  name: 'taking',
  version: '1.0.0',
  register: () => {
    const about = {
      method: 'POST',
      path: '/v1/items',
      summary: 'Takes items.',
      request: { payload: object({ name: string() }, { items: array(item) }) },
      responses: { 200: object({ done: boolean() }) },
      handler: () => ({ done: true }),
    } as const;
    return { routes: [route({ ...about, auth: 'none' })], admin: [route({ ...about, path: '/items' })] };
  },
})();

/** The lowest CPU time of several runs, in milliseconds. */
async function cpuOf(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

const unknown = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [i.toString(36), 1]));
const written = JSON.stringify(unknown);
const bodies = {
  'unknown keys': { name: 'a', ...unknown },
  'unknown keys, one level down': { name: 'a', items: [{ name: 'a', ...unknown }] },
  'items of a wrong type': { name: 'a', items: Array.from({ length: MANY }, () => 1) },
};

for (const [path, token] of [
  ['/v1/items', undefined],
  ['/admin/v1/items', ADMIN_KEY],
] as const) {
  t.test(
    `${path} refuses a body with 100,000 problems at the first few`,
    { skip: path.startsWith('/admin') ? onlyLong : false },
    async (t) => {
      const { call } = await startPlatform(t, { plugins: [taking] });
      for (const [what, body] of Object.entries(bodies)) {
        const payload = JSON.stringify(body);
        const refuse = async () => t.equal((await call('POST', path, { payload, ...(token && { token }) })).status, 400, what);
        await refuse();
        const parse = await cpuOf(() => JSON.parse(written));
        const times = (await cpuOf(refuse)) / parse;
        t.ok(times < MAX_TIMES, `${what}: ${times.toFixed(1)} times as long as JSON.parse of the same keys`);
      }
    },
  );
}

t.test('an object of a body may have 10,000 keys', async (t) => {
  const { call } = await startPlatform(t, { plugins: [taking] });
  const withKeys = (count: number) => ({ name: 'a', ...Object.fromEntries(Object.entries(unknown).slice(0, count - 1)) });
  const post = (payload: object) => call('POST', '/v1/items', { payload });
  t.equal((await post(withKeys(10_000))).status, 200);
  const refusal = { status: 400, body: { errors: [{ details: 'The body has an object with more than 10000 keys' }] } };
  t.match(await post(withKeys(10_001)), refusal);
  t.match(await post({ name: 'a', items: [withKeys(10_001)] }), refusal, 'at any depth');
});

t.test('a body with more than 10,000 values is reported by its first problem, a smaller one by all', async (t) => {
  const { call } = await startPlatform(t, { plugins: [taking] });
  const detailsOf = async (items: number) =>
    (await call('POST', '/v1/items', { payload: { items: Array.from({ length: items }, () => 1) } })).body.errors[0].details;
  t.match(await detailsOf(2), /^name is required; items\[0\] must be of type object; items\[1\] must be of type object$/);
  t.match(await detailsOf(10_001), /^name is required; the body has more than 10000 values, so only the first problem is named$/);
});
