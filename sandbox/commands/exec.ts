import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { environmentOf, statusOf } from '../client/status.js';
import { optionsOf, startFlags, startOnFreePort } from '../start.js';
import { readFlags, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

/** The exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;
/** Added to the number of the signal that ended a command, as shells do. */
const SIGNALLED = 128;

export const exec: Command = {
  summary: 'starts a sandbox, runs a command with its variables, and stops it',
  usage: 'exec [flags] -- COMMAND [ARGUMENT...]',
  notes: [
    'The command starts when the sandbox is ready. It gets the variables that posthorn env prints, and its',
    'standard input and output are those of exec. The default port is any free one, so several can run.',
    'The exit code is that of the command; 2 wrong usage, 1 the sandbox did not start.',
  ],
  flags: startFlags,
  async run(argv, terminal) {
    const at = argv.indexOf('--');
    const { values, positionals } = readFlags(at < 0 ? argv : argv.slice(0, at), startFlags);
    const [command, ...args] = at < 0 ? [] : argv.slice(at + 1);
    if (command === undefined || positionals.length > 0)
      throw new UsageError('exec needs a command after --, for example: posthorn exec -- npm test');
    const options = await optionsOf(values, terminal);
    const sandbox = await startOnFreePort({ ...options, port: options.port ?? 0, logLevel: 'warn' });
    try {
      const { api, admin } = sandbox;
      const variables = environmentOf(await statusOf({ pid: process.pid, startedAt: '', api, admin }));
      const child = spawn(command, args, { stdio: 'inherit', cwd: terminal.cwd, env: { ...process.env, ...variables } });
      const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return code ?? SIGNALLED + constants.signals[signal!];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      terminal.err(`posthorn: ${command} cannot be run: ${message}`);
      return code === 'ENOENT' ? NOT_FOUND : exit.failed;
    } finally {
      await sandbox.stop();
    }
  },
};
