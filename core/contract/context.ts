import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Deliveries } from '../delivery/deliveries.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import type { Chunks } from '../memory/chunks.js';
import type { Histories } from '../memory/histories.js';
import type { Channels } from '../messaging/channel-drivers.js';
import type { Choices } from '../messaging/choices.js';
import type { Connections } from '../messaging/connections.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { MessageRecord } from '../messaging/message.js';
import type { Messages } from '../messaging/messages.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Numbers } from '../messaging/numbers.js';
import type { Templates } from '../messaging/templates.js';
import type { Tokens } from '../messaging/tokens.js';
import type { TurnParts } from '../messaging/turn-parts.js';
import type { Uploads } from '../messaging/uploads.js';
import type { Clock } from '../ports/clock.js';
import type { EventType } from '../ports/events.js';
import type { HttpClient } from '../ports/http-client.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import type { Models } from '../ports/model.js';
import type { QueueType, StoredJob } from '../ports/queue.js';
import type { Secrets } from '../ports/secrets.js';
import type { Sockets } from '../ports/sockets.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { WorkerPool } from '../ports/workers.js';
import type { PlatformLocale } from './locale.js';
import type { Operator } from './operator.js';
import type { ContributedPage } from './page.js';
import type { Service } from './service.js';
import type { Awaits, WebhookClaims } from './webhook-claims.js';

/** The services and ports that `register` receives. A plugin has no other access to the platform. */
export interface PluginContext {
  /** Header, subscription and contact field names that contain the names of your service and of the messaging network. */
  readonly dialect: Dialect;
  /** Runs transactions, and opens collections for reading. */
  readonly store: Database;
  /** Runs tasks on worker threads. */
  readonly workers: Pick<WorkerPool, 'run'>;
  /** Sends HTTP requests with a deadline; refuses private addresses unless the platform allows them. */
  readonly http: Pick<HttpClient, 'send'>;
  /** Opens TCP connections, and listens for them, for other protocols than HTTP. The address rules are those of `http`. */
  readonly sockets: Omit<Sockets, 'stop'>;
  /** Calls the language models of AI connections. */
  readonly models: Models;
  /** Time and timers. Use no other clock: tests advance only this one. */
  readonly clock: Clock;
  /** Generates uuids, tokens and secrets. */
  readonly ids: Ids;
  /** Stores secrets encrypted. Each plugin has its own namespace of secret names. */
  readonly secrets: Secrets;
  /** A logger whose lines name the plugin. In a route use the `log` of the call, whose lines also name the request. */
  readonly log: Logger;
  /** Stores a long value once, even if many records refer to it. */
  readonly chunks: Chunks;
  /** Declares a collection with limited retention: a maximum of records, bytes and days. The metrics show its size. */
  readonly history: Histories['create'];
  /** Announces an ephemeral event, such as typing. Emit events that must survive a crash in a transaction, with `tx.emit`. */
  readonly announce: <T>(event: EventType<T>, payload: T) => void;
  /** Finds a job that is not completed, also one that failed permanently. Undefined if there is none, or if the queue port cannot find jobs. */
  readonly findJob: (queue: QueueType<unknown>, id: string) => Promise<StoredJob | undefined>;

