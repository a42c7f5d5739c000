import type { DeclaredCause } from '../../contract/cause.js';
import type { ContributedCommand } from '../../contract/command.js';
import type { Explanation } from '../../contract/explanation.js';
import type { Forms } from '../../contract/forms.js';
import type { Authenticate } from '../../contract/operator.js';
import type { ContributedPage } from '../../contract/page.js';
import type { Payload } from '../../contract/payload.js';
import { ANY_OPERATOR, type Permission, type Permissions } from '../../contract/permission.js';
import type { AdminAuth, AdminCall, Contributions, ConversationView } from '../../contract/plugin.js';
import type { SearchSource } from '../../contract/search.js';
import type { Awaits, WebhookClaims } from '../../contract/webhook-claims.js';
import { retryPolicyWith } from '../../delivery/retry-policy.js';
import { type ContributedSender, type DeliverySender, type Destination, WEBHOOK_SENDER } from '../../delivery/sender.js';
import type { OwnedField } from '../../delivery/webhook-subscription.js';
import { type SubscriptionKind, subscriptionKinds } from '../../dialect.js';
import { messageOf, PluginFailed } from '../../errors.js';
import type { ChannelDriver } from '../../messaging/channel-drivers.js';
import type { OwnedLoop } from '../../messaging/connection.js';
import type { BeforeReceive, BeforeSend, OwnedHook, SendCheck } from '../../messaging/message-hooks.js';
import type { OwnedPersonalData } from '../../messaging/personal-data.js';
import type { EventBus, EventType } from '../../ports/events.js';
import type { Consumer, Queue } from '../../ports/queue.js';
import type { BeforeCommit } from '../../ports/subscription.js';
import type { Transaction } from '../../ports/transaction.js';
import { schemasByKey } from './check-parts.js';
import type { WithTransaction } from './database.js';
import { CORE, type LoadedPlugin } from './load.js';

type NeedsMessage = NonNullable<Contributions['needsMessage']>;

interface WirePorts {
  readonly queue: Queue;
  readonly bus: EventBus;
  readonly withTransaction: WithTransaction;
  /** Resolves when memory is no longer critical. */
  readonly waitForMemory: () => Promise<void>;
}

