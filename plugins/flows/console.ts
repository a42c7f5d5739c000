import { Conflict, FlowRefused, fields, flowCategories, flowStatuses, list, moment, NotFound, oneOf, type Route, route, text } from '#core';
import { validationErrorSchema } from './envelope.js';
import { healthMoves } from './life-cycle.js';
import type { LocalOperator } from './operator/local-operator.js';
import type { FlowRecord } from './operator/records.js';

const params = fields({ id: text() });

const shownSchema = fields(
  {
    id: text(),
    account: text(),
    name: text(),
    status: oneOf(...flowStatuses),
    categories: list(oneOf(...flowCategories)),
    validation_errors: list(validationErrorSchema),
    hints: list(validationErrorSchema),
    /** The statuses that `POST /flows/{id}/health` can give it. */
    health_moves: list(oneOf(...flowStatuses)),
    created_at: moment(),
    updated_at: moment(),
  },
  { endpoint_uri: text(), application_id: text(), json_version: text() },
);

/** Flows of all accounts, and what on the network only the health of an endpoint can do to them. */
export function flowConsole(operator: LocalOperator): Route[] {
  return [
    route({
      method: 'GET',
      path: '/flows',
      summary: 'Lists the flows of all business accounts, with the hints of their validation.',
      responses: { 200: fields({ flows: list(shownSchema) }) },
      async handler() {
        const all = await operator.all();
        const sorted = all.sort((a, b) => (a.account === b.account ? a.position - b.position : a.account < b.account ? -1 : 1));
        return { flows: sorted.map(shown) };
      },
    }),
    route({
      method: 'GET',
      path: '/flows/{id}',
      summary: 'Shows a flow with the text of its definition.',
      request: { params },
      responses: { 200: fields({ flow: shownSchema, definition: text().allow('') }) },
      async handler({ params: { id } }) {
        const [flow, definition] = await Promise.all([operator.get(id), operator.definition(id)]);
        if (!flow || !definition) throw new NotFound('flow', id);
        return { flow: shown(flow), definition: definition.bytes.toString() };
      },
    }),
    route({
      method: 'POST',
      path: '/flows/{id}/health',
      summary: 'Throttles or blocks a published flow, and back: what the health of its endpoint does on the network.',
      request: { params, payload: fields({ status: oneOf('PUBLISHED', 'THROTTLED', 'BLOCKED') }) },
      responses: { 200: fields({ flow: shownSchema }) },
      async handler({ params: { id }, payload: { status } }) {
        try {
          return { flow: shown(await operator.setHealth(id, status)) };
        } catch (error) {
          if (!(error instanceof FlowRefused)) throw error;
          throw error.reason === 'not_found' ? new NotFound('flow', id) : new Conflict('invalid_flow_status', error.message);
        }
      },
    }),
  ];
}

function shown({ position: _, outline, ...flow }: FlowRecord) {
  return {
    ...flow,
    health_moves: healthMoves[flow.status],
    ...(outline.version !== undefined && { json_version: outline.version }),
  };
}
