import type Joi from 'joi';
import type { PlatformError } from '../errors.js';
import type { Forms } from '../journeys/forms.js';
import type { Performers } from '../journeys/performers.js';
import type { ChannelDriver, OutboundCheck } from '../messaging/channel-drivers.js';
import type { ContactRecord } from '../messaging/contact.js';
import type { ConversationRecord } from '../messaging/conversation.js';
import type { NumberRecord } from '../messaging/number.js';
import type { EventType } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';
import type { Consumer } from '../ports/queue.js';
import type { CollectionType } from '../ports/store.js';
import type { Subscription } from '../ports/subscription.js';
import type { Transaction } from '../ports/transaction.js';
import type { TaskType } from '../ports/workers.js';
import type { PluginContext } from './context.js';
import type { Payload } from './payload.js';
import type { Route } from './route.js';

/** The static half of a plugin. Tools and the platform read and check it without running the plugin. */
export interface PluginManifest<O extends object> {
  /** Lower-case words joined with `-`; unique on a platform. */
  readonly name: string;
  /** The version of the plugin. */
  readonly version: string;
  /** Names of plugins that must be loaded before this one. */
  readonly needs?: readonly string[];
  /** The joi schema of its options, which checks them and sets defaults before `register`. */
  readonly options?: Joi.ObjectSchema<O>;
  /** Its collections, stored as `<plugin>.<name>`. Only code that has the collection value can access the documents. */
  // biome-ignore lint/suspicious/noExplicitAny: a manifest lists collections of any documents
  readonly collections?: Readonly<Record<string, CollectionType<any>>>;
  /** The events that it emits. */
  readonly emits?: readonly EventType<never>[];
  /** Its worker tasks. The platform checks at start that their modules exist. */
  readonly tasks?: readonly TaskType<never, unknown>[];
}

/** How an area renders the errors of its routes. */
export interface ErrorShape {
  /** Returns status and body of the response; undefined leaves the error to the platform's shape. */
  render(error: PlatformError): { readonly status: number; readonly body: object } | undefined;
  /** Schemas of the bodies that `render` returns, by status. */
  readonly schemas: Readonly<Record<number, Joi.Schema>>;
}

/** Adds data to `GET /admin/v1/conversations/{uuid}`, such as a panel beside the conversation. */
export interface ConversationView {
  /** The key of the view in `views`. */
  readonly name: string;
  /** Loads the data. A rejection becomes the state `failed` of this view alone. */
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

/** The return value of `register`, which the platform connects. A plugin never touches the server itself. */
export interface Contributions {
  /** Routes of the API. Requests may have keys that no schema names. */
  readonly routes?: readonly Route[];
  /** Routes of the admin API, mounted under /admin/v1 behind the admin key, if the platform has one. They refuse keys that no schema names. */
  readonly admin?: readonly Route[];
  /** Paths of this area: a 404 for an unknown route below them has the error shape of the area. */
  readonly roots?: readonly string[];
  /**
   * The requests that it sends to endpoints of customers, for the `webhooks` of the OpenAPI document. In a test platform a delivery whose
   * body fits none of its subscription is an error.
   */
  readonly payloads?: readonly Payload[];
  /** Channel drivers, each for one type of number. */
  readonly channels?: readonly ChannelDriver[];
  /** Performers of journey effects, by kind of effect. */
  readonly effects?: Performers;
  /**
   * Lists the ids of the forms (flows of the Flows API) that a number can send, for the lint of its journeys; undefined when unknown. At
   * most one plugin contributes it.
   */
  readonly forms?: Forms;
  /** Checks that run before an outbound message is recorded, whichever plugin sends it. A check throws to refuse the message. */
  readonly outboundChecks?: readonly OutboundCheck[];
  /** Event listeners: `beforeCommit` runs in the transaction that emits the event, `on` after it. */
  readonly on?: readonly Subscription[];
  /** Queue consumers. Jobs survive a crash; `onFailed` of a consumer writes more in the transaction that fails a job permanently. */
  readonly consumes?: readonly Consumer<Transaction>[];
  /** Data that the admin API shows beside a conversation. */
  readonly views?: readonly ConversationView[];
  /** The error shape of its routes; the platform's if not given. */
  readonly errors?: ErrorShape;
  /** Runs after every plugin is registered and the store is loaded. */
  start?(): Promise<void> | void;
  /** Runs in reverse order of start, also when another plugin fails or this one's `start` failed. */
  stop?(): Promise<void> | void;
}

/** The argument of `definePlugin`: the manifest, and `register`. */
export interface PluginDefinition<O extends object> extends PluginManifest<O> {
  /** Runs once per platform, with checked options. It must not open or start anything: `start` does. */
  register(context: PluginContext, options: O): Contributions;
}

/** A plugin with the options that the host chose. */
export interface Plugin {
  readonly manifest: PluginManifest<object>;
  readonly options: object;
  register(context: PluginContext, options: object): Contributions;
}

/** Options as `register` receives them: those with a default, `D`, are always present. */
export type WithDefaults<O extends object, D extends keyof O> = Omit<O, D> & Required<Pick<O, D>>;

/** Configures a plugin for a platform: `plugins: [channels({ ... })]`. The argument is optional if no option is required. */
export type PluginFactory<O extends object> = Record<never, never> extends O ? (options?: O) => Plugin : (options: O) => Plugin;

/**
 * Declares a plugin. Returns the function with which a host adds it: `plugins: [channels({ ... })]`.
 * `O` is the type of the options that a host writes, with a `?` at every optional key; `D` names the keys for which the schema
 * `options` has a `.default(...)`. Defaults are set there and nowhere else.
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
  return factory as PluginFactory<O>;
}
