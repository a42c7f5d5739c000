import { RandomIds, SeededIds, withoutUndefined } from '#core';
import type { Ids } from '#core/ports';
import type { Notes } from '../demo/notes.js';
import { type FullSeed, seedFrom } from '../demo/seed.js';
import type { OptionTree } from '../option-tree.js';
import type { SandboxOptions } from '../sandbox.js';
import type { SandboxSettings } from './settings.js';

export const KEY_BYTES = 24;

/** The seed of a sandbox without the demo. A file is read again for each reset; without the option, the seed of the data folder applies. */
export function seedOf({ seed: source }: SandboxOptions, stored: Notes | undefined) {
  let last = stored?.seed;
  if (!stored) last = seedFrom(source ?? 'empty');
  return {
    /** @throws InvalidSeed */
    read(): FullSeed {
      last = source === undefined && last ? last : seedFrom(source ?? 'empty');
      return last;
    },
    /** The seed that was applied last; a running sandbox may apply a changed one. */
    get last(): FullSeed | undefined {
      return last;
    },
    set last(changed: FullSeed | undefined) {
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

/**
 * Ids from the seed key until `endSeed`, then random ones: a reset makes the same records again, and a resumed state gets no id twice.
 */
export function seedIds(seedKey: string): Ids & { endSeed(): void } {
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
