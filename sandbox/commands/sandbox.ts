import { once } from 'node:events';
import { writeRunFile } from '../client/run-file.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../compose.js';
import { NOTES_FILE } from '../demo/notes.js';
import { banner } from '../reports/banner.js';
import { freePort } from '../server/free-port.js';
import { isOn, numeric, oneOf, readFlags, text, UsageError } from '../terminal/flags.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const DEFAULT_HOST = '127.0.0.1';
/** npm passes on what the terminal has sent to all its processes already: so soon, it is the same Ctrl-C. */
const SAME_SIGNAL_MS = 500;
/** Beyond its time a stop has this much to close files and end processes. */
const STOP_MARGIN_MS = 2_000;
const STOP = { noticeS: 0, withinS: 8 } as const;
const MAX_STOP_S = 3_600;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

const flags = {
  port: numeric('PORT', 'port to listen on; 0 takes any free one (default 4100 or the next)', { from: 0, to: 65_535, whole: true }),
  host: text('ADDRESS', `address to listen on (default ${DEFAULT_HOST}: this machine only)`),
  'allow-host': text('NAMES', 'names of it that browsers may use, such as a tunnel; with commas'),
  data: text('DIR', 'folder to keep the state in, and to go on from (default: memory)'),
  seed: text('demo|empty|FILE', 'what to start with (default demo)'),
  'seed-key': text('TEXT', 'the same text gives the same ids, tokens and secrets'),
  clock: oneOf(['real', 'manual'], 'manual: POST /admin/v1/clock/advance moves the time (default real)'),
  'stop-notice': numeric('SECONDS', `not ready for so long before it closes (default ${STOP.noticeS})`, {
    from: 0,
    to: MAX_STOP_S,
    whole: false,
  }),
  'stop-within': numeric('SECONDS', `then give what is under way so long to end (default ${STOP.withinS})`, {
    from: 0,
    to: MAX_STOP_S,
    whole: false,
  }),
  json: isOn('print one line of JSON when it is ready'),
  quiet: isOn('print nothing but problems'),
};

const notes = [
  'A seed FILE is JSON. Lists may be left out; a definition is a journey or the name of a file:',
  '  {"numbers":  [{"kind": "network", "address": "+27600000001", "name": "Shop"}],',
  '   "channels": [{"from_addr": "web:1", "name": "Web", "endpoint": "http://localhost:3000"}],',
  '   "webhooks": [{"number": "web:1", "url": "http://localhost:3001", "subscriptions": ["msgapp"]}],',
  '   "journeys": [{"number": "web:1", "name": "Orders", "definition": "orders.json"}]}',
];

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const sandbox: Command = {
  summary: 'runs a sandbox until Ctrl-C',
  usage: 'sandbox [flags]',
  notes,
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    if (words.length > 0) throw new UsageError(`a sandbox takes flags only, not '${words[0]}'`);
    const shutdown = {
      noticeMs: 1_000 * (values['stop-notice'] ?? STOP.noticeS),
      deadlineMs: 1_000 * (values['stop-within'] ?? STOP.withinS),
    };
    const stopping = stopSignal(values, terminal);
    const host = values.host ?? DEFAULT_HOST;
    let running: Sandbox;
    try {
      const trustedHosts = values['allow-host']?.split(',');
      const logLevel = values.quiet ? 'warn' : 'info';
      running = await startOnFreePort({ ...values, host, trustedHosts, shutdown, logLevel, seedKey: values['seed-key'] });
    } catch (error) {
      if (stopping.aborted) return exit.interrupted;
      const { message, code } = problemOf(error, values, host);
      terminal.err(`posthorn: ${message}`);
      return code;
    }
    const isReady = !stopping.aborted;
    const removeRunFile = isReady ? noteRun(running, terminal) : undefined;
    if (isReady) {
      announce(running, values, terminal);
      await once(stopping, 'abort');
    }
    if (!values.json && !values.quiet) terminal.err('  stopping; a second Ctrl-C does not wait for what is under way');
    removeRunFile?.();
    endAfter(shutdown.noticeMs + shutdown.deadlineMs + STOP_MARGIN_MS, values, terminal);
    await running.stop();
    return isReady ? exit.ok : exit.interrupted;
  },
};

async function startOnFreePort(options: SandboxOptions & { readonly host: string }): Promise<Sandbox> {
  for (;;) {
    const port = await freePort(options.port, options.host);
    try {
      return await startSandbox({ ...options, port });
    } catch (error) {
      // Somebody else has taken it meanwhile.
      if (options.port !== undefined || rootOf(error).code !== 'EADDRINUSE') throw error;
    }
  }
}

