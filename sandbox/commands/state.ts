import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { exportState, importState, resetState } from '../client/state.js';
import { stateDiff } from '../reports/state-report.js';
import { differencesOf } from '../state/state-diff.js';
import { readStateFile, type StateFile, UnusableState } from '../state/state-file.js';
import { oneOf, readFlags, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

/** The passphrase is not a flag: other users of the machine can read flags. */
const KEY = 'POSTHORN_EXPORT_KEY';

const flags = {
  secrets: oneOf(['omit', 'sealed'], `export: whether to include secrets, encrypted with the passphrase in ${KEY} (default omit)`),
  json: toggle('print the result as one line of JSON'),
};

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

interface Request {
  readonly files: readonly string[];
  readonly values: Values;
  readonly terminal: Terminal;
}

export const state: Command = {
  summary: 'resets, exports, imports and compares the state of the sandbox',
  usage: 'state reset | export FILE | import FILE | diff A B',
  examples: ['state export bug.json', 'state import bug.json', 'state diff a.json b.json'],
  notes: [
    'reset starts again with the seed: the same URL, tokens and secrets. A FILE of - is standard input or output.',
    `An import of sealed secrets reads the passphrase from ${KEY}. diff exits with 1 if the states differ.`,
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [name, ...files] = positionals;
    if (name === undefined)
      throw new UsageError(`state takes ${Object.keys(verbs).join(', ')}; for example: npx posthorn state export FILE`);
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
    if (!verb) throw new UsageError(`state takes ${Object.keys(verbs).join(', ')}, not '${name}'`);
    if (files.length !== verb.files) throw new UsageError(`state ${name} takes ${FILES[verb.files]}`);
    if (values.secrets !== undefined && name !== 'export') throw new UsageError(`state ${name} does not take --secrets`);
    return verb.run({ files, values, terminal });
  },
};

const FILES = ['no file', 'one file', 'two files'] as const;

interface Verb {
  readonly files: 0 | 1 | 2;
  /** @returns the exit code */
  run(request: Request): Promise<number>;
}

const reset: Verb = {
  files: 0,
  async run({ values, terminal }) {
    await resetState(runIn(terminal));
    terminal.out(values.json ? JSON.stringify({ v: 1, reset: 'done' }) : 'The sandbox starts again with its seed.');
    return exit.ok;
  },
};

const exporting: Verb = {
  files: 1,
  async run({ files: [file], values: { secrets = 'omit', json }, terminal }) {
    const passphrase = process.env[KEY];
    if (secrets === 'sealed' && !passphrase) throw new UsageError(`--secrets sealed needs a passphrase in ${KEY}`);
    const text = await exportState(runIn(terminal), secrets, secrets === 'sealed' ? passphrase : undefined);
    if (file === '-') {
      terminal.out(text.trimEnd());
      return exit.ok;
    }
    writing(file!, () => writeFileSync(resolve(terminal.cwd, file!), text, { mode: 0o600, flush: true }));
    const records = Object.values(readStateFile(text).collections).reduce((sum, { length }) => sum + length, 0);
    if (json) terminal.out(JSON.stringify({ v: 1, file, records, secrets }));
    else terminal.out(`${records} records are in ${file}, ${secrets === 'omit' ? 'without secrets' : 'with sealed secrets'}.`);
    return exit.ok;
  },
};

const importing: Verb = {
  files: 1,
  async run({ files: [file], values, terminal }) {
    const run = runIn(terminal);
    const { new_secrets, missing_secrets } = await importState(run, await contentOf(file!, terminal), process.env[KEY] || undefined);
    if (values.json) {
      terminal.out(JSON.stringify({ v: 1, new_secrets, missing_secrets }));
      return exit.ok;
    }
    terminal.out(`The sandbox has the state of ${file === '-' ? 'standard input' : file}.`);
    for (const { webhook, hmac_secret } of new_secrets) terminal.out(`  new secret of webhook ${webhook}: ${hmac_secret}`);
    for (const name of missing_secrets) terminal.err(`posthorn: the file has no secret ${name}; set it again`);
    return exit.ok;
  },
};

const diff: Verb = {
  files: 2,
  async run({ files, values, terminal }) {
    const [a, b] = [await stateIn(files[0]!, terminal), await stateIn(files[1]!, terminal)];
    const differences = differencesOf(a, b);
    if (values.json) terminal.out(JSON.stringify({ v: 1, differences }));
    else for (const line of stateDiff(differences, painter(terminal.isColoured))) terminal.out(line);
    return differences.length === 0 ? exit.ok : exit.failed;
  },
};

const verbs: Readonly<Record<string, Verb>> = { reset, export: exporting, import: importing, diff };

function runIn({ cwd }: Terminal): RunFile {
  const run = findRunFile(cwd);
  if (!run) throw new NoSandbox();
  return run;
}

async function contentOf(file: string, { cwd }: Terminal): Promise<string> {
  if (file === '-') return textOf(process.stdin);
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function stateIn(file: string, terminal: Terminal): Promise<StateFile> {
  try {
    return readStateFile(await contentOf(file, terminal));
  } catch (error) {
    throw error instanceof UnusableState ? new UsageError(`${file} cannot be used: ${error.message}`) : error;
  }
}

function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
