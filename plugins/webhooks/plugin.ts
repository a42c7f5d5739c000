import { definePlugin } from '#core';
import { webhookConsole } from './console.js';
import { notifications } from './notify.js';

/** Forwards events of a number to endpoints of its owner, signed and retried. */
export const webhooks = definePlugin({
  name: 'webhooks',
  version: '0.1.0',
  register: (context) => ({ console: webhookConsole(context), on: notifications(context) }),
});

export { type InboundEvent, inboundEventSchema, type StatusEvent, statusEventSchema } from './payloads.js';
