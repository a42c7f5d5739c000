import t from 'tap';
import { arrowsIn, breaches, innerImportsIn, type Source, sourcesIn } from '../../scripts/check-imports.js';
import { insiders } from '../../scripts/import-rules.js';

/** Read once: what a source imports is known for its object. */
const sources = sourcesIn(process.cwd());

const planted = (path: string, text: string): Source => ({ path, text });

t.test('every import follows the rules, without cycles', async (t) => {
  t.strictSame(breaches(sources), []);
});

t.test('a forbidden import is found and named', async (t) => {
  const plants: [file: string, text: string, sentence: string][] = [
    [
      'plugins/webhooks/bad.ts',
      `import { JsonStore } from '../../core/adapters/store/json-store.js';`,
      'plugins/webhooks/bad.ts may not import core/adapters/store/json-store.ts',
    ],
    [
      'plugins/webhooks/bad.ts',
      `import { channels } from '../channels/plugin.js';`,
      'plugins/webhooks/bad.ts may not import plugins/channels/plugin.ts: its plugin does not need that plugin',
    ],
    ['plugins/webhooks/bad.ts', `import { Low } from 'lowdb';`, 'plugins/webhooks/bad.ts may not import lowdb'],
    [
      'core/kernel/bad.ts',
      `import { channels } from '../../plugins/channels/plugin.js';`,
      'core/kernel/bad.ts may not import plugins/channels/plugin.ts',
    ],
    [
      'core/messaging/bad.ts',
      `import type { Host } from '../kernel/http/http.js';`,
      'core/messaging/bad.ts may not import core/kernel/http/http.ts',
    ],
    [
      'core/adapters/bad.ts',
      `import { Piscina } from 'piscina';`,
      'core/adapters/bad.ts may not import piscina: only its adapter imports this package',
    ],
    ['core/kernel/bad.ts', `const late = await import('../testing/index.js');`, 'core/kernel/bad.ts may not import core/testing/index.ts'],
    [
      'core/adapters/bad.ts',
      `import { Low } from 'lowdb';`,
      'core/adapters/bad.ts may not import lowdb: only its adapter imports this package',
    ],
    [
      'core/testing/bad.ts',
      `import { JsonStore } from '../adapters/store/json-store.js';`,
      'core/testing/bad.ts may not import core/adapters/store/json-store.ts: other folders import core/adapters/store/index.ts',
    ],
    ['core/ports/bad.ts', `import '../index.js';`, 'core/ports/bad.ts may not import core/index.ts'],
  ];
  const before = new Set(breaches(sources));
  for (const [file, text, sentence] of plants) {
    const found = breaches([...sources, planted(file, text)]).filter((breach) => !before.has(breach));
    t.strictSame(found, [sentence]);
  }
});

t.test('every way to name a module is seen, and no comment or text is', async (t) => {
  const unseen = 'core/adapters/store/json-store.ts';
  const up = '../../core/adapters/store/json-store.js';
  const ways: readonly string[] = [
    `import { JsonStore } from "${up}";`,
    `import type { JsonStore } from '${up}'`,
    `import { one, // from here\n  JsonStore } from '${up}';`,
    `import * as from from '${up}'`,
    `import\n'${up}';`,
    `import data from '${up}' with { type: 'json' };`,
    `export * from "${up}";`,
    `export * as store from '${up}';`,
    `export type { JsonStore } from\n  '${up}';`,
    `const store = await import("${up}");`,
    `const store = await import(/* later */ \`${up}\`, { with: {} });`,
    `let store: typeof import('${up}');`,
    `import store = require("${up}");`,
    `const { JsonStore } = createRequire(import.meta.url)('${up}');`,
    `const require = createRequire(import.meta.url);\nrequire("${up}");`,
    `const load = createRequire(import.meta.url);\nload('${up}');`,
    `const file = require.resolve('${up}');`,
    `const file = createRequire(import.meta.url).resolve('${up}');`,
    `const file = import.meta.resolve('${up}');`,
    `const worker = new Worker(new URL('${up}', import.meta.url));`,
    `const text = \`\${await import('${up}')}\`;`,
    `const pattern = /['"]/; import('${up}');`,
  ];
  for (const text of ways)
    t.strictSame(breaches([planted('plugins/webhooks/bad.ts', text)]), [`plugins/webhooks/bad.ts may not import ${unseen}`], text);
  const page = `export const Page = () => <p title="import 'lowdb'">import 'lowdb'; it's {import('lowdb')}</p>;`;
  t.strictSame(breaches([planted('plugins/flows/bad.tsx', page)]), ['plugins/flows/bad.tsx may not import lowdb']);
  for (const text of [
    `// import '${up}';`,
    `/* import '${up}'; */`,
    `const text = "import '${up}'";`,
    `const text = \`\nimport '${up}';\``,
    `await contacts.require(uuid);`,
    `const page = new URL('../../core/web/page.html', import.meta.url);`,
    `export const from = 1;\nconst text = '${up}';`,
  ])
    t.strictSame(breaches([planted('plugins/webhooks/good.ts', text)]), [], text);
});

