import Joi from 'joi';
import t from 'tap';
import { collection, definePlugin, offer, type Plugin, service } from '#core';
import { startSandbox } from '../../sandbox/compose.js';
import { loadSample } from '../pages/samples.js';
import { admin } from './admin-call.js';

interface Named {
  readonly number: string;
  readonly name: string;
}

t.test('the plugin on the page on the sandbox reads its part of a seed, all or nothing', async (t) => {
  const { branchesPlugin } = (await loadSample('sandbox/README.md', 'ts', 'plugin seed')) as { branchesPlugin: () => Plugin };
  const channel = (from_addr: string) => ({ from_addr, name: from_addr, endpoint: 'http://127.0.0.1:9/' });
  const seed = { channels: [channel('web:1')], plugins: { branches: { 'web:1': 'Centre' } } };
  const sandbox = await startSandbox({ seed, plugins: [branchesPlugin()] });
  t.teardown(() => sandbox.stop());
  const { uuid } = sandbox.numbers[0]!;
  const stored = async (): Promise<unknown> => (await sandbox.platform.readState()).collections['branches.branches'];
  t.strictSame(await stored(), [{ name: 'Centre', number: uuid }]);

  const change = (given: unknown) => admin(sandbox, '/state/seed', { seed: given });
  t.equal((await change({ ...seed, plugins: { branches: { 'web:1': 'Harbour' } } })).status, 200);
  t.strictSame(await stored(), [{ name: 'Harbour', number: uuid }], 'a changed seed replaces what the plugin has made');

  const refusals: readonly [plugins: object, why: RegExp][] = [
    [{ branches: { 'web:1': 5 } }, /plugins\.branches: .*web:1.* must be a string/],
    [{ branches: { 'web:9': 'Hill' } }, /plugins\.branches: branches: the seed has no number web:9/],
    [{ offices: {} }, /the seed has plugins\.offices, but no plugin 'offices' of this sandbox reads a seed/],
    [[], /plugins must be of type object/],
  ];
  for (const [plugins, why] of refusals) {
    const refused = await change({ channels: [channel('web:1'), channel('web:2')], plugins });
    t.match(refused, { status: 400, body: { errors: [{ details: why }] } }, JSON.stringify(plugins));
  }
  t.strictSame(await stored(), [{ name: 'Harbour', number: uuid }]);
  t.equal((await sandbox.platform.numbers.list()).length, 1, 'a refused seed creates no number');
});

t.test('a sandbox does not start with a seed that its plugin refuses', async (t) => {
  const kept = collection<Named>({ key: 'number' });
  const plain = definePlugin({ name: 'branches', version: '1.0.0', collections: { kept }, register: () => ({}) });
  await t.rejects(startSandbox({ seed: { plugins: { branches: {} } }, plugins: [plain()] }), {
    message: /no plugin 'branches' of this sandbox reads a seed/,
  });
  const seeds = service<object>('branches.seed');
  for (const reader of [{ apply: () => {} }, { schema: {}, apply: () => {} }, { schema: Joi.any() }]) {
    const offering = definePlugin({
      ...{ name: 'branches', version: '1.0.0', offers: [seeds] },
      register: () => ({ services: [offer(seeds, reader)] }),
    });
    await t.rejects(startSandbox({ seed: { plugins: { branches: {} } }, plugins: [offering()] }), {
      message: /the service 'branches\.seed' of plugin 'branches' cannot read a seed: it needs schema/,
    });
  }
});
