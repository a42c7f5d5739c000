import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { api } from '../../sandbox/commands/api.js';
import { startSandbox } from '../../sandbox/compose.js';
import { CommandFailed } from '../../sandbox/terminal/command-failed.js';
import { UsageError } from '../../sandbox/terminal/flags.js';
import { newFolder } from '../iso/posthorn-process.js';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

t.test('posthorn api makes any call of the admin API, and of the API with the token of a number', async (t) => {
  const seed = { numbers: [{ kind: 'network' as const, address: '+27600000001', name: 'Shop' }] };
  const sandbox = await startSandbox({ seed });
  t.teardown(() => sandbox.stop());
  const folder = newFolder(t);
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api: sandbox.api, admin: sandbox.admin });
  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const terminal = { out: (line: string) => void out.push(line), err() {}, isColoured: false, cwd: folder };
    t.equal(await api.run(argv, terminal), 0, argv.join(' '));
    return out.join('\n');
  };
  const shop = sandbox.numbers[0]!;

  t.match(JSON.parse(await run('GET', '/numbers')), { numbers: [{ uuid: shop.uuid, name: 'Shop' }] });
  const changed = JSON.parse(await run('patch', `/admin/v1/numbers/${shop.uuid}`, '{"name":"Store"}', '--json'));
  t.match(changed, { v: 1, status: 200, body: { number: { name: 'Store' } } });
  writeFileSync(join(folder, 'photo.png'), PNG);
  const photo = JSON.parse(await run('POST', `/numbers/${shop.uuid}/media`, '--body', 'photo.png', '--type', 'image/png'));
  t.match(photo, { media: { id: String } });

  const text = '{"to":"27820001001","type":"text","text":{"body":"hi"}}';
  t.match(JSON.parse(await run('POST', '/v1/messages', text)), { messages: [{ id: String }] });
  t.match(JSON.parse(await run('POST', '/v1/messages', text, '--number', '+27600000001')), { messages: [{ id: String }] });

  for (const [argv, expected] of [
    [['POST', '/v1/messages', '{}'], { code: 'refused', message: /responded 400 to POST \/v1\/messages/, result: { status: 400 } }],
    [['GET', '/nothing'], { code: 'refused', message: /responded 404/, result: { status: 404, body: { errors: [{}] } } }],
  ] as const) {
    const failure = await api.run(argv, { out() {}, err() {}, isColoured: false, cwd: folder }).catch((error: unknown) => error);
    t.ok(failure instanceof CommandFailed);
    t.match(failure, expected);
  }
  for (const [argv, message] of [
    [[], /takes a method/],
    [['GET'], /takes a method/],
    [['BREW', '/numbers'], /takes a method/],
    [['GET', 'numbers'], /begins with \//],
    [['GET', '/numbers', '{}'], /GET has no body/],
    [['POST', '/numbers', '{a:1}'], /is not JSON/],
    [['POST', '/numbers', '{}', 'x'], /'x' is too many/],
    [['POST', '/numbers', '{}', '--body', 'photo.png'], /not both/],
    [['POST', '/numbers', '--body', 'missing.json'], /missing\.json cannot be read/],
    [['GET', '/numbers', '--number', '+27600000001'], /begins with \/v1\//],
    [['GET', '/v1/flows', '--number', '+1'], /number \+1 not found/],
  ] as const) {
    const failure = await api.run(argv, { out() {}, err() {}, isColoured: false, cwd: folder }).catch((error: unknown) => error);
    t.ok(failure instanceof UsageError, `${argv.join(' ')} is wrong usage`);
    t.match((failure as Error).message, message);
  }
});
