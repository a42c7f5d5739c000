import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { sourcesIn } from '../../scripts/check-imports.js';
import { commands } from '../../scripts/docs/commands.js';
import { blocksOf } from '../pages/samples.js';
import { testedBlocks } from '../pages/tested-blocks.js';
import { testFiles, testsIn } from './coverage/tests-in.js';
import { pages } from './pages.js';

/** Output has no language; commands and diagrams are checked below. */
const OTHERWISE_CHECKED = ['', 'sh', 'mermaid'];

t.test('every code block of every page has a test that runs it', async (t) => {
  const known = testsIn(testFiles('test'));
  const found = new Set<string>();
  for (const { file } of pages()) {
    for (const { language, name } of blocksOf(file)) {
      if (!OTHERWISE_CHECKED.includes(language)) found.add([file, language, name].filter((part) => part !== '').join(' '));
    }
  }
  t.strictSame([...found].sort(), Object.keys(testedBlocks).sort());
  for (const [block, test] of Object.entries(testedBlocks)) t.ok(known.has(test), `${block}: ${test}`);
});

t.test("commands in pages are Posthorn's or npm's, with flags and scripts that exist", async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const known = await commands();
  const faultOf = ([...words]: readonly string[]): string | undefined => {
    // eval "$(npx posthorn env)"
    if (words[0] === 'eval') words.splice(0, words.length, ...words.slice(1).map((word) => word.replace(/^"\$\(|\)"$/g, '')));
    if (words[0] === 'npx' && words[1] === 'posthorn') {
      const [, , name = 'sandbox', ...rest] = words;
      const command = known.get(name);
      if (!command && name !== 'help') return `there is no command ${name}`;
      // The words after a lone -- are those of another command.
      const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
      // The other flags are the settings of the type, which a plugin declares.
      if (name === 'channel' && own[0] === 'add' && /^[a-z_-]+$/.test(own[1] ?? '')) return undefined;
      const flags = own.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=')[0]!);
      const missing = flags.filter((flag) => !Object.hasOwn(command?.flags ?? {}, flag));
      return missing.length > 0 ? `${name} has no --${missing.join(', --')}` : undefined;
    }
    const [, example] =
      /^(?:node|python3) node_modules\/posthorn\/(?:dist\/)?(sandbox\/examples\/[\w/-]+\.(?:m?js|py))$/.exec(words.join(' ')) ?? [];
    if (example) return existsSync(example) || existsSync(example.replace(/js$/, 'ts')) ? undefined : `there is no ${example}`;
    // test/examples/kinds-of-users.test.ts calls the program of the command before it, and spec/readme.test.ts and iso/readme-channel.test.ts run those of the README.
    if (words[0] === 'curl' && words.some((word) => /^"?(http:\/\/127\.0\.0\.1:|\$POSTHORN_URL\/)/.test(word))) return undefined;
    const [, script] = /^node scripts\/(run\.mjs [\w-]+|[\w-]+\.mjs)/.exec(words.join(' ')) ?? [];
    if (script) return existsSync(`scripts/${script.replace(/^run\.mjs (.*)/, '$1.ts')}`) ? undefined : `there is no ${script}`;
    if (words[0] !== 'npm') return `unknown: ${words[0]}`;
    if (['ci', 'start', 'test', 'install', 'i'].includes(words[1] ?? '')) return undefined;
    return words[1] === 'run' && Object.hasOwn(scripts, words[2] ?? '') ? undefined : `there is no script ${words[2]}`;
  };
  const lines: [file: string, line: string][] = pages().flatMap(({ file }) => {
    const prose = readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    const inline = [...prose.matchAll(/`((?:npx posthorn|npm run|node scripts\/)[^`]*)`/g)].map(([, line]) => line!);
    const fenced = blocksOf(file)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ code }) =>
        code
          .trim()
          .replaceAll(/\\\n\s*/g, '')
          .split('\n'),
      );
    return [...fenced, ...inline].flatMap((line) => line.split('&&').map((part): [string, string] => [file, part.trim()]));
  });
  t.ok(lines.length > 15);
  for (const [file, line] of lines) t.equal(faultOf(line.split(/\s+/)), undefined, `${file}: ${line}`);
  t.equal(faultOf(['node', 'scripts/run.mjs', 'nothing']), 'there is no run.mjs nothing');
  t.equal(faultOf(['npx', 'posthorn', 'send', '--nothing']), 'send has no --nothing', 'a flag that does not exist is found');
});

t.test('every name in the diagrams exists: files, exports, events, queues and routes', async (t) => {
  const diagrams = blocksOf('core/walks.md').filter(({ language }) => language === 'mermaid');
  const boxes = diagrams.flatMap(({ code }) => [...code.matchAll(/\["([^"<]+\.ts)<br>([^"]*)"\]/g)]);
  const boxCount = diagrams.flatMap(({ code }) => [...code.matchAll(/\["/g)]).length;
  t.ok(boxes.length > 20);
  t.equal(boxes.length, boxCount, 'every box is a file');
  for (const [, file = '', text = ''] of boxes) {
    t.ok(existsSync(file), file);
    const [, name] = /^(\w+)(?::|$)/.exec(text) ?? [];
    const declared = new RegExp(`^export (default )?(async )?(function|const|class) ${name}\\b`, 'm');
    t.match(readFileSync(file, 'utf8'), declared, `${file} exports ${name}`);
    for (const [helper] of text.matchAll(/\b[\w.-]+\.ts\b/g))
      t.ok(existsSync(file.replace(/[^/]+$/, helper)), `${helper} is next to ${file}`);
    const [event] = /\b(message|delivery)\.(?!ts\b|task\b)[a-z]+\b(?!\.ts)/.exec(text) ?? [];
    if (event) t.match(readFileSync('core/messaging/events.ts', 'utf8'), `'${event}'`, event);
  }
});

t.test('every dotted arrow of the diagrams is a queue that exists, or the outbox', async (t) => {
  const queues = sourcesIn(process.cwd()).flatMap(({ path, text }) =>
    /^(core|plugins)\//.test(path) ? [...text.matchAll(/\bqueue<[^(]*\('([\w.-]+)'/g)].map(([, name]) => name!) : [],
  );
  const outbox = readFileSync('core/adapters/outbox/stored-outbox.ts', 'utf8').match(/defineLive!\('([\w.-]+)'/)?.[1];
  const arrows = blocksOf('core/walks.md')
    .filter(({ language }) => language === 'mermaid')
    .map(({ code }) => [...code.matchAll(/-\.->(?:\|([^|]+)\|)?/g)].map(([, name]) => name));
  t.strictSame(arrows, [['core.outbox', 'core.outbox', 'core.webhook-releases', 'core.outbox']]);
  for (const name of arrows.flat()) t.ok(name !== undefined && [...queues, outbox].includes(name), `queue ${name}`);
});
