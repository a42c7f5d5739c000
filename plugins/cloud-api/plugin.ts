import { beforeCommit, definePlugin, deliverySettled, permit } from '#core';
import { adviceOnce } from '#core/messaging';
import { cloudAdminRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { cloudErrors } from './errors.js';
import { flowEvents, flowStatusConsumer } from './flows/events.js';
import { createGraphFlows } from './flows/operator.js';
import { createGraph } from './graph/client.js';
import { createCounters } from './metrics.js';
import { createConnections } from './numbers/connections.js';
import { adviseDoubles } from './numbers/doubles.js';
import { type CloudApiOptions, optionsSchema, type Settings } from './options.js';
import { accountEvents } from './receiving/account-events.js';
import { receivedConsumer } from './receiving/consumer.js';
import { createMediaFetch } from './receiving/media.js';
import { createInbound } from './receiving/messages.js';
import { createSigning } from './receiving/signing.js';
import { createStatuses } from './receiving/statuses.js';
import {
  connections,
  contactAliases,
  earlyStatuses,
  flowPositions,
  issuedAdvice,
  pendingSends,
  templateExtras,
  uploads,
} from './records.js';
import { webhookRoutes } from './routes.js';
import { sentPayload } from './schemas.js';
import { createAcceptance } from './sending/acceptance.js';
import { createBodies } from './sending/body.js';
import { sendBudget } from './sending/budget.js';
import { backlogCheck, windowCheck, windowView } from './sending/check.js';
import { createDoubts } from './sending/doubts.js';
import { cloudDriver, laneConsumer } from './sending/driver.js';
import { sendExplanation } from './sending/explain.js';
import { markConsumer, marking } from './sending/marks.js';
import { movingSends } from './sending/moved-sends.js';
import { personalSends } from './sending/personal-data.js';
import { cloudSender, sendSettled, unknownConsumer } from './sending/sender.js';
import { createUploads } from './sending/uploads.js';
import { templateAdminRoutes } from './templates/admin-routes.js';
import { templateCheck } from './templates/check.js';
import { createTemplateSync } from './templates/sync.js';

/** Sends and receives the messages of numbers over the WhatsApp Business Cloud API; numbers that are not connected stay on the local network. */
export const cloudApi = definePlugin<CloudApiOptions, Exclude<keyof CloudApiOptions, 'flowOperator'>>({
  name: 'cloud-api',
  version: '0.1.0',
  permissions: {
    'cloud_api.write': permit.owners('Connect and disconnect numbers of the Cloud API.'),
    'cloud_api.resume': permit.operators('Resume a number of the Cloud API.'),
  },
  optional: ['flows'],
  causes,
  options: optionsSchema,
  collections: {
    connections,
    pendingSends,
    earlyStatuses,
    contactAliases,
    uploads,
    issuedAdvice,
    flowPositions,
    templateExtras,
  },
  register(context, settings: Settings) {
    const graph = createGraph(context, settings);
    const connected = createConnections(context);
    const flows = createGraphFlows(context, connected, graph);
    settings.flowOperator?.attach(flows);
    const counters = createCounters();
    const acceptance = createAcceptance(context, counters);
    const statuses = createStatuses(context, acceptance, counters);
    const files = createUploads(context, connected, graph);
    const bodies = createBodies(context, files);
    const budget = sendBudget(context.clock, settings);
    const doubts = createDoubts(context, settings);
    const inbound = createInbound(context, createMediaFetch(context, connected, graph));
    const templates = createTemplateSync(context, connected, graph);
    const checks = [windowCheck(context, settings), backlogCheck(context, budget, settings), templateCheck(context)];
    const handlers = [templates.events(), flowEvents(connected), accountEvents(context)];
    return {
      routes: webhookRoutes(context, { connections: connected, signing: createSigning(connected, context.clock), counters }),
      admin: [...cloudAdminRoutes(context, connected, templates), ...templateAdminRoutes(context, connected, graph, templates)],
      channels: [cloudDriver(context, checks)],
      senders: [cloudSender(context, { connections: connected, graph, budget, doubts, settings })],
      payloads: [sentPayload],
      on: [
        beforeCommit(deliverySettled, sendSettled(context, { acceptance, statuses, uploads: files, templates, doubts })),
        marking(context),
        ...movingSends(context, budget),
        adviceOnce(issuedAdvice, context.clock).dismissals,
      ],
      consumes: [
        laneConsumer(context, { bodies, acceptance, connections: connected }),
        unknownConsumer(context, acceptance),
        markConsumer(context, connected, graph),
        receivedConsumer(context, { inbound, statuses, handlers }),
        statuses.expiries(context),
        templates.consumer(),
        flowStatusConsumer(context, flows),
      ],
      explanations: [sendExplanation(context, { connections: connected, budget })],
      views: [windowView(context, connected)],
      personalData: personalSends,
      metrics: counters.define,
      errors: cloudErrors,
      async start() {
        await connected.connectAll(settings.numbers);
        await templates.start();
        await adviseDoubles(context);
      },
    };
  },
});

export { type GraphFlowOperator, graphFlowOperator } from './flows/flow-operator.js';
export type { CloudApiOptions, CloudNumber } from './options.js';
