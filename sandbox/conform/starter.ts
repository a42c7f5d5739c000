import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownCommand, quoted } from '../../core/own-command.js';
import { oneOf, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';

const starters = fileURLToPath(new URL('../../../sandbox/starters/', import.meta.url));

/** A small program to start from. */
interface Starter {
  /** Files of the folder `starters`. */
  readonly files: readonly string[];
  /** Files that depend on the name of the package. */
  made(name: string): Readonly<Record<string, string>>;
  /** Commands of a shell. */
  readonly test: string;
  readonly run: string;
}

type Kind = 'connector' | 'integration';

const LANGUAGES = { connector: ['ts', 'python', 'go'], integration: ['ts', 'python'] } as const;

/** The flag `--lang` of a kind. */
export const languageOf = (kind: Kind) => oneOf(LANGUAGES[kind], 'the language of the starter (default ts)');

/** A program in TypeScript with its test. */
export const inTypeScript = (kind: Kind): Starter => ({
  files: [`${kind}.ts`, 'start.ts', `${kind}.test.ts`],
  made: (name) => ({
    'package.json': json({
      name,
      version: '0.1.0',
      private: true,
      type: 'module',
      engines: { node: '>=20.19' },
      scripts: { build: 'tsc -p .', test: `tsc -p . && node --test dist/${kind}.test.js`, start: `node dist/${kind}.js` },
      devDependencies: { '@types/node': '^20.19.43', typescript: '^5.9.3 || ^7' },
    }),
    'tsconfig.json': json({
      compilerOptions: { target: 'es2023', module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true, outDir: 'dist' },
      include: ['*.ts'],
    }),
    '.gitignore': 'node_modules/\ndist/\n',
  }),
  test: 'npm install && npm test',
  run: 'npm start',
});

const inPython = (kind: Kind): Starter => ({
  files: [`${kind}.py`, 'start.py', `test_${kind}.py`],
  made: () => ({ '.gitignore': '__pycache__/\n' }),
  test: 'python3 -m unittest',
  run: `python3 ${kind}.py`,
});

const starterOf: Readonly<Record<string, (kind: Kind) => Starter>> = {
  ts: inTypeScript,
  python: inPython,
  go: () => ({
    files: ['connector.go', 'phone.go', 'start.go', 'connector_test.go'],
    made: () => ({ 'go.mod': 'module connector\n\ngo 1.24\n' }),
    test: 'go test ./...',
    run: 'go run .',
  }),
};

/** `connector new DIR` and `integration new DIR`. @returns the exit code @throws UsageError */
export function writeStarter(kind: Kind, directory: string | undefined, language: string, isJson: boolean, terminal: Terminal): number {
  if (directory === undefined) throw new UsageError(`${kind} new takes a folder, for example: npx posthorn ${kind} new ./my-${kind}`);
  const folder = resolve(terminal.cwd, directory);
  if (existsSync(folder)) throw new UsageError(`${folder} already exists; choose another folder`);
  const starter = starterOf[language]!(kind);
  const name = packageNameOf(folder, kind);
  const files: Record<string, string> = {
    ...Object.fromEntries(starter.files.map((file) => [file, readStarter(file)])),
    ...(kind === 'connector' && { [JOURNEY]: HELLO }),
    ...starter.made(name),
    'README.md': readmeOf(kind, name, starter, {
      posthorn: `cd ${quoted(relative(folder, terminal.cwd))} && ${ownCommand(terminal.cwd)}`,
      journey: quoted(join(relative(terminal.cwd, folder), JOURNEY)),
    }),
  };
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const shown = relative(terminal.cwd, folder) || '.';
  const next = `cd ${quoted(shown)} && ${starter.test}`;
  if (isJson) {
    terminal.out(JSON.stringify({ v: 1, folder, files: Object.keys(files), next: [next] }));
    return exit.ok;
  }
  for (const file of Object.keys(files)) terminal.out(join(shown, file));
  terminal.err(`Next: ${next}`);
  return exit.ok;
}

/** A valid name of a package for a folder. */
export const packageNameOf = (folder: string, otherwise: string): string =>
  basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || otherwise;

/** The text of a file of the folder `starters`. */
export const readStarter = (file: string): string => readFileSync(join(starters, file), 'utf8');

const ENDPOINT = 'http://127.0.0.1:3000/';
const ADDRESS = 'web:127.0.0.1:3000';
const JOURNEY = 'hello.journey.md';
const HELLO = `# Hello

Replies to every message of a contact.

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Hello do
  text("Hello! Your connector works in both directions.")
end
\`\`\`
`;
/** A contact that writes through the connector, and gets a message. */
const CONTACT = '+27611111111';
const SEND = JSON.stringify({ to: CONTACT, type: 'text', text: { body: 'Hello from Posthorn' } });
const JSON_TYPE = "-H 'Content-Type: application/json'";
const WRITE = `curl -sS ${JSON_TYPE} ${ENDPOINT}phone -d '${JSON.stringify({ from: CONTACT, text: 'hi' })}'`;

const about: Readonly<Record<Kind, { readonly what: string; readonly variables: readonly string[]; readonly next: string }>> = {
  connector: {
    what: 'A channel connector: it verifies the signatures of messages to contacts, and posts messages of contacts and statuses to the platform.',
    variables: [
      'POSTHORN_API=http://127.0.0.1:4100 POSTHORN_NUMBER=11111111-2222-4333-8444-555555555555',
      'POSTHORN_TOKEN=a-token-for-tests POSTHORN_SECRET=a-secret-for-tests PORT=3000',
    ],
    next: 'Then replace `deliver` and `act` by calls of your messaging service, and remove the path `/phone`, which is not authenticated.',
  },
  integration: {
    what: 'An integration: it verifies the signatures of requests, and responds with the panel of a conversation.',
    variables: ['POSTHORN_SECRET=a-secret-for-tests', 'PORT=3000'],
    next: 'Take the secret from the settings of the integration on your platform, and look up your own data for the panel.',
  },
};

interface ReadmeCommands {
  /** Runs Posthorn in the folder in which the starter was made, where its sandbox runs. */
  readonly posthorn: string;
  /** The journey of the starter, from that folder. */
  readonly journey: string;
}

function readmeOf(kind: Kind, name: string, { test, run }: Starter, { posthorn, journey }: ReadmeCommands): string {
  const { what, variables, next } = about[kind];
  const block = (...lines: readonly string[]): string[] => ['```sh', ...lines, '```', ''];
  return [
    `# ${name}`,
    '',
    what,
    '',
    ...block(test),
    ...(kind === 'connector'
      ? [
          'While a sandbox runs, create a channel for this connector, and start the connector with the variables of the channel. If port 3000 is in use, write another everywhere on this page:',
          '',
          ...block(`eval "$(${posthorn} channel add ${ENDPOINT})"`, run),
          'In another terminal, write as a contact through the connector, and send to the contact; the connector prints the message:',
          '',
          ...block(
            `eval "$(${posthorn} env --number ${ADDRESS})"`,
            WRITE,
            `curl -sS -H "Authorization: Bearer $POSTHORN_TOKEN" ${JSON_TYPE} "$POSTHORN_API/v1/messages" -d '${SEND}'`,
          ),
          'Check it against the API specification, then let a journey reply to the contact:',
          '',
          ...block(
            `(${posthorn} conform connector ${ENDPOINT} --drive ${ENDPOINT}phone)`,
            `(${posthorn} journey push ${journey} --publish --number ${ADDRESS})`,
            WRITE,
          ),
          'Without a sandbox, `conform` starts one. Then these variables, in both terminals, replace those of the channel:',
          '',
          ...block(...variables.map((line) => `export ${line}`)),
        ]
      : [
          'It reads its configuration from the environment:',
          '',
          ...block(...variables.map((line) => `export ${line}`), run),
          'In another terminal with the same variables, check it against the API specification:',
          '',
          ...block(`(${posthorn} conform integration ${ENDPOINT})`),
        ]),
    next,
    '',
  ].join('\n');
}

export const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
