import { bearerText, type NumberRecord, object, PlatformError, type PluginContext, type RouteDefinition } from '#core';
import { uuidInPath } from '#core/schemas';
import type { Webchats } from './connection.js';
import type { Pages } from './messages/pages.js';
import type { Receiving } from './messages/receive.js';
import type { FileLinks, Shown } from './messages/shown.js';
import type { WebchatMetrics } from './metrics.js';
import type { Options, WebchatSettings } from './options.js';
import type { SessionRecord } from './records.js';
import type { Streams } from './streams.js';
import type { People } from './visitors/people.js';
import type { Sessions } from './visitors/sessions.js';

/** The parts that the routes of web chats share. */
export interface WebchatParts {
  readonly context: PluginContext;
  readonly webchats: Webchats;
  readonly sessions: Sessions;
  readonly people: People;
  readonly pages: Pages;
  readonly shown: Shown;
  readonly links: FileLinks;
  readonly receiving: Receiving;
  readonly streams: Streams;
  readonly metrics: WebchatMetrics;
  readonly options: Options;
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

/** A visitor with a session. */
export interface Visit {
  readonly number: NumberRecord;
  readonly settings: WebchatSettings;
  readonly session: SessionRecord;
}

/** The session of the bearer token of a call. @throws PlatformError 401, NotFound */
export async function visitOf({ webchats, sessions, metrics }: WebchatParts, uuid: string, request: Call['request']): Promise<Visit> {
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
