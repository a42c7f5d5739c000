import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted } from '../../core/own-command.js';
import { oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { installCommand } from '../terminal/install-command.js';
import { exit } from '../terminal/terminal.js';
import { version } from '../version.js';
import type { Command } from './command.js';

/** A plugin that a new one can start from: the package contains its sources, and tests compile and run them. */
interface Model {
  /** Below the folder `sandbox`. */
  readonly folder: string;
  /** The name of its plugin, which the new one replaces. */
  readonly name: string;
  /** Its other files in `src`. */
  readonly files: readonly string[];
  readonly scripts: (name: string) => Readonly<Record<string, string>>;
  readonly readme: (name: string) => string;
  /** The first thing to change; undefined for nothing. */
  readonly first?: string;
}

const LIKE = ['telegram'] as const;

const flags = {
  like: oneOf(LIKE, 'a complete channel, made as this one is: token, polling, buttons, files, errors, stand-in'),
  dir: text('DIR', 'the folder to create (default: NAME)'),
  json: toggle('print the files and the next command as one line of JSON'),
};

const sources = fileURLToPath(new URL('../../../sandbox/', import.meta.url));
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const plugin: Command = {
  summary: 'creates a package with a channel plugin of your own',
  usage: 'plugin new NAME [flags]',
  examples: ['plugin new night-mail', 'plugin new my-chat --like telegram'],
  notes: [
    'Writes a package with a channel plugin and its test, and prints the command that installs and tests it.',
    'Without --like, it is as small as a channel can be. --like telegram writes what a real service needs,',
    'in files that are read in ten minutes, against a service that the package plays itself.',
    'Exit codes: 0 created, 2 wrong usage.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, name, ...more] = positionals;
    if (verb !== 'new') throw new UsageError(`plugin takes one verb: npx posthorn plugin new ${name ?? 'NAME'}`);
    if (name === undefined || more.length > 0)
      throw new UsageError('plugin new takes one name, for example: npx posthorn plugin new pigeon-post');
    if (!NAME.test(name)) throw new UsageError(`a plugin name consists of lower-case words joined with -, not '${name}'`);
    if ((await builtIn()).includes(name)) throw new UsageError(`'${name}' is the name of a built-in plugin; choose another name`);
    const folder = resolve(terminal.cwd, values.dir ?? name);
    if (existsSync(folder)) throw new UsageError(`${folder} already exists; choose another name or --dir`);
    const model = values.like === 'telegram' ? polledChat : pigeonPost;
    const files = filesOf(name, model);
    for (const [file, written] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), written);
    }
    const shown = relative(terminal.cwd, folder) || '.';
    const next = `cd ${quoted(shown)} && ${installCommand()} && npm test`;
    if (values.json) {
      terminal.out(JSON.stringify({ v: 1, folder, files: Object.keys(files), next: [next], ...(model.first && { first: model.first }) }));
      return exit.ok;
    }
    for (const file of Object.keys(files)) terminal.out(join(shown, file));
    terminal.err(`Next: ${next}`);
    if (model.first !== undefined) terminal.err(model.first);
    return exit.ok;
  },
};

/** Names of built-in plugins. Imported on demand, as they load the complete platform. */
async function builtIn(): Promise<string[]> {
  const { everyPlugin } = await import('../server/every-plugin.js');
  return ['core', 'sandbox', ...everyPlugin().map(({ manifest }) => manifest.name)];
}

function filesOf(name: string, model: Model): Record<string, string> {
  // The suffix avoids clashes with reserved positionals and with imports of the plugin and its test.
  const identifier = `${camel(name)}Channel`;
  const renamed = (file: string): string =>
    readFileSync(join(sources, model.folder, file), 'utf8')
      .replaceAll(model.name, name)
      .replaceAll(camel(model.name), identifier);
  return {
    [`src/${name}.ts`]: renamed(`${model.name}.ts`),
    ...Object.fromEntries(model.files.map((file) => [`src/${file}`, renamed(file)])),
    [`src/${name}.test.ts`]: renamed(`${model.name}.test.ts`),
    'README.md': model.readme(name),
    'package.json': json(manifestOf(name, model)),
    'tsconfig.json': json(compiler),
    '.gitignore': 'node_modules/\ndist/\n',
  };
}

