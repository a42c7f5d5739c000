import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { onlyLong } from '../forms.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { ask, newFolder, startSandbox } from './posthorn-process.js';

const orders = containerOf({
  languages: ['eng'],
  blocks: [
    { name: 'no', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' } },
    { name: 'order', type: 'Svc.Http', config: { method: 'GET', url: 'http://127.0.0.1:9/orders/@no' } },
    { name: 'told', type: 'MobilePrimitives.Message', config: { prompt: 'told' }, exits: [{ to: null }] },
  ],
  texts: { ask: 'Which order, @contact.name of @parent.place?', told: 'It is @order.json.state.' },
});

t.test('sim runs a journey in a file without a sandbox', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(orders));
  writeFileSync(join(folder, 'mock.json'), JSON.stringify({ url: '*/orders/:id', response: { body: { state: 'sent' } } }));
  writeFileSync(join(folder, 'broken.json'), '{');
  const run = (...args: string[]) => ask(folder, ['sim', ...args]);
  const asked = ['orders.json', '--contact', 'name=Ann', '--parent', 'place=Bergen'];
  const talked = await run(...asked, '--input', '7', '--mock', 'mock.json');
  t.equal(talked.err, '');
  t.equal(
    talked.out,
    [
      '  ◀ Which order, Ann of Bergen?',
      '    waiting at no',
      '  ▶ 7',
      '  ◀ It is sent.',
      '    http     GET http://127.0.0.1:9/orders/7  200  mocked',
      '    the journey has ended',
      '',
    ].join('\n'),
  );
  t.equal(talked.code, 0);
  const strict = await run(...asked, '--input', '7', '--fail-unmocked');
  t.match(strict, { code: 1, out: /no response\n +no mock matched GET http:\/\/127\.0\.0\.1:9\/orders\/7\n/ });
  const lines = (await run(...asked, '--input', '7', '--mock', 'mock.json', '--json')).out.trim().split('\n');
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { state: 'waiting_for_input', contact: { name: 'Ann' } },
      { input: '7', state: 'end', message: 'It is sent.', http_calls: [{ params: { id: '7' } }] },
    ],
  );
  const notebook = 'card Ask, then: Done do\n  name = ask("Who?")\nend\n\ncard Done do\n  y = name + 1\n  text("Hello")\nend\n';
  writeFileSync(join(folder, 'hello.md'), notebook);
  const told = await run('hello.md', '--input', 'Ann');
  t.match(told, { code: 0, out: /◀ Who\?\n {4}waiting at Ask\n {2}▶ Ann\n {2}◀ Hello\n {4}warning {2}line 6, y: name \+ 1: / });
  writeFileSync(join(folder, 'broken.md'), notebook.replace('text(', 'txet('));
  t.match(await run('broken.md'), { code: 1, err: /cannot be published: line 7: .*txet/ });
  t.match(await run('broken.json'), { code: 2, err: /broken\.json/ });
  t.match(await run('/nope.json'), { code: 2, err: /file \/nope\.json not found/ });
  t.match(await run('.'), { code: 2, err: /cannot be read/ }, 'like files that flow and journey cannot read');
  writeFileSync(join(folder, 'marked.json'), `\uFEFF${JSON.stringify(orders)}`);
  t.match(await run('marked.json', '--input', '7', '--mock', 'mock.json'), { code: 0, err: '' }, 'a byte order mark is allowed');
  writeFileSync(join(folder, 'hostile.json'), JSON.stringify(orders).replace('Which order', 'a\\u001b[2Jb'));
  t.match(await run('hostile.json', '--input', '\u009b7'), { out: /a\\u001b\[2Jb, [\s\S]* {2}▶ \\u009b7\n/ });
  t.match(await run('nowhere.json'), { code: 2, err: /file nowhere\.json not found/ });
  t.match(await run('Orders'), { code: 3, err: /no sandbox is running in this folder/ });
  t.match(await run(), { code: 2, err: /sim needs a journey/ });
  t.match(await run('orders.json', 'hello'), { code: 2, err: /--input "hello"/ });
  t.match(await run('orders.json', '--contact', 'name'), { code: 2, err: /--contact takes KEY=VALUE/ });
});

t.test('each line of a pipe is one input', async (t) => {
  const folder = newFolder(t);
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(orders));
  const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');
  const child = spawn(process.execPath, [main, 'sim', 'orders.json', '--fail-unmocked'], { cwd: folder });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (data) => (out += data));
  child.stdin.end('7\nignored after the end\n');
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.equal(code, 1);
  t.match(out, /▶ 7\n/);
  t.notMatch(out, 'ignored');
});

t.test('sim finds a journey of the sandbox by its name or uuid, and sends no messages', { skip: onlyLong }, async (t) => {
  const folder = newFolder(t);
  const { ready } = await startSandbox(t, folder);
  const run = (...args: string[]) => ask(folder, ['sim', ...args]);
  const [{ name, uuid } = { name: '', uuid: '' }] = ready.journeys;
  for (const named of [[name, '--number', 'web:library'], [uuid]]) {
    const { code, out } = await run(...named, '--input', 'English', '--input', 'Bo');
    t.equal(code, 0);
    t.match(
      out,
      /◀ Welcome to the Riverside Library![\s\S]*- English[\s\S]*▶ English\n {2}◀ What may I call you\?[\s\S]*▶ Bo\n {2}◀ Nice to meet you, Bo!/,
    );
  }
  t.match(await run('Unknown'), { code: 2, err: /journey 'Unknown' not found; existing journeys: Riverside Library/ });
  t.match(await run(name, '--number', 'web:libraryx'), { code: 2, err: /number web:libraryx not found; existing numbers: .*web:library/ });
  t.match(await run('/nope.json'), { code: 2, err: /neither a file nor a journey '\/nope\.json' found/ });
  t.match(await run(name), { code: 2, err: /several journeys are named 'Riverside Library': .*use the uuid, or --number/ });
  t.match(await run(uuid, '--revision', 'staging'), { code: 1, err: /Journey has no staging revision/ });
});
