import { boolean, InvalidRequest, integer, object, type Route, route, unixSeconds } from '#core';
import { contactTyping } from '#core/messaging';
import { numberParams as params, visitOf, visitorRoute, type WebchatParts } from '../parts.js';
import { openSchema, pageQuery, pageSchema, postedSchema, sessionSchema, shownMessage, streamQuery } from '../schemas.js';

/** Messages of a page if the client names no number. */
const PAGE = 30;
const MAX_BODY = 64 * 1024;

/** Sessions, messages, and what a visitor has seen. */
export function visitorRoutes(parts: WebchatParts): Route[] {
  const { context, webchats, people, pages, shown, receiving, streams, metrics, options } = parts;
  const { store, messages, contacts, conversations, clock, callLimit, clientAddress, announce } = context;
  const newSessions = callLimit({ name: 'webchat sessions', calls: options.sessionsPerMinute });
  const ofVisitor = callLimit({ name: 'webchat messages', calls: 20 });
  const signals = callLimit({ name: 'webchat signals', calls: 120 });
  const of = { ...visitorRoute(parts), maxBytes: MAX_BODY, errors: [401, 429] } as const;

  /** Reports a status of the messages up to a position. */
  const reports = (path: 'seen' | 'received', status: 'read' | 'delivered', reached: readonly string[], summary: string) =>
    route({
      ...of,
      method: 'POST',
      path: `/webchat/{number}/${path}`,
      summary,
      request: { params, payload: object({ position: integer().min(1) }) },
      responses: { 200: object({}) },
      async handler({ params: { number: uuid }, payload: { position }, request }) {
        const { number, session } = await visitOf(parts, uuid, request);
        signals.count(session.hash);
        const sent = await pages.unreported(session, position, reached);
        if (sent.length === 0) return {};
        const timestamp = unixSeconds(clock.now());
        await store.transaction(async (tx) => {
          for (const { uuid: message, external_id: id = message, to: recipient, statuses } of sent) {
            // A message that was read was delivered.
            const isNew = status === 'read' && !statuses.some((one) => one.status === 'delivered');
            for (const one of isNew ? (['delivered', status] as const) : [status])
              await messages.status(tx, number, { id, recipient, status: one, timestamp });
          }
        });
        return {};
      },
    });

  return [
    route({
      ...of,
      method: 'POST',
      path: '/webchat/{number}/sessions',
      summary: 'Opens a session, or continues the one of a token. A user whom the website identifies has the same conversation everywhere.',
      request: { params, payload: openSchema },
      responses: { 200: sessionSchema },
      async handler({ params: { number: uuid }, payload, request }) {
        const webchat = await webchats.require(uuid);
        const opened = await people
          .open(webchat, payload, () => newSessions.count(clientAddress(request)))
          .catch((error: unknown) => {
            metrics.refused({ what: 'identity' });
            throw error;
          });
        const { session, token, renewed } = opened;
        if (token !== undefined) metrics.began({ kind: session.visitor.startsWith('user:') ? 'user' : 'anonymous' });
        return {
          token: token ?? payload.token!,
          visitor: session.visitor,
          expires_at: session.expires_at,
          ...(await pages.newest(webchat.number, session, PAGE)),
          ...(renewed && { renewed: true as const }),
        };
      },
    }),
    route({
      ...of,
      method: 'GET',
      path: '/webchat/{number}/messages',
      summary: 'Lists the messages of the visitor: the oldest after a cursor, the newest before one, or the newest of all.',
      request: { params, query: pageQuery },
      responses: { 200: pageSchema },
      async handler({ params: { number: uuid }, query: { after, before, limit = PAGE }, request }) {
        const { number, session } = await visitOf(parts, uuid, request);
        return after === undefined ? pages.newest(number, session, limit, before) : pages.after(number, session, after, limit);
      },
    }),
    route({
      ...of,
      method: 'POST',
      path: '/webchat/{number}/messages',
      summary: 'Sends a message of the visitor. A repetition with the same `client_id` is stored once, and gets the same answer.',
      makesDeliveries: true,
      request: { params, payload: postedSchema },
      responses: { 200: object({ message: shownMessage }) },
      async handler({ params: { number: uuid }, payload, request }) {
        const { number, session } = await visitOf(parts, uuid, request);
        ofVisitor.count(`${uuid} ${session.visitor}`);
        const missing = { text: 'text', tap: 'option', file: 'file' } as const;
        const field = missing[payload.type];
        if (payload[field] === undefined)
          throw new InvalidRequest([{ path: [field], rule: 'any.required', message: `${field} is required for ${payload.type}` }]);
        const message = await receiving.receive(number, session, payload);
        const [one] = await shown.all(number, [message]);
        return { message: one! };
      },
    }),
    reports('received', 'delivered', ['delivered', 'read'], 'Reports the messages up to a position as delivered.'),
    reports('seen', 'read', ['read'], 'Reports the messages up to a position as read.'),
    route({
      ...of,
      method: 'POST',
      path: '/webchat/{number}/typing',
      summary: 'Shows operators that the visitor types, or has stopped.',
      keepsNothing: true,
      request: { params, payload: object({ on: boolean() }) },
      responses: { 200: object({}) },
      async handler({ params: { number: uuid }, payload: { on }, request }) {
        const { session } = await visitOf(parts, uuid, request);
        signals.count(session.hash);
        const contact = await contacts.known(uuid, session.visitor);
        const conversation = contact && (await conversations.ofContact(uuid, contact.uuid));
        if (conversation) announce(contactTyping, { number: uuid, contact: contact.uuid, conversation: conversation.uuid, on });
        return {};
      },
    }),
    route({
      ...of,
      method: 'GET',
      path: '/webchat/{number}/stream',
      summary: 'Streams the messages after a cursor, and what happens then, as server-sent events.',
      request: { params, query: streamQuery },
      responses: { 200: { contentType: 'text/event-stream' } },
      async handler({ params: { number: uuid }, query: { after }, request, headers }, h) {
        const { number, session } = await visitOf(parts, uuid, request);
        return streams.open(h, number, session, after ?? headers['last-event-id'], clientAddress(request));
      },
    }),
  ];
}
