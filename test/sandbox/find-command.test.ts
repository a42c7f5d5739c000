import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { network } from '../../plugins/network/plugin.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { find } from '../../sandbox/commands/find.js';

t.test('find prints the records with all words, and how far back it has looked', async (t) => {
  const { server, number, admin, clock } = await startPlatform(t, { plugins: [network()] });
  const { listener } = server;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  t.teardown(() => listener.close());
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-find-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const api = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const run = { pid: process.pid, startedAt: new Date().toISOString(), api, phone: undefined };
  writeRunFile(folder, { ...run, admin: { url: `${api}/admin/v1`, key: ADMIN_KEY } });
  const { uuid } = await number('network');
  for (const body of ['My order\u001b[2J has not arrived', 'Another order']) {
    await admin('POST', `/network/numbers/${uuid}/messages`, { from: '27820001001', name: 'Ann', type: 'text', text: { body } });
    await clock.advance(1);
  }
  // The first search reads the texts.
  const isRead = async () =>
    (await admin('GET', '/search?q=x')).body.kinds.every((one: { looked_back_to: unknown }) => one.looked_back_to === null);
  while (!(await isRead())) await clock.advance(0);
  const found = async (...argv: string[]) => {
    const out: string[] = [];
    const code = await find.run(argv, { out: (line) => void out.push(line), err: () => undefined, isColoured: false, cwd: folder });
    return { code, out };
  };
  t.match(await found('ARRIVED', 'order'), {
    code: 0,
    out: [/message {2}from Ann \(27820001001\) {2}[0-9a-f-]{36}$/, /^ {4}My order\\u001b\[2J has not arrived$/],
  });
  t.match(await found('order not'), { code: 1, out: ['  nothing found'] }, 'a phrase');
  const { code, out } = await found('order', '--kinds', 'message', '--limit', '1', '--json');
  const [{ results, kinds }] = out.map((line) => JSON.parse(line));
  t.match({ code, results, kinds }, { code: 0, results: [{ text: 'Another order' }], kinds: [{ kind: 'message' }] });
  t.match(await found('order', '--kinds', 'message', '--before', kinds[0].next), { out: [/from Ann/, / {4}My order/] });
  t.match(
    (await found('order', '--kinds', 'message', '--limit', '1')).out.at(-1),
    /searched back to .*; older: --kinds message --before '/,
  );
  await t.rejects(found(), /find takes words or an id/);
});
