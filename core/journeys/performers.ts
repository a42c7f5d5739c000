import type { Effect, EffectResult } from '../engine/effect.js';
import type { Perform } from './run-turn.js';

/** Whom an effect is performed for. */
export interface EffectRun {
  /** The number whose journey asked. */
  readonly number: string;
  /** Performs what the effect itself needs of the world, in the same way. */
  readonly perform: Perform;
}

/** Performs the effects of one kind. What it throws becomes a failed effect; it should say more than that itself. */
export type Performer<E extends Effect = Effect> = (effect: E, about: EffectRun) => Promise<EffectResult>;

/** At most one for each kind of effect. */
export type Performers = { readonly [E in Effect as E['kind']]?: Performer<E> };

/** What plugins contribute to journeys: the effects they can perform. */
export type Effects = ReturnType<typeof createEffects>;

export function createEffects(contributed: () => Performers) {
  return {
    /** Performs effects for journeys of a number. A caller that does some kinds differently, as a simulation does, says how. */
    performer(number: string, instead: Performers = {}): Perform {
      const perform: Perform = async (effect) => {
        const performer = (instead[effect.kind] ?? contributed()[effect.kind]) as Performer | undefined;
        if (performer) return performer(effect, { number, perform });
        return { kind: 'failed', code: 'not_available', reason: `nothing here performs effects of kind '${effect.kind}'` };
      };
      return perform;
    },
  };
}
