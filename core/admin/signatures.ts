import { type Route, route } from '../contract/route.js';
import type { Deliveries } from '../delivery/deliveries.js';
import { explainSignature, type OtherSecret, signatureDiagnosisSchema, signatureStepSchema } from '../delivery/signature-explanation.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import { Conflict, InvalidRequest } from '../errors.js';
import { anyString, array, boolean, nullable, object, string, stringUpTo, withExamples } from '../shape.js';

const MAX_SIGNATURE_CHARACTERS = 1_000;
/** A body, and the JSON around it. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The content type of every delivery. */
const JSON_TYPE = 'application/json';

const UUID = '01976e2a-8f3b-7c41-9d52-3b1f0a6c7e84';

interface SignatureParts {
  readonly webhooks: Webhooks;
  readonly deliveries: Pick<Deliveries, 'show'>;
  readonly dialect: Dialect;
}

/** Explains signatures of webhooks. No response contains a secret. */
export const signatureRoutes = ({ webhooks, deliveries, dialect }: SignatureParts): Route[] => [
  route({
    method: 'POST',
    path: '/signatures/explain',
    summary:
      'Checks a signature, says how the right one is made, and names the mistake that gives this one, with the code that fixes it in Express, Fastify, hapi, Flask and Go. The body is `body` (text), `body_base64` (bytes), or that of the delivery; the secret is that of the webhook.',
    keepsNothing: true,
    maxBytes: MAX_BYTES,
    request: {
      payload: withExamples(
        object(
          { signature: stringUpTo(MAX_SIGNATURE_CHARACTERS) },
          { webhook: string(), delivery: string(), body: anyString(), body_base64: anyString().base64() },
        ).oxor('body', 'body_base64'),
        {
          'of a webhook': { webhook: UUID, body: '{"text":{"body":"hi"}}', signature: 'bf0d7f8a' },
          'of a delivery': { delivery: UUID, signature: 'bf0d7f8a' },
        },
      ),
    },
    responses: {
      200: object({
        matches: boolean(),
        expected: string(),
        steps: array(signatureStepSchema),
        diagnosis: nullable(signatureDiagnosisSchema),
      }),
    },
    async handler({ payload: { signature, webhook: named, delivery, body, body_base64: base64 } }) {
      const shown = delivery === undefined ? undefined : await deliveries.show(delivery);
      const uuid = named ?? shown?.delivery.webhook;
      if (uuid === undefined) throw missing('webhook', 'webhook is required without delivery');
      const webhook = await webhooks.require(uuid);
      const bytes = base64 === undefined ? (body ?? shown?.body) : Buffer.from(base64, 'base64');
      if (bytes === undefined) throw missing('body', 'body or body_base64 is required without delivery');
      const secret = await webhooks.signingKey(uuid).read();
      if (secret === undefined) throw new Conflict('secret_missing', 'The secret of this webhook is missing in the store');
      const others = await secretsOf(webhooks, webhook.number, uuid);
      const previous = await webhooks.previousKey(webhook)?.read();
      if (previous !== undefined) others.unshift({ owner: 'this webhook before its rotation', secret: previous });
      return explainSignature({
        ...{ body: bytes, secret, signature, others, header: dialect.headers.signature, owner: `webhook '${webhook.name}'` },
        contentType: base64 === undefined && body === undefined ? JSON_TYPE : undefined,
      });
    },
  }),
];

async function secretsOf(webhooks: Webhooks, number: string, except: string): Promise<OtherSecret[]> {
  const found: OtherSecret[] = [];
  for (const { uuid, name } of await webhooks.ofNumber(number)) {
    const secret = uuid === except ? undefined : await webhooks.signingKey(uuid).read();
    if (secret !== undefined) found.push({ owner: `webhook '${name}'`, secret });
  }
  return found;
}

const missing = (field: string, message: string): InvalidRequest => new InvalidRequest([{ path: [field], rule: 'any.required', message }]);