  /** Numbers and channels. */
  readonly numbers: Numbers;
  /** Lists the tokens of a number, without the token values, and revokes them. */
  readonly tokens: Pick<Tokens, 'list' | 'revoke'>;
  /** Contacts of a number: their ids, fields and merges. */
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
  /** The connections of numbers to services: settings, sealed secrets, stop and resume. */
  readonly connections: Connections;
  /** The options that messages offered, for channels whose contacts answer with a key, a number or a title. */
  readonly choices: Choices;
  /** Files of messages for services to which a channel uploads them, and the ids that they got there. */
  readonly uploads: Uploads;
  /** Webhooks of a number, and the events that they subscribe to. */
  readonly webhooks: Webhooks;
  /** Queues signed requests to webhooks, and retries them by the retry policy. */
  readonly deliveries: Deliveries;
  /**
   * Returns the ids of the forms that a number can send; undefined when unknown. Drivers of channels without forms ask `refusal` in `check`: why no
   * page can show the form of a message (`form` of `turnParts`), or undefined. A page that is framed by one of the platform needs no `publicUrl`.
   * `link` makes a link to the page for the contact of a message, valid for 30 days and one response, which arrives as a message; `linkOf` is the
   * newest one that is still valid, and `revoke` ends them. `definition` is the text of a form.
   */
  readonly forms: ((number: NumberRecord) => Promise<ReadonlySet<string> | undefined>) & {
    definition(number: NumberRecord, id: string): Promise<string | undefined>;
    refusal(number: NumberRecord, form: NonNullable<TurnParts['form']>, about?: { isFramed?: boolean }): Promise<string | undefined>;
    link(tx: Transaction, message: Pick<MessageRecord, 'uuid'>): Promise<string>;
    linkOf(message: string): Promise<string | undefined>;
    revoke(tx: Transaction, message: string): Promise<void>;
  };
  /** The claims of webhooks; undefined if no plugin contributes `claims`. Complete when all plugins are registered. */
  readonly webhookClaims: () => WebhookClaims | undefined;
  /** Whether a plugin waits for the next message of a contact. */
  readonly isAwaited: Awaits;
  /** Returns a service of a plugin in `needs`, also in `register`. @throws TypeError when `needs` does not list the plugin that offers it */
  readonly service: <T extends object>(service: Service<T>) => T;
  /** Returns a service of a plugin in `optional`, also in `register`; undefined if the platform does not have this plugin. */
  readonly optionalService: <T extends object>(service: Service<T>) => T | undefined;
  /**
   * The operator of a key of the admin API as it is now, by `operatorOf(request).keyId` of a call with the key, or `key` for the admin key of any time;
   * undefined when the key was removed or replaced, or has expired. For sessions that the call has created.
   */
  readonly keyOperator: (id: string) => Promise<Operator | undefined>;
  /** Returns the pages that the plugins contribute to the console. Complete when all plugins are registered. */
  readonly pages: () => readonly ContributedPage[];

  /**
   * Streams server-sent events to a client, as the `response` of a route. The stream keeps no events, so that a client that does not read costs no
   * memory: `more` sends what the client has not received yet, in order. It runs when the client reads, and after `wake`, never twice at the same
   * time. `send` sends an event, whose `data` becomes JSON, or lines that are encoded already; it returns false when the client must read first:
   * `more` then returns, and runs again. `ended` runs once. `close` ends the stream after what its client still reads within half a second. The
   * platform closes the open streams when it stops.
   */
  readonly eventStream: (
    h: ResponseToolkit,
    source: {
      more(send: (event: { id?: string; event?: string; data: unknown } | Uint8Array | string) => boolean): Promise<void> | void;
      ended?(): void;
    },
  ) => { readonly response: ResponseObject; wake(): void; isStalled(): boolean; close(): void; disconnect(): void };
  /**
   * A file that browsers load and keep, such as the script of a widget; it is read on first use. `hash` gives 16 hexadecimal digits that change with
   * the file, for its name; `text` is for a file that the plugin completes. `respond` answers with the file, which pages of every origin may load:
   * browsers keep it for a year under the name with its hash. Under another name, such as that of an earlier release, they get the current file and
   * do not keep it. All three throw NotFound when the file is missing.
   */
  readonly browserFile: (
    file: URL,
    contentType: string,
  ) => { hash(): string; text(): string; respond(h: ResponseToolkit, hash: string): ResponseObject };
  /**
   * Counts calls of clients that have no token of a number, by a key such as a visitor or `clientAddress`: so many `calls` pass in a window of
   * `minutes`, 1 if not given. `name` is for the text of the error. `count` throws RateLimited when there were too many since the window began;
   * `countMisses` counts a call whose `work` throws NotFound, as with a guessed link.
   */
  readonly callLimit: (options: { name: string; calls: number; minutes?: number }) => {
    count(key: string): void;
    countMisses<T>(key: string, work: Promise<T>): Promise<T>;
  };
  /** The address of the client of a call, also in a cluster. Behind a proxy it is that of the proxy, unless the option `trustedProxies` lists it. */
  readonly clientAddress: (request: Request) => string;

  /** The time zone and country of the platform, and whether messages over the limits of the network are refused. */
  readonly locale: PlatformLocale & { readonly timeZone: string };
  /** The heap limit of Node in bytes, for limits that are a share of it. */
  readonly heapBytes: number;
  /** The URL at which clients reach the platform, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** The part of a plugin's context that gives it the services of other plugins. */
export type ServiceAccess = Pick<PluginContext, 'service' | 'optionalService'>;
