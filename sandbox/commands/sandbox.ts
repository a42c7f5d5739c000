import { once } from 'node:events';
import type { Platform } from '#core';
import { listAdvice, SOURCE_NOT_LOADED } from '../client/advice.js';
import { signInUrl } from '../client/console.js';
import { besideOlder, sandboxesIn, watchNeighbours } from '../client/neighbours.js';
import { type RunFile, writeRunFile } from '../client/run-file.js';
import type { Sandbox } from '../compose.js';
import { NOTES_FILE } from '../demo/notes.js';
import { adviceLines, printAdvice } from '../reports/advice-report.js';
import { banner } from '../reports/banner.js';
import { DEFAULT_PORT } from '../server/free-port.js';
import { optionsOf, rootOf, type StartOptions, startFlags, startOnFreePort, withoutUndefined } from '../start.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { type Keys, keyHelp, listenForKeys } from '../terminal/keys.js';
import { whenNpmEnds } from '../terminal/npm-parent.js';
import { openInBrowser } from '../terminal/open-in-browser.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Sources } from '../watch.js';
import type { Command } from './command.js';

/** npm forwards a Ctrl-C that the terminal has already sent to all processes. Signals this close together count as one. */
const SAME_SIGNAL_MS = 500;
/** Time to close files and end child processes beyond `--stop-within`. */
const STOP_MARGIN_MS = 2_000;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

const flags = {
  ...startFlags,
  json: toggle('print one line of JSON when ready'),
  quiet: toggle('print warnings and errors only'),
  detach: toggle('run in the background: return when it is ready, and write its output to a file'),
};

const notes = [
  'A seed FILE is JSON; every list is optional. A definition is a journey or the path of its file:',
  '  {"numbers":  [{"kind": "network", "address": "+27600000001", "name": "Shop"}],',
  '   "channels": [{"from_addr": "web:1", "name": "Web", "endpoint": "http://localhost:3000"}],',
  '   "webhooks": [{"number": "web:1", "url": "http://localhost:3001", "subscriptions": ["msgapp"]}],',
  '   "journeys": [{"number": "web:1", "name": "Orders", "definition": "orders.json"}]}',
  'PATH is a name of createPlatform or a plugin, and an option: --option rateLimits.text=5,',
  '--option webhooks.inboundOnChannel=true, --option network.policy.delivered_after_ms=0.',
  'posthorn.config.json or posthorn.config.ts in this folder may set the options of startSandbox;',
  'flags take precedence.',
  '--detach is for scripts: posthorn stop ends the sandbox. If another one runs in this folder already,',
  'commands continue to use that one, and need --url for this one.',
  'Exit codes: 0 stopped or, with --detach, ready; 1 not started, 2 wrong usage, 4 the port or the data',
  'folder is in use, 5 not ready in time, 130 interrupted.',
];

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const sandbox: Command = {
  summary: 'runs a platform on this machine until Ctrl-C',
  usage: 'sandbox [flags]',
  examples: ['sandbox', 'sandbox --data ./data --port 4200', 'sandbox --seed shop.json --clock manual', 'sandbox --detach'],
  notes,
  flags,
  async run(argv, terminal) {
    // The process may have built the project before.
    const beganAt = performance.now();
    const { values: given, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`sandbox takes flags only, not '${positionals[0]}'`);
    if (given.detach) {
      const { startDetached } = await import('../detached.js');
      return startDetached({ flags: argv.filter((flag) => flag !== '--detach'), json: given.json, quiet: given.quiet }, terminal);
    }
    const fromFlags = await optionsOf(given, terminal);
    const options: StartOptions = {
      ...fromFlags,
      console: fromFlags.console === false ? false : { keepSessionsIn: terminal.cwd },
      ...(given.quiet && { logLevel: 'warn' }),
    };
    const { host, shutdown } = options;
    const { loadSources, watchSandbox } = await import('../watch.js');
    // Messages name what is in use, whether a flag or the configuration set it.
    const values: Values = { ...given, ...withoutUndefined({ port: options.port, data: options.data, host }) };
    const stopping = stopSignal(values, terminal);
    let running: Sandbox;
    let sources: Sources | undefined;
    try {
      sources = await loadSources(options);
      running = await startOnFreePort(sources.options);
    } catch (error) {
      if (stopping.aborted) return exit.interrupted;
      sources?.dispose();
      throw startError(error, values, host);
    }
    const isReady = !stopping.aborted;
    const startedAt = new Date().toISOString();
    const older = isReady ? await sandboxesIn(terminal.cwd) : [];
    let removeRunFile = isReady ? recordRun(running, startedAt, terminal) : undefined;
    if (isReady) {
      const onRestart = (restarted: Sandbox): void => {
        removeRunFile?.();
        removeRunFile = recordRun(restarted, startedAt, terminal);
        if (!values.quiet) showAdvice(restarted, terminal);
      };
      const watched = watchSandbox(running, { sources, terminal, signal: stopping, start: startOnFreePort, onRestart });
      const stopped = once(stopping, 'abort');
      const restore = await announce(watched.sandbox, values, terminal, beganAt);
      if (older[0]) terminal.err(`posthorn: ${besideOlder(older[0], running)}`);
      noticeNeighbours(running, older, terminal, stopping);
      await stopped;
      restore();
      await watched.settled();
      running = watched.sandbox();
    }
    if (!values.json && !values.quiet) terminal.err('  stopping; press Ctrl-C again to stop immediately');
    removeRunFile?.();
    endAfter(shutdown.noticeMs + shutdown.deadlineMs + STOP_MARGIN_MS, values, terminal);
    await running.stop();
    sources.dispose();
    return isReady ? exit.ok : exit.interrupted;
  },
};

