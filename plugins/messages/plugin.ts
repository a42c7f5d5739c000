import { definePlugin } from '#core';
import { messageAdminRoutes } from './admin-routes.js';
import { messageErrors } from './errors.js';
import { typings } from './records.js';
import { messageRoutes } from './routes.js';
import { endWithConversation, endWithMessage, endWithTime, typingEnded, typingStarted, typingView } from './typing.js';

/** Messages, media and contacts of a number: sending, marking as read, files, profiles. */
export const messages = definePlugin({
  name: 'messages',
  version: '0.1.0',
  collections: { typings },
  emits: [typingStarted, typingEnded],
  register: (context) => ({
    routes: messageRoutes(context),
    admin: messageAdminRoutes(context),
    on: [endWithMessage, endWithConversation],
    consumes: [endWithTime(context)],
    views: [typingView(context)],
    errors: messageErrors(context.dialect),
    roots: ['/v1/messages', '/v1/media', '/v1/contacts'],
  }),
});

export { postedSchema } from './schemas.js';
