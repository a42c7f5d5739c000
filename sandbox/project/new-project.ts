import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inTypeScript, json, packageNameOf, readStarter } from '../conform/starter.js';
import { UsageError } from '../terminal/flags.js';
import { version } from '../version.js';

/** The folder may belong to a repository already. */
const IGNORED = '.git';
const MAX_NAMED = 5;
/** A form that needs no endpoint. */
const FLOW = new URL('../../plugins/flows/templates/survey.json', import.meta.url);

/**
 * Creates a project in a folder that is empty or does not exist.
 * @returns the paths of its files @throws UsageError that names the files of a folder that is not empty
 */
export function writeProject(folder: string): string[] {
  requireEmpty(folder);
  const files = filesOf(packageNameOf(folder, 'messaging'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return Object.keys(files);
}

function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file; choose another folder`);
  const names = readdirSync(folder).filter((name) => name !== IGNORED);
  if (names.length === 0) return;
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  throw new UsageError(`${folder} is not empty: it has ${names.sort().slice(0, MAX_NAMED).join(', ')}${more}; choose another folder`);
}

function filesOf(name: string): Record<string, string> {
  const connector = inTypeScript('connector');
  const address = `web:${name}`;
  return {
    'README.md': readmeOf(name, address),
    'posthorn.config.json': json({ seed: 'seed.json' }),
    'seed.json': json(seedOf(address)),
    'journeys/menu.journey.md': readStarter('project/menu.journey.md'),
    'journeys/menu.test.yaml': readStarter('project/menu.test.yaml'),
    'flows/survey.json': readFileSync(FLOW, 'utf8'),
    ...Object.fromEntries(connector.files.map((file) => [file, readStarter(file)])),
    ...connector.made(name),
    'package.json': json(manifestOf(name)),
    '.gitignore': 'node_modules/\ndist/\n.env\n.posthorn/*\n!.posthorn/cassettes/\n',
    '.github/workflows/test.yml': readStarter('project/test.yml'),
  };
}

/** A number with a business account, to which flows belong, and the channel of the connector. */
const seedOf = (address: string): object => ({
  numbers: [{ kind: 'network', address: '+27600000001', name: 'Help desk', account: 'help-desk' }],
  channels: [{ from_addr: address, name: 'Web chat', endpoint: 'http://127.0.0.1:3000' }],
  journeys: ['+27600000001', address].map((number) => ({ number, name: 'Menu', definition: 'journeys/menu.journey.md' })),
});

const manifestOf = (name: string): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=20.19' },
  scripts: {
    test: [
      'posthorn journey lint journeys',
      'posthorn flow validate flows',
      'posthorn test journeys',
      'tsc -p .',
      'node --test dist/connector.test.js',
    ].join(' && '),
    sandbox: 'posthorn sandbox',
    start: 'tsc -p . && posthorn env -o dotenv > .env && node --env-file=.env dist/connector.js',
  },
  devDependencies: {
    '@hapi/hapi': '^21.4.10',
    '@types/node': '^20.19.43',
    posthorn: `^${version}`,
    typescript: '^5.9.3 || ^7',
  },
});

const readmeOf = (name: string, address: string): string => `# ${name}

A conversation, a form and a channel connector, with tests. \`npm test\` checks all of them without a network; GitHub runs it for every push.

| File | What it is |
|---|---|
| \`journeys/menu.journey.md\` | the conversation, and its tests in \`menu.test.yaml\` |
| \`flows/survey.json\` | a form |
| \`connector.ts\` | passes messages between Posthorn and your messaging service |
| \`seed.json\` | the numbers, channels and journeys of the sandbox |

Run it in three terminals:

\`\`\`sh
npx posthorn sandbox                          # the platform and its console
npm start                                     # the connector, with the tokens of that sandbox
npx posthorn send "hi" --number ${address}
\`\`\`

The connector prints the reply. Change a text in \`journeys/menu.journey.md\` and save it: the sandbox loads it, and the next conversation uses it
(add \`--from ann\` to write as a contact who has no conversation yet).

\`\`\`sh
npx posthorn sim journeys/menu.journey.md     # talk to the journey; no sandbox needed
npx posthorn test journeys --coverage         # what the tests reach
npx posthorn flow push flows/survey.json      # then: npx posthorn flow preview survey
npx posthorn open                             # the console in a browser
eval "$(npx posthorn env)" && npx posthorn conform connector http://127.0.0.1:3000/ --drive http://127.0.0.1:3000/phone
\`\`\`

Next: replace \`deliver\` and \`act\` in \`connector.ts\` by calls of your messaging service. \`npx posthorn help\` lists every command.
`;
