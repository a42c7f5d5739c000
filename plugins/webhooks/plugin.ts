import Joi from 'joi';
import { definePlugin } from '#core';
import { webhookAdminRoutes } from './admin-routes.js';
import { createAdvisor, said } from './advise.js';
import { notifications, type WebhooksOptions } from './notify.js';

const options = Joi.object<WebhooksOptions>({
  /**
   * Whether inbound messages of a channel are told on `channel` too. The interface says that they are (Events); off all the same, as
   * a connector that takes what it hears as something to send would echo for ever.
   */
  inboundOnChannel: Joi.boolean().default(false),
});

/** Forwards events of a number to endpoints of its owner, signed and retried. */
export const webhooks = definePlugin<WebhooksOptions>({
  name: 'webhooks',
  version: '0.1.0',
  options,
  collections: { said },
  register(context, options) {
    const advisor = createAdvisor(context);
    return { admin: webhookAdminRoutes(context, advisor), on: [...notifications(context, options, advisor), advisor.settled] };
  },
});

export type { WebhooksOptions } from './notify.js';
export {
  type ChannelInbound,
  channelInboundSchema,
  type InboundEvent,
  inboundEventSchema,
  type SentEvent,
  type StatusEvent,
  sentEventSchema,
  statusEventSchema,
} from './payloads.js';
