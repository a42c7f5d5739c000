import type { Server } from '@hapi/hapi';
import type { ManualClock, Platform, PlatformOptions, Plugin } from '#core';
import type { CloudApiOptions } from '../plugins/cloud-api/plugin.js';
import type { Seeded } from './demo/apply-seed.js';
import type { Seed } from './demo/seed.js';
import type { OptionTree } from './option-tree.js';
import type { ChangedOption } from './server/settings.js';
import type { Imported } from './state/imported-state.js';
import type { StateFile } from './state/state-file.js';

/** Options of a sandbox. All are optional: `await startSandbox()` starts the demo in memory on a free port. */
export interface SandboxOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Host names under which browsers may call the sandbox, in addition to localhost and IP addresses. Default: `host`. */
  readonly trustedHosts?: readonly string[] | undefined;
  /** The data folder. If it contains a state, the sandbox resumes that state and ignores the seed. Default: in memory. */
  readonly data?: string | undefined;
  /**
   * Where the state is stored instead of in the data folder: `postgres` for the database of the variable POSTHORN_DATABASE_URL, or the URL
   * of a database. Needs `data`, which keeps the keys and media files.
   */
  readonly store?: string | undefined;
  /** `demo` (the default), `empty`, a seed object, or the path of a seed file (JSON). */
  readonly seed?: string | Seed | undefined;
  /** The same key gives the same ids, tokens and secrets in every run. Default: random ones. */
  readonly seedKey?: string | undefined;
  /** Shutdown times, as for a platform. */
  readonly shutdown?: PlatformOptions['shutdown'];
  /**
   * `manual`: the clock is paused until it is moved. Default: `real`, or the mode in which the clock of the data folder was. Both can
   * be moved, paused and resumed.
   */
  readonly clock?: 'real' | 'manual' | undefined;
  /**
   * Whether the sandbox serves the console; true if not given. With `keepSessionsIn` browsers stay signed in when a sandbox starts again:
   * the folder `.posthorn` in that folder gets a file with hashes of their sessions.
   */
  readonly console?: boolean | { readonly keepSessionsIn: string } | undefined;
  /** The name of your service in headers and subscriptions. Default: `svc`. */
  readonly service?: string | undefined;
  /** The name of the messaging network in headers, subscriptions and contact fields. Default: `msgapp`. */
  readonly network?: string | undefined;
  /** Numbers on the Cloud API, with their ids and secrets: the options of the plugin `cloud-api`, or the path of a JSON file that contains them. */
  readonly cloudApi?: string | CloudApiOptions | undefined;
  /** Plugins of your own, in addition to the built-in ones, each as a value or as the path of its file. */
  readonly plugins?: readonly (Plugin | string)[] | undefined;
  /**
   * Options of the platform and of its plugins: `{ rateLimits: true, webhooks: { inboundOnChannel: true } }`. `numbers: { reactions: true }`
   * lets webhooks of the seed's numbers receive reactions.
   */
  readonly options?: OptionTree | undefined;
  /** The minimum level of log lines on standard error, as for a platform. */
  readonly logLevel?: PlatformOptions['logLevel'];
}

/** A running sandbox, with the numbers, channels, webhooks and journeys of its seed. */
export interface Sandbox extends Seeded {
  /** Its base URL, such as `http://127.0.0.1:4100`. */
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  /** The console; undefined with `console: false`. A browser signs in with `posthorn open`. */
  readonly console: { readonly url: string } | undefined;
  /** URL of the example connector to which messages of contacts are posted; undefined without the demo. */
  readonly phone: string | undefined;
  /** Whether the data folder had a state; then the seed was ignored. */
  readonly isResumed: boolean;
  /** The uuids of the numbers whose tokens are no longer valid: expired, revoked or lost. */
  readonly withoutToken: readonly string[];
  /** Moves time: `await clock.advance(17_000)`. */
  readonly clock: ManualClock;
  /** The options that differ from the defaults of a sandbox. */
  readonly changedOptions: readonly ChangedOption[];
  /** The platform, and the server behind the listener. A reset or an import replaces both. */
  readonly platform: Platform;
  readonly server: Server;
  /**
   * Applies a changed seed without losing state: creates what is new, updates webhooks and journeys, deletes nothing. Options of the seed
   * are not applied. @returns one sentence for each change @throws InvalidSeed, after which nothing has changed
   */
  reseed(seed: string | Seed): Promise<readonly string[]>;
  /** Starts again with the seed: the same URL, tokens and secrets, and no other records. */
  reset(): Promise<void>;
  /** Everything that the sandbox stores, as one JSON document. @param passphrase encrypts its secrets, which are omitted otherwise */
  exportState(passphrase?: string): Promise<StateFile>;
  /**
   * Replaces everything by an exported state, with the same ids.
   * @throws UnusableState or InvalidState before anything is changed, Conflict when the sandbox could not start with it
   */
  importState(file: StateFile, passphrase?: string): Promise<Imported>;
  /** Calls the listener after each reset and import, with the platform that replaced another. */
  onReplaced(listener: (platform: Platform) => void): void;
  /** Stops the server, stores all acknowledged writes, and ends the demo's processes. */
  stop(): Promise<void>;
}

/** Every key of `SandboxOptions`. The type makes an entry for a new option mandatory. */
const known: Readonly<Record<keyof SandboxOptions, true>> = {
  port: true,
  host: true,
  trustedHosts: true,
  data: true,
  store: true,
  seed: true,
  seedKey: true,
  shutdown: true,
  clock: true,
  console: true,
  service: true,
  network: true,
  cloudApi: true,
  plugins: true,
  options: true,
  logLevel: true,
};

/** Finds a key that is not an option of a sandbox. @returns the problem, or undefined */
export function unknownOption(options: object): string | undefined {
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(known, key));
  return unknown === undefined ? undefined : `there is no option ${unknown}; the options are ${Object.keys(known).join(', ')}`;
}
