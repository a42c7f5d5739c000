import type { Request } from '@hapi/hapi';
import type { SecretMasker } from '../adapters/secrets/secret-masker.js';
import type { eventRoutes } from '../admin/events.js';
import type { Keys } from '../admin/keys.js';
import type { ApiPart } from '../admin/openapi.js';
import type { Texts } from '../admin/search/texts.js';
import type { BrowserFileFactory, CallLimitFactory, EventStreamFactory } from '../contract/browser.js';
import type { PlatformForms } from '../contract/forms.js';
import type { PlatformLocale } from '../contract/locale.js';
import type { Operator } from '../contract/operator.js';
import type { ContributedPage } from '../contract/page.js';
import type { Awaits, WebhookClaims } from '../contract/webhook-claims.js';
import type { Alerts, Processes } from '../delivery/alerts.js';
import type { createBacklog } from '../delivery/backlog.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { DeliveryOutbox } from '../delivery/delivery.js';
import type { DeliveryDetails } from '../delivery/delivery-details.js';
import type { createErasedDeliveries } from '../delivery/erased-deliveries.js';
import type { Erasures } from '../delivery/erasures.js';
import type { Holds } from '../delivery/holds.js';
import type { Lanes } from '../delivery/lanes.js';
import type { MessageRetention } from '../delivery/message-retention.js';
import type { DeliveryHistory } from '../delivery/retention.js';
import type { DeliverySender } from '../delivery/sender.js';
import type { SettledDeliveries } from '../delivery/settled-deliveries.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import type { NotReady } from '../errors.js';
import type { Area } from '../kernel/http/area.js';
import type { CurrentAdminKey } from '../kernel/http/auth.js';
import type { CallGate } from '../kernel/http/call-gate.js';
import type { EventStreams } from '../kernel/http/event-streams.js';
import type { Identified, Operators } from '../kernel/http/operators.js';
import type { Roles } from '../kernel/http/roles.js';
import type { Audit } from '../kernel/observe/audit.js';
import type { StoredAudit } from '../kernel/observe/audit-record.js';
import type { CallLog } from '../kernel/observe/call-log.js';
import type { Endpoints } from '../kernel/observe/endpoints.js';
import type { EventStream } from '../kernel/observe/event-stream.js';
import type { MemoryGuard } from '../kernel/observe/memory-guard.js';
import type { Meters } from '../kernel/observe/meters.js';
import type { createDatabase } from '../kernel/plugins/database.js';
import type { createLifecycle } from '../kernel/plugins/lifecycle.js';
import type { LoadedPlugin } from '../kernel/plugins/load.js';
import type { createShutdown } from '../kernel/plugins/shutdown.js';
import type { wire } from '../kernel/plugins/wire.js';
import type { Chunks } from '../memory/chunks.js';
import type { Histories } from '../memory/histories.js';
import type { History } from '../memory/history.js';
import type { Channels } from '../messaging/channel-drivers.js';
import type { Choices } from '../messaging/choices.js';
import type { Connections } from '../messaging/connections.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Messages } from '../messaging/messages.js';
import type { Numbers } from '../messaging/numbers.js';
import type { createStoredKey } from '../messaging/stored-key.js';
import type { Templates } from '../messaging/templates.js';
import type { Tokens } from '../messaging/tokens.js';
import type { Uploads } from '../messaging/uploads.js';
import type { Claims } from '../ports/claims.js';
import type { Announcement, EventType } from '../ports/events.js';
import type { QueueType, StoredJob } from '../ports/queue.js';
import type { Store, StoreHealth } from '../ports/store.js';
import type { Database } from '../ports/transaction.js';
import type { ChosenPorts } from './default-ports.js';
import type { Loops } from './loops.js';
import type { Settings } from './options.js';
import type { PlatformState } from './platform-state.js';

/**
 * Every part of a platform. Ports need only the options, services need ports, wiring connects services with plugins, and the lifecycle
 * starts and stops them all.
 */
export type Parts = PortParts & ServiceParts & AlertPart & AuditParts & WiringParts & LifecycleParts;

/** Ports: the adapters that the options select. */
export interface PortParts extends Omit<ChosenPorts, 'store'> {
  readonly settings: Settings;
  readonly dialect: Dialect;
  /** Removes secrets from log lines. */
  readonly masker: SecretMasker;
  /** The ports before tracing and metrics wrap them. */
  readonly chosen: ChosenPorts;
  /** The store port itself: without queue and events, but with its health. */
  readonly rawStore: Store;
  readonly heapBytes: number;
}

/** The services that plugins share; a host application has them on its `Platform`. */
export interface Services {
  readonly numbers: Numbers;
  readonly tokens: Tokens;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly media: Media;
  readonly channels: Channels;
  readonly connections: Connections;
  readonly choices: Choices;
  readonly uploads: Uploads;
  readonly templates: Templates;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
}

