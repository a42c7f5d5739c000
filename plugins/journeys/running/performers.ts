import type { Effect, EffectResult } from '../engine/effect.js';
import type { Perform } from './run-turn.js';

/** The number of an effect, and a function for further effects. */
export interface EffectContext {
  /** The uuid of the number whose journey needs the effect. */
  readonly number: string;
  /** Performs further effects that this effect needs, such as the HTTP calls of a skill. */
  readonly perform: Perform;
}

/**
 * Performs the effects of one kind. An exception becomes a failed effect with code `effect_failed`; return a more specific code instead.
 */
export type Performer<E extends Effect = Effect> = (effect: E, context: EffectContext) => Promise<EffectResult>;

/** Performers by the kind of their effects. */
export type Performers = { readonly [E in Effect as E['kind']]?: Performer<E> };

/** Performs effects, also those of plugins that need this one. */
export type Effects = ReturnType<typeof createEffects>;

/** @param own the performers of this plugin, or of a test. @param added those of other plugins */
export function createEffects(own: () => Performers, added: ReadonlyMap<string, Performer> = new Map()) {
  return {
    /** Returns the `perform` function for a number. `overrides` replaces performers; a simulation passes its own. */
    performer(number: string, overrides: Performers = {}): Perform {
      const perform: Perform = async (effect) => {
        const performer = (overrides[effect.kind] ?? own()[effect.kind] ?? added.get(effect.kind)) as Performer | undefined;
        if (performer) return performer(effect, { number, perform });
        return {
          kind: 'failed',
          code: 'not_available',
          reason: `no plugin performs effects of kind '${effect.kind}'; add a plugin that does to \`plugins\``,
        };
      };
      return perform;
    },
  };
}
