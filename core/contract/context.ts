import type { Deliveries } from '../delivery/deliveries.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import type { Journeys } from '../journey/journeys.js';
import type { Effects } from '../journey/performers.js';
import type { Channels } from '../messaging/channels.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { MessageLog } from '../messaging/message-log.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Templates } from '../messaging/templates.js';
import type { Tokens } from '../messaging/tokens.js';
import type { Clock } from '../ports/clock.js';
import type { EventType } from '../ports/events.js';
import type { HttpClient } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { Models } from '../ports/model.js';
import type { Secrets } from '../ports/secrets.js';
import type { Database } from '../ports/transaction.js';
import type { WorkerPool } from '../ports/workers.js';

/** Everything a plugin may touch. There is no other way in. */
export interface PluginContext {
  readonly dialect: Dialect;
  /** Transactions, and reads of the plugin's own collections. */
  readonly store: Database;
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly http: Pick<HttpClient, 'send'>;
  readonly models: Models;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Names are private to the plugin. */
  readonly secrets: Secrets;
  /** Says which plugin speaks. */
  readonly log: Logger;
  /** Announces what is of the moment only, such as typing. What is to be true after a crash is emitted by a transaction. */
  readonly announce: <T>(event: EventType<T>, payload: T) => void;

  readonly numbers: Numbers;
  readonly tokens: Pick<Tokens, 'list'>;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly messages: MessageLog;
  readonly media: Media;
  readonly templates: Templates;
  readonly channels: Channels;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly journeys: Journeys;
  readonly effects: Effects;

  /** Where the platform is reached from outside, without a slash at the end. */
  readonly publicUrl: () => string;
}
