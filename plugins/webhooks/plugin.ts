import Joi from 'joi';
import { definePlugin } from '#core';
import { webhookAdminRoutes } from './admin-routes.js';
import { createAdvisor } from './advise.js';
import { notifications } from './notify.js';
import { issuedAdvice } from './records.js';

/** What a host may choose about webhooks. */
export interface WebhooksOptions {
  /** Whether `channel` is told of inbound messages too, as the interface has it; the connector has just posted these itself. */
  readonly inboundOnChannel?: boolean;
}

/** Turns events of a number into deliveries to its webhooks, and has their admin routes; the core signs, sends and retries. */
export const webhooks = definePlugin<WebhooksOptions, 'inboundOnChannel'>({
  name: 'webhooks',
  version: '0.1.0',
  // The interface says that `channel` receives inbound messages (Events). Off all the same: a connector that sends whatever it receives
  // would echo for ever.
  options: Joi.object({ inboundOnChannel: Joi.boolean().default(false) }),
  collections: { said: issuedAdvice },
  register(context, options) {
    const advisor = createAdvisor(context);
    return { admin: webhookAdminRoutes(context, advisor), on: [...notifications(context, options, advisor), advisor.settled] };
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