t.test('a path that is computed is refused outside five named files', async (t) => {
  for (const text of [
    'await import(path);',
    `await import('../../core/' + name);`,
    `await import(\`../../core/\${name}.js\`);`,
    'const load = createRequire(import.meta.url);\nload(path);',
    'createRequire(import.meta.url)(path);',
  ])
    t.strictSame(breaches([planted('plugins/webhooks/bad.ts', text)]), [
      'plugins/webhooks/bad.ts may not import a computed path: name what it imports',
    ]);
});

t.test('four plugins import inner files, of the folders that their row names', async (t) => {
  t.strictSame(Object.keys(insiders), ['plugins/cluster', 'plugins/console', 'plugins/flows', 'plugins/webchat']);
  const rows = Object.entries(insiders).flatMap(([plugin, { folders }]) => folders.map((folder) => `${plugin} -> ${folder}`));
  t.strictSame(innerImportsIn(sources), rows.sort(), 'no row is there in vain');
  t.strictSame(breaches([planted('plugins/flows/bad.ts', `import { x } from '../../core/events/event-summary.js';`)]), [
    'plugins/flows/bad.ts may not import core/events/event-summary.ts',
  ]);
});

t.test('a plugin imports the entry point of a plugin that it needs, and no other file of it', async (t) => {
  const plugin = (text: string, file: string): string[] =>
    breaches([planted('plugins/letters/plugin.ts', text), planted('plugins/letters/post.ts', `import { x } from '../${file}.js';`)]);
  for (const list of ['needs: [cloudApi, flows]', "needs: ['cloud-api']", "needs: ['flows'],\n  optional: [\n    'cloud-api',\n  ]"])
    t.strictSame(plugin(`definePlugin({\n  name: 'letters',\n  ${list},\n})`, 'cloud-api/plugin'), [], list);
  t.strictSame(plugin('definePlugin({\n  needs: [flows],\n})', 'cloud-api/plugin'), [
    'plugins/letters/post.ts may not import plugins/cloud-api/plugin.ts: its plugin does not need that plugin',
  ]);
  for (const text of [
    'definePlugin({\n  // needs: [cloudApi],\n})',
    "definePlugin({\n  /*\n  needs: ['cloud-api'],\n  */\n})",
    "const other = {\n  needs: ['cloud-api'],\n};\ndefinePlugin({})",
    "definePlugin({ register: () => ({ needs: ['cloud-api'] }) })",
    'definePlugin({ name: "needs: [\'cloud-api\']" })',
  ])
    t.match(plugin(text, 'cloud-api/plugin'), ['plugins/letters/post.ts may not import plugins/cloud-api/plugin.ts'], text);
  t.strictSame(plugin("definePlugin<Options, 'kept'>({ name: 'letters', needs: [ /* it */ cloudApi ] })", 'cloud-api/plugin'), []);
  t.strictSame(plugin('definePlugin({\n  needs: [cloudApi],\n})', 'cloud-api/errors'), [
    'plugins/letters/post.ts may not import plugins/cloud-api/errors.ts',
  ]);
});

t.test('an import cycle is found, also through types', async (t) => {
  const cycle = [
    planted('core/messaging/a.ts', `import { b } from './b.js';`),
    planted('core/messaging/b.ts', `import type { A } from './a.js';`),
  ];
  t.strictSame(breaches(cycle), ['import cycle: core/messaging/a.ts -> core/messaging/b.ts -> core/messaging/a.ts']);
  const page = [
    planted('plugins/flows/preview/app/a.tsx', `import { b } from './b.js';`),
    planted('plugins/flows/preview/app/b.tsx', `import { a } from './a.js';`),
  ];
  t.strictSame(breaches(page), [
    'import cycle: plugins/flows/preview/app/a.tsx -> plugins/flows/preview/app/b.tsx -> plugins/flows/preview/app/a.tsx',
  ]);
});

t.test('the rooms of core have at most 80 arrows between them', async (t) => {
  const arrows = arrowsIn(sources);
  t.ok(arrows.length <= 80, `${arrows.length} arrows:\n${arrows.join('\n')}`);
  t.ok(arrows.includes('platform -> kernel/plugins'));
  const added = arrowsIn([planted('core/ports/bad.ts', `import { x } from '../kernel/http/http.js';`)]);
  t.strictSame(added, ['ports -> kernel/http']);
});