/** Prints what was started, then advice as it is issued, and listens for keys. @returns a function that returns the terminal to lines */
async function announce(sandbox: () => Sandbox, values: Values, terminal: Terminal, beganAt: number): Promise<() => void> {
  const running = sandbox();
  const { api, admin, console, numbers, channels, webhooks, journeys } = running;
  let restore = (): void => undefined;
  if (values.json) {
    terminal.out(JSON.stringify({ ready: true, v: 1, api, admin, ...(console && { console }), numbers, channels, webhooks, journeys }));
  } else if (!values.quiet) {
    const readyMs = Math.round(performance.now() - beganAt);
    const show = async (about: { readyMs?: number }): Promise<void> => {
      // Output that goes to a file or a log gets no code.
      const hasLink = sandbox().console && process.stdout.isTTY;
      const url = hasLink ? await signInUrl(runOf(sandbox())).catch(() => undefined) : undefined;
      const shown = { ...about, data: values.data, isColoured: terminal.isColoured, signInUrl: url };
      for (const line of banner(sandbox(), { ...shown, keys: process.stdin.isTTY ? keyHelp(keys) : 'Press Ctrl-C to stop.' }))
        terminal.out(line);
    };
    const keys = keysOf(sandbox, () => void show({}), terminal);
    await show({ readyMs });
    restore = listenForKeys(process.stdin, keys, () => process.kill(process.pid, 'SIGINT'));
  }
  for (const warning of warningsOf(running, values)) terminal.err(`posthorn: ${warning}`);
  if (!values.quiet) showAdvice(running, terminal);
  return restore;
}

/** Prints the advice on the seed or on the resumed state, and later advice when it is issued. */
function showAdvice(running: Sandbox, terminal: Terminal): void {
  const show = (advice: unknown): void => {
    for (const line of adviceLines(advice as Parameters<typeof adviceLines>[0], terminal.isColoured)) terminal.err(line);
  };
  const follow = ({ listen }: Platform) =>
    listen(({ name, data }) => name === 'advice' && (data as { name: string }).name !== SOURCE_NOT_LOADED && show(data));
  follow(running.platform);
  running.onReplaced(follow);
  // The sandbox may stop meanwhile.
  listAdvice(runOf(running)).then(
    (kept) => kept.forEach(show),
    () => undefined,
  );
}

const runOf = ({ api, admin }: Sandbox): RunFile => ({ pid: process.pid, startedAt: '', api, admin });

/** The keys of a sandbox in a terminal. */
function keysOf(sandbox: () => Sandbox, showAgain: () => void, terminal: Terminal): Keys {
  const failed = (error: unknown): void => terminal.err(`posthorn: ${error instanceof Error ? error.message : String(error)}`);
  return {
    ...(sandbox().console && {
      o: {
        does: 'to open the console',
        press: () => void signInUrl(runOf(sandbox())).then((url) => openInBrowser(url, terminal), failed),
      },
    }),
    d: { does: 'for the docs', press: () => openInBrowser(`${sandbox().api}/docs`, terminal) },
    a: {
      does: 'for advice',
      press: () => {
        listAdvice(runOf(sandbox())).then((kept) => {
          if (kept.length === 0) terminal.out('No advice.');
          for (const one of kept) printAdvice(one, terminal);
        }, failed);
      },
    },
    i: { does: 'to print this again', press: showAgain },
    q: { does: 'to stop', press: () => process.kill(process.pid, 'SIGINT') },
  };
}