const pigeonPost: Model = {
  folder: 'examples/pigeon-post',
  name: 'pigeon-post',
  files: ['flights.ts'],
  scripts: (name) => ({ sandbox: `posthorn sandbox --plugin src/${name}.ts --option ${name}.gateway=http://127.0.0.1:9` }),
  readme: (name) => `# ${name}

A plugin of Posthorn with a channel, and its tests.

| File | What it is |
|---|---|
| \`src/${name}.ts\` | the channel: sends messages through the HTTP API of a gateway, and receives messages of contacts through a route |
| \`src/flights.ts\` | a page of the console with the messages that left |
| \`src/${name}.test.ts\` | the contract of channels, and a gateway that fails |

Try it in two terminals. Put what the first two calls print, the \`uuid\` of a number and the \`text\` of its token, in place of UUID and TOKEN:

\`\`\`sh
npm run sandbox
\`\`\`

\`\`\`sh
eval "$(npx posthorn env)"
curl -H "authorization: Bearer $POSTHORN_ADMIN_KEY" --json '{"kind": "channel", "type": "${name}", "address": "desk:1", "name": "Desk"}' "$POSTHORN_URL/admin/v1/numbers"
curl -H "authorization: Bearer $POSTHORN_ADMIN_KEY" --json '{"name": "desk"}' "$POSTHORN_URL/admin/v1/numbers/UUID/tokens"
curl -H "authorization: Bearer TOKEN" --json '{"id": "1", "from": "ann", "text": "hi"}' "$POSTHORN_URL/v1/${name}/messages"
npx posthorn why
\`\`\`

Next: replace the gateway by your messaging service. In a server of your own, pass the plugin to \`createPlatform({ plugins: [...] })\`.
`,
};

const polledChat: Model = {
  folder: 'starters/polled-chat',
  name: 'polled-chat',
  files: ['service.ts', 'receiving.ts', 'sending.ts', 'stand-in.ts', 'play.ts', 'played.ts'],
  scripts: (name) => ({ sandbox: `posthorn sandbox --seed empty --plugin src/${name}.ts`, service: 'tsc -p . && node dist/play.js' }),
  first: 'Then change src/stand-in.ts and src/service.ts to the API of your service; README.md has the order.',
  readme: (name) => `# ${name}

A plugin of Posthorn with a channel to a messaging service that is polled, as Telegram is: each number is a bot of the service. It needs the public entry points of
\`posthorn\` only.

| File | What it is |
|---|---|
| \`src/${name}.ts\` | the plugin: what it contributes |
| \`src/service.ts\` | the API of the service: its calls, what its errors mean, and how a number is connected with a token |
| \`src/receiving.ts\` | the loop that asks for updates, and the consumer that turns each into a message |
| \`src/sending.ts\` | the driver that queues messages, the sender that makes their calls, and what follows from the outcome |
| \`src/stand-in.ts\` | plays the service, for the tests and for \`npm run service\` (\`src/play.ts\`) |
| \`src/played.ts\` | a person on the stand-in, for \`npx posthorn test FILE --channels network,./src/played.ts\` |
| \`src/${name}.test.ts\` | the contract of channels against the stand-in: order, files, taps, refusals, broken connections, a killed process |

## Talk to it

The service of the stand-in plays a person in a terminal. Start it, then a sandbox, then connect a number, each in a terminal of its own:

\`\`\`sh
npm run service
\`\`\`

\`\`\`sh
npm run sandbox
\`\`\`

\`\`\`sh
echo token-of-the-bot | npx posthorn channel add ${name} --token -
npx posthorn tail
\`\`\`

Write in the first terminal. \`npx posthorn open\` shows the conversation, and answers it.

## Make it yours

1. **\`src/stand-in.ts\`**: read the documentation of your service, and let \`answer\` take its calls and give its answers, with its errors and limits. \`npm test\` fails then.
2. **\`src/service.ts\`**: \`Update\` and \`ServiceMessage\` get the forms of the service, \`createService\` its calls, \`remedyOf\` its errors, \`connectionType\` what an operator must give.
3. **\`src/sending.ts\`**: \`deliver\` makes the body of a message, and \`request\` the call. Set \`MAX_TEXT\`, \`EVERY_MS\`, \`capabilities\` and the code in \`errorOf\`. If the service takes
   a key of idempotency, send \`record.uuid\` as one; if not, decide what an unknown outcome is worth, in \`read\`. If people choose by a text instead of a button, such as a number,
   ask \`choices.byText\` in \`receiving.ts\`.
4. **\`src/receiving.ts\`**: \`contentOf\` turns an update into a message. A position can be a text, too. If the service calls you instead
   of being polled, contribute a route that checks its signature and pushes the update, instead of the loop.
5. **\`src/${name}.test.ts\`**: set \`statuses\` and \`report\` if the service reports that messages were delivered or read, and record them with \`messages.status\`.

\`npm test\` passes again when all is done. Keep \`name\`, the type of the numbers and \`SENDER\`: the stored data has them. In a server of your own, pass the plugin to
\`createPlatform({ plugins: [...] })\`.
`,
};

const manifestOf = (name: string, { scripts }: Model): object => ({
  name: `posthorn-${name}`,
  version: '0.1.0',
  type: 'module',
  engines: { node: '>=20.19' },
  exports: { '.': { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` } },
  files: ['dist', '!dist/*.test.*'],
  scripts: {
    build: 'tsc -p .',
    test: `tsc -p . && node --test dist/${name}.test.js`,
    ...scripts(name),
  },
  // Peers, so that the plugin and its host application share one copy.
  peerDependencies: { joi: '^18.3.2', posthorn: `^${version}` },
  devDependencies: {
    '@hapi/hapi': '^21.4.10',
    '@types/node': '^20.19.43',
    esbuild: '>=0.21',
    joi: '^18.3.2',
    posthorn: `^${version}`,
    typescript: '^5.9.3 || ^7',
  },
});

const compiler = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
