import { array, object, owned, type PluginContext, type Route, route, string, type TypeOf } from '#core';
import { numberSchema } from '#core/messaging';
import type { Connections } from './numbers/connections.js';
import { addressTaken } from './numbers/connections.js';
import { credentialsSchema } from './options.js';
import type { ConnectionRecord } from './records.js';
import { webhookPath } from './routes.js';
import { connectionSchema } from './schemas.js';
import type { TemplateSync } from './templates/sync.js';

const params = object({ uuid: string() });

/** Admin routes that connect numbers to the network. No response contains a secret. */
export function cloudAdminRoutes(
  { store, numbers, publicUrl }: PluginContext,
  connections: Connections,
  templates: Pick<TemplateSync, 'readSoon'>,
): Route[] {
  const view = ({ number, phone_number_id, waba_id, connected_at, stopped }: ConnectionRecord): TypeOf<typeof connectionSchema> => ({
    number,
    phone_number_id,
    waba_id,
    connected_at,
    webhook: `${publicUrl()}${webhookPath(phone_number_id)}`,
    stopped: stopped ?? null,
  });

  return [
    route({
      method: 'GET',
      path: '/cloud-api/numbers',
      permission: 'numbers.read',
      summary: 'Lists the numbers that are connected to the Cloud API, without their secrets.',
      responses: { 200: object({ connections: array(connectionSchema) }) },
      handler: async () => ({ connections: (await connections.list()).map(view) }),
    }),
    route({
      method: 'PUT',
      path: '/cloud-api/numbers/{uuid}',
      permission: 'cloud_api.write',
      summary: 'Connects a number of the network to the Cloud API, or replaces its credentials and sends what an error has stopped.',
      request: { params, payload: credentialsSchema },
      responses: { 200: object({ connection: connectionSchema }) },
      errors: [409],
      async handler({ params: { uuid }, payload }) {
        const number = await numbers.require(uuid);
        const connection = await store
          .transaction((tx) => {
            templates.readSoon(tx, payload.waba_id);
            return connections.connect(tx, number, {
              phoneNumberId: payload.phone_number_id,
              wabaId: payload.waba_id,
              accessToken: payload.access_token,
              appSecret: payload.app_secret,
              verifyToken: payload.verify_token,
            });
          })
          .catch(addressTaken);
        return { connection: view(connection) };
      },
    }),
    route({
      method: 'POST',
      path: '/cloud-api/numbers/{uuid}/resume',
      permission: 'cloud_api.resume',
      accounts: { uuid: owned.number },
      summary: 'Sends the messages of a number again after an error that stopped it, such as a payment problem.',
      request: { params },
      responses: { 200: object({ connection: connectionSchema }) },
      handler: async ({ params: { uuid } }) => ({ connection: view(await store.transaction((tx) => connections.resume(tx, uuid))) }),
    }),
    route({
      method: 'DELETE',
      path: '/cloud-api/numbers/{uuid}',
      permission: 'cloud_api.write',
      summary: 'Disconnects a number from the Cloud API and deletes its secrets. The local network serves it again.',
      request: { params },
      responses: { 200: object({ number: numberSchema }) },
      errors: [409],
      handler: async ({ params: { uuid } }) => ({
        number: await store.transaction((tx) => connections.disconnect(tx, uuid)).catch(addressTaken),
      }),
    }),
  ];
}
