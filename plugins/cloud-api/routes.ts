import { setImmediate as breathe } from 'node:timers/promises';
import { InvalidRequest, isSameSecret, NotFound, object, type PluginContext, type Route, route, string, stringUpTo } from '#core';
import { readJsonText } from '#core/basics';
import { SignatureRefused, VerificationRefused } from './errors.js';
import type { Counters } from './metrics.js';
import type { Connections } from './numbers/connections.js';
import { received } from './receiving/queues.js';
import type { Signing } from './receiving/signing.js';
import { type Item, itemsOf } from './receiving/split.js';

/** The network sends up to 3 MB; a few values may be escaped. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Parts that are stored in one transaction, which blocks the event loop for about 10 ms. */
const STORED_AT_ONCE = 250;

/** The uuid of a number, or its phone number ID. In the latter form, a number has the same address in another store. */
const params = object({ number: stringUpTo(36).pattern(/^(\d{1,32}|[\da-f-]{36})$/i, 'uuid or phone number ID') });

/** The path to register at the network, for the number with this phone number ID. */
export const webhookPath = (phoneNumberId: string): string => `/cloud-api/webhooks/${phoneNumberId}`;

/** The webhook of the network: its registration, and its calls. */
export function webhookRoutes(
  { store, log }: Pick<PluginContext, 'store' | 'log'>,
  { connections, signing, counters }: { connections: Connections; signing: Signing; counters: Counters },
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/cloud-api/webhooks/{number}',
      summary: 'Answers the challenge with which the network registers the webhook of a number.',
      auth: 'none',
      bucket: 'none',
      request: {
        params,
        query: object({ 'hub.mode': string().valid('subscribe'), 'hub.challenge': stringUpTo(256), 'hub.verify_token': stringUpTo(1_024) }),
      },
      responses: { 200: { contentType: 'text/plain' } },
      errors: [403, 404],
      async handler({ params: { number }, query }, h) {
        const connection = await connections.byPath(number);
        if (!connection) throw new NotFound('connection of the number', number, 'connection_not_found');
        const token = await connections.secret(connection.number, 'verifyToken');
        if (!isSameSecret(query['hub.verify_token'], token)) throw new VerificationRefused();
        return h.response(query['hub.challenge']).type('text/plain').header('x-content-type-options', 'nosniff');
      },
    }),
    route({
      method: 'POST',
      path: '/cloud-api/webhooks/{number}',
      summary: 'Receives messages, statuses and other events of the network. They are stored before the answer, and processed after it.',
      auth: 'none',
      bucket: 'none',
      // One callback serves all numbers of an app. In a cluster they may be in several shards, and each takes the parts of its own.
      shards: 'each',
      maxBytes: MAX_BYTES,
      body: 'bytes',
      makesDeliveries: true,
      request: { params },
      responses: { 200: object({}) },
      errors: [400, 401, 403, 404],
      async handler({ params: { number }, payload, headers }) {
        const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
        const secret = await signing.secret(number, headers['x-hub-signature-256'], bytes).catch((error: unknown) => {
          if (error instanceof SignatureRefused) counters.webhook({ result: 'refused' });
          throw error;
        });
        const { value, fault } = readJsonText(Buffer.from(bytes).toString('utf8'));
        if (fault !== undefined) throw new InvalidRequest([], 'The body is not JSON that can be read');
        const items = await itemsOf(value, { connections, counters, signedBy: secret });
        // The network repeats a call that failed; parts that are stored twice are recorded once.
        for (const part of transactionsOf(items)) {
          await store.transaction((tx) => {
            for (const { job, serial } of part) tx.push(received, job, { serial });
          });
          await breathe();
        }
        counters.webhook({ result: 'taken' });
        log.debug('the network called the webhook', { number_id: number, parts: items.length });
        return {};
      },
    }),
  ];
}

/** The parts of a call as transactions: each writes for one account only, and is small enough not to hold up other calls. */
function* transactionsOf(items: readonly Item[]): Generator<readonly Item[]> {
  for (const own of new Set(items.map(({ job }) => job.number))) {
    const parts = items.filter(({ job }) => job.number === own);
    for (let i = 0; i < parts.length; i += STORED_AT_ONCE) yield parts.slice(i, i + STORED_AT_ONCE);
  }
}
