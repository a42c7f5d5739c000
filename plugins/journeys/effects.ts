import type { Effect, EffectResult, PluginContext } from '#core';

/** Does for a journey of a number what only the world outside its engine can do. */
export function performer({ journeys }: PluginContext, number: string) {
  return async (effect: Effect): Promise<EffectResult> => {
    const journey = await journeys.get(effect.journey);
    if (journey?.number !== number || journey.deleted_at !== null) {
      return { kind: 'failed', code: 'journey_not_found', reason: `there is no journey ${effect.journey}` };
    }
    const revision = journey.revisions.production;
    if (!journey.enabled || revision === null) {
      return { kind: 'failed', code: 'journey_not_available', reason: `journey '${journey.name}' is disabled or not published` };
    }
    return { kind: 'journey', journey: journey.uuid, revision, definition: await journeys.definition(revision) };
  };
}
