import type { Performers, PluginContext } from '#core';
import type { JourneySecrets } from '../secrets.js';
import { performHttp } from './http.js';
import { createHttpCache } from './http-cache.js';
import { performJourney } from './journey.js';

/** What only the world outside the engine can do for a journey, by the kind of effect. */
export const performers = (context: PluginContext, secrets: JourneySecrets): Performers => ({
  http: performHttp(context, secrets, createHttpCache(context)),
  journey: performJourney(context),
});
