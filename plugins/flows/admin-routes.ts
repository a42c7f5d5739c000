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
  operatorOf,
  owned,
  type PlatformError,
  type Route,
  route,
  seesAccount,
  string,
  stringUpTo,
} from '#core';
import type { SentFlows } from './conversation/sent-flows.js';
import { editingRoutes } from './editing/admin-routes.js';
import { healthMoves, refusalsOf } from './life-cycle.js';
import { type FlowCategory, type FlowRefusal, FlowRefused, flowStatuses } from './operator/flow-operator.js';
import type { LocalOperator } from './operator/local-operator.js';
import { type FlowRecord, ofFlow } from './records.js';
import { adminFlowSchema, categories, changeSchema, MAX_CREATE_BYTES, newFlowSchema } from './schemas.js';

const params = object({ id: string() });

const flowResponse = object({ flow: adminFlowSchema });

const sha256 = () =>
  string()
    .pattern(/^[0-9a-f]{64}$/)
    .example('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

/** Admin routes for the flows of all accounts. One of them sets the statuses that, on the network, follow from the health of a flow's endpoint. */
export function flowAdminRoutes(operator: LocalOperator, sentFlows: SentFlows): Route[] {
  const requireFlow = async (id: string): Promise<FlowRecord> => {
    const flow = await operator.get(id);
    if (!flow) throw new NotFound('flow', id);
    return flow;
  };
  const changeFlow = async (id: string, work: (flow: FlowRecord) => Promise<unknown>) => {
    await withAdminErrors(id, work(await requireFlow(id)));
    return { flow: adminView(await requireFlow(id)) };
  };
  return [
    ...editingRoutes(operator),
    route({
      method: 'GET',
      path: '/flows',
      permission: 'flows.read',
      accounts: 'filtered',
      shards: { list: 'flows', by: ['account'], order: 'ascending' },
      summary: 'Lists the flows of all business accounts, with their validation errors and hints.',
      request: { query: object({}, { status: oneOf(...flowStatuses) }) },
      responses: { 200: object({ flows: array(adminFlowSchema) }) },
      async handler({ query: { status }, request }) {
        const caller = operatorOf(request);
        const all = (await operator.all()).filter(
          (flow) => seesAccount(caller, flow.account) && (status === undefined || flow.status === status),
        );
        const sorted = all.sort((a, b) => (a.account === b.account ? a.position - b.position : a.account < b.account ? -1 : 1));
        return { flows: sorted.map(adminView) };
      },
    }),
    route({
      method: 'POST',
      path: '/flows',
      permission: 'flows.write',
      morePermissions: ['flows.publish'],
      accounts: { account: owned.account },
      summary: 'Creates a flow in a business account from the text of its definition.',
      maxBytes: MAX_CREATE_BYTES,
      request: {
        payload: object(
          { account: stringUpTo(256), name: newFlowSchema.extract('name'), definition: anyString() },
          { categories: categories(), publish: boolean() },
        ),
      },
      responses: { 201: flowResponse },
      async handler({ payload: { account, name, definition, categories = ['OTHER'], publish = false }, request }, h) {
        if (publish) operatorOf(request).need('flows.publish');
        const created = await withAdminErrors(
          name,
          operator.create(account, { name, definition, categories: categories as FlowCategory[], publish }),
        );
        return h.response({ flow: adminView(await requireFlow(created.id)) }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/flows/{id}',
      permission: 'flows.read',
      accounts: { id: ofFlow },
      summary: 'Shows a flow with the text of its definition, and the SHA-256 of its bytes.',
      request: { params },
      responses: { 200: object({ flow: adminFlowSchema, definition: anyString(), sha256: sha256() }) },
      async handler({ params: { id } }) {
        const [flow, definition] = await Promise.all([requireFlow(id), operator.definition(id)]);
        if (!definition) throw new NotFound('flow', id);
        return { flow: adminView(flow), definition: definition.bytes.toString(), sha256: definition.sha256 };
      },
    }),
    route({
      method: 'PUT',
      path: '/flows/{id}/definition',
      permission: 'flows.write',
      accounts: { id: ofFlow },
      summary: 'Replaces the definition of a draft, even by one with validation errors.',
      maxBytes: MAX_CREATE_BYTES,
      request: {
        params,
        payload: object(
          { definition: anyString() },
          { replaces: sha256().description('The `sha256` of the definition that this one replaces: 409 if the flow has another one now.') },
        ),
      },
      responses: { 200: flowResponse },
      handler: ({ params: { id }, payload: { definition, replaces } }) =>
        changeFlow(id, ({ account }) => operator.upload(account, id, Buffer.from(definition), replaces)),
    }),
    route({
      method: 'PATCH',
      path: '/flows/{id}',
      permission: 'flows.write',
      accounts: { id: ofFlow },
      summary: 'Changes the name, categories, endpoint or application of a draft.',
      request: { params, payload: changeSchema.fork(['flow_json'], (schema) => schema.forbidden()) },
      responses: { 200: flowResponse },
      handler: ({ params: { id }, payload: { name, categories, endpoint_uri, application_id } }) =>
        changeFlow(id, ({ account }) =>
          operator.update(account, id, { name: name ?? undefined, categories: categories ?? undefined, endpoint_uri, application_id }),
        ),
    }),
    ...(['publish', 'deprecate'] as const).map((action) =>
      route({
        method: 'POST',
        path: `/flows/{id}/${action}`,
        permission: 'flows.publish',
        accounts: { id: ofFlow },
        summary: action === 'publish' ? 'Publishes a draft that has no validation errors.' : 'Deprecates a published flow permanently.',
        request: { params },
        responses: { 200: flowResponse },
        handler: ({ params: { id } }) => changeFlow(id, ({ account }) => operator[action](account, id)),
      }),
    ),
    route({
      method: 'POST',
      path: '/flows/{id}/health',
      permission: 'flows.write',
      accounts: { id: ofFlow },
      summary: 'Throttles, blocks or restores a published flow; on the network the health of its endpoint does so.',
      request: { params, payload: object({ status: oneOf('PUBLISHED', 'THROTTLED', 'BLOCKED') }) },
      responses: { 200: flowResponse },
      handler: ({ params: { id }, payload: { status } }) => changeFlow(id, () => operator.setHealth(id, status)),
    }),
    route({
      method: 'POST',
      path: '/flows/{id}/preview',
      permission: 'flows.read',
      accounts: { id: ofFlow },
      summary: 'Returns the preview URL of a flow; `invalidate` replaces it by a new one.',
      request: { params, payload: object({}, { invalidate: boolean() }) },
      responses: { 200: object({ preview_url: string(), expires_at: dateTime() }) },
      async handler({ params: { id }, payload: { invalidate = false } }) {
        const { account } = await requireFlow(id);
        const { preview_url, expires_at } = await operator.preview(account, id, { invalidate });
        return { preview_url, expires_at: expires_at.toISOString() };
      },
    }),
    route({
      method: 'DELETE',
      path: '/flows/{id}',
      permission: 'flows.write',
      accounts: { id: ofFlow },
      summary: 'Deletes a draft.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { id } }) {
        const { account } = await requireFlow(id);
        await withAdminErrors(id, operator.delete(account, id));
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/messages/{message}/flow',
      permission: 'flows.answer',
      accounts: { message: owned.message },
      summary: 'Opens the flow in a message as the contact would; returns a URL to fill it in, valid for one response within a day.',
      request: { params: object({ message: stringUpTo(256) }) },
      responses: { 201: object({ url: string(), expires_at: dateTime() }) },
      handler: async ({ params: { message } }, h) => h.response(await sentFlows.open(message)).code(201),
    }),
  ];
}

/** Translates the operator's refusals into errors of the admin API. @throws NotFound, Conflict, InvalidRequest */
async function withAdminErrors<T>(id: string, work: Promise<T>): Promise<T> {
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

function adminView({ position: _, outline, ...flow }: FlowRecord) {
  return {
    ...flow,
    health_moves: healthMoves[flow.status],
    refusals: refusalsOf(flow),
    screens: outline.screens.map(({ id }) => id),
    ...(outline.version !== undefined && { json_version: outline.version }),
  };
}
