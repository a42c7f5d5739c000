import type { JourneyEffect } from '../engine/effect.js';
import type { Performer } from '../running/performers.js';
import type { JourneysContext } from '../service.js';

/** Looks up the production revision of a journey that another journey of the same number calls. */
export function performJourney({ journeys }: Pick<JourneysContext, 'journeys'>): Performer<JourneyEffect> {
  return async (effect, { number }) => {
    const journey = await journeys.get(effect.journey);
    if (journey?.number !== number || journey.deleted_at !== null) {
      return { kind: 'failed', code: 'journey_not_found', reason: `journey ${effect.journey} not found` };
    }
    const revision = journey.revisions.production;
    if (!journey.enabled || revision === null) {
      return { kind: 'failed', code: 'journey_not_available', reason: `journey '${journey.name}' is disabled or not published` };
    }
    return { kind: 'journey', journey: journey.uuid, revision, definition: await journeys.definition(revision) };
  };
}
