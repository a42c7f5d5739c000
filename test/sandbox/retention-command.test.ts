import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { network } from '../../plugins/network/plugin.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { retention } from '../../sandbox/commands/retention.js';
import { status } from '../../sandbox/commands/status.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';

t.test('retention shows what is kept, sets limits, and puts accounts on hold; status shows it too', async (t) => {
  const box = await startPlatform(t, { plugins: [network()], messages: { keptBytes: 1_000_000 } });
  const { listener } = box.server;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => listener.close());
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-retention-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const api = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const startedAt = new Date().toISOString();
  writeRunFile(folder, { pid: process.pid, startedAt, api, admin: { url: `${api}/admin/v1`, key: ADMIN_KEY }, phone: undefined });
  const run = async (command: typeof retention, ...argv: string[]) => {
    const out: string[] = [];
    const terminal: Terminal = { out: (line) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder };
    return { code: await command.run(argv, terminal), out: out.join('\n') };
  };
  const { uuid } = await box.number('network', { name: 'Line', account: 'clinic' });
  await box.admin('POST', `/network/numbers/${uuid}/messages`, { from: '27820001001', type: 'text', text: { body: 'hi' } });
  await box.clock.advance(3 * 60 * 60 * 1_000);
  t.match(await run(retention), {
    code: 0,
    out: /Kept +Line +1000000 B of the platform +1 message, \d+ B/,
  });
  t.match(await run(retention, 'set', '--number', uuid, '--days', '30'), {
    code: 0,
    out: /Line +30 days, 1000000 B of the platform .*next 1 message, \d+ B from 20/,
  });
  t.match(await run(retention, 'set', '--account', 'clinic', '--days', '20', '--bytes', '5000'), {
    code: 0,
    out: /30 days, 5000 B of the account/,
  });
  t.match(await run(retention, 'set', '--number', uuid, '--days', 'none'), { code: 0, out: /20 days, 5000 B of the account/ });
  t.match(await run(retention, 'hold', 'clinic', '--reason', 'case 12'), {
    code: 0,
    out: /on hold\n {2}On hold {2}clinic {2}since \S+ {2}case 12/,
  });
  t.match((await run(status)).out, /Line +20 days.*on hold\n {2}On hold/);
  t.match(JSON.parse((await run(status, '--json')).out), {
    v: 1,
    retention: { numbers: [{ on_hold: true }], accounts: [{ hold: { reason: 'case 12' } }] },
  });
  t.match(JSON.parse((await run(retention, 'release', 'clinic', '--json')).out), { v: 1, numbers: [{ on_hold: false }] });
  t.match((await run(retention, 'set', '--account', 'clnic', '--days', '9')).out, /Kept +clnic +9 days +no number has this account/);
  t.match(
    (await run(retention, 'hold', 'shop', '--reason', 'two\nlines')).out,
    /Kept +shop +no limit +no number.*\n +On hold +shop .* two lines$/,
  );
  for (const argv of [
    ['--days', '9'],
    ['hold', 'a', '--reason', 'b', '--days', '9'],
    ['release', 'a', '--reason', 'b'],
    ['set', '--account', 'a', '--days', '9', '--reason', 'b'],
    ['keep'],
    ['hold', 'clinic'],
    ['hold'],
    ['set', '--days', '9'],
    ['set', '--account', 'a'],
    ['set', '--account', 'a', '--days', 'x'],
    ['release', 'a', 'b'],
  ])
    await t.rejects(run(retention, ...argv), { name: 'UsageError' }, argv.join(' '));
  await t.rejects(run(retention, 'set', '--account', 'a', '--number', 'b', '--days', '9'), { message: /either --account or --number/ });
  await t.rejects(run(retention, 'set', '--number', '+999', '--days', '9'), { message: /number \+999 not found/ });
  await t.rejects(run(retention, 'set', '--account', 'clinic', '--days', '3'), { message: /kept_days/ });
});
