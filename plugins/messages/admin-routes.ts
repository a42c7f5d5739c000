import { array, boolean, integer, NotFound, object, owned, type PluginContext, type Route, route, string, stringUpTo } from '#core';
import { findMessage, mediaSchema, messageSchema, newTemplateSchema, templateSchema } from '#core/messaging';
import { checkedFile } from './media/checked-file.js';
import { MAX_MEDIA_BYTES } from './media/media-types.js';
import { markSchema, operatorMessageSchema } from './schemas.js';
import { sendAs } from './sending/send.js';
import { startTyping } from './typing.js';

const params = object({ uuid: string() });
const messageParams = object({ message: stringUpTo(256) });

/** Admin routes for operators: messages, templates and media. */
export function messageAdminRoutes(context: PluginContext): Route[] {
  const { store, numbers, contacts, conversations, messages, templates, media, clock } = context;
  return [
    route({
      method: 'GET',
      path: '/conversations/{uuid}/messages',
      permission: 'messages.read_bodies',
      accounts: { uuid: owned.conversation },
      summary: 'Lists messages of a conversation, newest first. `before` is the `position` of the last message of the previous page.',
      request: { params, query: object({}, { before: integer().min(1), limit: integer().min(1).max(500) }) },
      responses: { 200: object({ messages: array(messageSchema) }) },
      async handler({ params: { uuid }, query: { before, limit = 50 } }) {
        const { uuid: current } = await conversations.require(uuid);
        return { messages: await conversations.newest(current, limit, before) };
      },
    }),
    route({
      method: 'POST',
      path: '/conversations/{uuid}/messages',
      permission: 'messages.send',
      accounts: { uuid: owned.conversation },
      summary: 'Sends a message to the contact of a conversation as an operator.',
      request: { params, payload: operatorMessageSchema },
      responses: { 201: object({ message: messageSchema }) },
      async handler({ params: { uuid }, payload: { operator, in_reply_to, ...content } }, h) {
        const conversation = await conversations.require(uuid);
        const [number, { id: to }] = await Promise.all([numbers.require(conversation.number), contacts.require(conversation.contact)]);
        const author = { type: 'OPERATOR' as const, ...operator };
        const message = await sendAs(context, number, { posted: { ...content, to }, author, isPosted: false, inReplyTo: in_reply_to });
        return h.response({ message }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/messages/{message}',
      permission: 'messages.read_bodies',
      accounts: { message: owned.message },
      summary: 'Shows a message and its statuses. `message` is the uuid of the message, or its id on the network or in the connector.',
      request: { params: messageParams },
      responses: { 200: object({ message: messageSchema }) },
      async handler({ params: { message: id } }) {
        const message = await findMessage(context, id);
        if (!message) throw new NotFound('message', id);
        return { message };
      },
    }),
    route({
      method: 'PUT',
      path: '/messages/{message}',
      permission: 'messages.send',
      accounts: { message: owned.message },
      summary:
        'Marks a message from a contact as read, and optionally shows the contact a typing indicator until the reply, at most 25 seconds.',
      keepsNothing: true,
      request: { params: messageParams, payload: markSchema },
      responses: { 200: object({ message: messageSchema }) },
      async handler({ params: { message: id }, payload: { typing_indicator } }) {
        const message = await findMessage(context, id);
        if (message?.direction !== 'inbound') throw new NotFound('message from a contact', id, 'message_not_found');
        const number = await numbers.require(message.number);
        const seen = await store.transaction(async (tx) => {
          const isTyping = typing_indicator !== undefined;
          const { conversation, contact } = await messages.markRead(tx, number, message.uuid, { isTyping });
          if (typing_indicator) startTyping(tx, { conversation, number: number.uuid, contact }, clock.now());
          return messages.current(tx, message.uuid);
        });
        return { message: seen! };
      },
    }),
    route({
      method: 'POST',
      path: '/numbers/{uuid}/media',
      permission: 'messages.send',
      accounts: { uuid: owned.number },
      summary: 'Uploads a file for a number, as raw bytes. The link in the response is valid for two minutes.',
      maxBytes: MAX_MEDIA_BYTES,
      body: 'bytes',
      request: { params },
      responses: { 201: object({ media: mediaSchema, link: string() }) },
      async handler({ params: { uuid }, payload, headers }, h) {
        await numbers.require(uuid);
        const stored = await media.put(uuid, ...checkedFile(payload, headers));
        return h.response({ media: stored, link: media.link(stored.id) }).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/numbers/{uuid}/templates',
      permission: 'templates.read',
      accounts: { uuid: owned.number },
      summary: 'Lists the templates of a number, in order of name and language.',
      request: { params },
      responses: { 200: object({ templates: array(templateSchema) }) },
      async handler({ params: { uuid } }) {
        await numbers.require(uuid);
        return { templates: await templates.list(uuid) };
      },
    }),
    route({
      method: 'PUT',
      path: '/numbers/{uuid}/templates',
      permission: 'templates.write',
      accounts: { uuid: owned.number },
      summary: 'Creates a template, or replaces the template with this name and language.',
      request: { params, payload: newTemplateSchema },
      responses: { 200: object({ template: templateSchema }) },
      async handler({ params: { uuid }, payload }) {
        const number = await numbers.require(uuid);
        return { template: await store.transaction((tx) => templates.put(tx, number, payload)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/templates/{uuid}',
      permission: 'templates.write',
      accounts: { uuid: owned.template },
      summary: 'Deletes a template.',
      request: { params },
      responses: { 200: object({ success: boolean() }) },
      async handler({ params: { uuid } }) {
        await store.transaction((tx) => templates.delete(tx, uuid));
        return { success: true };
      },
    }),
  ];
}
