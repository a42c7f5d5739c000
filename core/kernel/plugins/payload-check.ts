import type { Payload } from '../../contract/payload.js';
import type { OwnedField } from '../../delivery/webhook-subscription.js';
import type { SubscriptionKind } from '../../dialect.js';

/**
 * Compares the body of each delivery with the payloads that plugins declare for its subscription. Subscriptions without a declared payload
 * accept any body.
 * @throws if the body matches none of them
 */
export function payloadCheck(payloads: () => readonly Payload[], fieldsOf: (kind: SubscriptionKind) => readonly OwnedField[] = () => []) {
  return async (kind: SubscriptionKind, whole: object): Promise<void> => {
    const { nonconformance } = await import('../http/openapi/conformance.js');
    const body: Record<string, unknown> = { ...whole };
    for (const { plugin, schema } of fieldsOf(kind)) {
      const fault = body[plugin] === undefined ? undefined : nonconformance(schema, body[plugin]);
      if (fault !== undefined) throw new Error(`the field '${plugin}' of a delivery for '${kind}' does not fit its schema: ${fault}`);
      delete body[plugin];
    }
    const declared = payloads().filter(({ subscription }) => subscription === kind);
    const faults = declared.map((payload) => [payload.name, nonconformance(payload.body, body)] as const);
    if (faults.length === 0 || faults.some(([, fault]) => fault === undefined)) return;
    const why = faults.map(([name, fault]) => `${name}: ${fault}`).join('; ');
    throw new Error(`a delivery for '${kind}' matches no payload that a plugin declares: ${why}`);
  };
}
