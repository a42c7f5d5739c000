import { Ajv2020 } from 'ajv/dist/2020.js';
import { answerSchemaOf } from '../../../core/kernel/http/openapi/schema.js';
import { outboundPayloadSchema } from '../../../plugins/channels/plugin.js';
import { channelInboundSchema, inboundEventSchema, sentEventSchema, statusEventSchema } from '../../../plugins/webhooks/plugin.js';

/** The schemas of the bodies that webhooks receive, by subscription; a body must match one of them. */
export const schemas = {
  msgapp: { inbound: inboundEventSchema, status: statusEventSchema },
  svc: { sent: sentEventSchema },
  journey_outbound: { sent: sentEventSchema },
  channel: { outbound: outboundPayloadSchema, inbound: channelInboundSchema },
};

const ajv = new Ajv2020({ strict: false });
const compiled = new Map(
  Object.values(schemas)
    .flatMap((some) => Object.values(some))
    .map((schema) => [schema as object, ajv.compile(answerSchemaOf(schema))]),
);

/** Keys of a body that none of its schemas allows, and disagreements between the schemas. */
export function faultsIn(subscription: keyof typeof schemas, body: unknown): string[] {
  const faults = Object.entries(schemas[subscription]).map(([name, schema]) => {
    const byJoi = schema.validate(body, { convert: false, abortEarly: false, allowUnknown: false }).error?.message;
    const check = compiled.get(schema)!;
    const byJsonSchema = check(body) ? undefined : ajv.errorsText(check.errors);
    return [byJoi, byJsonSchema].flatMap((fault) => (fault === undefined ? [] : [`${name}: ${fault}`]));
  });
  return faults.find((some) => some.length === 0) ?? faults.flat();
}
