import { authentication } from './authentication.js';
import { channelInbound } from './channel-inbound.js';
import { channelInboundContent } from './channel-inbound-content.js';
import { conventions } from './conventions.js';
import { endpointsChannels } from './endpoints-channels.js';
import { endpointsFlows } from './endpoints-flows.js';
import { endpointsIntegration } from './endpoints-integration.js';
import { endpointsMessages } from './endpoints-messages.js';
import { endpointsSimulation } from './endpoints-simulation.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { flowJson } from './flow-json.js';
import { integration } from './integration.js';
import { limits } from './limits.js';
import { overview } from './overview.js';
import { resourcesChannels } from './resources-channels.js';
import { resourcesFlows } from './resources-flows.js';
import type { Row } from './row.js';
import { simulation } from './simulation.js';
import { states } from './states.js';
import { turnKinds } from './turn-kinds.js';
import { turnMedia } from './turn-media.js';
import { versioning } from './versioning.js';
import { webhookEvents } from './webhook-events.js';
import { webhookInbound } from './webhook-inbound.js';

/** Every rule of the interface, by section, in the order of the interface. */
export const sections: Readonly<Record<string, readonly Row[]>> = {
  conventions,
  overview,
  'resources-flows': [...resourcesFlows, ...flowJson],
  'resources-channels': [...resourcesChannels, ...channelInbound, ...channelInboundContent],
  'turn-kinds': [...turnKinds, ...turnMedia],
  'webhook-events': [...webhookInbound, ...webhookEvents],
  integration,
  simulation,
  states,
  'endpoints-flows': endpointsFlows,
  'endpoints-messages': endpointsMessages,
  'endpoints-channels': endpointsChannels,
  'endpoints-integration': endpointsIntegration,
  'endpoints-simulation': endpointsSimulation,
  authentication,
  events,
  errors,
  limits,
  versioning,
};

export const rows: readonly Row[] = Object.values(sections).flat();
