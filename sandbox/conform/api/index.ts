import type { Check } from '../check.js';
import { accessChecks } from './access-checks.js';
import { Api, type ApiOptions } from './api.js';
import { channelChecks } from './channel-checks.js';
import { flowChecks } from './flow-checks.js';
import { messageChecks } from './message-checks.js';
import { simulationChecks } from './simulation-checks.js';

export const checksOfApi: readonly Check<Api>[] = [...accessChecks, ...flowChecks, ...messageChecks, ...channelChecks, ...simulationChecks];
export { Api, type ApiOptions };
