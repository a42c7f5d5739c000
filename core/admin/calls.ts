import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import { Conflict, NotFound } from '../errors.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import { type CallLog, callSchema, listedCallSchema } from '../kernel/observe/call-log.js';
import type { Numbers } from '../messaging/numbers.js';
import { array, boolean, integer, object, string } from '../shape.js';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;

/** The recorded calls of the API. */
export const callRoutes = ({
  calls,
  numbers,
}: {
  readonly calls: CallLog | undefined;
  readonly numbers: Pick<Numbers, 'list'>;
}): Route[] => [
  route({
    method: 'GET',
    path: '/calls',
    permission: 'messages.read_bodies',
    accounts: { number: owned.number },
    shards: { list: 'calls', by: ['at'], order: 'descending', limit: DEFAULT_LIMIT },
    summary:
      'Lists recorded calls of the API, newest first, with their headers, bodies and responses; with `contents=false` without them. With `refused=true` only those with an error status. Responds 409 unless the platform records calls.',
    request: {
      query: object({}, { refused: boolean(), number: string(), contents: boolean(), limit: integer().min(1).max(MAX_LIMIT) }),
    },
    responses: { 200: object({ calls: array(listedCallSchema) }) },
    errors: [409],
    handler({ query: { refused = false, number, contents = true, limit = DEFAULT_LIMIT } }) {
      if (!calls) throw new Conflict('not_recorded', 'Calls are not recorded; set the option recording: { calls: true }');
      const which = { refused, number, limit };
      return { calls: contents ? calls.list(which) : calls.summaries(which) };
    },
  }),
  route({
    method: 'GET',
    path: '/calls/{id}',
    permission: 'messages.read_bodies',
    accounts: 'filtered',
    summary: 'Shows a recorded call. `id` is the `X-Request-Id` of its response.',
    request: { params: object({ id: string() }) },
    responses: { 200: object({ call: callSchema }) },
    errors: [404],
    async handler({ params: { id }, request }) {
      const found = calls?.get(id);
      const operator = operatorOf(request);
      const visible = operator.accounts && (await visibleNumbers(numbers, operator));
      if (!found || (visible && !visible.some(({ uuid }) => uuid === found.number?.uuid))) throw new NotFound('call', id);
      return { call: found };
    },
  }),
];
