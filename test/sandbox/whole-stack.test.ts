import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import t from 'tap';
import { packageFolder } from '../../scripts/bench/measuring/on-demand.js';
import { isLong, sampled } from '../forms.js';
import { sample } from '../pages/samples.js';

const page = 'sandbox/whole-stack.md';
/** The compiled copy of the project. */
const build = join(import.meta.dirname, '..', '..');

t.test('the tests of the page pass in their runners, and fail with a wrong expectation', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-stack-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  // Copied and not linked: Vitest would transform a package outside of node_modules.
  for (const part of ['core', 'plugins', 'sandbox', 'package.json'])
    cpSync(join(build, part), join(folder, 'node_modules/posthorn', part), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  // The published package contains these.
  const bundled = ['@cfworker/json-schema', '@dagrejs/dagre', 'libphonenumber-js', 'prom-client', 'quickjs-emscripten-core'];
  for (const name of [...Object.keys(dependencies), '@hapi/hapi', 'tap', ...bundled]) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules', name), join(folder, 'node_modules', name));
  }
  const vitest = isLong ? vitestIn(folder) : undefined;
  const write = async (name: string, change = (code: string) => code): Promise<void> => {
    const { code } = await transform(change(sample(page, 'ts', `${name}.ts`)), { loader: 'ts', format: 'esm' });
    writeFileSync(join(folder, `${name}.js`), code);
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await write('stack');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = async (args: readonly string[]): Promise<{ code: number; out: string }> => {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [...args], {
        cwd: folder,
        env: { ...env, TAP: '1', TAP_TIMEOUT: '0', NO_COLOR: '1' },
      });
      return { code: 0, out: stdout };
    } catch (error) {
      const { code, stdout } = error as { code: number; stdout: string };
      return { code, out: stdout };
    }
  };
  const runners: readonly (readonly [name: string, args: readonly string[], passed: RegExp])[] = [
    ['stack.test', ['--test', '--test-reporter=tap', 'stack.test.js'], /ok 1 - a reply is retried/],
    ['stack-tap.test', ['stack-tap.test.js'], /ok 1 - a reply is retried/],
    ...(typeof vitest === 'string'
      ? [['stack-vitest.test', [vitest, 'run', '--reporter=tap-flat', 'stack-vitest.test.js'], /ok 1 - .*a reply is retried/] as const]
      : []),
  ];
  if (vitest instanceof Error) t.pass('the tests in Vitest', { skip: vitest.message });
  await Promise.all(
    sampled(runners, 2).map(async ([name, args, passed]) => {
      // On a loaded machine the limit of the sample is too short.
      await write(name, (code) => code.replace('30_000', '300_000'));
      t.match(await run(args), { code: 0, out: passed });
    }),
  );
  // One runner is enough to show that the sample can fail.
  await write('stack.test', (code) => code.replace("['9 to 5']", "['never']"));
  t.equal((await run(runners[0]![1])).code, 1);
});

/** Links Vitest, which the checkout does without, into a folder. @returns the path of its program, or the reason why it is missing */
function vitestIn(folder: string): string | Error {
  try {
    symlinkSync(packageFolder('vitest'), join(folder, 'node_modules/vitest'));
    return join(folder, 'node_modules/vitest/vitest.mjs');
  } catch (error) {
    return error as Error;
  }
}
