import { journeyVerbs } from '../client/journey-verbs.js';
import { lintFile, printFindings } from '../reports/journey-report.js';
import { oneOf, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { expandFolders, JOURNEY_FILES } from '../terminal/input-files.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  number: text('ADDRESS', 'list, push: the number (push: default the first channel)'),
  name: text('NAME', 'push: the name of the journey (default: the name of the file)'),
  publish: toggle('push: publish the draft if it has no errors'),
  revision: oneOf(['production', 'staging'] as const, 'publish: the revision to replace (default production)'),
  format: oneOf(['mermaid', 'dot'] as const, 'graph: the notation (default mermaid)'),
  json: toggle('print the result as one line of JSON'),
};

export const journey: Command = {
  summary: 'checks journey files; lists, pushes, publishes and draws journeys',
  usage: 'journey lint|push FILE... | list | publish JOURNEY | graph FILE|JOURNEY',
  notes: [
    'Each FILE is JSON with one Flow Interoperability (FLOIP) container, - for standard input, or a',
    'folder with *.journey.json files. lint, and graph of a file, need no sandbox. JOURNEY is a name',
    'or a uuid.',
    'push creates a draft, or replaces the draft of the journey with this name. list warns about journeys',
    'that never start, because another journey starts first.',
    'Exit codes: 0 no errors (warnings are possible), 1 errors, 2 unreadable file or wrong usage,',
    '3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...named] = positionals;
    if (verb !== undefined && Object.hasOwn(journeyVerbs, verb)) return journeyVerbs[verb]!(named, values, terminal);
    if (verb !== 'lint')
      throw new UsageError(
        verb === undefined
          ? 'journey needs a verb: posthorn journey lint FILE'
          : `journey takes lint, ${Object.keys(journeyVerbs).join(', ')}, not '${verb}': posthorn journey lint FILE`,
      );
    if (named.length === 0) throw new UsageError('journey lint needs a file: posthorn journey lint FILE');
    const files = expandFolders(named, terminal.cwd, JOURNEY_FILES);
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
