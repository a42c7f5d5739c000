import { anyStringUpTo, array, Conflict, integer, object, oneOf, type Route, route, string } from '#core';
import type { Actions } from '../actions.js';
import { type CallLog, integrationCallSchema } from '../client/call-log.js';
import type { Integrations } from '../integrations.js';
import { ofIntegration } from '../records.js';
import { capabilitiesSchema, clickSchema, tryResultSchema } from '../schemas.js';
import { tryAnswer } from './try-answer.js';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;
const MAX_ANSWER = 512 * 1024;
const params = object({ uuid: string() });
const limit = integer().min(1).max(MAX_LIMIT);

interface InspectionParts {
  readonly integrations: Integrations;
  readonly actions: Actions;
  /** Undefined if calls are not recorded. */
  readonly calls: CallLog | undefined;
}

/** Admin routes for the developer of an integration: what was sent and received, and what a response would show. */
export const inspectionRoutes = ({ integrations, actions, calls }: InspectionParts): Route[] => [
  route({
    method: 'GET',
    path: '/integrations/{uuid}/calls',
    permission: 'messages.read_bodies',
    accounts: { uuid: ofIntegration },
    summary:
      'Lists the newest calls to an integration, newest first, with both bodies and the time that they took. Responds 409 unless the plugin records calls.',
    request: { params, query: object({}, { limit }) },
    responses: { 200: object({ calls: array(integrationCallSchema) }) },
    errors: [404, 409],
    async handler({ params: { uuid }, query: { limit: most = DEFAULT_LIMIT } }) {
      await integrations.require(uuid);
      if (!calls) throw new Conflict('not_recorded', 'Calls to integrations are not recorded; set the option recordCalls of the plugin');
      return { calls: calls.of(uuid).slice(0, most) };
    },
  }),
  route({
    method: 'GET',
    path: '/integrations/{uuid}/clicks',
    permission: 'messages.read_bodies',
    accounts: { uuid: ofIntegration },
    summary: 'Lists the clicks on actions of an integration in the last day, newest first, and when `notify/finish` reported their end.',
    request: { params, query: object({}, { limit }) },
    responses: { 200: object({ clicks: array(clickSchema) }) },
    errors: [404],
    async handler({ params: { uuid }, query: { limit: most = DEFAULT_LIMIT } }) {
      await integrations.require(uuid);
      return { clicks: await actions.clicksOf(uuid, most) };
    },
  }),
  route({
    method: 'POST',
    path: '/integrations/try',
    permission: 'integrations.use',
    accounts: { integration: ofIntegration },
    summary:
      'Reads a response as if an integration had sent it, and names each problem with its JSON pointer, line and column. `integration` or `capabilities` say what the handshake declared. Calls nothing and stores nothing.',
    maxBytes: 2 * MAX_ANSWER,
    request: {
      payload: object(
        { kind: oneOf('handshake', 'context'), answer: anyStringUpTo(MAX_ANSWER) },
        { integration: string(), capabilities: capabilitiesSchema },
      ).oxor('integration', 'capabilities'),
    },
    responses: { 200: object({ result: tryResultSchema }) },
    errors: [404],
    async handler({ payload: { kind, answer, integration, capabilities } }) {
      const known = integration === undefined ? undefined : (await integrations.require(integration)).handshake.capabilities;
      return { result: tryAnswer(kind, answer, capabilities ?? known) };
    },
  }),
];
