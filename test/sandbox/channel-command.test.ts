import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { webchat } from '../../plugins/webchat/plugin.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { runCommandLine } from '../../sandbox/command-line.js';
import { commands } from '../../sandbox/commands.js';
import { startOwls, TOKEN } from '../core/messaging/owl-post.js';
import { newFolder } from '../iso/posthorn-process.js';

t.test('numbers are connected to a service, listed with their state, and disconnected', async (t) => {
  const { server, platform, http, says } = await startOwls(t);
  server.listener.listen(0, '127.0.0.1');
  await once(server.listener, 'listening');
  t.teardown(() => server.listener.close());
  const folder = newFolder(t);
  const api = `http://127.0.0.1:${(server.listener.address() as AddressInfo).port}`;
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin: { url: `${api}/admin/v1`, key: ADMIN_KEY } });
  const channel = async (...args: string[]) => {
    const lines: string[] = [];
    const line = (text: string) => void lines.push(text);
    const exit = await runCommandLine(['channel', ...args], { cwd: folder, out: line, err: line, isColoured: false }, commands);
    return { exit, text: lines.join('\n') };
  };
  t.match(await channel('list'), { exit: 0, text: /No channels/ });
  t.match(await channel('add', 'rat'), { exit: 2, text: /'rat' is neither a URL nor a type of channel; types: owl/ });
  const needs = /channel add owl needs --token TEXT \(or --token-file FILE\); it also takes --nest, --flights/;
  t.match(await channel('add', 'owl', '--nest', 'south'), {
    exit: 2,
    text: /channel add owl needs --token TEXT .*; it also takes --flights/,
  });
  t.match(await channel('add', 'owl'), { exit: 2, text: needs });
  t.match(await channel('add', 'owl', '--tokn', 'x'), { exit: 2, text: /unknown flag --tokn; did you mean '--token'/ });
  writeFileSync(join(folder, 'token.txt'), `${TOKEN}\n`);
  t.match(await channel('add', 'owl', '--token-file', 'token.txt', '--token', 'x'), { exit: 2, text: /either --token or --token-file/ });
  t.match(await channel('add', 'owl', '--token', 'SHORT'), { exit: 2, text: /settings.token/ });

  const added = await channel('add', 'owl', '--token-file', 'token.txt', '--flights', '3', '--name', 'Mail');
  t.match(added, { exit: 0, text: /^Connected channel owl-1 \(Mail\): [\w-]{36}$/ });
  const [connection] = await platform.connections.list();
  t.match(connection, { settings: { nest: 'north', flights: 3 } });
  t.match(await channel('list'), { exit: 0, text: /owl-1 +Mail +owl, connected +[\w-]{36}/ });
  await platform.store.transaction((tx) => platform.connections.stop(tx, connection!.number, { code: 401, title: 'Dismissed' }));
  t.match(await channel('list'), { text: /owl, stopped: Dismissed \(401\)/ });
  const json = JSON.parse((await channel('list', '--json')).text);
  t.match(json, { v: 1, channels: [], connections: [{ stopped: { code: 401 } }] });
  http.answer(says.me, { status: 401 });
  t.match(await channel('add', 'owl', '--token', 'another-token'), { exit: 2, text: /no owl has the token \[redacted\]/ });
  http.answer(says.me, { body: { id: 'owl-1', name: 'Hedwig' } });
  const again = await channel('add', 'owl', '--token', 'another-token', '--json');
  t.match(JSON.parse(again.text), { v: 1, connection: { number: { name: 'Mail' }, stopped: null } });
  t.notMatch(again.text, 'another-token');
  t.match(await channel('remove', 'Mail'), { exit: 0, text: 'Removed channel owl-1' });
  t.match(await channel('remove', 'Mail'), { exit: 2, text: /channel 'Mail' not found; channels: none/ });
  t.strictSame(await platform.connections.list(), []);
});

t.test('a web chat is added with the origins of its pages', async (t) => {
  const { server, platform } = await startPlatform(t, { plugins: [webchat()] });
  server.listener.listen(0, '127.0.0.1');
  await once(server.listener, 'listening');
  t.teardown(() => server.listener.close());
  const folder = newFolder(t);
  const api = `http://127.0.0.1:${(server.listener.address() as AddressInfo).port}`;
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin: { url: `${api}/admin/v1`, key: ADMIN_KEY } });
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const argv = ['channel', 'add', 'webchat', '--origins', 'https://shop.example', '--origins', 'https://*.shop.example'];
  t.equal(await runCommandLine(argv, { cwd: folder, out: line, err: line, isColoured: false }, commands), 0);
  t.match(lines.join(), /^Connected channel webchat:[\w-]{16} \(Chat\): [\w-]{36}$/);
  t.match(await platform.connections.list(), [{ settings: { origins: ['https://shop.example', 'https://*.shop.example'] } }]);
});
