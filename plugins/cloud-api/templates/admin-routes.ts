import { array, boolean, integer, object, oneOf, type PluginContext, type Route, route, string, stringUpTo, type TypeOf } from '#core';
import { newTemplateSchema } from '#core/areas';
import { apiErrorOf } from '../flows/refusals.js';
import type { Graph, GraphCall } from '../graph/client.js';
import type { Connections } from '../numbers/connections.js';
import { listedTemplates, type NetworkTemplate } from './network-template.js';
import type { TemplateSync } from './sync.js';

const params = object({ uuid: string() });
const query = object({ name: stringUpTo(512) });
const networkTemplate = object({ id: string(), name: string(), language: string(), status: string(), category: string() });

const madeTemplate = object({ id: string(), status: string(), category: string() });

/** Admin routes for templates on the network. The templates of a number themselves are listed by `GET /numbers/{uuid}/templates`. */
export function templateAdminRoutes({ store }: PluginContext, connections: Connections, graph: Graph, sync: TemplateSync): Route[] {
  /** Calls the network for the account of a number. @throws NotFound for a number that is not connected */
  async function call<T>(uuid: string, request: (account: string) => Omit<GraphCall, 'token'>): Promise<{ account: string; answer: T }> {
    const { waba_id: account } = await connections.require(uuid);
    const token = await connections.secret(uuid, 'accessToken');
    const answer = await graph.call<T>({ ...request(account), token }).catch((error: unknown) => {
      throw apiErrorOf(error);
    });
    return { account, answer };
  }

  return [
    route({
      method: 'GET',
      path: '/cloud-api/numbers/{uuid}/templates',
      summary: 'Lists the templates of the business account as the network has them now, with its ids and statuses.',
      request: { params },
      responses: { 200: object({ templates: array(networkTemplate) }) },
      errors: [503],
      async handler({ params: { uuid } }) {
        const { answer } = await call<{ data: NetworkTemplate[] }>(uuid, (account) => ({
          method: 'GET',
          path: `/${account}/message_templates`,
          query: { fields: 'id,name,language,status,category', limit: 1000 },
          reads: listedTemplates,
        }));
        const shown = answer.data.map(({ id, name, language, status, category = '' }) => ({ id, name, language, status, category }));
        return { templates: shown };
      },
    }),
    route({
      method: 'POST',
      path: '/cloud-api/numbers/{uuid}/templates',
      summary: 'Submits a template to the network for approval. A webhook reports the decision.',
      request: { params, payload: newTemplateSchema },
      responses: { 200: networkTemplate },
      errors: [503],
      async handler({ params: { uuid }, payload: { name, language, category = 'UTILITY', components } }) {
        const json = { name, language, category, components: components.map(inCapitals) };
        const { account, answer } = await call<TypeOf<typeof madeTemplate>>(uuid, (account) => ({
          ...{ method: 'POST', path: `/${account}/message_templates`, json },
          reads: madeTemplate,
        }));
        await store.transaction(async (tx) => sync.readSoon(tx, account));
        return { id: answer.id, name, language, status: answer.status, category: answer.category };
      },
    }),
    route({
      method: 'DELETE',
      path: '/cloud-api/numbers/{uuid}/templates',
      summary: 'Deletes a template from the network, in all languages. The network locks its name for 30 days.',
      request: { params, query },
      responses: { 200: object({ success: boolean() }) },
      errors: [503],
      async handler({ params: { uuid }, query: { name } }) {
        const { account } = await call(uuid, (account) => ({ method: 'DELETE', path: `/${account}/message_templates`, query: { name } }));
        await store.transaction(async (tx) => sync.readSoon(tx, account));
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/cloud-api/numbers/{uuid}/templates/read',
      summary: 'Reads the templates of the business account now, as the plugin does at start, daily, and after webhooks.',
      request: { params },
      responses: { 200: object({ result: oneOf('read'), templates: integer() }) },
      errors: [503],
      async handler({ params: { uuid } }) {
        const { waba_id: account } = await connections.require(uuid);
        const templates = await sync.readNow(account).catch((error: unknown) => {
          throw apiErrorOf(error);
        });
        return { result: 'read' as const, templates };
      },
    }),
  ];
}

type Component = Readonly<Record<string, unknown>>;

/** A component with its keywords in capitals, as the network wants them. */
function inCapitals({ type, format, buttons, ...rest }: Component): Component {
  const capitals = (word: unknown): string => String(word).toUpperCase();
  return {
    type: capitals(type),
    ...(format !== undefined && { format: capitals(format) }),
    ...rest,
    ...(Array.isArray(buttons) && { buttons: (buttons as Component[]).map((button) => ({ ...button, type: capitals(button.type) })) }),
  };
}
