import { type JsonObject, type NumberRecord, object, type PluginContext, type Route, route } from '#core';
import { reservedFields, uuidInPath } from '#core/areas';
import { invalidUuid, SimulationRefused } from './errors.js';
import { readMocks } from './mocks/mocks.js';
import { errorSchema, requestSchema, responseSchema } from './schemas.js';
import type { createSimulations } from './simulations.js';

const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** As RFC 9562 writes one (4). Journeys can be kept under others: what has no dashes, or has brackets, is a uuid for all other routes. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One route for starting a simulation and for going on with it. */
export function simulationRoutes({ journeys, dialect }: PluginContext, simulations: ReturnType<typeof createSimulations>): Route[] {
  return [
    at('/v1/journeys/{uuid}/simulation', 'Drives a journey turn by turn; nothing real is sent.'),
    at('/v1/stacks/{uuid}/simulation', 'Drives a journey turn by turn, by the path under which older clients know it.'),
  ];

  /** Somebody to talk to when the request does not say whom; a null in the request clears a field. */
  function simulatedContact({ kind }: NumberRecord): JsonObject {
    return reservedFields(dialect, kind === 'channel' ? null : 'simulated');
  }

  function at(path: `/${string}`, summary: string): Route {
    return route({
      method: 'POST',
      path,
      summary,
      maxBytes: MAX_BODY_BYTES,
      request: { params: object({ uuid: uuidInPath() }), payload: requestSchema },
      responses: { 200: responseSchema, 400: errorSchema, 404: errorSchema },
      async handler({ params: { uuid }, payload, caller: { number } }) {
        const { simulation_id, revision = 'production', contact = {}, parent, child, input, http_mocks = [], debug = false } = payload;
        // They are looked at again when it is known how many there are; a wrong one is said before anything of the journey.
        readMocks(http_mocks, []);
        const journey = await journeys.get(uuid);
        if (journey?.number !== number.uuid) throw UUID.test(uuid) ? new SimulationRefused(404, 'Journey not found') : invalidUuid();
        if (journey.deleted_at !== null) throw new SimulationRefused(400, 'Journey has been deleted');
        if (!journey.enabled) throw new SimulationRefused(400, 'Journey is disabled');
        return simulations.run(number, journey, {
          simulation_id,
          revision,
          contact: { ...simulatedContact(number), ...contact } as JsonObject,
          parent: parent as JsonObject | undefined,
          child: child as JsonObject | undefined,
          input,
          http_mocks,
          fail_unmocked_http_calls: payload.fail_unmocked_http_calls,
          debug,
        });
      },
    });
  }
}