/** Connects the contributions of plugins: drivers, listeners, consumers, views, explanations, searches, pages and commands. Starts nothing. */
export function wire({ queue, bus, withTransaction, waitForMemory }: WirePorts) {
  const drivers = new Map<string, ChannelDriver>();
  const senders = new Map<string, DeliverySender>();
  const loops: OwnedLoop[] = [];
  const beforeCommit = new Map<string, BeforeCommit[]>();
  const beforeSend: OwnedHook<BeforeSend>[] = [];
  const beforeReceive: OwnedHook<BeforeReceive>[] = [];
  const checks: SendCheck['check'][] = [];
  let forms: Forms | undefined;
  let claims: WebhookClaims | undefined;
  const awaiting: Awaits[] = [];
  const needing: NeedsMessage[] = [];
  const personalData: OwnedPersonalData[] = [];
  const authenticate: Authenticate[] = [];
  let adminAuth: AdminAuth | undefined;
  const views: ConversationView[] = [];
  const explanations: Explanation[] = [];
  const search: SearchSource[] = [];
  const payloads: Payload[] = [];
  const subscriptions: string[] = [];
  const fields = new Map<SubscriptionKind, OwnedField[]>();
  const pages: ContributedPage[] = [];
  const commands: ContributedCommand[] = [];
  const causes: DeclaredCause[] = [];
  const permissions: Record<string, Permission> = {};
  const needed: { readonly plugin: string; readonly call: string; readonly permission: string | undefined }[] = [];
  const events = new Map<string, EventType<never>>();
  const owners = new Map<string, string>();
  const listeners: { readonly plugin: string; readonly event: string; readonly what: string }[] = [];

  return {
    drivers: drivers as ReadonlyMap<string, ChannelDriver>,
    loops: loops as readonly OwnedLoop[],
    /** The senders of plugins, with that of the core. */
    sendersWith<D extends Destination>(own: DeliverySender<D>): ReadonlyMap<string, DeliverySender> {
      senders.set(own.name, own as unknown as DeliverySender);
      return senders;
    },
    beforeSend: beforeSend as readonly OwnedHook<BeforeSend>[],
    beforeReceive: beforeReceive as readonly OwnedHook<BeforeReceive>[],
    /** Of `beforeSend` and `outboundChecks`. */
    sendChecks: checks as readonly SendCheck['check'][],
    forms: () => forms,
    claims: () => claims,
    async isAwaited(...asked: Parameters<Awaits>): Promise<boolean> {
      for (const awaits of awaiting) if (await awaits(...asked)) return true;
      return false;
    },
    async needsMessage(...asked: Parameters<NeedsMessage>): Promise<boolean> {
      for (const needs of needing) if (await needs(...asked)) return true;
      return false;
    },
    personalData: personalData as readonly OwnedPersonalData[],
    authenticate: authenticate as readonly Authenticate[],
    adminAuth: (call: AdminCall) => adminAuth?.(call),
    views: views as readonly ConversationView[],
    explanations: explanations as readonly Explanation[],
    search: search as readonly SearchSource[],
    payloads: payloads as readonly Payload[],
    subscriptions: subscriptions as readonly string[],
    fieldsOf: (kind: SubscriptionKind): readonly OwnedField[] => fields.get(kind) ?? NO_FIELDS,
    pages: pages as readonly ContributedPage[],
    commands: commands as readonly ContributedCommand[],
    causes: causes as readonly DeclaredCause[],
    permissions: permissions as Permissions,
    /** Whether the core or a plugin declares an event of this name. */
    isDeclared: (event: string): boolean => events.has(event),
    handlersBeforeCommit: (event: string): readonly BeforeCommit[] => beforeCommit.get(event) ?? [],

    /** Connects a plugin. @throws PluginFailed when another plugin contributes the same name */
    add({ manifest: { name, emits = [], causes: declared = {}, permissions: ownPermissions = {} }, contributions }: LoadedPlugin): void {
      const claim = (contribution: string): void => {
        const owner = owners.get(contribution);
        if (owner !== undefined) throw new PluginFailed(name, 'register', `${contribution} is already contributed by '${owner}'`);
        owners.set(contribution, name);
      };
      for (const [cause, about] of Object.entries(declared)) {
        claim(`the cause '${cause}'`);
        causes.push({ cause, plugin: name, ...about });
      }
      for (const [permission, about] of Object.entries(ownPermissions)) {
        claim(`the permission '${permission}'`);
        permissions[permission] = about;
      }
      for (const type of emits) {
        // Several plugins may declare the same event value.
        if (events.get(type.name) !== type) claim(`the event '${type.name}'`);
        events.set(type.name, type);
      }
      for (const { method, path } of contributions.routes ?? []) claim(`route ${method} ${withoutParamNames(path)}`);
      for (const { method, path, permission, morePermissions = [] } of contributions.admin ?? []) {
        claim(`admin route ${method} ${withoutParamNames(path)}`);
        for (const one of [permission, ...morePermissions]) needed.push({ plugin: name, call: `${method} ${path}`, permission: one });
      }
      for (const { name: subscription } of contributions.subscriptions ?? []) {
        claim(`the subscription '${subscription}'`);
        subscriptions.push(subscription);
      }
      for (const payload of contributions.payloads ?? []) {
        claim(`the payload '${payload.name}'`);
        payloads.push(payload);
      }
      for (const field of contributions.payloadFields ?? []) {
        claim(`the field '${name}' of '${field.subscription}' payloads`);
        const { subscription, summary, schema } = field;
        const owned = {
          plugin: name,
          subscription,
          summary,
          schema,
          value: (...about: Parameters<OwnedField['value']>) => field.value(...about),
        };
        fields.set(subscription, [...(fields.get(subscription) ?? []), owned]);
      }
      for (const driver of contributions.channels ?? []) {
        claim(`the driver for numbers of type '${driver.type}'`);
        drivers.set(driver.type, driver);
      }
      for (const loop of contributions.loops ?? []) {
        claim(`the loop '${loop.name}'`);
        loops.push({ plugin: name, name: loop.name, type: loop.type, run: (...about) => loop.run(...about) });
      }
      for (const sender of contributions.senders ?? []) {
        if (sender.name === WEBHOOK_SENDER) throw new PluginFailed(name, 'register', `the sender '${WEBHOOK_SENDER}' is that of webhooks`);
        claim(`the sender '${sender.name}'`);
        senders.set(sender.name, completed(name, sender));
      }
      if (contributions.forms) {
        claim('the list of forms');
        forms = contributions.forms;
      }
      if (contributions.claims) {
        claim('the claims of webhooks');
        claims = contributions.claims;
      }
      if (contributions.awaits) awaiting.push(contributions.awaits);
      if (contributions.needsMessage) needing.push(contributions.needsMessage);
      const own = contributions.personalData;
      if (own) {
        const erase: OwnedPersonalData['erase'] = (tx, subject) => own.erase(tx, subject);
        personalData.push({ plugin: name, erase, ...(own.export && { export: (subject) => own.export!(subject) }) });
      }
      if (contributions.authenticate) authenticate.push((request) => contributions.authenticate!(request));
      if (contributions.adminAuth) {
        claim('the authentication of admin calls');
        adminAuth = contributions.adminAuth;
      }
      for (const one of contributions.beforeSend ?? []) {
        if (typeof one === 'function') beforeSend.push({ plugin: name, run: one });
        else checks.push(one.check);
      }
      for (const run of contributions.beforeReceive ?? []) beforeReceive.push({ plugin: name, run });
      checks.push(...(contributions.outboundChecks ?? []));
      for (const view of contributions.views ?? []) {
        claim(`the conversation view '${view.name}'`);
        views.push(view);
      }
      for (const explanation of contributions.explanations ?? []) {
        claim(`the explanation '${explanation.name}'`);
        explanations.push(explanation);
      }
      for (const source of contributions.search ?? []) {
        claim(`the search in records of the kind '${source.kind}'`);
        needed.push({ plugin: name, call: `search of '${source.kind}'`, permission: source.permission });
        search.push(source);
      }
      for (const page of contributions.pages ?? []) {
        claim(`the page '${page.name}' of ${name}`);
        pages.push({ ...page, plugin: name, html: () => page.html() });
      }
      for (const command of contributions.commands ?? []) {
        claim(`the command '${name} ${command.verb}'`);
        commands.push({ ...command, plugin: name, run: (given) => command.run(given) });
      }
      for (const consumer of contributions.consumes ?? []) {
        claim(`the consumer of queue '${consumer.queue.name}'`);
        // Jobs of the core never wait: a delivery that is settled frees memory.
        queue.attach(name, withTransactions(name === CORE ? consumer : onceMemoryAllows(consumer, waitForMemory), withTransaction));
      }
      for (const subscription of contributions.on ?? []) {
        const event = subscription.event.name;
        if (subscription.phase === 'beforeCommit') beforeCommit.set(event, [...(beforeCommit.get(event) ?? []), subscription]);
        else bus.subscribe(name, event, (payload) => subscription.handle(payload));
        listeners.push({ plugin: name, event, what: 'it listens to' });
      }
      for (const page of contributions.pages ?? [])
        for (const event of page.events ?? []) listeners.push({ plugin: name, event, what: `its page '${page.name}' receives` });
    },

    /**
     * For the end, when every plugin is connected.
     * @throws PluginFailed when a plugin adds a field to an unknown subscription, or one that its payloads have
     */
    checkFields(): void {
      for (const { plugin, subscription } of [...fields.values()].flat()) {
        const fail = (why: string): never => {
          throw new PluginFailed(plugin, 'register', `payloadFields: ${why}`);
        };
        if (!(subscriptionKinds as readonly string[]).includes(subscription) && !subscriptions.includes(subscription))
          fail(`no plugin contributes the subscription '${subscription}'`);
        const taken = payloads.find((payload) => payload.subscription === subscription && schemasByKey(payload.body).has(plugin));
        if (taken) fail(`the payload '${taken.name}' has a field '${plugin}' already; give the plugin another name`);
      }
    },

    /**
     * For the end, when every plugin is connected.
     * @returns by plugin, the admin calls that declare no permission, which only owners may make
     * @throws PluginFailed when a route needs a permission that no plugin declares
     */
    checkPermissions(): ReadonlyMap<string, readonly string[]> {
      const without = new Map<string, string[]>();
      for (const { plugin, call, permission } of needed) {
        if (permission === undefined) without.set(plugin, [...(without.get(plugin) ?? []), call]);
        else if (permission !== ANY_OPERATOR && !Object.hasOwn(permissions, permission))
          throw new PluginFailed(plugin, 'register', `${call} needs '${permission}', which no plugin declares: add it to permissions`);
      }
      return without;
    },

    /** For the end, when every plugin is connected. @throws PluginFailed when a plugin listens to an event that no plugin declares */
    checkEvents(): void {
      for (const { plugin, event, what } of listeners) {
        const isDeclared = event.endsWith('.') ? [...events.keys()].some((name) => name.startsWith(event)) : events.has(event);
        if (isDeclared) continue;
        const fix = 'add the event to emits of the plugin that emits it, and that plugin to `plugins`';
        throw new PluginFailed(plugin, 'register', `${what} '${event}', which no plugin declares: ${fix}`);
      }
    },
  };
}

