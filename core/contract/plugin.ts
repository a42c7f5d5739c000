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
import type { Route } from './route.js';

/** The static half of a plugin: readable, printable and checkable without running it. */
export interface PluginManifest<O extends object> {
  /** Lower-case words joined with `-`; unique on a platform. */
  readonly name: string;
  /** Its own, for whoever lists plugins. */
  readonly version: string;
  /** Plugins that must be loaded before this one. */
  readonly needs?: readonly string[];
  /** Checked and defaulted before `register`. */
  readonly options?: Joi.ObjectSchema<O>;
  /** The documents it keeps, as `<plugin>.<name>`. Whoever does not hold the collection value cannot reach them. */
  // biome-ignore lint/suspicious/noExplicitAny: a manifest lists collections of any documents
  readonly collections?: Readonly<Record<string, CollectionType<any>>>;
  /** What it announces, for the table of events. */
  readonly emits?: readonly EventType<never>[];
  /** Worker tasks; each module is checked to exist when the platform starts. */
  readonly tasks?: readonly TaskType<never, unknown>[];
}

/** How an area shows errors of its routes. */
export interface ErrorShape {
  /** What to answer, or undefined to leave the error to the platform's own shape. */
  render(error: PlatformError): { readonly status: number; readonly body: object } | undefined;
  /** The bodies `render` gives, by status. */
  readonly schemas: Readonly<Record<number, Joi.Schema>>;
}

/** Adds to the view of a conversation when somebody opens it. */
export interface ConversationView {
  /** The key under which the view appears. */
  readonly name: string;
  load(opened: {
    readonly number: NumberRecord;
    readonly contact: ContactRecord;
    readonly conversation: ConversationRecord;
    /** Asks for fresh data even if there is some. */
    readonly refresh: boolean;
    /** Says for which request. */
    readonly log: Logger;
  }): Promise<unknown>;
}

/** The live half: what `register` returns. The platform wires it; a plugin never reaches for the host. */
export interface Contributions {
  /** Routes of the API, with their schemas. */
  readonly routes?: readonly Route[];
  /** Routes of the admin API, mounted under /admin/v1 behind the admin key when there is one. They refuse keys that no schema names. */
  readonly admin?: readonly Route[];
  /** Paths below which even an unknown route is this area's, so that its 404 has this area's shape. */
  readonly roots?: readonly string[];
  /** Each carries the messages of one type of number. */
  readonly channels?: readonly ChannelDriver[];
  /** What it does for journeys that ask for it. */
  readonly effects?: Performers;
  /**
   * The ids of the forms (flows of the Flows API) that a number can send, for the lint of its journeys; undefined where that is not
   * known. At most one plugin contributes it.
   */
  readonly forms?: Forms;
  /** They see every message before it is recorded, whoever sends it, and may refuse it. */
  readonly outboundChecks?: readonly OutboundCheck[];
  /** What it does when something happens: `beforeCommit` in the transaction of its cause, `on` after it. */
  readonly on?: readonly Subscription[];
  /** The work that waits in its queues, which is done even after a crash; and what else is written when a job is given up, as `onFailed`. */
  readonly consumes?: readonly Consumer<Transaction>[];
  /** What stands beside a conversation that somebody opens. */
  readonly views?: readonly ConversationView[];
  /** How errors of its routes look; as the platform's own if not given. */
  readonly errors?: ErrorShape;
  /** After every plugin is registered and the store is loaded. */
  start?(): Promise<void> | void;
  /** In reverse order, always: also when another plugin fails, or when this one's `start` failed half-way. */
  stop?(): Promise<void> | void;
}

/** What `definePlugin` is given: the manifest, and what makes the plugin live. */
export interface PluginDefinition<O extends object> extends PluginManifest<O> {
  /** Called once per platform. It opens nothing and starts nothing: that is what `start` is for. */
  register(context: PluginContext, options: O): Contributions;
}

/** A plugin with the options somebody chose for it. */
export interface Plugin {
  readonly manifest: PluginManifest<object>;
  readonly options: object;
  register(context: PluginContext, options: object): Contributions;
}

/** Options as `register` gets them: the schema has set the defaulted ones, `D`, so they are always present. */
export type WithDefaults<O extends object, D extends keyof O> = Omit<O, D> & Required<Pick<O, D>>;

/** Adds a plugin to a host: `plugins: [channels({ ... })]`. Only a plugin without required options is called without options. */
export type PluginFactory<O extends object> = Record<never, never> extends O ? (options?: O) => Plugin : (options: O) => Plugin;

/**
 * Declares a plugin. Returns the function with which a host adds it: `plugins: [channels({ ... })]`.
 * `O` is what a host may give, with a `?` at every key that it may leave out; `D` names the keys among these that the schema
 * `options` gives a `.default(...)`, which is the only place of that default.
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
