import type { Deliveries } from '../delivery/deliveries.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import type { Forms } from '../journeys/forms.js';
import type { Journeys } from '../journeys/journeys.js';
import type { Effects } from '../journeys/performers.js';
import type { Chunks } from '../memory/chunks.js';
import type { Histories } from '../memory/histories.js';
import type { Channels } from '../messaging/channel-drivers.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { Messages } from '../messaging/messages.js';
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

/** The services and ports that `register` receives. A plugin has no other access to the platform. */
export interface PluginContext {
  /** Names of headers and fields that contain the words for the service and the network. */
  readonly dialect: Dialect;
  /** Opens transactions, and collections for reading. */
  readonly store: Database;
  /** Runs tasks on worker threads. */
  readonly workers: Pick<WorkerPool, 'run'>;
  /** Sends HTTP requests, with a deadline and a guard against private addresses. */
  readonly http: Pick<HttpClient, 'send'>;
  /** Calls language models, by their connection. */
  readonly models: Models;
  /** Time and timers. Use no other clock: tests move this one. */
  readonly clock: Clock;
  /** Generates uuids, tokens and secrets. */
  readonly ids: Ids;
  /** Encrypted secrets in the store. Names are private to the plugin. */
  readonly secrets: Secrets;
  /** A logger whose lines name the plugin. In a route use the `log` of the call, whose lines also name the request. */
  readonly log: Logger;
  /** Stores a long value once, however many documents contain it. */
  readonly chunks: Chunks;
  /** Declares documents with limited retention: bounded in number, bytes and days, and shown in the metrics. */
  readonly history: Histories['create'];
  /** Announces an ephemeral event, such as typing. Events that must survive a crash are emitted by a transaction. */
  readonly announce: <T>(event: EventType<T>, payload: T) => void;

  /** Numbers and channels. */
  readonly numbers: Numbers;
  /** Lists the tokens of a number, without their texts. */
  readonly tokens: Pick<Tokens, 'list'>;
  /** Contacts of a number, and their fields. */
  readonly contacts: Contacts;
  /** Conversations and their messages. */
  readonly conversations: Conversations;
  /** Records inbound messages, accepted messages and statuses. */
  readonly messages: Messages;
  /** Media files, and signed links to them that expire after two minutes. */
  readonly media: Media;
  /** Message templates of a number. */
  readonly templates: Templates;
  /** Sends a turn to a contact, through the channel driver of the number. */
  readonly channels: Channels;
  /** Webhooks of a number, and the events that they subscribe to. */
  readonly webhooks: Webhooks;
  /** Queues signed requests to webhooks, which the retry policy governs. */
  readonly deliveries: Deliveries;
  /** Journeys and their revisions; runs a turn. */
  readonly journeys: Journeys;
  /** Performs the effects that a journey requests. */
  readonly effects: Effects;
  /** Ids of the forms that a number can send; undefined when no plugin knows them. */
  readonly forms: Forms;

  /** The URL at which clients reach the platform, without a trailing slash. */
  readonly publicUrl: () => string;
}
