import { createHmac } from 'node:crypto';
import { InvalidRequest, isSameSecret, NotFound, object, type PluginContext, type Route, route, string, stringUpTo } from '#core';
import { readJsonText } from '#core/areas';
import { SignatureRefused, VerificationRefused } from './errors.js';
import type { Counters } from './metrics.js';
import type { Connections } from './numbers/connections.js';
import { received } from './receiving/queues.js';
import { itemsOf } from './receiving/split.js';

/** The network sends up to 3 MB; a few values may be escaped. */
const MAX_BYTES = 8 * 1024 * 1024;
const SIGNATURE = /^sha256=([\da-f]{64})$/;

/** The uuid of a number, or its phone number ID. In the latter form, a number has the same address in another store. */
const params = object({ number: stringUpTo(36).pattern(/^(\d{1,32}|[\da-f-]{36})$/i, 'uuid or phone number ID') });

/** The path to register at the network, for the number with this phone number ID. */
export const webhookPath = (phoneNumberId: string): string => `/cloud-api/webhooks/${phoneNumberId}`;

/** The webhook of the network: its registration, and its calls. */
export function webhookRoutes({ store, log }: PluginContext, connections: Connections, counters: Counters): Route[] {
  /** @throws NotFound when no connected number has this id */
  async function secretOf(number: string, kind: 'appSecret' | 'verifyToken'): Promise<string> {
    const { number: uuid } = (await connections.byPhone(number)) ?? { number: number.toLowerCase() };
    return connections.secret(uuid, kind);
  }

  /**
   * The app secret that has signed a call: that of the number in the path. If that number is not here, because it is in another shard or was
   * disconnected, the call may have parts for other numbers of the app, so their secrets are tried.
   * @throws NotFound, SignatureRefused
   */
  async function signingSecret(number: string, header: string | undefined, bytes: Uint8Array): Promise<string> {
    try {
      const secret = await secretOf(number, 'appSecret');
      checkSignature(header, bytes, secret);
      return secret;
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      const secrets = SIGNATURE.test(header ?? '') ? await connections.appSecrets() : [];
      const signed = secrets.find((secret) => isSignedBy(header, bytes, secret));
      if (signed === undefined) throw error;
      return signed;
    }
  }

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
        const token = await secretOf(number, 'verifyToken');
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
        const secret = await signingSecret(number, headers['x-hub-signature-256'], bytes).catch((error: unknown) => {
          if (error instanceof SignatureRefused) counters.webhook({ result: 'refused' });
          throw error;
        });
        const { value, fault } = readJsonText(Buffer.from(bytes).toString('utf8'));
        if (fault !== undefined) throw new InvalidRequest([], 'The body is not JSON that can be read');
        const items = await itemsOf(value, { connections, counters, signedBy: secret });
        // A transaction may write for one account only, and a call may be for several.
        for (const own of new Set(items.map(({ job }) => job.number))) {
          await store.transaction((tx) => {
            for (const { job, serial } of items) if (job.number === own) tx.push(received, job, { serial });
          });
        }
        counters.webhook({ result: 'taken' });
        log.debug('the network called the webhook', { number_id: number, parts: items.length });
        return {};
      },
    }),
  ];
}

/** @throws SignatureRefused unless the header has the HMAC-SHA256 of the bytes as they were received */
function checkSignature(header: string | undefined, bytes: Uint8Array, secret: string): void {
  if (!isSignedBy(header, bytes, secret)) throw new SignatureRefused(header === undefined);
}

function isSignedBy(header: string | undefined, bytes: Uint8Array, secret: string): boolean {
  const [, given] = SIGNATURE.exec(header ?? '') ?? [];
  return given !== undefined && isSameSecret(given, createHmac('sha256', secret).update(bytes).digest('hex'));
}
