import { array, boolean, InvalidRequest, object, owned, type PluginContext, type Route, route, string, withoutUndefined } from '#core';
import type { Actions } from './actions.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';
import { ofIntegration } from './records.js';
import {
  authorizations,
  clickSchema,
  integrationChangeSchema,
  integrationSchema,
  newClickSchema,
  newIntegrationSchema,
} from './schemas.js';

const params = object({ uuid: string() });
const oneIntegration = object({ integration: integrationSchema });

/** Admin routes to configure the integrations of a number, and to click on their actions. */
export function integrationAdminRoutes(
  { numbers }: Pick<PluginContext, 'numbers'>,
  integrations: Integrations,
  panels: Panels,
  actions: Actions,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/integrations',
      permission: 'integrations.read',
      accounts: { number: owned.number },
      shards: { list: 'integrations', by: ['number'], order: 'ascending' },
      summary: 'Lists the integrations in display order: those of a number, or of all numbers.',
      request: { query: object({}, { number: string() }) },
      responses: { 200: object({ integrations: array(integrationSchema) }) },
      async handler({ query }) {
        if (query.number === undefined) return { integrations: await integrations.all() };
        await numbers.require(query.number);
        return { integrations: await integrations.ofNumber(query.number) };
      },
    }),
    route({
      method: 'POST',
      path: '/integrations',
      permission: 'integrations.write',
      accounts: { number: owned.number },
      summary: 'Creates an integration and, if it is enabled, makes the handshake. Only this response contains the secret.',
      request: {
        payload: newIntegrationSchema,
      },
      responses: { 201: object({ integration: integrationSchema, hmac_secret: string() }) },
      async handler({ payload: { authorization = null, token, enabled = true, order = 0, ...about } }, h) {
        await numbers.require(about.number);
        checkCredentials(authorization, token);
        const made = await integrations.create({ ...about, authorization, token, enabled, order });
        const integration = enabled ? await integrations.shake(made.integration.uuid) : made.integration;
        return h.response({ integration, hmac_secret: made.secret }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/integrations/{uuid}',
      permission: 'integrations.read',
      accounts: { uuid: ofIntegration },
      summary: 'Returns an integration with the state of its handshake, without its secret and token.',
      request: { params },
      responses: { 200: oneIntegration },
      handler: async ({ params: { uuid } }) => ({ integration: await integrations.require(uuid) }),
    }),
    route({
      method: 'PATCH',
      path: '/integrations/{uuid}',
      permission: 'integrations.write',
      accounts: { uuid: ofIntegration },
      summary:
        'Changes an integration. After a change of URL or credentials, the platform makes a new handshake as soon as the integration is enabled.',
      request: {
        params,
        payload: integrationChangeSchema,
      },
      responses: { 200: oneIntegration },
      async handler({ params: { uuid }, payload }) {
        const { authorization: current, revision } = await integrations.require(uuid);
        const scheme = payload.authorization === undefined ? current : payload.authorization;
        const isNew = current === null && scheme !== null;
        checkCredentials(scheme, payload.token ?? (isNew || scheme === null ? undefined : CURRENT_TOKEN));
        const changed = await integrations.change(uuid, withoutUndefined(payload));
        if (changed.revision !== revision || !changed.enabled) panels.drop(uuid);
        const isUnknown = changed.enabled && changed.handshake.state === 'pending';
        return { integration: isUnknown ? await integrations.shake(uuid) : changed };
      },
    }),
    route({
      method: 'DELETE',
      path: '/integrations/{uuid}',
      permission: 'integrations.write',
      accounts: { uuid: ofIntegration },
      summary: 'Deletes an integration with its secret, token and clicks.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await integrations.remove(uuid);
        panels.drop(uuid);
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/integrations/{uuid}/handshake',
      permission: 'integrations.use',
      accounts: { uuid: ofIntegration },
      summary: 'Repeats the handshake of an integration.',
      request: { params },
      responses: { 200: oneIntegration },
      handler: async ({ params: { uuid } }) => ({ integration: await integrations.shake(uuid) }),
    }),
    route({
      method: 'POST',
      path: '/conversations/{uuid}/actions',
      permission: 'integrations.use',
      accounts: { uuid: owned.conversation },
      summary:
        'Clicks on an action that an integration offers in an open conversation. A failed call is reported in the state of the click, not as an error.',
      request: {
        params,
        payload: newClickSchema,
      },
      responses: { 200: object({ click: clickSchema, refreshed: boolean() }) },
      async handler({ params: { uuid: conversation }, payload, log }) {
        const { click, refresh } = await actions.click({ conversation, ...payload });
        if (refresh) await panels.refresh(conversation, log, 'header');
        return { click, refreshed: refresh };
      },
    }),
  ];
}

/** A placeholder for the token that the integration already has. */
const CURRENT_TOKEN = 'kept';

function checkCredentials(scheme: (typeof authorizations)[number] | null, token: string | undefined): void {
  if ((scheme === null) === (token === undefined)) return;
  const message =
    scheme === null
      ? `token is not allowed without authorization; set authorization to ${authorizations.join(' or ')}`
      : `token is required with authorization ${scheme}`;
  throw new InvalidRequest([{ path: ['token'], rule: scheme === null ? 'any.unknown' : 'any.required', message }]);
}
