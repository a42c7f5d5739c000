import type { Payload } from '../../contract/payload.js';
import type { SubscriptionKind } from '../../dialect.js';

/**
 * Compares the body of each delivery with the payloads that plugins declare for its subscription. Subscriptions without a declared payload
 * accept any body.
 * @throws if the body matches none of them
 */
export function payloadCheck(payloads: () => readonly Payload[]) {
  return async (kind: SubscriptionKind, body: object): Promise<void> => {
    const { nonconformance } = await import('../http/openapi/conformance.js');
    const declared = payloads().filter(({ subscription }) => subscription === kind);
    const faults = declared.map((payload) => [payload.name, nonconformance(payload.body, body)] as const);
    if (faults.length === 0 || faults.some(([, fault]) => fault === undefined)) return;
    const why = faults.map(([name, fault]) => `${name}: ${fault}`).join('; ');
    throw new Error(`a delivery for '${kind}' matches no payload that a plugin declares: ${why}`);
  };
}
