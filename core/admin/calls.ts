import { type Route, route } from '../contract/route.js';
import { Conflict, NotFound } from '../errors.js';
import { type CallLog, callSchema } from '../kernel/observe/call-log.js';
import { array, boolean, integer, object, string } from '../shape.js';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;

/** The recorded calls of the API. */
export const callRoutes = ({ calls }: { readonly calls: CallLog | undefined }): Route[] => [
  route({
    method: 'GET',
    path: '/calls',
    permission: 'messages.read_bodies',
    shards: { list: 'calls', by: ['at'], order: 'descending', limit: DEFAULT_LIMIT },
    summary:
      'Lists recorded calls of the API, newest first, with their headers, bodies and responses. With `refused=true` only those with an error status. Responds 409 unless the platform records calls.',
    request: { query: object({}, { refused: boolean(), number: string(), limit: integer().min(1).max(MAX_LIMIT) }) },
    responses: { 200: object({ calls: array(callSchema) }) },
    errors: [409],
    handler({ query: { refused = false, number, limit = DEFAULT_LIMIT } }) {
      if (!calls) throw new Conflict('not_recorded', 'Calls are not recorded; set the option recording: { calls: true }');
      return { calls: calls.list({ refused, number, limit }) };
    },
  }),
  route({
    method: 'GET',
    path: '/calls/{id}',
    permission: 'messages.read_bodies',
    summary: 'Shows a recorded call. `id` is the `X-Request-Id` of its response.',
    request: { params: object({ id: string() }) },
    responses: { 200: object({ call: callSchema }) },
    errors: [404],
    handler({ params: { id } }) {
      const found = calls?.get(id);
      if (!found) throw new NotFound('call', id);
      return { call: found };
    },
  }),
];
