import type { SecretMasker } from '../adapters/secrets/secret-masker.js';
import type { eventRoutes } from '../admin/events.js';
import type { ApiPart } from '../admin/openapi.js';
import type { createBacklog } from '../delivery/backlog.js';
import type { Deliveries } from '../delivery/deliveries.js';
import type { DeliveryHistory } from '../delivery/retention.js';
import type { Webhooks } from '../delivery/webhooks.js';
import type { Dialect } from '../dialect.js';
import type { Forms } from '../journeys/forms.js';
import type { Journeys } from '../journeys/journeys.js';
import type { Effects } from '../journeys/performers.js';
import type { createDatabase } from '../kernel/database.js';
import type { EventStream } from '../kernel/event-stream.js';
import type { Area } from '../kernel/http.js';
import type { createLifecycle } from '../kernel/lifecycle.js';
import type { LoadedPlugin } from '../kernel/load.js';
import type { MemoryGuard } from '../kernel/memory-guard.js';
import type { Meters } from '../kernel/meters.js';
import type { createShutdown } from '../kernel/shutdown.js';
import type { wire } from '../kernel/wire.js';
import type { Chunks } from '../memory/chunks.js';
import type { Histories } from '../memory/histories.js';
import type { Channels } from '../messaging/channel-drivers.js';
import type { Contacts } from '../messaging/contacts.js';
import type { Conversations } from '../messaging/conversations.js';
import type { Media } from '../messaging/media.js';
import type { MessageRecords } from '../messaging/message-records.js';
import type { Messages } from '../messaging/messages.js';
import type { Numbers } from '../messaging/numbers.js';
import type { createStoredKey } from '../messaging/stored-key.js';
import type { Templates } from '../messaging/templates.js';
import type { Tokens } from '../messaging/tokens.js';
import type { Announcement, EventType } from '../ports/events.js';
import type { Ports } from '../ports/ports.js';
import type { Store, StoreHealth } from '../ports/store.js';
import type { Database } from '../ports/transaction.js';
import type { Settings } from './options.js';

/**
 * Everything a platform is put together from. Ports need the options only, services need ports, wiring connects services and plugins, and
 * the lifecycle starts and stops them all.
 */
export type Parts = PortParts & ServiceParts & WiringParts & LifecycleParts;

/** What the platform needs from outside, chosen by its options. */
export interface PortParts extends Omit<Ports, 'store'> {
  readonly settings: Settings;
  readonly dialect: Dialect;
  /** What no line of the log may say. */
  readonly masker: SecretMasker;
  /** Each port as it was chosen, before it is traced, measured or joined with others. */
  readonly chosen: Ports;
  /** The store itself: without queue and events, but with its health. */
  readonly rawStore: Store;
  readonly heapBytes: number;
}

/** The nouns that every area shares, as a host's own code uses them too. */
export interface Services {
  readonly numbers: Numbers;
  readonly tokens: Tokens;
  readonly contacts: Contacts;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly media: Media;
  readonly channels: Channels;
  readonly templates: Templates;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly journeys: Journeys;
  readonly effects: Effects;
}

/** The nouns, and what they are kept with. */
export interface ServiceParts extends Services {
  readonly database: ReturnType<typeof createDatabase>;
  readonly store: Database;
  readonly announce: <T>(event: EventType<T>, payload: T) => void;
  readonly chunks: Chunks;
  readonly histories: Histories;
  readonly history: Histories['create'];
  /** Of settled deliveries. */
  readonly deliveryHistory: DeliveryHistory;
  readonly records: MessageRecords;
  readonly mediaKey: ReturnType<typeof createStoredKey>;
  readonly backlog: ReturnType<typeof createBacklog>;
}

/** What connects the services with what plugins contribute, and what watches them. */
export interface WiringParts {
  readonly wiring: ReturnType<typeof wire>;
  readonly forms: Forms;
  readonly memory: MemoryGuard;
  /** Only the admin API shows them. */
  readonly meters: Meters | undefined;
  readonly stream: EventStream;
  readonly events: ReturnType<typeof eventRoutes>;
  /** Is notified of every event. */
  readonly listener: (announcement: Announcement) => void;
  /** What the platform itself contributes. */
  readonly core: LoadedPlugin;
}

/** What starts and stops the platform, and says how it is. */
export interface LifecycleParts {
  /** The core and the plugins, in the order in which they start. */
  readonly loaded: readonly LoadedPlugin[];
  readonly lifecycle: ReturnType<typeof createLifecycle>;
  readonly shutdown: ReturnType<typeof createShutdown>;
  readonly storeHealth: () => StoreHealth;
  readonly storeIsOpen: () => boolean;
  /** What each plugin contributes to the API and the admin API. */
  readonly areas: readonly Area[];
  /** Where the server listens, once it is known. */
  readonly address: { own: () => string };
  readonly publicUrl: () => string;
  /** The API, or the admin API, as an OpenAPI document. */
  readonly describe: (part: ApiPart) => Promise<object>;
  /** Why calls should go elsewhere; undefined when the platform is ready. */
  readonly whyNotReady: () => string | undefined;
}
