import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownCommand } from '../core/own-command.js';
import { besideOlder } from './client/neighbours.js';
import { createOwnFolder, type RunFile, runsIn } from './client/run-file.js';
import { printStatus, statusOf } from './client/status.js';
import { MAIN } from './mcp/run-verb.js';
import type { SandboxStatus } from './server/status-route.js';
import { CommandFailed } from './terminal/command-failed.js';
import { exit, type Terminal } from './terminal/terminal.js';

const START_MS = 60_000;
const CHECK_MS = 50;
const LOG = /^sandbox-\d+\.log$/;
/** Logs of earlier sandboxes, for a look at why one has ended. */
const KEPT_LOGS = 4;

interface Detached {
  /** The flags of the sandbox. */
  readonly flags: readonly string[];
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/**
 * Starts a sandbox in the background, and prints its start when it is ready. Its output goes to a file in the folder `.posthorn`.
 * @returns the exit code: that of the sandbox if it does not start
 */
export async function startDetached({ flags, json, quiet }: Detached, terminal: Terminal): Promise<number> {
  const { cwd, out, err } = terminal;
  const folder = createOwnFolder(cwd);
  for (const old of readdirSync(folder)
    .filter((name) => LOG.test(name))
    .sort()
    .slice(0, -KEPT_LOGS))
    rmSync(join(folder, old), { force: true });
  const log = join(folder, `sandbox-${Date.now()}.log`);
  const output = openSync(log, 'a', 0o600);
  // As a child of `npx` the sandbox would end with it.
  const { npm_lifecycle_event: _, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, 'sandbox', ...flags], {
    cwd,
    env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const run = await ready(child.pid!, cwd, () => child.exitCode ?? (child.signalCode ? exit.failed : undefined));
  if (typeof run === 'number') {
    for (const line of readFileSync(log, 'utf8').trimEnd().split('\n')) (json && line.startsWith('{"v":') ? out : err)(line);
    rmSync(log, { force: true });
    return run;
  }
  if (!run) {
    child.kill();
    throw new CommandFailed(`the sandbox was not ready after ${START_MS / 1_000} s, and was stopped; its output is in ${log}`, {
      code: 'timeout',
      exit: exit.timeout,
    });
  }
  child.unref();
  const status = (await statusOf(run)) as SandboxStatus;
  if (json) {
    const { api, admin, console, numbers, channels, webhooks, journeys, pid } = status;
    out(JSON.stringify({ ready: true, v: 1, api, admin, ...(console && { console }), numbers, channels, webhooks, journeys, pid, log }));
  } else if (!quiet) {
    printStatus(status, terminal);
    out(`  It runs in the background as process ${run.pid}; its output is in ${relative(cwd, log)}. To end it: ${ownCommand(cwd)} stop`);
  }
  const [oldest] = runsIn(cwd);
  if (oldest && oldest.pid !== run.pid) err(`posthorn: ${besideOlder(oldest, run)}`);
  return exit.ok;
}

/** The run file of a process when its sandbox is ready, or the exit code of the process; undefined when neither comes in time. */
async function ready(pid: number, folder: string, exitCode: () => number | undefined): Promise<RunFile | number | undefined> {
  for (const end = performance.now() + START_MS; performance.now() < end; await sleep(CHECK_MS)) {
    const code = exitCode();
    if (code !== undefined) return code;
    const run = runsIn(folder).find((one) => one.pid === pid);
    if (run) return run;
  }
  return undefined;
}