/** The services, and the storage helpers that they use. */
export interface ServiceParts extends Services {
  readonly lanes: Lanes;
  readonly database: ReturnType<typeof createDatabase>;
  readonly store: Database;
  readonly announce: <T>(event: EventType<T>, payload: T) => void;
  readonly findJob: (queue: QueueType<unknown>, id: string) => Promise<StoredJob | undefined>;
  readonly chunks: Chunks;
  readonly histories: Histories;
  readonly history: Histories['create'];
  readonly outbox: DeliveryOutbox;
  readonly settledDeliveries: SettledDeliveries;
  /** The senders, by the name that deliveries store. */
  readonly senders: ReadonlyMap<string, DeliverySender>;
  /** The exchanges of the newest attempts; undefined unless they are recorded. */
  readonly deliveryDetails: DeliveryDetails | undefined;
  /** The history of settled deliveries. */
  readonly deliveryHistory: DeliveryHistory;
  readonly records: MessageRecords;
  readonly mediaKey: ReturnType<typeof createStoredKey>;
  readonly backlog: ReturnType<typeof createBacklog>;
  readonly holds: Holds;
  /** Keys of the admin API. */
  readonly keys: Keys;
  readonly messageRetention: MessageRetention;
  readonly personalDeliveries: ReturnType<typeof createErasedDeliveries>;
  readonly erasures: Erasures;
}

export interface AlertPart {
  /** Alerts to the targets of the option `alerts`. */
  readonly alerts: Alerts;
}

/** The records of what operators do. */
export interface AuditParts {
  readonly audit: Audit;
  readonly auditHistory: History<StoredAudit>;
}

/** Connects services with the contributions of plugins, and observes them. */
export interface WiringParts {
  readonly wiring: ReturnType<typeof wire>;
  readonly forms: PlatformForms;
  readonly locale: PlatformLocale & { readonly timeZone: string };
  readonly webhookClaims: () => WebhookClaims | undefined;
  readonly isAwaited: Awaits;
  readonly pages: () => readonly ContributedPage[];
  readonly memory: MemoryGuard;
  /** Undefined without the admin API, because only the admin API shows metrics. */
  readonly meters: Meters | undefined;
  readonly endpoints: Endpoints | undefined;
  /** The recorded calls of the API; undefined unless they are recorded. */
  readonly calls: CallLog | undefined;
  readonly stream: EventStream;
  /** The texts that searches of the admin API look through; empty before the first. */
  readonly texts: Texts;
  readonly roles: Roles;
  /** Identifies the operators of admin calls. */
  readonly operators: Operators;
  /** Undefined without a key in the options. */
  readonly adminKey: CurrentAdminKey | undefined;
  readonly keyOperator: (id: string) => Promise<Operator | undefined>;
  readonly eventStreams: EventStreams;
  readonly eventStream: EventStreamFactory;
  readonly browserFile: BrowserFileFactory;
  readonly callLimit: CallLimitFactory;
  readonly clientAddress: (request: Request) => string;
  readonly events: ReturnType<typeof eventRoutes>;
  readonly listener: (announcement: Announcement) => void;
  readonly core: LoadedPlugin;
}

/** Starts and stops the platform, and reports its state. */
export interface LifecycleParts {
  /** The loops that receive for connected numbers. */
  readonly loops: Loops;
  /** The state with which the platform starts instead of that of its store. */
  readonly replacement: PlatformState | undefined;
  /** The claims of this shard in the directory of a cluster; undefined in a platform that is not a shard. */
  readonly claims: Claims | undefined;
  /** The processes of a cluster; undefined in a platform that is not a shard. */
  readonly processes: Processes | undefined;
  /** The operator of an admin call that another shard of the cluster has identified. */
  readonly passedOperator: ((request: Request) => Identified | undefined) | undefined;
  /** The address of the client of a call that another process of the cluster has passed on. */
  readonly clientOf: ((request: Request) => string | undefined) | undefined;
  /** Whether a process of another release may read the records. */
  readonly isMixed: () => boolean;
  /** The core and the plugins, in the order in which they start. */
  readonly loaded: readonly LoadedPlugin[];
  readonly lifecycle: ReturnType<typeof createLifecycle>;
  readonly shutdown: ReturnType<typeof createShutdown>;
  readonly storeHealth: () => StoreHealth;
  readonly storeIsOpen: () => boolean;
  /** Starts the platform, or lets it wait as a standby. */
  readonly begin: () => Promise<void>;
  /** Refuses calls while another process owns the data; undefined with a store of one process. */
  readonly gate: CallGate | undefined;
  readonly areas: readonly Area[];
  /** The URL at which the server listens, once it is known. */
  readonly address: { url: () => string };
  readonly publicUrl: () => string;
  /** The API, or the admin API, as an OpenAPI document. */
  readonly describe: (part: ApiPart) => Promise<object>;
  /** The reason for a 503 of `/ready`; undefined when the platform is ready. */
  readonly whyNotReady: () => NotReady | undefined;
}
