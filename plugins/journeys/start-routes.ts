import { Conflict, fields, NotFound, type PluginContext, type Route, route, text } from '#core';
import { uuidInPath } from '#core/areas';
import { isWaiting, sessions } from './sessions.js';
import type { StartsUnderWay } from './starts-under-way.js';

/** Starting a journey from outside. */
export function startRoutes({ journeys, contacts, clock }: PluginContext, underWay: StartsUnderWay): Route[] {
  return [
    route({
      method: 'POST',
      path: '/journeys/{uuid}/start',
      summary: 'Starts a journey for a contact that has written before; a conversation in progress comes first, and refuses it.',
      request: { params: fields({ uuid: uuidInPath() }), payload: fields({ contact: text().guid() }) },
      responses: { 202: fields({ journey: text(), contact: text() }) },
      async handler({ params: { uuid }, payload: { contact: id } }, h) {
        const journey = await journeys.require(uuid);
        const contact = await contacts.get(id);
        if (contact?.number !== journey.number) throw new NotFound('contact', id);
        if (journey.deleted_at !== null) throw new Conflict('journey_deleted', 'This journey has been deleted');
        if (!journey.enabled) throw new Conflict('journey_disabled', 'This journey is disabled');
        if (journey.revisions.production === null) throw new Conflict('journey_not_published', 'This journey has no production revision');
        await underWay.start(async (tx) => {
          const parked = await tx.in(sessions).getBy('parked', [journey.number, contact.uuid]);
          if (isWaiting(parked, clock.now())) {
            throw new Conflict('session_active', `A conversation of this contact is waiting: ${parked.uuid}`);
          }
          return { number: journey.number, contact: contact.uuid, journey: journey.uuid };
        });
        return h.response({ journey: journey.uuid, contact: contact.uuid }).code(202);
      },
    }),
  ];
}
