import { journeyVerbs } from '../client/journey-verbs.js';
import { notebookVerbs } from '../notebooks/verbs.js';
import { withPlugins } from '../project-plugins.js';
import { lintFile, printFindings } from '../reports/journey-report.js';
import { oneOf, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { expandFolders, JOURNEY_FILES } from '../terminal/input-files.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  number: text('ADDRESS', 'list, push: the number (push: default the first channel)'),
  name: text('NAME', "push: the name (default: the notebook's title, or the file's name)"),
  publish: toggle('push: publish the draft if it has no errors'),
  revision: oneOf(['production', 'staging'] as const, 'publish: the revision to replace (default production)'),
  check: toggle('fmt: only list the files that it would change'),
  spec: oneOf(['rc3', 'rc4'] as const, 'compile: the version of the FLOIP specification (default rc4)'),
  mermaid: toggle('graph: print a Mermaid flowchart (default)'),
  dot: toggle('graph: print a graph for Graphviz'),
  svg: toggle('graph: print an SVG image'),
  out: text('FILE', 'graph: write the file; its name ends in .svg, .png, .dot or .mmd'),
  blocks: toggle('graph: show every block instead of cards'),
  plugin: texts('FILE', 'of a file: know the blocks and functions of the plugin in this file; repeatable'),
  json: toggle('lint, list, push, publish: print the result as one line of JSON'),
};

export const journey: Command = {
  summary: 'checks, formats, converts and draws journey files; lists, pushes and publishes journeys',
  usage: 'journey lint|fmt|push FILE... | compile|to-text|graph FILE | list | publish JOURNEY',
  examples: ['journey lint journeys', 'journey push menu.journey.md --publish', 'journey graph menu.journey.md --out menu.svg'],
  notes: [
    'FILE is a notebook (Markdown with the code of a journey), or JSON with one Flow Interoperability',
    '(FLOIP) container; - is standard input. lint, fmt and push also take folders with *.journey.md and',
    '*.journey.json files. JOURNEY is the name or uuid of a journey in a running sandbox. list, push,',
    'publish and graph of a JOURNEY need a sandbox.',
    'compile prints the JSON of a notebook; with --spec rc3 its resources are at the top. to-text prints',
    'a notebook of JSON, and lists on standard error the parts that a notebook cannot express. fmt of -',
    'prints the notebook. push creates a draft, or replaces the draft of the journey with this name. list',
    'warns about journeys that never start, because another journey starts first. PNG needs the package',
    '@resvg/resvg-js: npm install -D @resvg/resvg-js.',
    'The blocks and functions of plugins of the configuration in this folder are known, too.',
    'Exit codes: 0 no errors (warnings are possible), 1 errors, a file that is not formatted, or parts',
    'that to-text cannot express, 2 unreadable file or wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...named] = positionals;
    const ofFiles = { lint, ...notebookVerbs };
    const verbs = { ...ofFiles, ...journeyVerbs };
    if (verb === undefined) throw new UsageError('journey needs a verb: npx posthorn journey lint FILE');
    if (!Object.hasOwn(verbs, verb))
      throw new UsageError(`journey takes ${Object.keys(verbs).join(', ')}, not '${verb}': npx posthorn journey lint FILE`);
    const run = () => verbs[verb as keyof typeof verbs](named, values, terminal);
    if (!Object.hasOwn(ofFiles, verb)) return run();
    return withPlugins(values.plugin, terminal.cwd, run);
  },
};

/** Reports each file. @returns the exit code */
async function lint(named: readonly string[], { json }: { readonly json?: boolean }, terminal: Terminal): Promise<number> {
  if (named.length === 0) throw new UsageError('journey lint needs a file: npx posthorn journey lint FILE');
  const files = expandFolders(named, terminal.cwd, JOURNEY_FILES);
  const reports = await Promise.all(files.map((file) => lintFile(file, terminal.cwd)));
  const findings = reports.flatMap((file) => file.findings.map(({ finding }) => finding));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  if (json) terminal.out(JSON.stringify({ v: 1, errors, warnings, findings }));
  else printFindings(reports, terminal, `${count(errors, 'error')}, ${count(warnings, 'warning')}`);
  return errors > 0 ? exit.failed : exit.ok;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
