import { type JsonObject, type NumberRecord, object, type Route, route } from '#core';
import { reservedFields } from '#core/messaging';
import { uuidInPath } from '#core/schemas';
import type { JourneysContext } from '../journeys/plugin.js';
import { invalidUuid, SimulationRefused } from './errors.js';
import { readMocks } from './mocks/mocks.js';
import { errorSchema, requestSchema, responseSchema } from './schemas.js';
import type { createSimulations } from './simulations.js';

const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** The text format of RFC 9562 (4). Other routes also accept uuids without dashes or in brackets, so journeys can have such ids. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function simulationRoutes({ journeys, dialect }: JourneysContext, simulations: ReturnType<typeof createSimulations>): Route[] {
  return [
    at('/v1/journeys/{uuid}/simulation', 'Runs one turn of a simulated journey; no message is sent.'),
    at('/v1/stacks/{uuid}/simulation', 'Runs one turn of a simulated journey, under the path that older clients use.'),
  ];

  /** The default contact. The fields of the request override it; null clears a field. */
  function simulatedContact({ kind }: NumberRecord): JsonObject {
    return reservedFields(dialect, kind === 'channel' ? null : 'simulated');
  }

  function at(path: `/${string}`, summary: string): Route {
    return route({
      method: 'POST',
      path,
      summary,
      maxBytes: MAX_BODY_BYTES,
      exactIntegers: true,
      request: { params: object({ uuid: uuidInPath() }), payload: requestSchema },
      responses: { 200: responseSchema, 400: errorSchema, 404: errorSchema },
      async handler({ params: { uuid }, payload, caller: { number } }) {
        const { simulation_id, revision = 'production', contact = {}, parent, child, input, http_mocks = [], debug = false } = payload;
        // Invalid mocks are reported before problems of the journey. The mocks are read again later, when the number of stored mocks is known.
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
