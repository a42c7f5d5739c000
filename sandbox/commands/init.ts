import { join, relative, resolve } from 'node:path';
import { quoted } from '../../core/own-command.js';
import { writeProject } from '../project/new-project.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { installCommand } from '../terminal/install-command.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: toggle('print the files and the next commands as one line of JSON') };

export const init: Command = {
  summary: 'creates a project: a journey, a form and a connector, with tests',
  usage: 'init DIR [flags]',
  examples: ['init my-app', 'init . --json'],
  notes: [
    'DIR must be empty or not exist; a folder .git in it is kept. The project has a configuration of the',
    'sandbox, and a workflow for GitHub Actions that runs npm test.',
    'Exit codes: 0 created, 2 wrong usage, or the folder is not empty.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [directory, ...more] = positionals;
    if (directory === undefined || more.length > 0) throw new UsageError('init takes one folder, for example: npx posthorn init my-app');
    const folder = resolve(terminal.cwd, directory);
    const files = writeProject(folder);
    const shown = relative(terminal.cwd, folder) || '.';
    const next = [...(shown === '.' ? [] : [`cd ${quoted(shown)}`]), installCommand(), 'npm test', 'npm run sandbox'];
    if (values.json) {
      terminal.out(JSON.stringify({ v: 1, folder, files, next }));
      return exit.ok;
    }
    for (const file of files) terminal.out(join(shown, file));
    terminal.err(`Next: ${next.slice(0, -1).join(' && ')}`);
    terminal.err(`Then: ${next.at(-1)}; README.md continues from there`);
    return exit.ok;
  },
};
