import { type PluginContext, service } from '#core';
import type { Journeys } from './definitions/journeys.js';
import type { Extensions } from './running/extensions.js';
import type { Effects } from './running/performers.js';

/** Journeys and their revisions, the turns of sessions, the effects that journeys request, and what plugins add to the language. */
export interface JourneysService extends Journeys, Effects, Pick<Extensions, 'extend' | 'workers' | 'additions'> {}

/** For `context.service` of a plugin that needs journeys, and for `platform.service`. */
export const journeysService = service<JourneysService>('journeys');

/** The context of a plugin that needs journeys, with their service. */
export interface JourneysContext extends PluginContext {
  readonly journeys: JourneysService;
}

/** Gives a context the service of journeys, for a plugin that needs them. */
export const withJourneys = (context: PluginContext): JourneysContext =>
  Object.assign(context, { journeys: context.service(journeysService) });
