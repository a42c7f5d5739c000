import { array, boolean, InvalidRequest, object, type PluginContext, type Route, route, string, withoutUndefined } from '#core';
import type { Actions } from './actions.js';
import type { Integrations } from './integrations.js';
import type { Panels } from './panels/panels.js';
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

/** Integrations of a number, as an operator sets them up, and clicks on what they offer. */
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
      summary: 'Lists the integrations of a number in their order on screen.',
      request: { query: object({ number: string() }) },
      responses: { 200: object({ integrations: array(integrationSchema) }) },
      async handler({ query }) {
        await numbers.require(query.number);
        return { integrations: await integrations.ofNumber(query.number) };
      },
    }),
    route({
      method: 'POST',
      path: '/integrations',
      summary: 'Makes an integration and, when it is enabled, greets it. The secret is in this answer and nowhere else.',
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
      summary: 'Shows an integration with the state of its handshake, without its secret and its token.',
      request: { params },
      responses: { 200: oneIntegration },
      handler: async ({ params: { uuid } }) => ({ integration: await integrations.require(uuid) }),
    }),
    route({
      method: 'PATCH',
      path: '/integrations/{uuid}',
      summary: 'Changes an integration. With another address or other credentials it is greeted anew, as soon as it is enabled.',
      request: {
        params,
        payload: integrationChangeSchema,
      },
      responses: { 200: oneIntegration },
      async handler({ params: { uuid }, payload }) {
        const { authorization: current, revision } = await integrations.require(uuid);
        const scheme = payload.authorization === undefined ? current : payload.authorization;
        const isNew = current === null && scheme !== null;
        checkCredentials(scheme, payload.token ?? (isNew || scheme === null ? undefined : KEPT));
        const changed = await integrations.change(uuid, withoutUndefined(payload));
        if (changed.revision !== revision || !changed.enabled) panels.forget(uuid);
        const isUnknown = changed.enabled && changed.handshake.state === 'pending';
        return { integration: isUnknown ? await integrations.shake(uuid) : changed };
      },
    }),
    route({
      method: 'DELETE',
      path: '/integrations/{uuid}',
      summary: 'Removes an integration with its secret, its token and its clicks.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await integrations.remove(uuid);
        panels.forget(uuid);
        return { success: true };
      },
    }),
    route({
      method: 'POST',
      path: '/integrations/{uuid}/handshake',
      summary: 'Greets an integration again.',
      request: { params },
      responses: { 200: oneIntegration },
      handler: async ({ params: { uuid } }) => ({ integration: await integrations.shake(uuid) }),
    }),
    route({
      method: 'POST',
      path: '/conversations/{uuid}/actions',
      summary: 'Clicks on an action that an integration offers in a conversation that is open. A failure is a state of the click.',
      request: {
        params,
        payload: newClickSchema,
      },
      responses: { 200: object({ click: clickSchema, refreshed: boolean() }) },
      async handler({ params: { uuid: conversation }, payload, log }) {
        const { click, refresh } = await actions.click({ conversation, ...payload });
        if (refresh) await panels.refresh(conversation, log);
        return { click, refreshed: refresh };
      },
    }),
  ];
}

/** Stands for the token that an integration has already. */
const KEPT = 'kept';

function checkCredentials(scheme: (typeof authorizations)[number] | null, token: string | undefined): void {
  if ((scheme === null) === (token === undefined)) return;
  const message =
    scheme === null
      ? `token is not allowed without an authorization; choose ${authorizations.join(' or ')}`
      : `token is required with the authorization ${scheme}`;
  throw new InvalidRequest([{ path: ['token'], rule: scheme === null ? 'any.unknown' : 'any.required', message }]);
}
