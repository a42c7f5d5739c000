import { findRunFile } from '../client/run-file.js';
import { notebookVerbs } from '../notebooks/verbs.js';
import { lintFile, printFindings } from '../reports/journey-report.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  json: toggle('lint, push: print the result as one line of JSON'),
  check: toggle('fmt: only list the files that it would change'),
  mermaid: toggle('graph: print a Mermaid flowchart (default)'),
  dot: toggle('graph: print a graph for Graphviz'),
  svg: toggle('graph: print an SVG image'),
  blocks: toggle('graph: show every block instead of cards'),
  publish: toggle('push: publish journeys without errors'),
  number: text('ADDRESS', 'push: the number of the journeys, if the sandbox has several'),
  name: text('NAME', 'push: the name of the journey (default: that in the file, or of the file)'),
};

export const journey: Command = {
  summary: 'checks, formats, converts, draws and pushes journey files',
  usage: 'journey lint|fmt|push FILE... | compile|to-text|graph FILE',
  notes: [
    'FILE is a notebook (Markdown with the code of a journey), or JSON with one Flow Interoperability',
    '(FLOIP) container. compile prints the JSON of a notebook. to-text prints a notebook of JSON, and',
    'lists on standard error the parts that a notebook cannot express. push needs a running sandbox',
    'and replaces the draft of the journey with the same name; all other verbs need no sandbox.',
    'Exit codes: 0 no errors (warnings are possible), 1 errors, a file that is not formatted, or parts',
    'that to-text cannot express, 2 unreadable file or wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...files] = positionals;
    const verbs = ['lint', 'push', ...Object.keys(notebookVerbs)];
    if (verb === undefined) throw new UsageError('journey needs a verb: posthorn journey lint FILE');
    if (!verbs.includes(verb)) throw new UsageError(`journey takes ${verbs.join(', ')}, not '${verb}': posthorn journey lint FILE`);
    if (files.length === 0) throw new UsageError(`journey ${verb} needs a file: posthorn journey ${verb} FILE`);
    if (verb === 'lint') return lintFiles(files, values.json ?? false, terminal);
    if (verb !== 'push') return notebookVerbs[verb]!(files, values, terminal);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const { pushJourneys } = await import('../notebooks/push.js');
    return pushJourneys(run, files, values, terminal);
  },
};

/** Reports each file. @returns the exit code */
async function lintFiles(files: readonly string[], isJson: boolean, terminal: Terminal): Promise<number> {
  const reports = await Promise.all(files.map((file) => lintFile(file, terminal.cwd)));
  const findings = reports.flatMap((file) => file.findings.map(({ finding }) => finding));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  if (isJson) terminal.out(JSON.stringify({ errors, warnings, findings }));
  else printFindings(reports, terminal, `${count(errors, 'error')}, ${count(warnings, 'warning')}`);
  return errors > 0 ? exit.failed : exit.ok;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
