import { fields, type JourneyRecord, type JsonObject, type PluginContext, type RevisionName, type Route, route, text } from '#core';
import { SimulationRefused } from './errors.js';
import { errorSchema, requestSchema, responseSchema } from './schemas.js';
import type { createSimulations } from './simulations.js';

const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** One route for starting a simulation and for going on with it. */
export function simulationRoutes({ journeys, dialect }: PluginContext, simulations: ReturnType<typeof createSimulations>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/journeys/{uuid}/simulation',
      summary: 'Drives a journey turn by turn; nothing real is sent.',
      maxBytes: MAX_BODY_BYTES,
      request: { params: fields({ uuid: text().guid() }), payload: requestSchema },
      responses: { 200: responseSchema, 400: errorSchema, 404: errorSchema },
      async handler({ params: { uuid }, payload, caller: { number } }) {
        const { simulation_id, revision = 'production', contact = {}, parent, child, input } = payload;
        const journey = await journeys.get(uuid);
        if (journey?.number !== number.uuid) throw new SimulationRefused(404, 'Journey not found');
        mustRun(journey, revision);
        return simulations.run(number, journey, {
          simulation_id,
          revision,
          contact: { ...simulatedContact(dialect.contactFields.networkId), ...contact } as JsonObject,
          parent: parent as JsonObject | undefined,
          child: child as JsonObject | undefined,
          input,
        });
      },
    }),
  ];
}

function mustRun(journey: JourneyRecord, revision: RevisionName): void {
  if (journey.deleted_at !== null) throw new SimulationRefused(400, 'Journey has been deleted');
  if (!journey.enabled) throw new SimulationRefused(400, 'Journey is disabled');
  if (journey.revisions[revision] !== null) return;
  throw new SimulationRefused(
    400,
    revision === 'staging' ? 'Journey has no staging revision' : 'Journey has no published production revision',
  );
}

/** Somebody to talk to when the request does not say whom; a null in the request clears a field. */
const simulatedContact = (networkId: string): JsonObject => ({ name: null, language: null, [networkId]: 'simulated' });
