import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { onlyLong } from '../forms.js';
import { admin, ask, newFolder, posthorn, startHere, startSandbox } from './posthorn-process.js';

t.test('the integration commands show and use the example integration', async (t) => {
  const folder = newFolder(t);
  const ready = await startHere(t, folder, { data: join(folder, 'state') });
  const run = (...args: string[]) => ask(folder, ['integration', ...args]);
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
  const loan = async () => JSON.stringify((await json('context')).panels[0].context_objects[0]);

  t.match(await run('ls'), { code: 0, out: /Library desk {2}\S+\n {4}url {8}http\S+\n {4}handshake {2}ready\n$/ });
  t.match(await run('context'), { code: 2, err: /no conversation with \+27611111111 yet; start one with: node \S+ send "hi"/ });
  await ask(folder, ['send', 'When is my book due?']);

  const shown = await run('context');
  t.equal(shown.code, 0);
  t.match(shown.out, /^ {2}Library desk {2}loaded\n {4}Loan\n {6}Book {2}The Compleat Angler\n/);
  t.match(shown.out, /Rules {2}How to extend \(https:\/\/library\.example\/extend\)\n/);
  t.match(shown.out, / {4}Waiting list\n {6}1\. Paddle Your Own Canoe\n/);
  t.match(shown.out, / {4}action {2}extend {2}Extend the loan\n {14}--option week {2}By a week\n/);
  t.match(shown.out, / {2}Suggested replies\n {4}0\.90 {2}Due date: Your book is due on /);

  const before = await loan();
  t.match(await run('click', 'extend'), { code: 2, err: /option must be one of week, month/ });
  t.match(await run('click', 'unknown'), {
    code: 2,
    err: /no integration offers action 'unknown' in this conversation; available actions: extend, reserve/,
  });
  t.match(await run('click', 'extend', '--option', 'month'), { code: 0, out: 'accepted 200  the conversation was reloaded' });
  t.not(await loan(), before);

  const tail = posthorn(t, folder, ['tail', 'integration']);
  await tail.printed(/Following/);
  t.match(await json('click', 'reserve'), { click: { state: 'accepted', status: 200 }, refreshed: false });
  await tail.printed(/integration\.finished[\s\S]*integration\.polled/);
  const [channel] = ready.channels;
  const [conversation] = (await admin(ready, 'GET', `/numbers/${channel!.uuid}/conversations`)).conversations;
  const { views } = await admin(ready, 'GET', `/conversations/${conversation.uuid}`);
  t.match(JSON.stringify(views.integrations.data), /The Sea Around Us/, 'the list was refreshed without a request of the client');
});

t.test('your own integration is added with a handshake, shown, and removed', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  await startSandbox(t, folder);
  const run = (...args: string[]) => ask(folder, ['integration', ...args]);
  const seen: (string | undefined)[] = [];
  let answer = { capabilities: { context_objects: [{ code: 'a', type: 'table', title: 'A' }] } } as object;
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    request.resume();
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  t.match(await run('add', url, '--name', 'Own', '--bearer', 'mine'), {
    code: 0,
    out: /Own {2}\S+\n {4}secret {5}\S{43} .*\n {4}handshake {2}ready\n/,
  });
  t.strictSame(seen, ['Bearer mine']);
  await ask(folder, ['send', 'hi']);
  answer = { context_objects: { a: { 'Key\u001b[31m': 'red\u0007' } } };
  const shown = await run('context');
  t.match(shown.out, /Key\\u001b\[31m {2}red\\u0007/, 'control characters from outside are escaped');
  t.notMatch(shown.out, '\u001b');
  answer = [];
  t.match(await run('context'), { code: 1, out: /Own {2}stale {2}the response is not a JSON object/ });
  t.match(await run('handshake', 'Own'), { code: 1, out: /handshake {2}failed: the response is not a JSON object/ });
  t.match(await run('rm', 'Own'), { code: 0 });
  t.match(await run('handshake', 'Own'), { code: 2, err: /integration 'Own' not found; existing integrations: Library desk/ });
  for (const [args, problem] of [
    [['add'], /integration add needs a URL/],
    [['add', 'nowhere'], /integration add needs a URL/],
    [['add', url, '--bearer', 'a', '--token', 'b'], /not both/],
    [['fly'], /takes new, add, list, ls/],
    [[], /takes new, add, list, ls/],
    [['ls', '--number', '+0'], /number \+0 not found; existing numbers: /],
  ] as const) {
    t.match(await run(...args), { code: 2, err: problem }, args.join(' '));
  }
  t.match(await run('add', 'http://127.0.0.1:1/', '--token', 'x'), { code: 1, out: /handshake {2}failed: / });
});

t.test('with a data folder the integration is resumed with its secret, at its new address', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const first = await startSandbox(t, folder, '--data', 'state');
  const [one] = (await admin(first.ready, 'GET', `/integrations?number=${first.ready.channels[0]!.uuid}`)).integrations;
  first.child.kill('SIGTERM');
  await first.ended;
  const second = await startSandbox(t, folder, '--data', 'state');
  const all = (await admin(second.ready, 'GET', `/integrations?number=${second.ready.channels[0]!.uuid}`)).integrations;
  t.equal(all.length, 1);
  t.match(all[0], { uuid: one.uuid, handshake: { state: 'ready' } });
  t.not(all[0].url, one.url);
});

t.test('without a sandbox, the command ends with 3', async (t) => {
  t.match(await ask(newFolder(t), ['integration', 'ls']), { code: 3, err: /no sandbox is running in this folder/ });
});
