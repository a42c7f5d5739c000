import type { Performers, PluginContext } from '#core';
import { performJourney } from './journey.js';

/** What only the world outside the engine can do for a journey, by the kind of effect. */
export const performers = (context: PluginContext): Performers => ({
  journey: performJourney(context),
});
