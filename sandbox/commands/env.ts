import { requireRun } from '../client/run-file.js';
import { runStatus, statusFlags } from '../client/status.js';
import type { Command } from './command.js';

export const env: Command = {
  summary: 'prints the variables that examples and other tools read',
  usage: 'env [flags]',
  examples: ['env -o dotenv', 'env --number web:library'],
  notes: ['In a shell:', '  eval "$(npx posthorn env)"', 'Exit codes: 0 running, 2 wrong usage, 3 no sandbox.'],
  flags: statusFlags,
  run: (argv, terminal) => runStatus('env', 'env', argv, () => requireRun(terminal.cwd), terminal),
};
