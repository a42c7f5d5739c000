import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, type Tap } from '#core/testing';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { deliveries } from '../../sandbox/commands/deliveries.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';
import { ENDPOINT, startWithWebhook } from '../core/delivery/webhook-platform.js';

/** A listening platform, and the command as a user in its folder runs it. */
async function startCommand(t: Tap) {
  const box = await startWithWebhook(t, { answers: [{ status: 404, body: 'gone\nfor good' }] });
  const { listener } = box.server;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => listener.close());
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-deliveries-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const api = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const admin = { url: `${api}/admin/v1`, key: ADMIN_KEY };
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone: undefined });
  const run = async (...argv: string[]) => {
    const printed = { out: [] as string[], err: [] as string[] };
    const terminal: Terminal = {
      out: (line) => void printed.out.push(line),
      err: (line) => void printed.err.push(line),
      isColoured: false,
      cwd: folder,
    };
    return { code: await deliveries.run(argv, terminal), ...printed };
  };
  return { ...box, run };
}

t.test('deliveries are listed newest first, and selected by their outcome', async (t) => {
  const { run, post, clock, http } = await startCommand(t);
  t.match(await run(), { code: 0, out: [], err: ['No deliveries.'] });
  const failed = await post();
  await clock.advance(1_000);
  http.answer(ENDPOINT, {});
  const sent = await post();
  await clock.advance(1_000);
  const { out } = await run('ls');
  t.equal(out.length, 2);
  t.equal(out[0], `${sent.created_at}  ${sent.uuid}  msgapp  +2711  delivered  200 at attempt 1`);
  t.equal(
    out[1],
    `${failed.created_at}  ${failed.uuid}  msgapp  +2711  cancelled  (http_4xx)  404 at attempt 1  the endpoint answered 404, which ends retries`,
  );
  for (const choice of [
    ['--state', 'cancelled'],
    ['--reason', 'http_4xx'],
    ['--to', sent.created_at],
  ]) {
    const { out } = await run('ls', '--json', ...choice);
    t.match(JSON.parse(out[0]!), { deliveries: [{ uuid: failed.uuid }] }, choice.join(' '));
  }
  t.match(JSON.parse((await run('ls', '--json', '--from', sent.created_at)).out[0]!), { deliveries: [{ uuid: sent.uuid }] });
  t.equal((await run('ls', '--limit', '1')).out.length, 1);
});

t.test('a delivery is shown with its body and every attempt', async (t) => {
  const { run, post, clock } = await startCommand(t);
  const { uuid } = await post({ body: { text: 'hello' } });
  await clock.advance(0);
  const { out, code } = await run('show', uuid);
  t.equal(code, 0);
  t.match(out[2], 'body     {"text":"hello"}');
  t.match(out[3], /run 1, attempt 1 {2}\S+ {2}404 {2}\d+ ms {2}the endpoint answered 404/);
  t.equal(out[4], '    gone ⏎ for good');
  t.match(JSON.parse((await run('show', uuid, '--json')).out[0]!), { delivery: { uuid }, attempts: [{ status: 404 }] });
  await t.rejects(run('show', 'unknown'), /responded 404 to GET \/deliveries\/unknown/);
});

t.test('one or several deliveries are redelivered or cancelled, and the command says how many', async (t) => {
  const { run, post, clock, http, calls } = await startCommand(t);
  const { uuid } = await post();
  await post();
  await post();
  await clock.advance(0);
  http.answer(ENDPOINT, {});
  t.match((await run('redeliver', uuid)).out, [new RegExp(`${uuid} .*queued`)]);
  await clock.advance(0);
  t.equal(calls().length, 4);
  t.match((await run('redeliver', '--state', 'cancelled', '--limit', '1')).out, ['1 redelivered; more remain, run the command again']);
  t.match((await run('redeliver', '--all')).out, ['1 redelivered']);
  await clock.advance(0);
  t.equal(calls().length, 6);

  http.answer(ENDPOINT, { status: 500 });
  const waiting = await post();
  await post();
  await clock.advance(1_000);
  t.match((await run('cancel', waiting.uuid)).out, [/cancelled {2}\(by_hand\)/]);
  t.match(JSON.parse((await run('cancel', '--all', '--json')).out[0]!), { cancelled: 1, more: false });
});

t.test('unclear commands are refused', async (t) => {
  const { run, post, clock } = await startCommand(t);
  const { uuid } = await post();
  await clock.advance(0);
  const unclear: [string[], RegExp][] = [
    [['redeliver'], /redeliver needs the uuid of a delivery, flags that select deliveries, or --all/],
    [['cancel', '--limit', '5'], /cancel needs the uuid of a delivery/],
    [['redeliver', uuid, '--all'], /not both/],
    [['redeliver', uuid, uuid], /is too many/],
    [['show'], /show needs the uuid of a delivery/],
    [['ls', uuid], /deliveries show/],
    [['send'], /deliveries takes list, show, retry, redeliver, cancel, not 'send'/],
    [['ls', '--state', 'lost'], /--state takes queued or sending/],
    [['ls', '--from', '2027-02-30'], /--from takes a date, .* not '2027-02-30'/],
    [['ls', '--from', 'banana'], /--from takes a date, .* not 'banana'/],
    [['ls', '--to', '2027-13-01'], /--to takes a date/],
    [['ls', '--from', '2027-03-01T08:00'], /--from takes a date, or a date and time with Z or an offset/],
    [['ls', '--webhook', 'nope'], /^webhook nope not found$/],
    [['ls', '--number', 'nope'], /^number nope not found$/],
  ];
  for (const [argv, message] of unclear) await t.rejects(run(...argv), { name: 'Error', message }, argv.join(' '));
});

t.test('retry sends the scheduled retry of a delivery now', async (t) => {
  const { run, post, clock, http } = await startCommand(t);
  http.answer(ENDPOINT, { status: 500 }, {});
  const { uuid } = await post();
  await clock.advance(1_000);
  const { code, out } = await run('retry', uuid);
  t.equal(code, 0);
  t.match(out[0], /queued/);
  await clock.advance(0);
  t.match(JSON.parse((await run('show', uuid, '--json')).out[0]!), { delivery: { state: 'delivered', attempts: 2 } });
  await t.rejects(run('retry'), /retry takes the uuid of one delivery/);
  await t.rejects(run('retry', uuid, '--state', 'queued'), /no flags/);
});
