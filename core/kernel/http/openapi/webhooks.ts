import { deliveryAnswers, type Payload, type PayloadAnswer } from '../../../contract/payload.js';
import type { OwnedField } from '../../../delivery/webhook-subscription.js';
import { type Dialect, type SubscriptionKind, subscriptionName } from '../../../dialect.js';
import type { JsonSchema } from '../../../shape.js';
import { contentOf } from './content.js';
import { answerSchemaOf } from './schema.js';

const SIGNATURE = 'Base64 of the HMAC-SHA256 of the request body, computed with the secret of the receiver.';
const SIGNATURE_EXAMPLE = 'q1xPtjDHnGhrqyb1y5aPUT2cJ/1VR8tCSMHFrJJgZzs=';

/** The `webhooks` section of an OpenAPI document: the requests that the platform sends, by their names. */
export const webhooksOf = (
  areas: readonly { readonly name: string; readonly payloads: readonly Payload[] }[],
  dialect: Dialect,
  fieldsOf: FieldsOf,
): Record<string, object> =>
  Object.fromEntries(
    areas.flatMap(({ name, payloads }) =>
      payloads.filter(({ isUnlisted }) => !isUnlisted).map((payload) => [payload.name, pathItemOf(payload, name, dialect, fieldsOf)]),
    ),
  );

function pathItemOf(
  { name, summary, description, subscription, headers = {}, query, body, answers = deliveryAnswers }: Payload,
  area: string,
  dialect: Dialect,
  fieldsOf: FieldsOf,
) {
  const fields = subscription === undefined ? [] : fieldsOf(subscription);
  const inQuery = query ? (answerSchemaOf(query) as { properties?: Record<string, JsonSchema>; required?: readonly string[] }) : {};
  return {
    post: {
      operationId: name,
      summary,
      ...(description !== undefined && { description }),
      tags: [area],
      // A signature authenticates the request, for which OpenAPI has no security scheme.
      security: [],
      parameters: [
        ...Object.entries(inQuery.properties ?? {}).map(([key, schema]) => ({
          name: key,
          in: 'query',
          required: inQuery.required?.includes(key) ?? false,
          schema,
        })),
        header(dialect.headers.signature, SIGNATURE, { example: SIGNATURE_EXAMPLE }),
        ...(subscription === undefined
          ? []
          : [
              header(dialect.headers.previousSignature, `While a secret is being replaced: the same, computed with the previous secret.`, {
                required: false,
                example: SIGNATURE_EXAMPLE,
              }),
              header(dialect.headers.subscription, 'The subscription that the delivery is for.', {
                schema: { type: 'string', enum: [subscriptionName(dialect, subscription)] },
              }),
              header(dialect.headers.delivery, 'The delivery. It is the same in all attempts and redeliveries, so deduplicate by it.', {
                schema: { type: 'string', format: 'uuid' },
              }),
              header(dialect.headers.run, '1 for the first run of the delivery; each redelivery adds one.', { schema: POSITIVE }),
              header(dialect.headers.attempt, 'The attempt within the run: 1, and one more for each retry.', { schema: POSITIVE }),
              header(dialect.headers.time, 'When the event was queued, in Unix seconds; the same in all attempts and redeliveries.', {
                schema: POSITIVE,
              }),
            ]),
        ...Object.entries(headers).map(([key, description]) => header(key, description)),
      ],
      requestBody: { required: true, content: { 'application/json': withFields(contentOf([body]), fields) } },
      responses: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
    },
  };
}

export type FieldsOf = (kind: SubscriptionKind) => readonly OwnedField[];

/** The content with the fields that plugins add to the body. */
const withFields = (content: object, fields: readonly OwnedField[]): object => {
  if (fields.length === 0) return content;
  const added = fields.map(({ plugin, summary, schema }) => [plugin, { ...answerSchemaOf(schema), description: summary }] as const);
  const { schema } = content as { schema: JsonSchema };
  return { ...content, schema: { allOf: [schema, { type: 'object', properties: Object.fromEntries(added) }] } };
};

const POSITIVE = { type: 'integer', minimum: 1 };

const header = (
  name: string,
  description: string,
  { required = true, schema = { type: 'string' }, ...more }: Readonly<Record<string, unknown>> = {},
) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
  ...more,
});

const responseOf = ({ description, body, headers }: PayloadAnswer): object => ({
  description,
  ...(headers && {
    headers: Object.fromEntries(Object.entries(headers).map(([name, about]) => [name, { description: about, schema: { type: 'string' } }])),
  }),
  ...(body && { content: { 'application/json': contentOf([body]) } }),
});
