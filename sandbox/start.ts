import { resolve } from 'node:path';
import type { Sandbox, SandboxOptions } from './compose.js';
import { readConfig } from './config.js';
import { mergedTrees, type OptionTree, treeOfPaths } from './option-tree.js';
import { freePort } from './server/free-port.js';
import { numeric, oneOf, pairs, type readFlags, text, texts, toggle, UsageError } from './terminal/flags.js';
import type { Terminal } from './terminal/terminal.js';

const DEFAULT_HOST = '127.0.0.1';
const STOP = { noticeS: 0, withinS: 8 } as const;
const MAX_STOP_S = 3_600;

/** The flags with which `sandbox` and `exec` start a sandbox. */
export const startFlags = {
  port: numeric('PORT', 'port to listen on; 0: any free port (default 4100, or the next free port)', {
    from: 0,
    to: 65_535,
    integer: true,
  }),
  host: text('ADDRESS', `address to listen on (default ${DEFAULT_HOST}: this machine only)`),
  'allow-host': text('NAMES', 'more host names for browsers, such as that of a tunnel; comma-separated'),
  data: text('DIR', 'folder that stores the state across restarts (default: in memory)'),
  store: text('postgres|URL', 'store the state in PostgreSQL, in the database of POSTHORN_DATABASE_URL or of the URL; needs --data'),
  seed: text('demo|empty|FILE', 'initial numbers, webhooks and journeys (default demo)'),
  'seed-key': text('TEXT', 'derive ids, tokens and secrets from this text'),
  clock: oneOf(['real', 'manual'], 'manual: the clock is paused until posthorn clock moves it (default real)'),
  'stop-notice': numeric('SECONDS', `on shutdown, /ready returns 503 this long before closing (default ${STOP.noticeS})`, {
    from: 0,
    to: MAX_STOP_S,
    integer: false,
  }),
  'stop-within': numeric('SECONDS', `after that, wait up to this many seconds for work in progress (default ${STOP.withinS})`, {
    from: 0,
    to: MAX_STOP_S,
    integer: false,
  }),
  'no-console': toggle('do not serve the console'),
  service: text('NAME', 'the name of your service in headers and subscriptions (default svc)'),
  network: text('NAME', 'the name of the messaging network, likewise (default msgapp)'),
  'cloud-api': text('FILE', 'numbers on the Cloud API: their ids and secrets, as JSON'),
  plugin: texts('FILE', 'load a plugin of your own, in TypeScript or JavaScript; repeatable'),
  option: pairs('PATH=VALUE', 'set an option of the platform or of a plugin; repeatable'),
};

type Values = ReturnType<typeof readFlags<typeof startFlags>>['values'];

/** Options with every default that the command line sets. */
export type StartOptions = SandboxOptions & {
  readonly host: string;
  readonly shutdown: { readonly noticeMs: number; readonly deadlineMs: number };
};

/** The options of the flags and of the configuration in this folder. @throws UsageError */
export async function optionsOf(values: Values, { cwd }: Terminal): Promise<StartOptions> {
  const config = await readConfig(cwd);
  const { port, data, store, seed, clock, service, network, plugin = [] } = values;
  const flags = {
    port,
    data,
    store,
    seed,
    clock,
    service,
    network,
    seedKey: values['seed-key'],
    trustedHosts: values['allow-host']?.split(','),
  };
  const console = values['no-console'] ? false : undefined;
  const cloudApi = values['cloud-api'] === undefined ? undefined : resolve(cwd, values['cloud-api']);
  return {
    ...config,
    ...withoutUndefined({ ...flags, console, cloudApi }),
    host: values.host ?? config.host ?? DEFAULT_HOST,
    shutdown: {
      noticeMs: inMs(values['stop-notice']) ?? config.shutdown?.noticeMs ?? 1_000 * STOP.noticeS,
      deadlineMs: inMs(values['stop-within']) ?? config.shutdown?.deadlineMs ?? 1_000 * STOP.withinS,
    },
    logLevel: config.logLevel ?? 'info',
    plugins: [...(config.plugins ?? []), ...plugin].map((one) => (typeof one === 'string' ? resolve(cwd, one) : one)),
    options: mergedTrees(config.options, treeOf(values.option)),
  };
}

function treeOf(paths: Readonly<Record<string, unknown>> = {}): OptionTree {
  try {
    return treeOfPaths(paths);
  } catch (error) {
    throw new UsageError(`--option ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Starts a sandbox on the requested port, or on the first free one. */
export async function startOnFreePort(options: SandboxOptions & { readonly host: string }): Promise<Sandbox> {
  // Commands that only talk to a sandbox start in a third of the time without the platform.
  const { startSandbox } = await import('./compose.js');
  for (;;) {
    const port = await freePort(options.port, options.host);
    try {
      return await startSandbox({ ...options, port });
    } catch (error) {
      // Another process took the port meanwhile: look for the next one.
      if (options.port !== undefined || rootOf(error).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** The first cause of an error. */
export function rootOf(error: unknown): Error & { code?: string; syscall?: string } {
  if (!(error instanceof Error)) return new Error(String(error));
  return error.cause === undefined ? error : rootOf(error.cause);
}

const inMs = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : 1_000 * seconds);

/** Options that are not given must not replace those of the configuration. */
export const withoutUndefined = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
