import type Joi from 'joi';
import type { ContributedSender } from '../delivery/sender.js';
import type { PayloadField, WebhookSubscription } from '../delivery/webhook-subscription.js';
import type { PlatformError } from '../errors.js';
import type { ChannelDriver, OutboundCheck } from '../messaging/channel-drivers.js';
import type { Loop } from '../messaging/connection.js';
import type { ContactRecord } from '../messaging/contact.js';
import type { ConversationRecord } from '../messaging/conversation.js';
import type { MessageRecord } from '../messaging/message.js';
import type { BeforeReceive, BeforeSend, SendCheck } from '../messaging/message-hooks.js';
import type { NumberRecord } from '../messaging/number.js';
import type { PersonalData } from '../messaging/personal-data.js';
import type { EventType } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';
import type { PluginMetrics } from '../ports/metrics.js';
import type { Consumer } from '../ports/queue.js';
import type { CollectionType } from '../ports/store.js';
import type { Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';
import type { TaskType } from '../ports/workers.js';
import type { Causes } from './cause.js';
import type { PluginCommand } from './command.js';
import type { ConformanceCheck } from './conformance-check.js';
import type { PluginContext } from './context.js';
import type { Explanation } from './explanation.js';
import type { Forms } from './forms.js';
import type { Authenticate } from './operator.js';
import type { Page } from './page.js';
import type { Payload } from './payload.js';
import type { Permissions } from './permission.js';
import type { Route } from './route.js';
import type { SearchSource } from './search.js';
import type { Offer, Service } from './service.js';
import type { Awaits, WebhookClaims } from './webhook-claims.js';

/** A plugin that another one needs: its name, or the function that `definePlugin` returned for it. */
// biome-ignore lint/suspicious/noExplicitAny: a plugin may need plugins with any options
export type NeededPlugin = string | PluginFactory<any>;

/** The static part of a plugin, which tools and the platform read and check without running the plugin. */
export interface PluginManifest<O extends object> {
  /** The name of the plugin: lower-case words joined with `-`, unique on a platform. */
  readonly name: string;
  /** The version of the plugin. */
  readonly version: string;
  /**
   * Plugins that must be loaded before this one, each by its name or by its factory. If `plugins` of the platform lacks a plugin that is
   * needed by its factory, the platform adds it with its default options and logs that.
   */
  readonly needs?: readonly NeededPlugin[];
  /** Names of plugins that are loaded before this one if the platform has them. */
  readonly optional?: readonly string[];
  /** The services that the plugin offers to other plugins; `register` returns their implementations as `services`. */
  readonly offers?: readonly Service<unknown>[];
  /** The joi schema that checks the options of the plugin and sets their defaults, before `register` runs. */
  readonly options?: Joi.ObjectSchema<O>;
  /**
   * The collections of the plugin, stored as `<plugin>.<name>`. Only code with a reference to the collection object can access its records. `tenant`
   * of a collection declares how the tenant of a record is found; several shards need it.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a manifest lists collections of any record type
  readonly collections?: Readonly<Record<string, CollectionType<any>>>;
  /** The events that the plugin emits: it can emit no others. A plugin that listens to an event that no plugin declares is refused at start. */
  readonly emits?: readonly EventType<never>[];
  /** The causes of refusals of the plugin: the codes of errors that it throws. A cause that the core or another plugin declares is refused. */
  readonly causes?: Causes;
  /**
   * The permissions that the admin routes of the plugin need, besides those of the core and of other plugins, such as `night_mail.send`. Each has
   * the default roles that include it.
   */
  readonly permissions?: Permissions;
  /** The worker tasks of the plugin. The platform checks at start that their modules exist. */
  readonly tasks?: readonly TaskType<never, unknown>[];
  /** Checks that the plugin adds to `posthorn conform`. */
  readonly checks?: readonly ConformanceCheck<never>[];
}

/** How an area renders the errors of its routes. */
export interface ErrorShape {
  /** Returns status and body of the response; undefined leaves the error to the platform's shape. */
  render(error: PlatformError): { readonly status: number; readonly body: object } | undefined;
  /** Schemas of the bodies that `render` returns, by status. */
  readonly schemas: Readonly<Record<number, Joi.Schema>>;
}

/** Adds data to `GET /admin/v1/conversations/{uuid}`, such as a panel that is shown next to the conversation. */
export interface ConversationView {
  /** The key of the view in `views`. */
  readonly name: string;
  /** Loads the data. If the promise is rejected, this view has the state `failed`, and the other views are unaffected. */
  load(opened: {
    readonly number: NumberRecord;
    readonly contact: ContactRecord;
    readonly conversation: ConversationRecord;
    /** Whether to bypass cached data. */
    readonly refresh: boolean;
    /** A logger whose lines name the request. */
    readonly log: Logger;
  }): Promise<unknown>;
}

/** A call of the admin API without an Authorization header. */
export interface AdminCall {
  /** In upper case. */
  readonly method: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Authenticates admin calls without an Authorization header, such as those of a browser with a session cookie. Returns `true` to accept
 * the call, the error that refuses it, or undefined if the call has no credential of the plugin; or a promise of one of them.
 */
export type AdminAuth = (call: AdminCall) => true | PlatformError | undefined | Promise<true | PlatformError | undefined>;

/** The return value of `register`. The platform mounts the routes and starts the consumers; a plugin never accesses the server itself. */
export interface Contributions {
  /** Routes of the public API. They ignore request keys that no schema names. */
  readonly routes?: readonly Route[];
  /** Routes of the admin API, mounted under /admin/v1 if the platform has an admin key. They refuse request keys that no schema names. */
  readonly admin?: readonly Route[];
  /**
   * Finds the operator of admin calls, as the option `operators` of the platform does, such as by the cookie of a session. Several plugins may
   * contribute it: each is asked in the order of the plugins, after the host application.
   */
  readonly authenticate?: Authenticate;
  /**
   * Accepts admin calls without an Authorization header, as calls of an owner. At most one plugin contributes it.
   * @deprecated Use `authenticate`, which says who makes the call and which roles the operator has.
   */
  readonly adminAuth?: AdminAuth;
  /** Path prefixes of this area. An unknown route below them gets a 404 in the error shape of the area. */
  readonly roots?: readonly string[];
  /**
   * The requests that the plugin sends to endpoints of customers, which the OpenAPI document lists under `webhooks`. In a test platform a
   * delivery fails if its body matches none of the payloads declared for its subscription.
   */
  readonly payloads?: readonly Payload[];
  /** Subscriptions that webhooks can have besides those of the platform: events of the plugin, and the bodies of their deliveries. */
  readonly subscriptions?: readonly WebhookSubscription[];
  /** Fields that the plugin adds to the bodies of a subscription, under its own name. */
  readonly payloadFields?: readonly PayloadField[];
  /** Channel drivers, each for one type of number. With `capabilities`, a driver declares limits of messages and kinds of files. */
  readonly channels?: readonly ChannelDriver[];
  /** Loops that receive for connected numbers of a type, such as a poll of a service. The platform runs each once for a number at a time. */
  readonly loops?: readonly Loop[];
  /** Senders of deliveries to other receivers than webhooks. `context.deliveries.post` names one. */
  // biome-ignore lint/suspicious/noExplicitAny: each sender has its own kind of destination
  readonly senders?: readonly ContributedSender<any>[];
  /**
   * Lists the ids of the forms (flows of the Flows API) that a number can send, for the lint of its journeys; undefined when unknown. With the
   * methods of `Forms`, channels send links to pages that show them. At most one plugin contributes it.
   */
  readonly forms?: Forms;
  /** Decides which messages of contacts a webhook answers instead of a journey. At most one plugin contributes it. */
  readonly claims?: WebhookClaims;
  /** Whether the plugin waits for the next message of a contact, such as for the answer to a question. No webhook claims that message. */
  readonly awaits?: Awaits;
  /**
   * Whether unsettled work of the plugin needs a message, such as a question whose answer it awaits: the message is not deleted meanwhile, however
   * old it is. A listener `beforeCommit` of `messages.expired` deletes what the plugin keeps about the messages that are.
   */
  readonly needsMessage?: (tx: Transaction, message: MessageRecord) => Promise<boolean>;
  /** Takes part in the erasure and the export of a contact. */
  readonly personalData?: PersonalData;
  /**
   * Functions that run before an outbound message is recorded, whichever plugin sends it. Each may return a changed message, or throw to refuse
   * it. They run in the order of the plugins, each with the result of the previous one, in the transaction that records the message. After them
   * runs each `{ check }`, which sees the message as it will be sent, and changes nothing.
   */
  readonly beforeSend?: readonly (BeforeSend | SendCheck)[];
  /** The same for messages of contacts, before they are recorded. */
  readonly beforeReceive?: readonly BeforeReceive[];
  /**
   * Checks that run before an outbound message is recorded, after `beforeSend`. A check throws to refuse the message.
   * @deprecated Use `beforeSend` with `{ check }`, which does the same, or `check` of a channel driver.
   */
  readonly outboundChecks?: readonly OutboundCheck[];
  /** Event listeners: `beforeCommit` runs in the transaction that emits the event, `on` after it. */
  readonly on?: readonly Subscription[];
  /** Queue consumers. Jobs survive a crash. `onFailed` of a consumer runs in the transaction that marks a job as permanently failed. */
  readonly consumes?: readonly Consumer<Transaction>[];
  /** The implementations of the services in `offers`: `services: [offer(points, { ... })]`. */
  readonly services?: readonly Offer[];
  /** Views: data that the admin API adds to a conversation. */
  readonly views?: readonly ConversationView[];
  /** Explanations: the steps that `GET /admin/v1/why` lists for what the plugin did with a message. */
  readonly explanations?: readonly Explanation[];
  /** Kinds of records that `GET /admin/v1/search` finds. */
  readonly search?: readonly SearchSource[];
  /** Pages for the console: in its menu, or as panels beside a number or conversation. */
  readonly pages?: readonly Page[];
  /** Commands for the command line, `posthorn <plugin> <verb>`, which run in the platform. */
  readonly commands?: readonly PluginCommand[];
  /**
   * Declares metrics of the plugin, which `GET /admin/v1/metrics` shows. Runs once at start, before `start`, and only on a platform with an
   * admin API. Names begin with the name of the plugin, with `_` for each `-`: `night_mail_letters_total`.
   */
  metrics?(metrics: PluginMetrics): void;
  /** The error shape of the plugin's routes; the platform's error shape if not given. */
  readonly errors?: ErrorShape;
  /** Runs after every plugin is registered and the store is loaded. */
  start?(): Promise<void> | void;
  /** Runs when the platform stops, in reverse order of the starts. It also runs if this `start` or another plugin failed. */
  stop?(): Promise<void> | void;
}

/** The argument of `definePlugin`: the manifest, and `register`. */
export interface PluginDefinition<O extends object> extends PluginManifest<O> {
  /** Runs once per platform, with checked options. Must not open connections or start timers: do that in `start`. */
  register(context: PluginContext, options: O): Contributions;
}

/** A plugin with the options that the host application passed. */
export interface Plugin {
  readonly manifest: PluginManifest<object>;
  readonly options: object;
  register(context: PluginContext, options: object): Contributions;
}

/** The options that `register` receives. Options with a default (`D`) are always present. */
export type WithDefaults<O extends object, D extends keyof O> = Omit<O, D> & Required<Pick<O, D>>;

/** Configures a plugin for a platform: `plugins: [channels({ ... })]`. The argument is optional if no option is required. */
export type PluginFactory<O extends object> = Record<never, never> extends O ? (options?: O) => Plugin : (options: O) => Plugin;

/**
 * Declares a plugin. Returns the function with which a host application adds the plugin: `plugins: [channels({ ... })]`.
 * `O` is the type of the options that a host passes, with a `?` at every optional key. `D` names the keys for which the schema
 * `options` has a `.default(...)`. Set defaults only in that schema.
 */
export function definePlugin<O extends object = object, D extends keyof O = never>(
  definition: PluginDefinition<WithDefaults<O, D>>,
): PluginFactory<O> {
  const { register, ...manifest } = definition;
  const factory = (options: object = {}): Plugin => ({
    manifest: manifest as PluginManifest<object>,
    options,
    register: register as Plugin['register'],
  });
  // Tools find the factory among the exports of a file by its manifest.
  return Object.assign(factory, { manifest }) as unknown as PluginFactory<O>;
}