function warningsOf(running: Sandbox, { host, port, seed, 'seed-key': seedKey, data }: Values): string[] {
  const { api, isResumed, withoutToken, admin, numbers } = running;
  const lost = numbers.flatMap(({ uuid, address }) => (withoutToken.includes(uuid) ? [address] : []));
  return [
    ...(port === undefined && new URL(api).port !== String(DEFAULT_PORT)
      ? [`port ${DEFAULT_PORT} is in use, so this sandbox has another one: ${api}`]
      : []),
    ...(lost.length > 0 ? [`${invalidTokens(lost, `${data}/${NOTES_FILE}`, admin.url)}, and restart`] : []),
    ...(isResumed && (seed ?? seedKey) !== undefined ? [`${data} already has a state, so --seed and --seed-key are ignored`] : []),
    ...(host !== undefined && !LOOPBACK.includes(host)
      ? [`other machines can reach ${host}; anyone with a token or the admin key can use this sandbox`]
      : []),
  ];
}

function invalidTokens(addresses: readonly string[], file: string, admin: string): string {
  const whose = `${addresses.join(' and ')} in ${file}`;
  const call = `POST ${admin}/numbers/<uuid>/tokens with {"name":"sandbox"} and the admin key`;
  return addresses.length === 1
    ? `the token of ${whose} is no longer valid. Create a new one: ${call}; replace the old one in that file`
    : `the tokens of ${whose} are no longer valid. Create a new one for each: ${call}; replace the old ones in that file`;
}

/** Says when other sandboxes of the folder start, or stop so that commands use this one. */
function noticeNeighbours(running: Sandbox, older: readonly RunFile[], { cwd, err }: Terminal, signal: AbortSignal): void {
  try {
    watchNeighbours(cwd, { own: runOf(running), older }, (sentence) => err(`posthorn: ${sentence}`), signal);
  } catch (error) {
    err(`posthorn: other sandboxes of this folder go unnoticed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes the run file. If that fails, the sandbox still works, but other commands do not find it. */
function recordRun({ api, admin, phone, console }: Sandbox, startedAt: string, terminal: Terminal): () => void {
  try {
    return writeRunFile(terminal.cwd, { pid: process.pid, startedAt, api, admin, phone, console });
  } catch (error) {
    terminal.err(
      `posthorn: other commands, such as send and tail, will not find this sandbox: ${error instanceof Error ? error.message : error}`,
    );
    return () => undefined;
  }
}

function startError(error: unknown, { port, data }: Values, host: string): Error {
  const { code = '', syscall = '', name, message } = rootOf(error);
  if (code === 'EADDRINUSE') {
    const inUse = `port ${port} is already in use; choose another with --port, or use --port 0 for any free one`;
    return new CommandFailed(inUse, { code: 'in_use', next: 'npx posthorn sandbox --port 0', exit: exit.inUse });
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return new UsageError(`cannot listen on ${host}${port ? `, port ${port}` : ''}: ${message}`);
  if (name === 'FolderInUse') return new CommandFailed(message, { code: 'in_use', next: 'npx posthorn status', exit: exit.inUse });
  if (['InvalidSeed', 'InvalidOptions', 'ModuleFailed'].includes(name) || (name === 'TypeError' && /options cannot be used/.test(message)))
    return new UsageError(message);
  if (data !== undefined && (code === 'EEXIST' || code === 'ENOTDIR'))
    return new UsageError(`${data} or its parent is a file; --data takes a folder, which is created if it does not exist`);
  if (data !== undefined && syscall !== '') return new UsageError(`cannot use the folder ${data}: ${message}`);
  return new CommandFailed(message, { next: 'npx posthorn doctor' });
}

/** Aborts on the first stop signal, and when npm ends that runs this command. A later signal ends the process immediately. */
function stopSignal(values: Values, terminal: Terminal): AbortSignal {
  const stopping = new AbortController();
  let requestedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const isAgain = stopping.signal.aborted && performance.now() - requestedAt > SAME_SIGNAL_MS;
      if (isAgain) {
        terminal.err(`posthorn: stopped immediately; ${pendingWork(values)}`);
        process.exit(exit.interrupted);
      }
      if (!stopping.signal.aborted) requestedAt = performance.now();
      stopping.abort();
    });
  }
  whenNpmEnds(() => stopping.abort());
  return stopping.signal;
}

/** Ends the process if a stop hangs. */
function endAfter(limitMs: number, values: Values, terminal: Terminal): void {
  const end = (): never => {
    terminal.err(`posthorn: the stop took too long and was aborted; ${pendingWork(values)}`);
    process.exit(exit.failed);
  };
  setTimeout(end, limitMs).unref();
}

const pendingWork = ({ data }: Values): string =>
  data === undefined ? 'the state was in memory only and is lost' : `a sandbox started with --data ${data} resumes the work in flight`;
