import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { CONFIG_FILES, findRunFile } from '../client/run-file.js';
import { readConfig } from '../config.js';
import { freePort } from '../server/free-port.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: toggle('print the checks as one line of JSON') };

const DEFAULT_PORT = 4100;
/** Tokens and signatures tolerate less; a larger difference makes times in logs hard to compare. */
const MAX_SKEW_MS = 5_000;

interface Check {
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'note';
  readonly details: string;
}

const pass = (details: string) => ({ result: 'pass' as const, details });
const fail = (details: string) => ({ result: 'fail' as const, details });
const note = (details: string) => ({ result: 'note' as const, details });

export const doctor: Command = {
  summary: 'checks whether this machine and folder can run a sandbox',
  usage: 'doctor [flags]',
  examples: ['doctor'],
  notes: ['Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage.'],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`doctor takes flags only, not '${positionals[0]}'`);
    const checks: Check[] = [];
    for (const [name, check] of Object.entries(checksOf)) {
      const outcome = await Promise.resolve(check(terminal.cwd)).catch((error: Error) => fail(error.message));
      checks.push({ name, ...outcome });
    }
    const hasFailed = checks.some(({ result }) => result === 'fail');
    const paint = painter(terminal.isColoured);
    const marks = { pass: paint('green', 'ok  '), fail: paint('red', 'FAIL'), note: paint('yellow', 'note') };
    if (values.json) terminal.out(JSON.stringify({ v: 1, ok: !hasFailed, checks }));
    else for (const { name, result, details } of checks) terminal.out(`  ${marks[result]} ${name.padEnd(14)} ${details}`);
    return hasFailed ? exit.failed : exit.ok;
  },
};

type Outcome = Pick<Check, 'result' | 'details'>;

const checksOf: Readonly<Record<string, (cwd: string) => Outcome | Promise<Outcome>>> = {
  node() {
    const { engines } = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('posthorn/package.json'), 'utf8'));
    const needed = (engines?.node ?? '>=20.19').replace('>=', '');
    const [major = 0, minor = 0] = needed.split('.').map(Number);
    const [ours = 0, oursMinor = 0] = process.versions.node.split('.').map(Number);
    const isNew = ours > major || (ours === major && oursMinor >= minor);
    return isNew ? pass(`Node ${process.versions.node}`) : fail(`Node ${process.versions.node} is too old; install ${needed} or newer`);
  },

  folder(cwd) {
    try {
      accessSync(cwd, constants.W_OK);
      return pass(`${cwd} is writable`);
    } catch {
      return fail(`${cwd} is not writable, so other commands will not find a sandbox that runs here`);
    }
  },

  async port(cwd) {
    const run = findRunFile(cwd);
    const port = await freePort(undefined, '127.0.0.1');
    if (port === DEFAULT_PORT) return pass(`${DEFAULT_PORT} is free`);
    const user = run?.api.endsWith(`:${DEFAULT_PORT}`) ? 'the sandbox of this folder uses it' : 'another process uses it';
    return note(`${DEFAULT_PORT} is in use: ${user}; the next sandbox would use ${port === 0 ? 'any free port' : port}`);
  },

  async configuration(cwd) {
    const config = await readConfig(cwd);
    const count = Object.keys(config).length;
    return count === 0 ? pass(`none; optional: ${CONFIG_FILES.join(' or ')}`) : pass(`${count} option${count === 1 ? '' : 's'}`);
  },

  async plugins(cwd) {
    const { plugins = [] } = await readConfig(cwd);
    const { loadPlugin } = await import('../server/load-module.js');
    const names = await Promise.all(
      plugins.map(async (plugin) => (typeof plugin === 'string' ? (await loadPlugin(join(cwd, plugin))).plugin : plugin).manifest.name),
    );
    return names.length === 0 ? pass('none configured') : pass(names.join(', '));
  },

  esbuild(cwd) {
    for (const from of [join(cwd, 'index.js'), import.meta.url]) {
      try {
        return pass(`version ${createRequire(from)('esbuild/package.json').version}`);
      } catch {
        // Not installed there.
      }
    }
    return note('not installed; needed only for --plugin and posthorn.config.ts: npm install -D esbuild');
  },

  async sandbox(cwd) {
    const run = findRunFile(cwd);
    if (!run) return note('none is running in this folder');
    const response = await fetch(`${run.api}/health`).catch(() => undefined);
    return response?.ok ? pass(`running at ${run.api}`) : fail(`${run.api} does not respond`);
  },

  async clock(cwd) {
    const run = findRunFile(cwd);
    if (!run) return note('compared with a running sandbox only');
    const headers = { authorization: `Bearer ${run.admin.key}` };
    const response = await fetch(`${run.admin.url}/clock`, { headers });
    const { mode, now } = response.ok ? ((await response.json()) as { mode: string; now: string }) : await hostClock(response);
    const skewMs = Math.round(Math.abs(Date.parse(now) - Date.now()));
    if (mode !== 'real') return note(`the clock of the sandbox is ${mode}, at ${now}`);
    return skewMs <= MAX_SKEW_MS ? pass(`differs by ${skewMs} ms`) : note(`the clock of the platform differs by ${skewMs} ms, at ${now}`);
  },
};

/** A platform that is embedded elsewhere has no route for its clock; its responses have a date. */
const hostClock = async ({ headers }: Response) => ({ mode: 'real', now: headers.get('date') ?? new Date().toISOString() });
