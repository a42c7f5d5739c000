import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { flowVerbs } from '../client/flow-verbs.js';
import { findRunFile } from '../client/run-file.js';
import { flowReport, type ReportFormat, reportFormats } from '../reports/flow-report.js';
import { isOn, oneOf, readFlags, text, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { watchFiles } from '../terminal/watch-files.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  watch: isOn('validate: check again whenever a file changes, until Ctrl-C'),
  format: oneOf(reportFormats, 'github: notes at the lines of a change (default pretty)'),
  name: text('NAME', 'push: the name of the flow (default that of the file)'),
  account: text('ACCOUNT', 'the business account (default that of the first number with one)'),
  json: isOn('print what came of it as one line of JSON; validate: as --format json'),
  new: isOn('preview: at a new address; the one of before dies'),
};

export const flow: Command = {
  summary: 'checks Flow JSON files; pushes, publishes and previews flows',
  usage: 'flow validate FILE... | push FILE... | publish | deprecate | preview FLOW | open CONTACT',
  notes: [
    'validate needs no sandbox, the others do. push makes a draft of a file, or replaces the',
    'definition of the draft with that name. FLOW is the name of a flow or its id.',
    'open gives the address at which the newest flow that a contact was sent is filled in.',
    'Hints are advice, such as over-long text; they do not keep a flow from being published.',
    'Exit codes: 0 no errors, 1 errors, or the sandbox refuses, 2 a file cannot be read, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    if (values.json && (values.format ?? 'json') !== 'json') throw new UsageError(`--json and --format ${values.format} are two formats`);
    const [verb, ...files] = words;
    if (verb !== undefined && Object.hasOwn(flowVerbs, verb)) {
      if (files.length === 0) throw new UsageError(`${verb} which? For example: posthorn flow ${verb} ${EXAMPLES[verb] ?? 'booking'}`);
      const run = findRunFile(terminal.cwd);
      if (!run) throw new NoSandbox();
      return flowVerbs[verb]!(run, files, values, terminal);
    }
    if (verb !== 'validate')
      throw new UsageError(
        verb === undefined ? 'what about flows? For example: posthorn flow validate flow.json' : `flow has no verb '${verb}'`,
      );
    if (files.length === 0) throw new UsageError('which files? For example: posthorn flow validate flow.json');
    const { watch = false, format = values.json ? 'json' : 'pretty' } = values;
    const code = await validateFiles(files, format, terminal);
    return watch ? keepWatching(files, format, terminal) : code;
  },
};

/** What verbs are about that take no flow. */
const EXAMPLES: Readonly<Record<string, string>> = { push: 'flow.json', open: '+27611111111' };

/** Reports each file. @returns the worst exit code */
async function validateFiles(files: readonly string[], format: ReportFormat, terminal: Terminal): Promise<number> {
  const { validateFlow } = await import('../../plugins/flows/validate/validate-flow.js');
  const codes = files.map((file) => {
    const bytes = bytesOf(file, terminal);
    if (!bytes) return exit.usage;
    const validation = validateFlow(bytes);
    for (const line of flowReport({ file, bytes, validation }, format, terminal.isColoured)) terminal.out(line);
    return validation.errors.length > 0 ? exit.failed : exit.ok;
  });
  return Math.max(...codes);
}

function bytesOf(file: string, terminal: Terminal): Uint8Array | undefined {
  try {
    return readFileSync(resolve(terminal.cwd, file));
  } catch (error) {
    terminal.err(`posthorn: ${file} cannot be read: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Checks files when they change, one round after the other, until a signal. */
async function keepWatching(files: readonly string[], format: ReportFormat, terminal: Terminal): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const byPath = new Map(files.map((file) => [resolve(terminal.cwd, file), file]));
  let round: Promise<unknown> = Promise.resolve();
  const onChange = (changed: readonly string[]): void => {
    const again = changed.map((path) => byPath.get(path)!);
    round = round.then(() => validateFiles(again, format, terminal));
  };
  watchFiles([...byPath.keys()], onChange, stop.signal);
  terminal.err('Watching until Ctrl-C.');
  await once(stop.signal, 'abort');
  await round;
  return exit.ok;
}
