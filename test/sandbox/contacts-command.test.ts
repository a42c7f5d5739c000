import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, startPlatform, type Tap } from '#core/testing';
import { network } from '../../plugins/network/plugin.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { audit } from '../../sandbox/commands/audit.js';
import { contacts } from '../../sandbox/commands/contacts.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';

const ANN = '27820001001';
const BEN = '27820001002';

/** A listening platform with two numbers, and the command as a user in its folder runs it. */
async function startCommand(t: Tap) {
  const box = await startPlatform(t, { plugins: [network()] });
  const { listener } = box.server;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => listener.close());
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-contacts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const api = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  writeRunFile(folder, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    api,
    admin: { url: `${api}/admin/v1`, key: ADMIN_KEY },
    phone: undefined,
  });
  const { uuid } = await box.number('network');
  const other = (await box.number('network')).uuid;
  const write = async (from: string, to = uuid) => {
    await box.clock.advance(1_000);
    return (await box.admin('POST', `/network/numbers/${to}/messages`, { from, type: 'text', text: { body: 'hi' } })).body.message.contact;
  };
  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const terminal: Terminal = { out: (line) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder };
    return { code: await contacts.run(argv, terminal), out: out.join('\n') };
  };
  const audited = async (...argv: string[]) => {
    const out: string[] = [];
    await audit.run(argv, { out: (line) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder });
    return out;
  };
  return { ...box, run, audited, write, other };
}

t.test('contacts are merged by id or uuid, shown with all ids, and split again', async (t) => {
  const { run, audited, write, platform } = await startCommand(t);
  const [ann, ben] = [await write(ANN), await write(BEN)];
  const number = await platform.numbers.require((await platform.contacts.require(ann)).number);
  const block = { by: 'network', reason: 'The phone is off' } as const;
  await platform.store.transaction((tx) => platform.contacts.block(tx, number, { uuid: ann }, block));
  t.match((await run('show', ann)).out, /\n {4}blocked {4}by the network since 20\S+: The phone is off$/);
  t.match(await run('merge', `+${BEN}`, ANN), {
    code: 0,
    out: new RegExp(`${ANN}  ${ann}\n.*other ids  ${BEN}\n.*merged     ${BEN}  ${ben}  until`),
  });
  t.match(JSON.parse((await run('show', ben, '--json')).out), {
    v: 1,
    contact: { uuid: ann },
    ids: [ANN, BEN],
    merges: [{ contact: ben, id: BEN }],
  });
  t.match(await run('split', BEN), { code: 0, out: new RegExp(`${BEN}  ${ben}`) });
  await run('merge', ben, ann);
  t.match(await run('split', ben), { code: 0 });
  t.notMatch((await run('show', `+${ANN}`)).out, /other ids|merged/);
  t.match(JSON.parse((await run('export', ANN, '--media')).out), { v: 1, contact: { uuid: ann }, messages: { length: 5 } });
  t.match(await run('erase', ben, '--compact'), { code: 0, out: /erased {2}\S+\n.*removed {2}1 contacts, \d messages\n.*removed at/ });
  t.match(JSON.parse((await run('erase', ANN, '--json')).out), { v: 1, erasure: { state: 'done', removed: { contacts: 1 } } });
  await t.rejects(run('export', ANN), { message: /not found/ });
  t.match(await audited('--action', 'contacts.erase'), [/key {2}DELETE \/contacts\//, /1 core.contacts deleted/]);
  const lines = (await audited('--all', '--json')).map((line) => JSON.parse(line));
  t.ok(lines.length > 3 && lines.every(({ v }) => v === 1));
});

t.test('names that fit none or several contacts are refused', async (t) => {
  const { run, write, other } = await startCommand(t);
  await write(ANN);
  await write(BEN);
  for (const [argv, problem] of [
    [[], /contacts takes show, merge, split, export, erase/],
    [['join', ANN], /not 'join'/],
    [['merge', ANN], /contacts merge takes CONTACT and INTO/],
    [['split', ANN, BEN], /contacts split takes CONTACT/],
    [['show', '27999999999'], /contact 27999999999 not found/],
    [['merge', '27999999999', ANN], /contact 27999999999 not found/],
    [['merge', ANN, '27999999999'], /contact 27999999999 not found/],
    [['split', ANN], /no contact with the id 27820001001 was merged/],
  ] as [string[], RegExp][])
    await t.rejects(run(...argv), { message: problem }, argv.join(' '));
  await t.rejects(run('merge', ANN, ANN), { message: /cannot be merged into itself/ });
  await write(BEN, other);
  await t.rejects(run('show', BEN), { message: /several numbers know the contact/ });
  t.match(await run('merge', BEN, ANN), { code: 0 }, 'the number that knows both');
  await write('27820001003', other);
  await t.rejects(run('merge', '27820001003', ANN), { message: /contacts of different numbers/ });
});
