import { definePlugin } from '#core';
import { messageAdminRoutes } from './admin-routes.js';
import { contactRoutes } from './contacts.js';
import { messageErrors } from './errors.js';
import { labelRoutes } from './labels.js';
import { endWithMessage, endWithTime, markRoutes, typingEnded, typingStarted, typings } from './mark.js';
import { mediaRoutes } from './media.js';
import { sendRoutes } from './send.js';

/** Messages, media and contacts of a number: sending, marking as read, files, profiles. */
export const messages = definePlugin({
  name: 'messages',
  version: '0.1.0',
  collections: { typings },
  emits: [typingStarted, typingEnded],
  register: (context) => ({
    routes: [...sendRoutes(context), ...markRoutes(context), ...labelRoutes(context), ...mediaRoutes(context), ...contactRoutes(context)],
    admin: messageAdminRoutes(context),
    on: [endWithMessage],
    consumes: [endWithTime(context)],
    errors: messageErrors(context.dialect),
    roots: ['/v1/messages', '/v1/media', '/v1/contacts'],
  }),
});

export { postedSchema } from './schemas.js';
