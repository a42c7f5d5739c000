import {
  type JsonObject,
  type MessageRecord,
  NotFound,
  object,
  type PluginContext,
  type RateBucket,
  type Route,
  requestId,
  route,
  stringUpTo,
  type TypeOf,
} from '#core';
import { historyOf, networkId } from '#core/messaging';
import type { Claims } from './claims/claims.js';
import { contactNamed, profileOf, writable } from './contacts/profile.js';
import {
  checkedContacts,
  contactParams,
  contactsCheck,
  historyQuery,
  historySchema,
  MAX_HISTORY,
  profileChange,
  profileSchema,
} from './contacts/schemas.js';
import { messageErrors, metaOf } from './errors.js';
import { checkedFile } from './media/checked-file.js';
import { MAX_MEDIA_BYTES } from './media/media-types.js';
import {
  errorsWithMeta,
  labelsSchema,
  labelsShown,
  markSchema,
  messageParams,
  postedSchema,
  sentSchema,
  uploadedSchema,
} from './schemas.js';
import { createOnce, type Replied } from './sending/once.js';
import { type Draft, sendAs } from './sending/send.js';
import { startTyping } from './typing.js';

interface RouteOptions {
  readonly maxKeys: number;
  readonly claims: Claims | undefined;
}

/** The endpoints of a number: messages, media and contacts. */
export const messageRoutes = (context: PluginContext, options: RouteOptions): Route[] => [
  ...sendRoutes(context, options),
  ...(options.claims ? [handBackRoute(context, options.claims)] : []),
  ...markingRoutes(context),
  ...mediaRoutes(context),
  ...contactRoutes(context),
];

const MEDIA_TYPES: readonly unknown[] = ['image', 'audio', 'video', 'document', 'sticker'];

/** Texts and media have their own rate-limit buckets; other messages use the general one. */
function bucketOf(payload: unknown): RateBucket {
  const { type = 'text' } = (payload ?? {}) as { type?: unknown };
  return type === 'text' ? 'text' : MEDIA_TYPES.includes(type) ? 'media' : 'general';
}

/** The message-sending endpoint (Endpoints, "Sending a flow message"; `core/not-shown.md` for the other types). */
function sendRoutes(context: PluginContext, { maxKeys: max, claims }: RouteOptions): Route[] {
  const { dialect, store, clock } = context;
  const inReplyToHeader = dialect.headers.inReplyTo.toLowerCase();
  const claimHeaders = { extend: dialect.headers.claimExtend.toLowerCase(), release: dialect.headers.claimRelease.toLowerCase() };
  const { render } = messageErrors(dialect);
  const once = createOnce({ store, clock, max, render: (error) => render(error) as Replied });
  const replyOf = (sent: MessageRecord) => ({ messages: [{ id: sent.external_id ?? sent.uuid }], meta: metaOf(dialect) });
  const sendAt = (path: '/v1/messages' | '/v1/messages/', summary: string): Route =>
    route({
      method: 'POST',
      path,
      summary,
      bucketOf,
      makesDeliveries: true,
      request: { payload: postedSchema },
      responses: { 200: sentSchema, 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ payload, caller: { number, token }, headers, request }) {
        const author = { type: 'SYSTEM' as const, id: token.uuid, name: token.name, request_id: requestId(request) };
        const inReplyTo = payload.context?.message_id ?? headers[inReplyToHeader];
        const raw = request.orig.payload as JsonObject;
        const claim = { extend: headers[claimHeaders.extend], release: headers[claimHeaders.release] };
        const recorded: Draft['recorded'] = async (tx, message) => claims?.sent(tx, message, claim);
        const draft: Draft = { posted: payload, author, isPosted: true, inReplyTo, raw, recorded };
        const key = headers['idempotency-key'];
        if (key === undefined) return replyOf(await sendAs(context, number, draft));
        const { sent, repeated } = await once({ number: number.uuid, key, asked: [raw, headers[inReplyToHeader]] }, async (keep) =>
          replyOf(
            await sendAs(context, number, {
              ...draft,
              async recorded(tx, message) {
                await recorded(tx, message);
                await keep(tx, replyOf(message));
              },
            }),
          ),
        );
        if (!repeated) return sent;
        return request.generateResponse(repeated.body).code(repeated.status).header('idempotent-replayed', 'true');
      },
    });
  return [
    sendAt('/v1/messages', 'Sends a message to a contact, and returns the message id of the network.'),
    sendAt('/v1/messages/', 'Same as `POST /v1/messages`, for clients that add a slash to the path.'),
  ];
}

/** The webhook that had claimed a message leaves it to the journeys. The body is ignored: clients post the message that they do not send. */
const handBackRoute = ({ store, messages }: PluginContext, claims: Claims): Route =>
  route({
    method: 'POST',
    path: '/v1/messages/{message_id}/automation',
    summary: 'Ends the claim on the contact, and lets the journeys answer this message as if no webhook had claimed it.',
    request: { params: messageParams },
    responses: { 200: object({}), 404: errorsWithMeta },
    async handler({ params: { message_id }, caller: { number } }) {
      const message = await messages.find(number, message_id);
      if (message?.direction !== 'inbound') throw new NotFound('message', message_id);
      await store.transaction((tx) => claims.handBack(tx, number, message));
      return {};
    },
  });

