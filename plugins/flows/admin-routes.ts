import {
  anyString,
  array,
  boolean,
  Conflict,
  dateTime,
  InvalidRequest,
  NotFound,
  object,
  oneOf,
  type PlatformError,
  type Route,
  route,
  string,
  stringUpTo,
} from '#core';
import type { Openings } from './conversation/openings.js';
import { healthMoves } from './life-cycle.js';
import { type FlowCategory, type FlowRefusal, FlowRefused } from './operator/flow-operator.js';
import type { LocalOperator } from './operator/local-operator.js';
import type { FlowRecord } from './records.js';
import { categories, MAX_CREATE_BYTES, newFlowSchema, shownSchema } from './schemas.js';

const params = object({ id: string() });

const oneFlow = object({ flow: shownSchema });

/** Flows of all accounts: what the business manager does, and what on the network only the health of an endpoint can do. */
export function flowAdminRoutes(operator: LocalOperator, openings: Openings): Route[] {
  const require = async (id: string): Promise<FlowRecord> => {
    const flow = await operator.get(id);
    if (!flow) throw new NotFound('flow', id);
    return flow;
  };
  /** Does something to a flow of whatever account, and shows it afterwards. */
  const changed = async (id: string, work: (flow: FlowRecord) => Promise<unknown>) => {
    await refused(id, work(await require(id)));
    return { flow: shown(await require(id)) };
  };
  return [
    route({
      method: 'GET',
      path: '/flows',
      summary: 'Lists the flows of all business accounts, with the hints of their validation.',
      responses: { 200: object({ flows: array(shownSchema) }) },
      async handler() {
        const all = await operator.all();
        const sorted = all.sort((a, b) => (a.account === b.account ? a.position - b.position : a.account < b.account ? -1 : 1));
        return { flows: sorted.map(shown) };
      },
    }),
    route({
      method: 'POST',
      path: '/flows',
      summary: 'Makes a flow in a business account from the text of its definition.',
      maxBytes: MAX_CREATE_BYTES,
      request: {
        payload: object(
          { account: stringUpTo(256), name: newFlowSchema.extract('name'), definition: anyString() },
          { categories: categories(), publish: boolean() },
        ),
      },
      responses: { 201: oneFlow },
      async handler({ payload: { account, name, definition, categories = ['OTHER'], publish = false } }, h) {
        const made = await refused(name, operator.create(account, { name, definition, categories: categories as FlowCategory[], publish }));
        return h.response({ flow: shown(await require(made.id)) }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/flows/{id}',
      summary: 'Shows a flow with the text of its definition.',
      request: { params },
      responses: { 200: object({ flow: shownSchema, definition: anyString() }) },
      async handler({ params: { id } }) {
        const [flow, definition] = await Promise.all([require(id), operator.definition(id)]);
        return { flow: shown(flow), definition: definition?.bytes.toString() ?? '' };
      },
    }),
    route({
      method: 'PUT',
      path: '/flows/{id}/definition',
      summary: 'Replaces the definition of a draft, also by one with errors.',
      maxBytes: MAX_CREATE_BYTES,
      request: { params, payload: object({ definition: anyString() }) },
      responses: { 200: oneFlow },
      handler: ({ params: { id }, payload: { definition } }) =>
        changed(id, ({ account }) => operator.upload(account, id, Buffer.from(definition))),
    }),
    ...(['publish', 'deprecate'] as const).map((action) =>
      route({
        method: 'POST',
        path: `/flows/{id}/${action}`,
        summary: action === 'publish' ? 'Publishes a sound draft.' : 'Retires a published flow for good.',
        request: { params },
        responses: { 200: oneFlow },
        handler: ({ params: { id } }) => changed(id, ({ account }) => operator[action](account, id)),
      }),
    ),
    route({
      method: 'POST',
      path: '/flows/{id}/health',
      summary: 'Throttles or blocks a published flow, and back: what the health of its endpoint does on the network.',
      request: { params, payload: object({ status: oneOf('PUBLISHED', 'THROTTLED', 'BLOCKED') }) },
      responses: { 200: oneFlow },
      handler: ({ params: { id }, payload: { status } }) => changed(id, () => operator.setHealth(id, status)),
    }),
    route({
      method: 'POST',
      path: '/flows/{id}/preview',
      summary: 'Shows where a flow can be tried, at a new address if asked for.',
      request: { params, payload: object({}, { invalidate: boolean() }) },
      responses: { 200: object({ preview_url: string(), expires_at: dateTime() }) },
      async handler({ params: { id }, payload: { invalidate = false } }) {
        const { account } = await require(id);
        const { preview_url, expires_at } = await operator.preview(account, id, { invalidate });
        return { preview_url, expires_at: expires_at.toISOString() };
      },
    }),
    route({
      method: 'DELETE',
      path: '/flows/{id}',
      summary: 'Removes a draft.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { id } }) {
        const { account } = await require(id);
        await refused(id, operator.delete(account, id));
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/messages/{message}/flow',
      summary: 'Opens the flow in a message as the contact would: an address at which it is filled in once, within a day.',
      request: { params: object({ message: stringUpTo(256) }) },
      responses: { 201: object({ url: string(), expires_at: dateTime() }) },
      handler: async ({ params: { message } }, h) => h.response(await openings.open(message)).code(201),
    }),
  ];
}

/** What the operator refuses, in the words of the admin API. @throws NotFound, Conflict */
async function refused<T>(id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FlowRefused)) throw error;
    throw refusals[error.reason](error.message, id);
  }
}

const refusals: Readonly<Record<FlowRefusal, (message: string, id: string) => PlatformError>> = {
  not_found: (_, id) => new NotFound('flow', id),
  invalid_status: (message) => new Conflict('invalid_flow_status', message),
  has_errors: (message) => new Conflict('flow_has_errors', message),
  name_taken: (message) => new Conflict('flow_name_taken', message),
  no_application: (message) => new Conflict('flow_has_no_application', message),
  unknown_cursor: (message) => new InvalidRequest([], message),
};

function shown({ position: _, outline, ...flow }: FlowRecord) {
  return {
    ...flow,
    health_moves: healthMoves[flow.status],
    screens: outline.screens.map(({ id }) => id),
    ...(outline.version !== undefined && { json_version: outline.version }),
  };
}
