import Joi from 'joi';
import { definePlugin } from '#core';
import { webhookAdminRoutes } from './admin-routes.js';
import { createAdvisor } from './advise.js';
import { notifications } from './notify.js';
import { webhookPayloads } from './payloads.js';
import { issuedAdvice } from './records.js';

/** Options of webhooks. */
export interface WebhooksOptions {
  /** Whether `channel` also receives inbound messages, as the interface says; the connector has just posted these itself. */
  readonly inboundOnChannel?: boolean;
}

/** Turns events of a number into deliveries to its webhooks, and has the admin routes of webhooks; the core signs, sends and retries. */
export const webhooks = definePlugin<WebhooksOptions, 'inboundOnChannel'>({
  name: 'webhooks',
  version: '0.1.0',
  // Off, although the interface says that `channel` receives inbound messages (Events): a connector that sends everything it receives
  // would start an endless echo.
  options: Joi.object({ inboundOnChannel: Joi.boolean().default(false) }),
  collections: { said: issuedAdvice },
  register(context, options) {
    const advisor = createAdvisor(context);
    return {
      admin: webhookAdminRoutes(context, advisor),
      payloads: webhookPayloads(context.dialect),
      on: [...notifications(context, options, advisor), advisor.settled],
    };
  },
});

export {
  type ChannelInbound,
  channelInboundSchema,
  type InboundEvent,
  inboundEventSchema,
  type SentEvent,
  type StatusEvent,
  sentEventSchema,
  statusEventSchema,
} from './schemas.js';
