import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { verifySignature } from '#core';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { startReceiver } from '../sandbox/receiver.js';
import { admin, ask, newFolder, type Ready, startSandbox, write } from './posthorn-process.js';

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patient(15_000);
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('it did not happen');
    await sleep(20);
  }
}

/** The states of the deliveries to a webhook, the newest first. */
const statesOf = async (ready: Ready, webhook: string): Promise<string[]> =>
  (await admin(ready, 'GET', `/deliveries?webhook=${webhook}`)).deliveries.map(({ state }: { state: string }) => state);

t.test(
  'posthorn state exports, compares, imports and resets the demo, with its connector and a receiver on the manual clock',
  { skip: onlyLong },
  async (t) => {
    const folder = newFolder(t);
    const receiver = await startReceiver(t, 500);
    const { ready } = await startSandbox(t, folder, '--clock', 'manual', '--seed-key', 'state');
    const run = (args: readonly string[], env?: Record<string, string>) => ask(folder, args, env);
    const webhook = ready.webhooks[0]!;
    await admin(ready, 'PATCH', `/webhooks/${webhook.uuid}`, { url: receiver.url });
    await write(ready, '+27611111111', 'hi');
    await until(async () => (await statesOf(ready, ready.channels[0]!.webhook.uuid)).every((state) => state === 'delivered'));
    await until(async () => (await statesOf(ready, webhook.uuid)).every((state) => state === 'retry_wait'));

    t.match(await run(['state', 'export', 'a.json']), { code: 0, out: /^\d+ records are in a\.json, without secrets\.\n$/ });
    t.match(await run(['state', 'export', 'b.json', '--json']), {
      code: 0,
      out: /^\{"v":1,"file":"b\.json","records":\d+,"secrets":"omit"\}\n$/,
    });
    t.equal(readFileSync(join(folder, 'a.json'), 'utf8'), readFileSync(join(folder, 'b.json'), 'utf8'));
    t.match(await run(['state', 'diff', 'a.json', 'b.json']), { code: 0, out: 'The states are equal.\n' });
    t.match(await run(['state', 'export', 'sealed.json', '--secrets', 'sealed']), { code: 2, err: /POSTHORN_EXPORT_KEY/ });
    t.match(await run(['state', 'export', 'sealed.json', '--secrets', 'sealed'], { POSTHORN_EXPORT_KEY: 'pass' }), { code: 0 });
    t.match(await run(['state', 'diff', 'a.json', 'sealed.json']), { code: 0 });

    await admin(ready, 'POST', '/clock', { advance: 20 });
    await run(['state', 'export', 'later.json']);
    const { code, out } = await run(['state', 'diff', 'a.json', 'later.json']);
    t.equal(code, 1);
    t.match(out, /^~ core\.outbox /m);
    t.match(out, /^ {4}attempts: 1 -> 2$/m);
    t.match(out, /^ {4}now: "2026-01-05T08:00:00\.000Z" -> "2026-01-05T08:00:20\.000Z"$/m);

    t.match(await run(['state', 'reset']), { code: 0, out: 'The sandbox starts again with its seed.\n' });
    t.strictSame(await statesOf(ready, webhook.uuid), []);
    t.equal((await admin(ready, 'GET', '/clock')).now, '2026-01-05T08:00:00.000Z', 'with a seed key a paused clock starts again, too');
    await write(ready, '+27611111111', 'hi');
    await until(async () => (await statesOf(ready, webhook.uuid)).includes('delivered'));

    t.match(await run(['state', 'import', 'sealed.json']), { code: 1, err: /its secrets are sealed: set POSTHORN_EXPORT_KEY/ });
    t.match(await run(['state', 'import', 'sealed.json'], { POSTHORN_EXPORT_KEY: 'pass' }), {
      code: 0,
      out: 'The sandbox has the state of sealed.json.\n',
    });
    await run(['state', 'export', 'again.json']);
    t.equal(readFileSync(join(folder, 'again.json'), 'utf8'), readFileSync(join(folder, 'a.json'), 'utf8'));
    receiver.received.length = 0;
    receiver.answer(200);
    const next = await run(['clock', 'next']);
    t.match(next.out, /retry 1 of delivery/);
    await until(async () => (await statesOf(ready, webhook.uuid)).includes('delivered'));
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const [, signature] = Object.entries(headers).find(([name]) => name.endsWith('hook-signature')) ?? [];
    t.ok(verifySignature(webhook.hmac_secret, body, signature as string), 'signed with the secret of the demo');
    await write(ready, '+27611111111', 'again');

    t.match(await run(['state']), { code: 2, err: /state takes reset, export, import, diff/ });
    t.match(await run(['state', 'export']), { code: 2, err: /state export takes one file/ });
    t.match(await run(['state', 'import', 'none.json']), { code: 2, err: /none\.json cannot be read/ });
    t.match(await run(['state', 'diff', 'a.json', 'none.json']), { code: 2 });
    t.match(await run(['state', 'reset', '--secrets', 'omit']), { code: 2 });
    writeFileSync(join(folder, 'bad.json'), '{"posthorn":"state","version":9}');
    t.match(await run(['state', 'import', 'bad.json']), { code: 1, err: /version 9, and this release reads version 1/ });
  },
);

t.test('a sandbox killed during imports and resets has one complete state after the next start', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const data = join(folder, 'data');
  const receiver = await startReceiver(t);
  const seed = {
    channels: [{ from_addr: 'web:test', name: 'Test', endpoint: receiver.url }],
    webhooks: [{ number: 'web:test', url: receiver.url, subscriptions: ['msgapp'] }],
  };
  writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed));
  const start = () => startSandbox(t, folder, '--data', data, '--seed', 'seed.json', '--clock', 'manual');
  let { ready, child, ended } = await start();
  const contacts = async (): Promise<number> => Object.keys((await exported()).collections['core.contacts'] ?? []).length;
  const exported = async () => await admin(ready, 'POST', '/state/export', {});
  const [channel] = ready.numbers;
  for (let i = 1; i <= 20; i++) {
    await fetch(`${ready.api}/v1/numbers/${channel!.uuid}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${channel!.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        contact: { id: `+2761000000${i}`, profile: { name: 'Sam' } },
        message: { type: 'text', from: `+2761000000${i}`, id: `m${i}`, timestamp: '1767600000', text: { body: 'hi' } },
      }),
    });
  }
  const full = await exported();
  t.equal(await contacts(), 20);

  const seen = new Set<number>();
  for (let round = 0; round < 6; round++) {
    const call = round % 2 === 0 ? admin(ready, 'POST', '/state/reset', {}) : admin(ready, 'POST', '/state/import', full);
    const done = call.then(
      () => true,
      () => false,
    );
    await sleep(5 + round * 25);
    child.kill('SIGKILL');
    await ended;
    await done;
    ({ ready, child, ended } = await start());
    const count = await contacts();
    seen.add(count);
    t.ok(count === 0 || count === 20, `round ${round}: ${count} contacts`);
    t.equal(ready.numbers[0]?.uuid, channel!.uuid);
    t.equal(ready.numbers[0]?.token, channel!.token);
    const { numbers } = await admin(ready, 'GET', '/numbers');
    t.equal(numbers.length, 1);
  }
  t.comment(`states after the kills: ${[...seen].join(' and ')} contacts`);
});
