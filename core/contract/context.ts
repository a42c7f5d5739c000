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

/** Everything a plugin may touch. There is no other way in. */
export interface PluginContext {
  /** The names of headers and fields that carry the words of the service and the network. */
  readonly dialect: Dialect;
  /** Transactions, and reads of the plugin's own collections. */
  readonly store: Database;
  /** Runs tasks on worker threads. */
  readonly workers: Pick<WorkerPool, 'run'>;
  /** Requests to others: guarded against private addresses, with a deadline. */
  readonly http: Pick<HttpClient, 'send'>;
  /** Language models, by their connection. */
  readonly models: Models;
  /** The time, and timers. Nothing else may look at a clock. */
  readonly clock: Clock;
  /** New uuids, tokens and secrets. */
  readonly ids: Ids;
  /** Names are private to the plugin. */
  readonly secrets: Secrets;
  /** Says which plugin speaks. In a route, the `log` of the call also says for which request. */
  readonly log: Logger;
  /** Keeps long values once, however many documents have them. */
  readonly chunks: Chunks;
  /** Declares documents that are kept only for a while: counted, shown in the metrics, and bounded in number, bytes and days. */
  readonly history: Histories['create'];
  /** Announces what is of the moment only, such as typing. What is to be true after a crash is emitted by a transaction. */
  readonly announce: <T>(event: EventType<T>, payload: T) => void;

  /** The numbers and channels there are. */
  readonly numbers: Numbers;
  /** Which tokens a number has, without their texts. */
  readonly tokens: Pick<Tokens, 'list'>;
  /** The contacts of a number, and their fields. */
  readonly contacts: Contacts;
  /** Conversations and their messages. */
  readonly conversations: Conversations;
  /** Records what came in, what was accepted, and statuses. */
  readonly messages: Messages;
  /** Files, and links to them that live for two minutes. */
  readonly media: Media;
  /** Message templates of a number. */
  readonly templates: Templates;
  /** Sends a turn to a contact, through the driver of the number. */
  readonly channels: Channels;
  /** Who wants to hear of a number. */
  readonly webhooks: Webhooks;
  /** Signed requests to webhooks, by the delivery law. */
  readonly deliveries: Deliveries;
  /** Journeys, their revisions, and the way to run a turn. */
  readonly journeys: Journeys;
  /** Performs what a journey asks for. */
  readonly effects: Effects;
  /** The ids of the forms that a number can send; undefined where no plugin knows them. */
  readonly forms: Forms;

  /** Where the platform is reached from outside, without a slash at the end. */
  readonly publicUrl: () => string;
}