function announce(running: Sandbox, values: Values, terminal: Terminal): void {
  const { api, admin, numbers, channels, webhooks, journeys } = running;
  if (values.json) {
    terminal.out(JSON.stringify({ ready: true, api, admin, numbers, channels, webhooks, journeys }));
  } else if (!values.quiet) {
    const readyMs = Math.round(performance.now());
    for (const line of banner(running, { data: values.data, readyMs, isColoured: terminal.isColoured })) terminal.out(line);
  }
  for (const warning of warningsOf(running, values)) terminal.err(`posthorn: ${warning}`);
}

function warningsOf(running: Sandbox, { host, seed, 'seed-key': seedKey, data }: Values): string[] {
  const { isResumed, withoutToken, admin, numbers } = running;
  const lost = numbers.flatMap(({ uuid, address }) => (withoutToken.includes(uuid) ? [address] : []));
  return [
    ...(lost.length > 0 ? [`${tokensLost(lost, `${data}/${NOTES_FILE}`, admin.url)}, and start again`] : []),
    ...(isResumed && (seed ?? seedKey) !== undefined
      ? [`${data} has a state, which goes on; --seed and --seed-key are for a new one`]
      : []),
    ...(host !== undefined && !LOOPBACK.includes(host)
      ? [`${host} can be reached from other machines; whoever has a token or the admin key can use it`]
      : []),
  ];
}

function tokensLost(addresses: readonly string[], file: string, admin: string): string {
  const whose = `${addresses.join(' and ')} in ${file}`;
  const call = `POST ${admin}/numbers/<uuid>/tokens with {"name":"sandbox"} and the admin key`;
  return addresses.length === 1
    ? `the token of ${whose} is no longer valid. Make a new one: ${call}; put its text into that file in place of the old one`
    : `the tokens of ${whose} are no longer valid. Make a new one for each: ${call}; put their texts into that file in place of the old ones`;
}

/** Without a run file it works as well, but the other commands have to be told where it is. */
function noteRun({ api, admin, phone }: Sandbox, terminal: Terminal): () => void {
  try {
    return writeRunFile(terminal.cwd, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone });
  } catch (error) {
    terminal.err(`posthorn: send and tail will not find this sandbox: ${error instanceof Error ? error.message : error}`);
    return () => undefined;
  }
}

/** What went wrong, in words that say what to do. */
function problemOf(error: unknown, { port, data }: Values, host: string): { message: string; code: number } {
  const { code = '', syscall = '', name, message } = rootOf(error);
  if (code === 'EADDRINUSE')
    return { message: `port ${port} is taken; choose another with --port, or --port 0 for any free one`, code: exit.inUse };
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return { message: `cannot listen on ${host}${port ? `, port ${port}` : ''}: ${message}`, code: exit.usage };
  }
  if (name === 'FolderInUse') return { message, code: exit.inUse };
  if (name === 'SeedUnusable') return { message, code: exit.usage };
  if (data !== undefined && (code === 'EEXIST' || code === 'ENOTDIR')) {
    return {
      message: `${data} is no folder, or is below something that is none; --data takes a folder, which is made if it is not there`,
      code: exit.usage,
    };
  }
  if (data !== undefined && syscall !== '') return { message: `the folder ${data} cannot be used: ${message}`, code: exit.usage };
  return { message, code: exit.failed };
}

/** The failure that others were made of. */
function rootOf(error: unknown): Error & { code?: string; syscall?: string } {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause === undefined ? error : rootOf(error.cause);
}

/** The first signal asks to stop; a later one ends at once. */
function stopSignal(values: Values, terminal: Terminal): AbortSignal {
  const stopping = new AbortController();
  let askedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const isAgain = stopping.signal.aborted && performance.now() - askedAt > SAME_SIGNAL_MS;
      if (isAgain) {
        terminal.err(`posthorn: ended at once; ${pendingWork(values)}`);
        process.exit(exit.interrupted);
      }
      if (!stopping.signal.aborted) askedAt = performance.now();
      stopping.abort();
    });
  }
  return stopping.signal;
}

/** The last resort, for what neither ends nor can be ended. */
function endAfter(limitMs: number, values: Values, terminal: Terminal): void {
  const end = (): never => {
    terminal.err(`posthorn: something did not end in time, and was cut off; ${pendingWork(values)}`);
    process.exit(exit.failed);
  };
  setTimeout(end, limitMs).unref();
}

const pendingWork = ({ data }: Values): string =>
  data === undefined ? 'its state was in memory only' : `what was under way is sent again when a sandbox starts with --data ${data}`;