/** Routes that mark inbound messages as read, and that label messages of either direction. */
function markingRoutes({ store, messages, clock }: PluginContext): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/v1/messages/{message_id}',
      summary: 'Marks a message from a contact as read, and optionally shows a typing indicator until the reply.',
      keepsNothing: true,
      request: { params: messageParams, payload: markSchema },
      responses: { 200: object({}), 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { message_id }, payload: { typing_indicator }, caller: { number } }) {
        await store.transaction(async (tx) => {
          const isTyping = typing_indicator !== undefined;
          const { conversation, contact } = await messages.markRead(tx, number, message_id, { isTyping });
          if (typing_indicator) startTyping(tx, { conversation, number: number.uuid, contact }, clock.now());
        });
        return {};
      },
    }),
    route({
      method: 'POST',
      path: '/v1/messages/{message_id}/labels',
      summary: 'Adds labels to a message, and returns all its labels.',
      request: { params: messageParams, payload: labelsSchema },
      responses: { 200: labelsShown, 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { message_id }, payload, caller: { number } }) {
        const message = await messages.find(number, message_id);
        if (!message) throw new NotFound('message', message_id);
        const labelled = await store.transaction(async (tx) => {
          await messages.label(tx, message.uuid, payload.labels);
          return messages.current(tx, message.uuid);
        });
        return { labels: [...(labelled?.labels ?? [])] };
      },
    }),
  ];
}

/** Routes that upload media files as raw bytes, and download them. The id of a media file consists of digits. */
function mediaRoutes({ media, dialect }: PluginContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/media',
      summary: 'Uploads a file as raw bytes, and returns its media id, for use in messages.',
      maxBytes: MAX_MEDIA_BYTES,
      body: 'bytes',
      responses: { 200: uploadedSchema, 400: errorsWithMeta, 413: errorsWithMeta, 415: errorsWithMeta },
      async handler({ payload, headers, caller: { number } }) {
        const { id } = await media.put(number.uuid, ...checkedFile(payload, headers));
        return { media: [{ id }], meta: metaOf(dialect) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/media/{id}',
      summary: 'Downloads a file that the number uploaded or received.',
      request: { params: object({ id: stringUpTo(64) }) },
      responses: { 200: { contentType: '*/*' }, 404: errorsWithMeta },
      async handler({ params: { id }, caller: { number } }, h) {
        const metadata = await media.about(id);
        if (metadata?.number !== number.uuid) throw new NotFound('media file', id, 'medium_not_found');
        const { bytes } = await media.get(id);
        return h
          .response(Buffer.from(bytes))
          .type(metadata.mime_type)
          .etag(metadata.sha256)
          .header('content-disposition', 'attachment')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  ];
}

/** Routes for contacts, their profiles and conversations, in the shapes recorded from the service. */
function contactRoutes(context: PluginContext): Route[] {
  const { store, contacts, conversations, dialect } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/contacts',
      summary: 'Checks which phone numbers are valid on the network, and returns their contact ids.',
      keepsNothing: true,
      numbers: ['network', 'sandbox'],
      request: { payload: contactsCheck },
      responses: { 200: checkedContacts, 400: errorsWithMeta },
      async handler({ payload, caller: { number } }) {
        const checked = payload.contacts.map(async (input) => {
          const digits = networkId(input);
          if (digits === undefined) return { input, status: 'invalid' as const };
          return { input, status: 'valid' as const, wa_id: (await contacts.find(number, digits))?.id ?? digits };
        });
        return { contacts: await Promise.all(checked), meta: metaOf(dialect) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/contacts/{contact}/profile',
      summary: 'Shows the profile of a contact: all reserved fields (null if unset) and the custom fields.',
      request: { params: contactParams },
      responses: { 200: profileSchema, 404: errorsWithMeta },
      handler: async ({ params: { contact }, caller: { number } }) =>
        profileOf(context, number, await contactNamed(context, number, contact)),
    }),
    route({
      method: 'PATCH',
      path: '/v1/contacts/{contact}/profile',
      summary: 'Sets fields of a contact; null clears a field.',
      request: { params: contactParams, payload: profileChange },
      responses: { 201: profileSchema, 400: errorsWithMeta, 404: errorsWithMeta },
      async handler({ params: { contact }, payload, caller: { number } }, h) {
        const { uuid } = await contactNamed(context, number, contact);
        const written = writable(payload, context);
        const changed = await store.transaction((tx) => contacts.setFields(tx, number, uuid, written));
        return h.response(await profileOf(context, number, changed)).code(201);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/contacts/{contact}/messages',
      summary: 'Shows the conversation with a contact: the chat, and the newest messages, newest first.',
      request: { params: contactParams, query: historyQuery },
      responses: { 200: historySchema, 404: errorsWithMeta },
      async handler({ params: { contact }, query: { limit = MAX_HISTORY }, caller: { number } }) {
        const who = await contactNamed(context, number, contact);
        const conversation = await conversations.ofContact(number.uuid, who.uuid);
        if (!conversation) return { chat: null, messages: [] };
        const messages = await conversations.newest(conversation.uuid, limit);
        return (await historyOf(context, { contact: who, conversation, messages })) as TypeOf<typeof historySchema>;
      },
    }),
  ];
}
