import Joi from 'joi';
import { boolean, definePlugin, integer, permit } from '#core';
import { createActions } from './actions.js';
import { integrationAdminRoutes } from './admin-routes.js';
import { causes } from './causes.js';
import { createCallLog } from './client/call-log.js';
import { createExchange } from './client/exchange.js';
import { actionClicked, actionFinished, contextPolled, integrationHandshake } from './events.js';
import { inspectionRoutes } from './inspection/admin-routes.js';
import { createIntegrations } from './integrations.js';
import { createPanels } from './panels/panels.js';
import { integrationsView } from './panels/view.js';
import { integrationPayloads } from './payloads.js';
import { personalClicks } from './personal-data.js';
import { clicks, integrations as integrationRecords } from './records.js';
import { integrationRoutes } from './routes.js';

/** Limits of what the plugin has in memory. */
export interface IntegrationOptions {
  /** Minutes after the last view of a conversation until its panels expire. */
  readonly openMinutes?: number;
  /** Megabytes of responses in memory; beyond it, the least recently viewed conversations are evicted. */
  readonly openMegabytes?: number;
  /** Whether the newest calls to integrations are kept in memory, with their bodies, for `GET /admin/v1/integrations/{uuid}/calls`. */
  readonly recordCalls?: boolean;
}

/** Panels beside a conversation, filled by a customer's service: context, suggested replies, actions (Integration context API). */
export const integration = definePlugin<IntegrationOptions, 'openMinutes' | 'openMegabytes' | 'recordCalls'>({
  name: 'integration',
  version: '0.1.0',
  permissions: {
    'integrations.read': permit.everyone('See integrations.'),
    'integrations.write': permit.owners('Create, change and delete integrations.'),
    'integrations.use': permit.both('Click actions, shake hands, and try answers of an integration.'),
  },
  causes,
  options: Joi.object({
    openMinutes: integer().min(1).max(1_440).default(15),
    openMegabytes: integer().min(1).max(1_024).default(32),
    recordCalls: boolean().default(false),
  }),
  collections: { integrations: integrationRecords, clicks },
  emits: [integrationHandshake, contextPolled, actionClicked, actionFinished],

  register(context, { openMinutes, openMegabytes, recordCalls }) {
    const calls = recordCalls ? createCallLog() : undefined;
    const exchange = createExchange(context, calls);
    const integrations = createIntegrations(context, exchange);
    const panels = createPanels(context, integrations, exchange, {
      openMs: openMinutes * 60_000,
      openBytes: openMegabytes * 1024 * 1024,
    });
    const actions = createActions(context, integrations, panels, exchange);
    return {
      routes: integrationRoutes(context, integrations, panels, actions),
      admin: [...integrationAdminRoutes(context, integrations, panels, actions), ...inspectionRoutes({ integrations, actions, calls })],
      payloads: integrationPayloads(context.dialect),
      views: [integrationsView(panels)],
      personalData: personalClicks(panels, calls),
      stop: () => panels.close(),
    };
  },
});

export { integrationsViewSchema } from './schemas.js';
