import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { printTable } from '../terminal/table.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  dir: text('DIR', 'the folder of the project (default: this folder)'),
  json: toggle('print the files as one line of JSON'),
};

export const agent: Command = {
  summary: 'writes instructions for coding agents into a project',
  usage: 'agent install [flags]',
  examples: ['agent install', 'agent install --dir ../shop'],
  notes: [
    'Writes a section of AGENTS.md, between markers, and .agents/skills/posthorn/SKILL.md. Other content of',
    'AGENTS.md stays. Run it again after an update of Posthorn.',
    'Exit codes: 0 written or unchanged, 1 a file cannot be written, 2 wrong usage.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb, ...more] = positionals;
    if (verb !== 'install' || more.length > 0) throw new UsageError('agent takes one verb: npx posthorn agent install');
    const folder = resolve(terminal.cwd, values.dir ?? '.');
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--dir: ${values.dir} is not a folder; create it with: mkdir ${values.dir}`);
    const { installAgentFiles } = await import('../agent/install.js');
    const files = installAgentFiles(folder);
    if (values.json) terminal.out(JSON.stringify({ v: 1, files }));
    else
      printTable(
        files.map(({ file, state }) => [state, { text: file, isKey: true }]),
        terminal,
      );
    return exit.ok;
  },
};
