import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { journey } from '../../sandbox/commands/journey.js';
import { test } from '../../sandbox/commands/test.js';
import { startSandbox } from '../../sandbox/compose.js';
import { UsageError } from '../../sandbox/terminal/flags.js';
import { newFolder } from '../iso/posthorn-process.js';
import { sample } from '../pages/samples.js';

const PAGE = 'plugins/journeys/README.md';

const notebook = `# Weather

\`\`\`stack
card Ask do
  sky = weather("Cape Town", days: 3)
  advice = app("weather", "advice", sky: sky)
  text("@advice.output At 50 °F it is @celsius(50) °C.")
end
\`\`\`
`;
const tests = (name: string) => `journey: sky.md
tests:
  - name: ${name}
    http_mocks: [{ url: "https://weather.example/v1", response: { body: rainy } }]
    steps:
      - start
      - expect:
          text: [It will be rainy., Take an umbrella. At 50 °F it is 10 °C.]
          state: end
`;

/** The plugin of the page in TypeScript, whose language is a file of its own, with a journey and its tests. */
const folder = newFolder(t);
const files = {
  'weather.ts': sample(PAGE, 'ts', 'weather.ts'),
  'language.ts': sample(PAGE, 'ts', 'language.ts'),
  'sky.md': notebook,
  'a.test.yaml': tests('rain'),
  'b.test.yaml': tests('more rain'),
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);

async function run(command: typeof journey | typeof test, ...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: string[][] = [[], []];
  const terminal = {
    cwd: folder,
    out: (line: string) => void out!.push(line),
    err: (line: string) => void err!.push(line),
    isColoured: false,
  };
  const code = await command.run(argv, terminal);
  return { code, out: out!.join('\n'), err: err!.join('\n') };
}

t.test('journey lints, formats, converts and draws files with the blocks of a plugin', async (t) => {
  const plugin = ['--plugin', 'weather.ts'];
  t.match(await run(journey, 'lint', 'sky.md'), { code: 1, out: /missing_operand/ }, 'not without it');
  t.match(await run(journey, 'lint', 'sky.md', ...plugin), { code: 0, out: /0 errors, 0 warnings$/ });
  t.match(await run(journey, 'fmt', 'sky.md', '--check', ...plugin), { code: 0, out: '' });
  const compiled = await run(journey, 'compile', 'sky.md', ...plugin);
  t.match(JSON.parse(compiled.out).flows[0].blocks[0], { type: 'weather.forecast', config: { place: 'Cape Town', days: 3 } });
  writeFileSync(join(folder, 'sky.json'), compiled.out);
  t.strictSame(await run(journey, 'to-text', 'sky.json', ...plugin), { code: 0, out: notebook.trimEnd(), err: '' });
  t.match(await run(journey, 'lint', 'sky.json', ...plugin), { code: 0, out: /0 errors, 0 warnings$/ });
  t.match(await run(journey, 'lint', 'sky.json'), { code: 1, out: /unknown_block_type|unknown_function/ }, 'not afterwards');
  t.match(await run(journey, 'graph', 'sky.md', ...plugin), { code: 0, out: /Ask/ });
  for (const [file, message] of [
    ['none.ts', 'none.ts does not exist'],
    ['language.ts', 'language.ts exports no plugin; export the result of definePlugin as default'],
  ] as const)
    await t.rejects(run(journey, 'lint', 'sky.md', '--plugin', file), new UsageError(`${join(folder, message)}`), file);
});

t.test('posthorn test runs the blocks, effects and skills of a plugin, in one thread and in several', async (t) => {
  const passed = { code: 0, out: /2 passed, 0 failed/ };
  t.match(await run(test, '--plugin', 'weather.ts'), passed);
  t.match(await run(test, '--plugin', 'weather.ts', '--jobs', '2', '--coverage'), { ...passed, out: /2 passed, 0 failed/ });
  t.match(await run(test), { code: 2, out: /an expression expected after ',', found 'days:'/ });
  writeFileSync(join(folder, 'c.test.yaml'), tests('wrong').replace('rainy.', 'windy.'));
  t.match(await run(test, 'c.test.yaml', '--plugin', 'weather.ts'), {
    code: 1,
    out: /repeat +.* test c\.test\.yaml -t wrong --plugin weather\.ts/,
  });
  rmSync(join(folder, 'c.test.yaml'));
  t.match(await run(test, 'explore', 'sky.md', '--plugin', 'weather.ts'), { out: /blocks[\s\S]* 3\/3 / });
  const config = join(folder, 'posthorn.config.json');
  writeFileSync(config, JSON.stringify({ plugins: ['./weather.ts'] }));
  t.match(await run(test), passed, 'the configuration names it');
  t.match(await run(journey, 'lint', 'sky.md'), { code: 0 });
  writeFileSync(config, '{}');
});

t.test('a sandbox loads a plugin with a language in TypeScript, whose bundle remains for its workers', async (t) => {
  const sandbox = await startSandbox({ port: 0, console: false, logLevel: 'error', plugins: [join(folder, 'weather.ts')], seed: {} });
  t.teardown(() => sandbox.stop());
  const { number } = await sandbox.platform.createNumber({ kind: 'network', type: 'network', address: '+27600000009', name: 'Shop' });
  const path = `/journeys/0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10/notebook?number=${number.uuid}`;
  const put = await fetch(`${sandbox.api}/admin/v1${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${sandbox.admin.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ notebook }),
  });
  t.match(await put.json(), { problems: [] });
  t.ok(readdirSync(join(folder, '.posthorn')).some((name) => name.startsWith('language.ts-')));
});
