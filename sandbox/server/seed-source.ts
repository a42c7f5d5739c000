import { type Platform, RandomIds, SeededIds, withoutUndefined } from '#core';
import type { Ids } from '#core/ports';
import { type Demo, demoSeed } from '../demo/demo.js';
import type { Notes } from '../demo/notes.js';
import { type FullSeed, seedFrom } from '../demo/seed.js';
import type { OptionTree } from '../option-tree.js';
import type { SandboxOptions } from '../sandbox.js';
import type { SandboxSettings } from './settings.js';

export const KEY_BYTES = 24;

/** Where the seed of a sandbox comes from. */
export interface SeedSource {
  /** @throws InvalidSeed */
  read(dialect: Platform['dialect']): Promise<FullSeed>;
  /** The seed that was applied last; undefined for the demo, whose seed has other URLs in each run. */
  readonly last: FullSeed | undefined;
  /** Call when a running sandbox has applied a changed seed. */
  applied(changed: FullSeed): void;
}

export const seedOfDemo = ({ ready }: Demo): SeedSource => ({
  read: async (dialect) => seedFrom(demoSeed(await ready, dialect)),
  last: undefined,
  applied: () => undefined,
});

/** The seed of a sandbox without the demo. A file is read again for each reset; without the option, the seed of the data folder applies. */
export function seedOf({ seed: source }: SandboxOptions, stored: Notes | undefined): SeedSource {
  let last = stored?.seed;
  if (!stored) last = seedFrom(source ?? 'empty');
  return {
    async read() {
      last = source === undefined && last ? last : seedFrom(source ?? 'empty');
      return last;
    },
    get last() {
      return last;
    },
    applied(changed) {
      last = changed;
    },
  };
}

/** The words of a dialect as options of the platform. */
export const dialectTree = ({ service, network }: Pick<SandboxOptions, 'service' | 'network'> = {}): OptionTree => ({
  dialect: withoutUndefined({ service, network }),
});

/** The seed with the options of all numbers. */
export const withNumberDefaults = (seed: FullSeed, defaults: SandboxSettings['numbers']): FullSeed => ({
  ...seed,
  numbers: seed.numbers.map((number) => ({ ...defaults, ...number })),
  channels: seed.channels.map((channel) => ({ ...defaults, ...channel })),
});

export type SeedIds = Ids & { endSeed(): void };

/**
 * Ids from the seed key until `endSeed`, then random ones: a reset makes the same records again, and a resumed state gets no id twice.
 */
export function seedIds(seedKey: string): SeedIds {
  let ids: Ids = new SeededIds(seedKey);
  // The admin key is the first secret of a key.
  ids.secret(KEY_BYTES);
  return {
    uuid: () => ids.uuid(),
    secret: (bytes) => ids.secret(bytes),
    digits: (count) => ids.digits(count),
    random: () => ids.random(),
    endSeed() {
      ids = new RandomIds();
    },
  };
}
