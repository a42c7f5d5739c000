import type { Check } from '../check.js';
import { Connector, type ConnectorOptions } from './connector.js';
import { deliveryChecks } from './delivery-checks.js';
import { inboundChecks } from './inbound-checks.js';
import { statusChecks } from './status-checks.js';

export const checksOfConnectors: readonly Check<Connector>[] = [...deliveryChecks, ...statusChecks, ...inboundChecks];
export { Connector, type ConnectorOptions };
