import { mergedTrees, type OptionTree, withChanges } from '../option-tree.js';
import { type SandboxSettings, sandboxSettings } from './settings.js';
import type { SandboxSetup } from './setup.js';

/** The options of a sandbox, which can be changed while it runs. */
export class CurrentSettings {
  readonly #setup: SandboxSetup;
  #chosen: OptionTree;
  #effective: SandboxSettings;

  /** @throws InvalidOptions */
  constructor(setup: SandboxSetup) {
    const { kept, given, plugins, stored } = setup;
    this.#setup = setup;
    this.#chosen = stored?.chosen ?? {};
    // The options of this start take precedence over the changes of an earlier run.
    this.#effective = sandboxSettings(mergedTrees(kept, this.#chosen, given), plugins);
  }

  /** The options that were changed while the sandbox ran. */
  get chosen(): OptionTree {
    return this.#chosen;
  }

  get effective(): SandboxSettings {
    return this.#effective;
  }

  /**
   * @param changes options by their paths; null takes a change back
   * @returns a function that restores the previous options @throws InvalidOptions before anything is changed
   */
  change(changes: Readonly<Record<string, unknown>>): () => void {
    const { kept, given, plugins } = this.#setup;
    const [chosen, effective] = [this.#chosen, this.#effective];
    const next = withChanges(chosen, changes);
    this.#effective = sandboxSettings(mergedTrees(kept, given, next), plugins);
    this.#chosen = next;
    return () => {
      this.#chosen = chosen;
      this.#effective = effective;
    };
  }
}
