import Joi from 'joi';
import { definePlugin, permit } from '#core';
import { webhookAdminRoutes } from './admin-routes.js';
import { createAdvisor } from './advise.js';
import { causes } from './causes.js';
import { notifications } from './notify.js';
import { webhookPayloads } from './payloads.js';
import { issuedAdvice } from './records.js';
import { webhookSearch } from './search.js';
import { signatureRoutes } from './signature/admin-routes.js';

/** Options of webhooks. */
export interface WebhooksOptions {
  /** Whether webhooks subscribed to `channel` also receive the inbound messages that the connector has just posted; false if not given. */
  readonly inboundOnChannel?: boolean;
}

/**
 * Creates deliveries to webhooks for the events of a number, and contributes the admin routes of webhooks. The core signs, sends and
 * retries.
 */
export const webhooks = definePlugin<WebhooksOptions, 'inboundOnChannel'>({
  name: 'webhooks',
  version: '0.1.0',
  permissions: {
    'webhooks.read': permit.everyone('See webhooks, without their secrets.'),
    'webhooks.write': permit.owners('Create, change and delete webhooks.'),
    'webhooks.secrets': permit.owners('Rotate the secret of a webhook.'),
    'webhooks.pause': permit.operators('Pause and resume webhooks.'),
    'webhooks.explain': permit.both('Explain why a signature does not verify.'),
  },
  causes,
  // Off, although the API specification sends inbound messages to `channel` (Events): a connector that forwards everything that it receives
  // would start an endless echo.
  options: Joi.object({ inboundOnChannel: Joi.boolean().default(false) }),
  collections: { said: issuedAdvice },
  register(context, options) {
    const advisor = createAdvisor(context);
    return {
      admin: [...webhookAdminRoutes(context, advisor), ...signatureRoutes(context)],
      payloads: webhookPayloads(context.dialect),
      search: [webhookSearch(context)],
      on: [...notifications(context, options, advisor), advisor.settled, advisor.dismissals],
      start: advisor.load,
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
export { explainSignature, type SignatureExplanation, type SignatureQuestion } from './signature/explanation.js';
