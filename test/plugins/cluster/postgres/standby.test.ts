import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '../../../../core/testing/tap.js';
import { start } from '../../../../sandbox/examples/with-standby.js';
import { faultyLink } from '../../../../scripts/crash/faulty-link.js';
import { until } from '../../../../scripts/crash/until.js';
import { type TestDatabase, withDatabase } from './with-database.js';

const ADMIN = 'admin-key-of-the-standby-tests';

async function process(t: Tap, { url, schema, folder }: Pick<TestDatabase, 'url' | 'schema'> & { readonly folder: string }) {
  let takenOver = 0;
  const server = await start({
    ...{ port: 0, databaseUrl: url, schema, adminKey: ADMIN, secretKey: '7'.repeat(64), sharedFolder: folder },
    onTakenOver: () => takenOver++,
  });
  t.teardown(() => server.stop());
  const call = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${ADMIN}` };
    const { statusCode, result, headers: got } = await server.inject({ method, url: path, headers, ...(payload && { payload }) });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
    return { status: statusCode, body: result as any, retryAfter: got['retry-after'], cause: got['x-posthorn-cause'] };
  };
  return { server, call, takenOver: () => takenOver, isReady: async () => (await call('GET', '/ready')).status === 200 };
}

function folderFor(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-shared-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const number = (address: string) => ({ kind: 'network', address, name: 'Shop' });

t.test(
  'a standby responds with 503 and Retry-After until it takes over; then it serves what the owner stored',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const owner = await process(t, { ...database, folder });
    t.equal((await owner.call('POST', '/admin/v1/numbers', number('+27600000001'))).status, 201);
    const standby = await process(t, { ...database, folder });

    const refused = await standby.call('GET', '/admin/v1/numbers');
    t.match(refused, { status: 503, retryAfter: '1', cause: 'standby' });
    t.match(JSON.stringify(refused.body), /another process owns the data, and this one is a standby/);
    t.match(await standby.call('POST', '/v1/numbers', {}), { status: 503, retryAfter: '1' }, 'before the token is looked up');
    t.match(await standby.call('GET', '/ready'), { status: 503, cause: 'standby' });
    t.match(await standby.call('GET', '/health'), { status: 200 });
    t.match(await standby.call('GET', '/admin/v1/store'), { status: 200, body: { store: { state: 'standby' } } });
    t.match(await standby.call('GET', '/admin/v1/metrics'), { status: 200 });

    await owner.server.stop();
    await until(standby.isReady, 'the standby takes over');
    const found = await standby.call('GET', '/admin/v1/numbers');
    t.strictSame(
      found.body.numbers.map(({ address }: { address: string }) => address),
      ['+27600000001'],
    );
    t.equal((await standby.call('POST', '/admin/v1/numbers', number('+27600000001'))).status, 409);
  }),
);

t.test(
  'while the log is away calls wait, then get 503; a process that was overtaken says so and responds to none',
  withDatabase(async (t, database) => {
    const folder = folderFor(t);
    const link = await faultyLink(t, database.url);
    const owner = await process(t, { ...database, url: link.url, folder });
    await owner.call('POST', '/admin/v1/numbers', number('+27600000001'));
    link.cut();
    const began = performance.now();
    const waiting = owner.call('POST', '/admin/v1/numbers', number('+27600000002'));
    t.equal((await owner.call('GET', '/admin/v1/numbers')).status, 200, 'reads continue for the time of the lease');
    t.match(await waiting, { status: 503, retryAfter: '1' });
    t.ok(performance.now() - began > 500, 'it waited');
    t.match(await owner.call('GET', '/admin/v1/numbers'), { status: 503, retryAfter: '1' });
    t.match(await owner.call('GET', '/ready'), { status: 503 });

    const next = await process(t, { ...database, folder });
    await until(next.isReady, 'another process takes over');
    t.equal((await next.call('POST', '/admin/v1/numbers', number('+27600000003'))).status, 201);
    t.equal(owner.takenOver(), 0);
    link.mend();
    await until(() => owner.takenOver() === 1, 'the previous owner is told');
    const refused = await owner.call('GET', '/admin/v1/numbers');
    t.match(refused, { status: 503 });
    t.match(JSON.stringify(refused.body), /restart this process/);
    t.strictSame(
      (await next.call('GET', '/admin/v1/numbers')).body.numbers.map(({ address }: { address: string }) => address),
      ['+27600000001', '+27600000003'],
    );
  }),
);
