import { flowVerbs } from '../client/flow-verbs.js';
import { findRunFile } from '../client/run-file.js';
import { flowReport, type ReportFormat, reportFormats } from '../reports/flow-report.js';
import { oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { expandFolders, FLOW_FILES, readInput, STDIN } from '../terminal/input-files.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { watchUntilStopped } from '../terminal/watch-files.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  watch: toggle('validate, preview FILE: again whenever a file changes, until Ctrl-C'),
  format: oneOf(reportFormats, 'github: annotations for GitHub Actions (default pretty)'),
  name: text('NAME', 'push: the name of the flow (default: the name of the file)'),
  account: text('ACCOUNT', 'the business account (default: that of the first number with one)'),
  json: toggle('print the result as one line of JSON; validate: same as --format json'),
  new: toggle('preview: create a new link and revoke the previous one'),
};

export const flow: Command = {
  summary: 'validates Flow JSON files; lists, pushes, publishes, deprecates, previews, deletes and opens flows',
  usage: 'flow validate|push FILE... | list | publish|deprecate|preview|delete FLOW | open CONTACT',
  examples: ['flow validate flows', 'flow push booking.json', 'flow preview booking'],
  notes: [
    'FILE is a file, - for standard input, or a folder with *.json files.',
    'All verbs except validate need a running sandbox. push creates a draft from a file. If a draft',
    'with this name exists, push replaces its definition. FLOW is the name or the id of a flow.',
    'open prints a link that opens the newest flow that was sent to CONTACT as a form.',
    'A flow with hints, for example about a text that is too long, can be published.',
    'Exit codes: 0 no errors, 1 errors or refused by the sandbox, 2 unreadable file or wrong usage,',
    '3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (values.json && (values.format ?? 'json') !== 'json')
      throw new UsageError(`--json contradicts --format ${values.format}; use one of them`);
    const [verb, ...files] = positionals;
    if (verb !== undefined && Object.hasOwn(flowVerbs, verb)) {
      if (files.length === 0 && verb !== 'list' && verb !== 'ls')
        throw new UsageError(
          `flow ${verb} needs ${ARGUMENTS[verb] ?? 'the name or id of a flow'}, for example: npx posthorn flow ${verb} ${EXAMPLES[verb] ?? 'booking'}`,
        );
      const run = findRunFile(terminal.cwd);
      if (!run) throw new NoSandbox();
      return flowVerbs[verb]!(run, files, values, terminal);
    }
    if (verb !== 'validate')
      throw new UsageError(
        verb === undefined
          ? 'flow needs a verb, for example: npx posthorn flow validate flow.json'
          : `flow takes validate, ${Object.keys(flowVerbs).join(', ')}, not '${verb}'`,
      );
    if (files.length === 0) throw new UsageError('flow validate needs a file, for example: npx posthorn flow validate flow.json');
    const found = expandFolders(files, terminal.cwd, FLOW_FILES);
    if (values.watch && found.includes(STDIN)) throw new UsageError('--watch needs files; standard input (-) cannot change');
    const { watch = false, format = values.json ? 'json' : 'pretty' } = values;
    const code = await validateFiles(found, format, terminal);
    if (watch) await watchUntilStopped(found, (changed) => validateFiles(changed, format, terminal), '', terminal);
    return watch ? exit.ok : code;
  },
};

/** The arguments of the verbs that do not work on a stored flow, and an example of each. */
const ARGUMENTS: Readonly<Record<string, string>> = { push: 'a file', open: 'the address of a contact' };
const EXAMPLES: Readonly<Record<string, string>> = { push: 'flow.json', open: '+27611111111' };

/** Reports each file. @returns the worst exit code @throws UsageError at the end for files that cannot be read */
async function validateFiles(files: readonly string[], format: ReportFormat, terminal: Terminal): Promise<number> {
  const { validateFlow } = await import('../../plugins/flows/validate/validate-flow.js');
  const unreadable: UsageError[] = [];
  const codes = files.map((file) => {
    const bytes = bytesOf(file, terminal);
    if (bytes instanceof UsageError) {
      unreadable.push(bytes);
      return exit.usage;
    }
    const validation = validateFlow(bytes);
    for (const line of flowReport({ file, bytes, validation }, format, terminal.isColoured)) terminal.out(line);
    return validation.errors.length > 0 ? exit.failed : exit.ok;
  });
  if (unreadable.length > 0) throw new UsageError(unreadable.map(({ message }) => message).join('; '));
  return Math.max(...codes);
}

/** @returns the error for a file that cannot be read: the other files are reported before it */
function bytesOf(file: string, { cwd }: Terminal): Uint8Array | UsageError {
  try {
    return readInput(file, cwd);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}
