import { requireRun } from '../client/run-file.js';
import { runStatus, statusFlags } from '../client/status.js';
import type { Command } from './command.js';

export const status: Command = {
  summary: 'shows the running sandbox: URLs, tokens, secrets, changed options',
  usage: 'status [flags]',
  examples: ['status', 'status -o json'],
  notes: [
    'Of a platform that is embedded elsewhere, it shows the numbers without their tokens.',
    'Exit codes: 0 running, 2 wrong usage, 3 no sandbox.',
  ],
  flags: statusFlags,
  run: (argv, terminal) => runStatus('status', 'text', argv, () => requireRun(terminal.cwd), terminal),
};
