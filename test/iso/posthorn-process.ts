import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tap } from '#core/testing';
import { ownCommand, withOwnCommand } from '../../core/own-command.js';
import { patient } from '../../core/testing/slowness.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { runCommandLine } from '../../sandbox/command-line.js';
import { commands } from '../../sandbox/commands.js';
import { type SandboxOptions, startSandbox as start } from '../../sandbox/compose.js';
import { escapeOutput } from '../../sandbox/terminal/escape.js';
import type { Terminal } from '../../sandbox/terminal/terminal.js';

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');

/** How commands name themselves in a folder in which npm does not find Posthorn, such as those of tests. */
export const OUTSIDE = ownCommand(tmpdir());

/** The output of `--json`, with the fields that tests read. */
export interface Ready {
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  readonly numbers: readonly { readonly uuid: string; readonly kind: string; readonly address: string; readonly token: string }[];
  readonly channels: readonly { readonly uuid: string; readonly webhook: { readonly uuid: string }; readonly endpoint: string }[];
  readonly webhooks: readonly { readonly uuid: string; readonly url: string; readonly hmac_secret: string }[];
  readonly journeys: readonly { readonly uuid: string; readonly name: string }[];
}

/** A running or finished command. */
export interface Running {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Waits until something is printed. */
  printed(what: RegExp): Promise<string>;
}

/** A folder for one test. */
export function newFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-cli-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `posthorn` with arguments in a folder, and ends it with the test. */
export function posthorn(
  t: Tap,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
): Running {
  return run(t, [main, ...args], folder, env, process.execPath, stdin);
}

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line of `posthorn` in this process, which takes a tenth of the CPU time of a process of its own: for commands that end by
 * themselves and read no standard input. One at a time, because commands read the folder and the environment of the process.
 */
export function ask(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const asked = previous.then(async () => {
    const own = { folder: process.cwd(), env: { ...process.env } };
    const printed = { out: '', err: '' };
    const print = (where: keyof typeof printed, text: string): void => {
      printed[where] += text;
    };
    const terminal: Terminal = {
      out: (line) => print('out', `${escapeOutput(line, { isColoured: false })}\n`),
      file: (content) => print('out', content.toString()),
      err: (line) => print('err', `${escapeOutput(withOwnCommand(line), { isColoured: false })}\n`),
      isColoured: false,
      cwd,
    };
    Object.assign(process.env, env);
    process.chdir(cwd);
    try {
      const code = await runCommandLine(args, terminal, commands);
      return { code, ...printed };
    } finally {
      process.chdir(own.folder);
      for (const name of Object.keys(process.env)) if (!(name in own.env)) delete process.env[name];
      Object.assign(process.env, own.env);
    }
  });
  previous = asked.catch(() => undefined);
  return asked;
}

/** Runs a script of the project, or another program, in its own process. */
export function run(
  t: Tap,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  command: string = process.execPath,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Running {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const child = spawn(command, args, { cwd, stdio: [stdin, 'pipe', 'pipe'], env: { ...inherited, ...env } });
  let [out, err] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (data) => (out += data));
  child.stderr!.setEncoding('utf8').on('data', (data) => (err += data));
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    async printed(what) {
      while (!what.test(out) && !what.test(err)) {
        if (child.exitCode !== null) throw new Error(`it ended without printing ${what}: ${out}${err}`);
        await sleep(5);
      }
      return out;
    },
  };
}

/** Starts a sandbox and waits until it is ready. */
export async function startSandbox(t: Tap, folder: string, ...args: string[]): Promise<Running & { readonly ready: Ready }> {
  const running = posthorn(t, folder, ['sandbox', '--port', '0', '--json', ...args]);
  const line = await running.printed(/^\{"ready":true.*\n/);
  return { ...running, ready: JSON.parse(line) };
}

/**
 * Starts a sandbox in this process, which takes a tenth of the CPU time of a process of its own: for tests of commands that look for the
 * sandbox of their folder, and not of its process.
 */
export async function startHere(t: Tap, folder: string, options: SandboxOptions = {}): Promise<Ready> {
  const sandbox = await start({ logLevel: 'error', console: { keepSessionsIn: folder }, ...options });
  t.teardown(() => sandbox.stop());
  const { api, admin, phone } = sandbox;
  t.teardown(writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone }));
  return sandbox;
}

/** Calls the admin API of a sandbox. */
export async function admin({ admin: { url, key } }: Ready, method: string, path: string, payload?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(payload && { body: JSON.stringify(payload) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  return (await response.json()) as any;
}

/** Sends a message of a contact like `posthorn send`, without waiting for the reply. @returns the id of the message */
export async function write({ channels }: Ready, from: string, text: string): Promise<string> {
  const response = await fetch(`${channels[0]!.endpoint}/phone`, { method: 'POST', body: JSON.stringify({ from, text }) });
  const { id } = (await response.json()) as { id?: string };
  if (!response.ok || id === undefined) throw new Error(`the phone responded ${response.status}`);
  return id;
}

/** Waits until no server answers at an address. */
export async function silence(url: string, limitMs = patient(5_000)): Promise<void> {
  const end = performance.now() + limitMs;
  while (
    await fetch(url).then(
      () => true,
      () => false,
    )
  ) {
    if (performance.now() > end) throw new Error(`a server still answers at ${url}`);
    await sleep(20);
  }
}
