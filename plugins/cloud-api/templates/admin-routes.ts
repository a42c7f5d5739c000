import {
  array,
  boolean,
  integer,
  named,
  object,
  oneOf,
  owned,
  type PluginContext,
  type Route,
  route,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { apiErrorOf } from '../flows/refusals.js';
import type { Graph, GraphCall } from '../graph/client.js';
import type { Connections } from '../numbers/connections.js';
import { listTemplates } from './list.js';
import type { TemplateSync } from './sync.js';

const params = object({ uuid: string() });
const query = object({ name: stringUpTo(512) });
const networkTemplate = object({ id: string(), name: string(), language: string(), status: string(), category: string() });

/** A template for approval. The network checks its components, of which it has more than messages of this API. */
const submittedTemplate = named(
  'SubmittedTemplate',
  object(
    {
      name: string().pattern(/^[a-z0-9_]{1,512}$/, 'lower-case letters, digits and _'),
      language: stringUpTo(16),
      components: array(object({ type: stringUpTo(64) }).unknown())
        .min(1)
        .max(10)
        .description("The components in the network's form, with keywords in any case, and examples of the values."),
    },
    { category: oneOf('AUTHENTICATION', 'MARKETING', 'UTILITY'), parameter_format: oneOf('NAMED', 'POSITIONAL') },
  ).example({
    name: 'loan_due',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'body', text: '{{1}} is due on {{2}}.', example: { body_text: [['The Old Man and the Sea', '5 March']] } }],
  }),
);

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
      permission: 'templates.read',
      accounts: { uuid: owned.number },
      summary: 'Lists the templates of the business account as the network has them now, with its ids and statuses.',
      request: { params },
      responses: { 200: object({ templates: array(networkTemplate) }) },
      errors: [503],
      async handler({ params: { uuid } }) {
        const { waba_id: account } = await connections.require(uuid);
        const token = await connections.secret(uuid, 'accessToken');
        const listed = await listTemplates(graph, { account, token, fields: 'id,name,language,status,category' }).catch(
          (error: unknown) => {
            throw apiErrorOf(error);
          },
        );
        const shown = listed.map(({ id, name, language, status, category }) => ({ id, name, language, status, category: category ?? '' }));
        return { templates: shown };
      },
    }),
    route({
      method: 'POST',
      path: '/cloud-api/numbers/{uuid}/templates',
      permission: 'templates.write',
      summary: 'Submits a template to the network for approval. A webhook reports the decision.',
      request: { params, payload: submittedTemplate },
      responses: { 200: networkTemplate },
      errors: [503],
      async handler({ params: { uuid }, payload: { category = 'UTILITY', components, ...rest } }) {
        const json = { ...rest, category, components: components.map(inCapitals) };
        const { account, answer } = await call<TypeOf<typeof madeTemplate>>(uuid, (account) => ({
          method: 'POST',
          path: `/${account}/message_templates`,
          json,
          reads: madeTemplate,
        }));
        await store.transaction(async (tx) => sync.readSoon(tx, account));
        return { id: answer.id, name: rest.name, language: rest.language, status: answer.status, category: answer.category };
      },
    }),
    route({
      method: 'DELETE',
      path: '/cloud-api/numbers/{uuid}/templates',
      permission: 'templates.write',
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
      permission: 'templates.write',
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

/** A component with its keywords in capitals, as the network wants them; also those of the cards of a carousel. */
function inCapitals({ type, format, buttons, cards, ...rest }: Component): Component {
  const capitals = (word: unknown): string => String(word).toUpperCase();
  return {
    type: capitals(type),
    ...(format !== undefined && { format: capitals(format) }),
    ...rest,
    ...(Array.isArray(buttons) && { buttons: buttons.map(typeInCapitals) }),
    ...(Array.isArray(cards) && { cards: cards.map(cardInCapitals) }),
  };
}

const typeInCapitals = (button: unknown): unknown => {
  const { type, ...rest } = Object(button) as Component;
  return { ...(type !== undefined && { type: String(type).toUpperCase() }), ...rest };
};

const cardInCapitals = (card: unknown): unknown => {
  const { components, ...rest } = Object(card) as Component;
  return { ...rest, ...(Array.isArray(components) && { components: components.map((one) => inCapitals(Object(one) as Component)) }) };
};
