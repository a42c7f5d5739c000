import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { adminGet } from '../client/admin-client.js';
import { createOwnFolder, ownFolder, type RunFile } from '../client/run-file.js';
import { environmentOf, statusOf } from '../client/status.js';
import type { Sandbox } from '../sandbox.js';
import { optionsOf, startFlags, startOnFreePort } from '../start.js';
import { stateText } from '../state/state-file.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

/** The exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;
/** Added to the number of the signal that ended a command, as shells do. */
const SIGNALLED = 128;
/** The newest calls that the platform records. */
const CALLS = 500;

const flags = {
  ...startFlags,
  json: toggle('if exec itself fails, print the failure as one line of JSON'),
  artifacts: text('DIR', 'if the command fails, keep state.json and calls.json here (default .posthorn/failed)'),
};

export const exec: Command = {
  summary: 'starts a sandbox, runs a command with its variables, and stops it',
  usage: 'exec [flags] -- COMMAND [ARGUMENT...]',
  examples: ['exec -- npm test', 'exec --seed shop.json --clock manual -- npm test'],
  notes: [
    'The command starts when the sandbox is ready. It gets the variables that posthorn env prints, and its',
    'standard input and output are those of exec. The default port is any free one, so several can run.',
    'If the command fails, the state of the sandbox and its calls are kept. Secrets are omitted, unless',
    'POSTHORN_EXPORT_KEY has a passphrase to encrypt them. To see the state in another sandbox:',
    '  npx posthorn state import .posthorn/failed/state.json',
    'The exit code is that of the command; 2 wrong usage, 1 the sandbox did not start.',
  ],
  flags,
  async run(argv, terminal) {
    const at = argv.indexOf('--');
    const { values, positionals } = readFlags(at < 0 ? argv : argv.slice(0, at), flags);
    const [command, ...args] = at < 0 ? [] : argv.slice(at + 1);
    if (command === undefined || positionals.length > 0)
      throw new UsageError('exec needs a command after --, for example: npx posthorn exec -- npm test');
    const options = await optionsOf(values, terminal);
    const sandbox = await startOnFreePort({ ...options, port: options.port ?? 0, logLevel: 'warn' });
    try {
      const { api, admin } = sandbox;
      const run: RunFile = { pid: process.pid, startedAt: '', api, admin };
      const variables = environmentOf(await statusOf(run));
      const child = spawn(command, args, { stdio: 'inherit', cwd: terminal.cwd, env: { ...process.env, ...variables } });
      let isInterrupted = false;
      const forward = (signal: NodeJS.Signals): void => {
        isInterrupted = true;
        child.kill(signal);
      };
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward);
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      if (code !== 0 && !isInterrupted) await keepArtifacts(sandbox, run, values.artifacts, terminal);
      return code ?? SIGNALLED + constants.signals[signal!];
    } catch (error) {
      const { code, message, syscall } = error as NodeJS.ErrnoException;
      if (!syscall?.startsWith('spawn')) throw error;
      const isUnknown = code === 'ENOENT';
      throw new CommandFailed(`${command} cannot be run: ${message}`, {
        code: isUnknown ? 'not_found' : 'failed',
        exit: isUnknown ? NOT_FOUND : exit.failed,
      });
    } finally {
      await sandbox.stop();
    }
  },
};

/** Keeps what the sandbox knows after a failure. A disk that cannot store it must not change the exit code. */
async function keepArtifacts(sandbox: Sandbox, run: RunFile, folder: string | undefined, { cwd, err }: Terminal): Promise<void> {
  try {
    const place = folder === undefined ? join(ownFolder(cwd), 'failed') : resolve(cwd, folder);
    if (folder === undefined) createOwnFolder(cwd);
    mkdirSync(place, { recursive: true });
    const keep = (name: string, text: string): void => writeFileSync(join(place, name), text, { mode: 0o600, flush: true });
    keep('state.json', stateText(await sandbox.exportState(process.env.POSTHORN_EXPORT_KEY || undefined)));
    keep('calls.json', `${JSON.stringify(await adminGet(run, `/calls?limit=${CALLS}`), null, 2)}\n`);
    const shown = relative(cwd, place);
    err(`The command failed. The state of the sandbox is in ${join(shown, 'state.json')}, its calls in ${join(shown, 'calls.json')}.`);
  } catch (error) {
    err(`posthorn: the state of the sandbox could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}
