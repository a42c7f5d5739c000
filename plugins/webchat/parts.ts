import { bearerText, object, PlatformError, type PluginContext, type RouteDefinition } from '#core';
import { createStoredKey } from '#core/messaging';
import { uuidInPath } from '#core/schemas';
import { createWebchats } from './connection.js';
import { createPages } from './messages/pages.js';
import { createReceiving } from './messages/receive.js';
import { createFileLinks, createShown } from './messages/shown.js';
import { createMetrics } from './metrics.js';
import type { Options } from './options.js';
import { createStreams } from './streams.js';
import { createPeople } from './visitors/people.js';
import { createSessions } from './visitors/sessions.js';

/** The parts that the routes of web chats share. */
export type WebchatParts = ReturnType<typeof createParts>;

export function createParts(context: PluginContext, options: Options) {
  const fileKey = createStoredKey(context, 'files');
  const links = createFileLinks(fileKey.get);
  const webchats = createWebchats(context);
  const sessions = createSessions(context);
  const people = createPeople(context, { sessions, webchats });
  const shown = createShown(context, links);
  const pages = createPages(context, { people, shown });
  const streams = createStreams(context, { people, pages, perAddress: options.streamsPerAddress });
  const [metrics, receiving] = [createMetrics(), createReceiving(context)];
  return { context, options, fileKey, links, webchats, sessions, people, shown, pages, streams, metrics, receiving };
}

/** Parameters of a path with the number, and further ones. */
export const numberParams = object({ number: uuidInPath() });

type Call = Parameters<NonNullable<RouteDefinition<Record<never, never>, 'none'>['admit']>>[0];

/** The options of every route of a visitor: pages of the allowed origins may call it, and it needs no token of a number. */
export const visitorRoute = ({ webchats }: Pick<WebchatParts, 'webchats'>) =>
  ({
    auth: 'none',
    bucket: 'none',
    origins: (origin: string, { params: { number = '' } }: Call) => webchats.allows(number.toLowerCase(), origin),
  }) as const;

/** The visitor with the session of the bearer token of a call. @throws PlatformError 401, NotFound */
export async function visitOf({ webchats, sessions, metrics }: WebchatParts, uuid: string, request: Call['request']) {
  const found = await webchats.require(uuid);
  const session = await sessions.of(uuid, bearerText(request));
  if (session) return { ...found, session };
  metrics.refused({ what: 'session' });
  throw new PlatformError(
    401,
    'webchat_session_unknown',
    'The session is unknown or has expired; open one with POST /webchat/{number}/sessions',
  );
}