const NO_FIELDS: readonly OwnedField[] = [];

const onceMemoryAllows = (consumer: Consumer<Transaction>, room: () => Promise<void>): Consumer<Transaction> => ({
  ...consumer,
  async handle(job) {
    await room();
    await consumer.handle(job);
  },
});

/** Converts `onFailed` from a platform transaction to the store transaction that a queue passes. */
function withTransactions({ onFailed, ...consumer }: Consumer<Transaction>, withTransaction: WithTransaction): Consumer {
  return onFailed ? { ...consumer, onFailed: (raw, job, error) => withTransaction(raw, (tx) => onFailed(tx, job, error)) } : consumer;
}

/** Routes that differ only in the names of their parameters are the same route. */
const withoutParamNames = (path: string): string => path.replace(/\{[^}*?]*/g, '{');

/** A sender with its complete retry policy. @throws PluginFailed when the policy is not possible */
function completed(plugin: string, sender: ContributedSender): DeliverySender {
  const { name, policy = {} } = sender;
  try {
    return {
      name,
      policy: retryPolicyWith(policy),
      destination: (tx, uuid) => sender.destination(tx, uuid),
      request: (attempt) => sender.request(attempt),
      ...(sender.read && { read: (attempt, outcome) => sender.read!(attempt, outcome) }),
      ...(sender.waitMs && { waitMs: (tx, entry, destination) => sender.waitMs!(tx, entry, destination) }),
    };
  } catch (error) {
    throw new PluginFailed(plugin, 'register', `the policy of the sender '${name}' is not possible: ${messageOf(error)}`);
  }
}
