import { lintFile, printFindings } from '../reports/journey-report.js';
import { isOn, readFlags, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: isOn('print the findings as one line of JSON') };

export const journey: Command = {
  summary: 'looks for mistakes in the files of journeys',
  usage: 'journey lint FILE... [flags]',
  notes: [
    'A file holds one flow interoperability container as JSON. No sandbox is needed.',
    'Exit codes: 0 no errors (perhaps warnings), 1 errors, 2 a file cannot be read.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const [verb, ...files] = words;
    if (verb !== 'lint')
      throw new UsageError(verb === undefined ? 'what shall be done? posthorn journey lint FILE' : `there is no 'journey ${verb}'`);
    if (files.length === 0) throw new UsageError('which file? posthorn journey lint FILE');
    const looked = await Promise.all(files.map((file) => lintFile(file, terminal.cwd)));
    const findings = looked.flatMap((file) => file.findings.map(({ finding }) => finding));
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.length - errors;
    if (values.json) terminal.out(JSON.stringify({ errors, warnings, findings }));
    else printFindings(looked, terminal, `${count(errors, 'error')}, ${count(warnings, 'warning')}`);
    return errors > 0 ? exit.failed : exit.ok;
  },
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
