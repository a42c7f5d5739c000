import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { type Plugin, RandomIds, SeededIds } from '#core';
import type { Store } from '#core/ports';
import type { Demo } from '../demo/demo.js';
import type { Notes } from '../demo/notes.js';
import { mergedTrees, type OptionTree } from '../option-tree.js';
import type { Sandbox, SandboxOptions } from '../sandbox.js';
import type { CloudNumbers } from './cloud-numbers.js';
import { Front } from './front.js';
import { pluginsOfSandbox } from './given-plugins.js';
import { createListener } from './listener.js';
import { dialectTree, KEY_BYTES, type SeedSource, seedOf, seedOfDemo } from './seed-source.js';
import { storeOf } from './shared-store.js';

/** With a seed key a paused clock starts here, so that timestamps repeat too. */
const SEEDED_START = '2026-01-05T08:00:00Z';
/** A stop waits this long for HTTP requests in flight; the platform may take longer. */
const REQUESTS_MS = 5_000;

/** The parts of a sandbox that outlive its platforms: keys, given options, plugins and the listener. */
export interface SandboxSetup {
  readonly options: SandboxOptions;
  readonly host: string;
  /** The notes of the data folder, if it has a state. */
  readonly stored: Notes | undefined;
  readonly demo: Demo | undefined;
  readonly seed: SeedSource;
  readonly seedKey: { readonly text: string; readonly isOwn: boolean };
  readonly adminKey: string;
  /** The time at which a paused clock of a new state starts; undefined for the system time. */
  readonly startOfSeed: Date | undefined;
  /** The options of this start. */
  readonly given: OptionTree;
  /** The options of the seed and the words of the dialect with which the state was created. */
  readonly kept: OptionTree;
  readonly plugins: readonly Plugin[];
  readonly cloud: CloudNumbers | undefined;
  readonly openStore: (() => Store) | undefined;
  readonly listener: Server;
  readonly front: Front;
  /** How long a stop waits for HTTP requests in flight. */
  readonly requestsMs: number;
}

/** Checks the options of a sandbox and loads its plugins. Opens nothing. @throws InvalidOptions, InvalidSeed */
export async function setUp(options: SandboxOptions, stored: Notes | undefined, demo: Demo | undefined): Promise<SandboxSetup> {
  const openStore = storeOf(options);
  const seedKey = stored?.seedKey ?? {
    text: options.seedKey ?? randomBytes(KEY_BYTES).toString('base64url'),
    isOwn: !stored && options.seedKey !== undefined,
  };
  const adminKey = stored?.adminKey ?? `pha_${(seedKey.isOwn ? new SeededIds(seedKey.text) : new RandomIds()).secret(KEY_BYTES)}`;
  const seed = demo ? seedOfDemo(demo) : seedOf(options, stored);
  const given = mergedTrees(options.options, dialectTree(options));
  const listener = createListener();
  return {
    options,
    host: options.host ?? '127.0.0.1',
    stored,
    demo,
    seed,
    seedKey,
    adminKey,
    startOfSeed: seedKey.isOwn ? new Date(SEEDED_START) : undefined,
    given,
    // Subscriptions in the state have the words of the dialect, so a resumed state keeps those with which it was created.
    kept: stored?.options ?? mergedTrees(seed.last?.options, dialectTree(seed.last), dialectTree((given.dialect ?? {}) as OptionTree)),
    ...(await pluginsOfSandbox(options)),
    openStore,
    listener,
    front: new Front(listener),
    requestsMs: Math.min(REQUESTS_MS, options.shutdown?.deadlineMs ?? REQUESTS_MS),
  };
}

/** Where a sandbox is reached. */
export const accessOf = ({ adminKey, options }: SandboxSetup, api: string): Pick<Sandbox, 'api' | 'admin' | 'console'> => ({
  api,
  admin: { url: `${api}/admin/v1`, key: adminKey },
  console: options.console === false ? undefined : { url: `${api}/console/` },
});
