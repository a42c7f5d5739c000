import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

// Plain JavaScript, as it runs before compilation; tests run in the root of the project.
const { Steps } = await import(pathToFileURL('scripts/steps.mjs').href);

t.test('a step of the compilation runs again only if a file that it read has changed, and the outputs of removed sources go', async (t) => {
  const folder = relative(process.cwd(), mkdtempSync(join(tmpdir(), 'posthorn-steps-')));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  /** Written before the compilation starts: a file that is written during it counts as changed. */
  const write = (name: string, content: string): void => {
    writeFileSync(at(name), content);
    utimesSync(at(name), 1, 1);
  };
  /** Makes `a.out` of `a.in`, and one file of both. @returns the steps that ran */
  const compile = async (...names: readonly string[]): Promise<string[]> => {
    const ran: string[] = [];
    const steps = new Steps(at('.steps.json'));
    const copy = (step: string, inputs: readonly string[]) =>
      steps.run(step, () => {
        ran.push(step);
        writeFileSync(at(`${step}.out`), inputs.map((name) => readFileSync(at(`${name}.in`), 'utf8')).join(''));
        return { inputs: inputs.map((name) => at(`${name}.in`)), outputs: [at(`${step}.out`)] };
      });
    for (const name of names) await copy(name, [name]);
    await copy('both', names);
    steps.finish();
    return ran;
  };
  write('a.in', 'A');
  write('b.in', 'B');
  t.strictSame(await compile('a', 'b'), ['a', 'b', 'both']);
  t.strictSame(await compile('a', 'b'), []);
  write('a.in', 'C');
  t.strictSame(await compile('a', 'b'), ['a', 'both'], 'the same size and time');
  renameSync(at('b.in'), at('c.in'));
  t.strictSame(await compile('a', 'c'), ['c', 'both']);
  t.notOk(existsSync(at('b.out')), 'the output of a renamed source is removed');
  t.equal(readFileSync(at('both.out'), 'utf8'), 'CB');
  rmSync(at('a.out'));
  t.strictSame(await compile('a', 'c'), ['a'], 'a removed output is made again');
  writeFileSync(at('a.in'), 'D');
  utimesSync(at('a.in'), new Date(), new Date(Date.now() + 60_000));
  t.strictSame(await compile('a', 'c'), ['a', 'both']);
  t.strictSame(await compile('a', 'c'), ['a', 'both'], 'a source that was written during the compilation');
  const note = JSON.parse(readFileSync(at('.steps.json'), 'utf8'));
  write('a.in', 'D');
  await compile('a', 'c');
  writeFileSync(at('.steps.json'), JSON.stringify({ ...note, recipe: 'of another compiler' }));
  t.strictSame(await compile('a', 'c'), ['a', 'c', 'both']);
});

t.test('a step that fails is repeated, and leaves the outputs of the compilation before', async (t) => {
  const folder = relative(process.cwd(), mkdtempSync(join(tmpdir(), 'posthorn-steps-')));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const made = { inputs: [], outputs: [join(folder, 'out')] };
  const first = new Steps(join(folder, '.steps.json'));
  await first.run('step', () => {
    writeFileSync(join(folder, 'out'), '1');
    return made;
  });
  first.finish();
  rmSync(join(folder, 'out'));
  await t.rejects(
    new Steps(join(folder, '.steps.json')).run('step', () => Promise.reject(new Error('a syntax error'))),
    /a syntax error/,
  );
  const again = new Steps(join(folder, '.steps.json'));
  t.notOk(again.isCurrent('step'));
});
