import { setTimeout as sleep } from 'node:timers/promises';
import { isSandbox } from '../client/neighbours.js';
import { isAlive, removeRunFile, requireRun } from '../client/run-file.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { numeric, readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const DEFAULT_WAIT_SECONDS = 30;
const CHECK_MS = 50;

const flags = {
  wait: numeric('SECONDS', `how long to wait for its end (default ${DEFAULT_WAIT_SECONDS})`, { from: 0.1, to: 3_600, integer: false }),
  json: toggle('print the result as one line of JSON'),
};

export const stop: Command = {
  summary: 'stops the sandbox of this folder, and waits until it has ended',
  usage: 'stop [flags]',
  examples: ['stop', 'stop --wait 5 --json'],
  notes: [
    'Of several sandboxes in this folder, it stops the oldest; --url selects another.',
    'Exit codes: 0 stopped, 1 it cannot be stopped from here, 2 wrong usage, 3 no sandbox, 5 it did not end in time.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`stop takes flags only, not '${positionals[0]}'`);
    const { wait = DEFAULT_WAIT_SECONDS, json } = values;
    const run = requireRun(terminal.cwd);
    const { pid, api } = run;
    if (pid === 0) throw new CommandFailed(`the platform at ${api} was not started in this folder; stop it where it was started`);
    if (!(await isSandbox(run))) {
      removeRunFile(terminal.cwd, run);
      throw new CommandFailed(`the sandbox at ${api} does not run any more`, { code: 'no_sandbox', exit: exit.notRunning });
    }
    process.kill(pid, 'SIGTERM');
    for (const end = performance.now() + wait * 1_000; isAlive(pid); await sleep(CHECK_MS)) {
      if (performance.now() < end) continue;
      throw new CommandFailed(`the sandbox at ${api} (process ${pid}) has not ended after ${wait} s`, {
        code: 'timeout',
        exit: exit.timeout,
      });
    }
    terminal.out(json ? JSON.stringify({ v: 1, stopped: { api, pid } }) : `Stopped the sandbox at ${api}`);
    return exit.ok;
  },
};
