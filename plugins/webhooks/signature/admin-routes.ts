import {
  anyString,
  array,
  boolean,
  Conflict,
  InvalidRequest,
  nullable,
  object,
  operatorOf,
  owned,
  type PluginContext,
  queuedAt,
  type Route,
  route,
  signatureStepSchema,
  string,
  stringUpTo,
  visibleNumbers,
  type WebhookRecord,
} from '#core';
import { withExamples } from '#core/schemas';
import { explainSignature, type OtherSecret, signatureDiagnosisSchema } from './explanation.js';

const MAX_SIGNATURE_CHARACTERS = 1_000;
/** Webhooks whose secrets are tried. */
const MAX_OTHERS = 1_000;
/** A body, and the JSON around it. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The content type of every delivery. */
const JSON_TYPE = 'application/json';

const UUID = '01976e2a-8f3b-7c41-9d52-3b1f0a6c7e84';

/** Explains signatures of webhooks. No response contains a secret. */
export const signatureRoutes = ({ webhooks, numbers, deliveries, dialect }: PluginContext): Route[] => [
  route({
    method: 'POST',
    path: '/signatures/explain',
    permission: 'webhooks.explain',
    morePermissions: ['webhooks.secrets', 'messages.read_bodies'],
    accounts: { webhook: owned.webhook, delivery: owned.delivery },
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
        /** Null without the permission `webhooks.secrets`, unless it signs a delivery of the webhook whose body may be read. */
        expected: nullable(string()),
        steps: array(signatureStepSchema),
        diagnosis: nullable(signatureDiagnosisSchema),
      }),
    },
    async handler({ payload: { signature, webhook: named, delivery, body, body_base64: base64 }, request }) {
      const shown = delivery === undefined ? undefined : await deliveries.show(delivery);
      const uuid = named ?? shown?.delivery.webhook;
      if (uuid === undefined) throw missing('webhook', 'webhook is required without delivery');
      const webhook = await webhooks.require(uuid);
      const bytes = base64 === undefined ? (body ?? shown?.body) : Buffer.from(base64, 'base64');
      if (bytes === undefined) throw missing('body', 'body or body_base64 is required without delivery');
      const secret = await webhooks.signingKey(uuid).read();
      if (secret === undefined) throw new Conflict('secret_missing', 'The secret of this webhook is missing in the store');
      const visible = new Set((await visibleNumbers(numbers, operatorOf(request))).map((one) => one.uuid));
      const all = (await webhooks.list(MAX_OTHERS)).filter(({ number }) => visible.has(number));
      const ownerOf = namesOf([webhook, ...all], await addressesOf(numbers, [webhook, ...all]));
      const others = await secretsOf(webhooks, all, ownerOf);
      const previous = await webhooks.previousKey(webhook)?.read();
      if (previous !== undefined) others.unshift({ owner: 'this webhook before its rotation', secret: previous });
      const explained = explainSignature({
        body: bytes,
        secret,
        signature,
        others,
        header: dialect.headers.signature,
        owner: ownerOf(webhook),
        times: shown ? [queuedAt(shown.delivery), String(Date.parse(shown.delivery.created_at))] : [],
        contentType: base64 === undefined && body === undefined ? JSON_TYPE : undefined,
      });
      // Otherwise the call would sign any body. That of a delivery was sent with its signature.
      const isSent = base64 === undefined && body === undefined && uuid === shown?.delivery.webhook;
      const { may } = operatorOf(request);
      return may('webhooks.secrets') || (isSent && may('messages.read_bodies')) ? explained : { ...explained, expected: null, steps: [] };
    },
  }),
];

async function secretsOf(
  webhooks: Pick<PluginContext['webhooks'], 'signingKey'>,
  all: readonly WebhookRecord[],
  ownerOf: (webhook: WebhookRecord) => string,
): Promise<OtherSecret[]> {
  const found: OtherSecret[] = [];
  for (const webhook of all) {
    const secret = await webhooks.signingKey(webhook.uuid).read();
    if (secret !== undefined) found.push({ owner: ownerOf(webhook), secret });
  }
  return found;
}

/** Names webhooks, and tells those of one name apart by uuid and number. */
function namesOf(all: readonly WebhookRecord[], addresses: ReadonlyMap<string, string>): (webhook: WebhookRecord) => string {
  const uuids = new Map<string, Set<string>>();
  for (const { name, uuid } of all) uuids.set(name, (uuids.get(name) ?? new Set()).add(uuid));
  return ({ name, uuid, number }) =>
    uuids.get(name)!.size === 1 ? `webhook '${name}'` : `webhook '${name}' (${uuid}, of number ${addresses.get(number) ?? number})`;
}

async function addressesOf(numbers: Pick<PluginContext['numbers'], 'get'>, all: readonly WebhookRecord[]): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  for (const uuid of new Set(all.map(({ number }) => number))) {
    const number = await numbers.get(uuid);
    if (number) addresses.set(uuid, number.address);
  }
  return addresses;
}

const missing = (field: string, message: string): InvalidRequest => new InvalidRequest([{ path: [field], rule: 'any.required', message }]);
