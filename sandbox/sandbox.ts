import type { Server } from '@hapi/hapi';
import type { Platform, PlatformOptions } from '#core';
import type { ManualClock } from '#core/testing';
import type { Seeded } from './demo/apply-seed.js';
import type { Seed } from './demo/seed.js';

/** How a sandbox is to be. Everything has a default: `await startSandbox()` gives a demo in memory on any free port. */
export interface SandboxOptions {
  /** Any free one if not given. */
  readonly port?: number | undefined;
  /** 127.0.0.1 if not given. */
  readonly host?: string | undefined;
  /** Names under which browsers may reach it, beside localhost and addresses; the host if not given. */
  readonly trustedHosts?: readonly string[] | undefined;
  /** The folder of the state; without it everything is in memory. A folder with a state goes on as it was left. */
  readonly data?: string | undefined;
  /** `demo` (if not given), `empty`, a seed, or the name of a JSON file with one. */
  readonly seed?: string | Seed | undefined;
  /** The same key gives the same ids, tokens and secrets in every run. Random if not given. */
  readonly seedKey?: string | undefined;
  /** How a stop goes, as for a platform. */
  readonly shutdown?: PlatformOptions['shutdown'];
  /** `real` if not given. A manual clock stands still until it is moved. */
  readonly clock?: 'real' | 'manual' | undefined;
  /** The least level of log lines on standard error, as for a platform. */
  readonly logLevel?: PlatformOptions['logLevel'];
}

/** A sandbox that runs, with what was made from its seed: numbers, channels, webhooks and journeys. */
export interface Sandbox extends Seeded {
  /** Where it is, such as `http://127.0.0.1:4100`. */
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  /** Where the example connector takes what a contact writes; undefined without the demo. */
  readonly phone: string | undefined;
  /** Whether the folder had a state, which goes on; then the seed was not used. */
  readonly isResumed: boolean;
  /** The uuids of the numbers whose tokens open nothing any more: they have ended, were revoked, or were lost. */
  readonly withoutToken: readonly string[];
  /** Moves time: `await clock.advance(17_000)`. Undefined when the clock is real. */
  readonly clock: ManualClock | undefined;
  readonly platform: Platform;
  readonly server: Server;
  /** Writes down everything that was accepted, and ends every process it started. */
  stop(): Promise<void>;
}
