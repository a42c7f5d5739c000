import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import t from 'tap';
import { startSandbox } from '../../sandbox/compose.js';
import { builtPage } from '../../sandbox/reference/pages.js';
import { callIn, curlOf, javascriptOf, pythonOf, withValues } from '../../sandbox/reference/samples.js';
import { newFolder } from '../iso/posthorn-process.js';

const python = spawnSync('python3', ['--version']).status === 0;
const skip = !python && 'python3 is missing';
const NAMES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' };

/** The sample calls of the built pages. */
const samples = (['api', 'admin'] as const).flatMap((name) =>
  [...builtPage(name).matchAll(/<pre>(curl [^<]*)<\/pre>/g)].map(([, text]) =>
    text!.replace(/&(lt|gt|amp);/g, (_, name: string) => NAMES[name]!),
  ),
);

t.test('every sample is read as it was written, and is a program in JavaScript and Python', { skip }, async (t) => {
  t.ok(samples.length > 200, `${samples.length} samples`);
  const wrong = samples.filter((sample) => curlOf(callIn(sample)) !== sample);
  t.strictSame(wrong, [], 'reading and writing a sample returns it');
  for (const values of [{}, { POSTHORN_TOKEN: 'ph_1', POSTHORN_ADMIN_KEY: 'pha_1', NUMBER: 'n-1' }]) {
    const programs = samples.map((sample) => javascriptOf(callIn(sample), values).replace(/^import .*$/m, ''));
    // Throws a SyntaxError.
    t.doesNotThrow(() => {
      for (const program of programs) new Script(`(async () => {${program}\n})`);
    });
    const check = 'import ast, json, sys\nfor program in json.load(sys.stdin): ast.parse(program)';
    const input = JSON.stringify(samples.map((sample) => pythonOf(callIn(sample), values)));
    t.doesNotThrow(() => execFileSync('python3', ['-c', check], { input, stdio: ['pipe', 'pipe', 'pipe'] }));
  }
});

t.test('samples work as they are shown: with variables, with keys that are filled in, with JSON and with a file', { skip }, async (t) => {
  const sandbox = await startSandbox({
    seed: { numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }] },
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  const { api, admin, numbers } = sandbox;
  const folder = newFolder(t);
  // The smallest PNG.
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(folder, 'picture.png'), Buffer.from(png, 'base64'));
  const values = { POSTHORN_TOKEN: numbers[0]!.token, POSTHORN_ADMIN_KEY: admin.key };
  const sampleOf = (start: string): string => {
    const found = samples.find((sample) => sample.startsWith(start));
    if (found === undefined) throw new Error(`no sample begins with ${start}`);
    return found.replace('http://127.0.0.1:4100', api);
  };
  const run = async (command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> =>
    (await promisify(execFile)(command, args, { cwd: folder, env: { ...process.env, ...env } })).stdout;
  const languages = [
    ['JavaScript', javascriptOf, (code: string, env: object) => run(process.execPath, ['--input-type=module', '-e', code], { ...env })],
    ['Python', pythonOf, (code: string, env: object) => run('python3', ['-c', code], { ...env })],
  ] as const;

  for (const [name, write, start] of languages) {
    const list = callIn(sampleOf('curl "http://127.0.0.1:4100/admin/v1/numbers" '));
    t.match(await start(write(list, {}), values), /^200 \{"numbers":\[\{.*\+27600000001/, `${name}: a variable`);
    t.match(await start(write(list, values), {}), /^200 /, `${name}: a key that is filled in`);
    const change = callIn(sampleOf('curl -X PATCH "http://127.0.0.1:4100/admin/v1/numbers/$UUID"'));
    t.match(await start(write(change, values), { UUID: numbers[0]!.uuid }), /^200 \{"number":/, `${name}: a method, a parameter and JSON`);
    const upload = callIn(sampleOf('curl "http://127.0.0.1:4100/v1/media"'));
    t.match(await start(write(upload, values), {}), /^200 \{"media":\[\{"id":/, `${name}: a file`);
  }
  if (spawnSync('curl', ['--version']).status !== 0) return t.comment('curl is missing');
  const curl = withValues(sampleOf('curl "http://127.0.0.1:4100/v1/media"'), values);
  t.match(await run('sh', ['-c', `${curl} -s`], {}), /^\{"media":/);
});
