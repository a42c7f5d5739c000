import { lintFile, printFindings } from '../reports/journey-report.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: toggle('print the findings as one line of JSON') };

export const journey: Command = {
  summary: 'checks journey files for errors',
  usage: 'journey lint FILE... [flags]',
  notes: [
    'Each FILE is JSON with one Flow Interoperability (FLOIP) container. No sandbox is needed.',
    'Exit codes: 0 no errors (warnings are possible), 1 errors, 2 unreadable file or wrong usage.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...files] = positionals;
    if (verb !== 'lint')
      throw new UsageError(
        verb === undefined
          ? 'journey needs a verb: posthorn journey lint FILE'
          : `journey takes lint, not '${verb}': posthorn journey lint FILE`,
      );
    if (files.length === 0) throw new UsageError('journey lint needs a file: posthorn journey lint FILE');
    const reports = await Promise.all(files.map((file) => lintFile(file, terminal.cwd)));
    const findings = reports.flatMap((file) => file.findings.map(({ finding }) => finding));
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.length - errors;
    if (values.json) terminal.out(JSON.stringify({ errors, warnings, findings }));
    else printFindings(reports, terminal, `${count(errors, 'error')}, ${count(warnings, 'warning')}`);
    return errors > 0 ? exit.failed : exit.ok;
  },
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
