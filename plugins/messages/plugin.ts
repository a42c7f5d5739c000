import Joi from 'joi';
import { definePlugin } from '#core';
import { messageAdminRoutes } from './admin-routes.js';
import { messageErrors } from './errors.js';
import { idempotencyKeys, typings } from './records.js';
import { messageRoutes } from './routes.js';
import { endWithConversation, endWithMessage, endWithTime, typingEnded, typingStarted, typingView } from './typing.js';

/** Options of messages. */
export interface MessagesOptions {
  /**
   * The most values of `Idempotency-Key` that are kept of a number for 24 hours; 100,000 if not given. Further ones get 503, because a key
   * that is removed earlier could send a message twice.
   */
  readonly idempotencyKeys?: number;
}

/** Messages, media and contacts of a number: sending, marking as read, files, profiles. */
export const messages = definePlugin<MessagesOptions, 'idempotencyKeys'>({
  name: 'messages',
  version: '0.1.0',
  options: Joi.object({ idempotencyKeys: Joi.number().integer().min(1).default(100_000) }),
  collections: { typings, 'idempotency-keys': idempotencyKeys },
  emits: [typingStarted, typingEnded],
  register: (context, options) => ({
    routes: messageRoutes(context, options),
    admin: messageAdminRoutes(context),
    on: [endWithMessage, endWithConversation],
    consumes: [endWithTime(context)],
    views: [typingView(context)],
    errors: messageErrors(context.dialect),
    roots: ['/v1/messages', '/v1/media', '/v1/contacts'],
  }),
});

export { postedSchema } from './schemas.js';
