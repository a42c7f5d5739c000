import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { cloudApiStandIn } from '../../../plugins/cloud-api/testing/index.js';
import { startSandbox } from '../../../sandbox/compose.js';
import { ANN, NUMBER, SECRETS } from './cloud-under-test.js';

t.test('posthorn sandbox --cloud-api: a number on the network beside those of the seed, also after a reset', async (t) => {
  const standIn = await cloudApiStandIn({ ...SECRETS });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cloud-'));
  const file = join(folder, 'cloud.json');
  writeFileSync(file, JSON.stringify({ graphUrl: standIn.url, numbers: [NUMBER] }));
  const sandbox = await startSandbox({ seed: 'empty', cloudApi: file, logLevel: 'error' });
  t.teardown(async () => {
    await sandbox.stop();
    await standIn.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const when of ['after the start', 'after a reset']) {
    const [number] = sandbox.numbers.filter(({ address }) => address === NUMBER.address);
    t.ok(number?.token, when);
    t.equal(number?.webhook, `${sandbox.api}/cloud-api/webhooks/${NUMBER.phoneNumberId}`, 'the same after each start');
    t.ok(await standIn.subscribe(number!.webhook!));
    await standIn.write(ANN, `hello ${when}`);
    const before = standIn.sent.length;
    const response = await fetch(`${sandbox.api}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${number!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: ANN, text: { body: when } }),
    });
    t.equal(response.status, 200, await response.text());
    const limit = Date.now() + 20_000;
    while (standIn.sent.length === before && Date.now() < limit) await new Promise((resolve) => setTimeout(resolve, 20));
    t.match(standIn.sent.at(-1)?.body, { text: { body: when } });
    if (when === 'after the start') await sandbox.reset();
  }
  await t.rejects(startSandbox({ cloudApi: join(folder, 'missing.json') }), /missing\.json cannot be read/);
});
