import { InvalidRequest, isSameSecret, NotFound, object, PlatformError, type PluginContext, type Route, route, string } from '#core';
import { objectOf, readJson } from '#core/basics';
import { type Bots, settingsOf, webhookSecret } from './connection.js';
import type { Refusals } from './metrics.js';
import { pushUpdate } from './receiving/queues.js';

/** The webhook that Telegram calls with the updates of a bot. */
export function webhookRoutes(
  { store, connections }: Pick<PluginContext, 'store' | 'connections'>,
  { bots, refusals }: { bots: Bots; refusals: Refusals },
): Route[] {
  return [
    route({
      method: 'POST',
      path: '/telegram/{number}/updates',
      summary: 'Receives an update of a Telegram bot. It is stored before the answer, and processed after it.',
      auth: 'none',
      bucket: 'none',
      makesDeliveries: true,
      body: 'bytes',
      request: { params: object({ number: string() }) },
      responses: { 200: object({}) },
      errors: [400, 401, 404],
      async handler({ params: { number }, payload, headers }) {
        const connection = await connections.of(number);
        const bot = connection && (await bots.of(number));
        if (!bot || settingsOf(connection).receive !== 'webhook')
          throw new NotFound('connection of the number', number, 'connection_not_found');
        if (!isSameSecret(String(headers['x-telegram-bot-api-secret-token'] ?? ''), webhookSecret(number, bot.token))) {
          refusals.refused({ what: 'webhook' });
          throw new PlatformError(401, 'telegram_secret_wrong', 'X-Telegram-Bot-Api-Secret-Token is not the secret of this bot');
        }
        const update = readJson(Buffer.from(payload instanceof Uint8Array ? payload : []).toString('utf8'));
        if (update === null || update === undefined) throw new InvalidRequest([], 'The body is not JSON that can be read');
        await store.transaction((tx) => pushUpdate(tx, number, objectOf(update)));
        return {};
      },
    }),
  ];
}
