import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { keys } from '../../sandbox/commands/keys.js';
import { RoleKeys } from '../../sandbox/mcp/role-keys.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';

t.test('keys are added, listed and removed; tools with a role get a key of their own', async (t) => {
  const { server, call } = await startPlatform(t, { plugins: [] });
  server.listener.listen(0, '127.0.0.1');
  await once(server.listener, 'listening');
  t.teardown(() => server.listener.close());
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-keys-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const api = `http://127.0.0.1:${(server.listener.address() as AddressInfo).port}`;
  const admin = { url: `${api}/admin/v1`, key: ADMIN_KEY };
  const platform = { pid: process.pid, startedAt: new Date().toISOString(), api, admin };
  writeRunFile(folder, platform);
  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const terminal: Terminal = { out: (line) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder };
    return { code: await keys.run(argv, terminal), out: out.join('\n') };
  };
  const mayReopen = async (token: string) => (await call('POST', '/admin/v1/store/reopen', { token })).status;

  t.match(await run('list'), { out: /no keys/ });
  const { out: text } = await run(
    'add',
    'dashboard',
    '--role',
    'viewer,operator',
    '--account',
    'ours',
    '--expires',
    '2099-01-01T00:00:00Z',
  );
  t.equal(await mayReopen(text), 403, 'restricted to an account');
  t.match((await run('list')).out, /dashboard +viewer,operator +ours +….{6} +expires 2099/);
  await t.rejects(run('remove', 'other'), /key other not found/);
  await t.rejects(run('add'), /needs a name/);
  t.match(await run('remove', text), { code: 0, out: 'Removed the key dashboard' });
  t.equal(await mayReopen(text), 401);

  const roles = new RoleKeys('viewer');
  const limited = await roles.limited(platform);
  t.equal(await roles.limited(platform), limited, 'one key for each platform');
  t.equal((await call('GET', '/admin/v1/numbers', { token: limited.admin.key })).status, 200);
  t.equal(await mayReopen(limited.admin.key), 403);
  await roles.remove();
  t.equal((await call('GET', '/admin/v1/numbers', { token: limited.admin.key })).status, 401);
  await t.rejects(new RoleKeys('admiral').limited(platform), /one of viewer/);
});
