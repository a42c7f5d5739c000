import { createDeliveries } from './delivery/deliveries.js';
import { attempts, deliveryBodies, deliveryRecords } from './delivery/delivery.js';
import type { DeliveryHistory } from './delivery/retention.js';
import { createWebhooks, heldDeliveries, webhooks } from './delivery/webhooks.js';
import type { Dialect } from './dialect.js';
import { journeyRecords } from './journeys/journey.js';
import { createJourneys, revisions } from './journeys/journeys.js';
import type { JourneyLocale } from './journeys/locale.js';
import { createEffects, type Performers } from './journeys/performers.js';
import { type Chunks, chunks, chunkUses } from './memory/chunks.js';
import { type ChannelDriver, createChannels, type OutboundCheck } from './messaging/channels.js';
import { contacts } from './messaging/contact.js';
import { createContacts } from './messaging/contacts.js';
import { conversations } from './messaging/conversation.js';
import { createConversations } from './messaging/conversations.js';
import { createMedia, mediaRecords } from './messaging/media.js';
import { messages } from './messaging/message.js';
import { createMessageLog, said } from './messaging/message-log.js';
import { createMessageRecords } from './messaging/message-records.js';
import { numbers } from './messaging/number.js';
import { createNumbers } from './messaging/numbers.js';
import { heldStatuses } from './messaging/status-log.js';
import { createTemplates, templates } from './messaging/templates.js';
import { createTokens, tokens } from './messaging/tokens.js';
import type { Blobs } from './ports/blobs.js';
import type { Clock } from './ports/clock.js';
import type { HttpClient } from './ports/http-client.js';
import type { Ids } from './ports/ids.js';
import type { Secrets } from './ports/secrets.js';
import type { Tracing } from './ports/tracing.js';
import type { Database } from './ports/transaction.js';
import type { WorkerPool } from './ports/workers.js';

/** The documents of the core, as `core.<name>`. */
export const coreCollections = {
  chunks,
  'chunk-uses': chunkUses,
  numbers,
  tokens,
  contacts,
  conversations,
  messages,
  'held-statuses': heldStatuses,
  said,
  media: mediaRecords,
  templates,
  webhooks,
  deliveries: deliveryRecords,
  'delivery-bodies': deliveryBodies,
  attempts,
  'held-deliveries': heldDeliveries,
  journeys: journeyRecords,
  revisions,
};

export interface ServicePorts {
  readonly store: Database;
  readonly workers: WorkerPool;
  readonly clock: Clock;
  readonly http: Pick<HttpClient, 'refusal'>;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly blobs: Blobs;
  readonly dialect: Dialect;
  /** Where journeys are at home. */
  readonly locale: JourneyLocale & { readonly timeZone: string };
  readonly publicUrl: () => string;
  readonly mediaKey: () => string;
  readonly mediaKeptDays?: number | undefined;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
  readonly performers: () => Performers;
  readonly outboundChecks: () => readonly OutboundCheck[];
  readonly tracing: Tracing | undefined;
  readonly chunks: Chunks;
  /** What of the heap Node may use. */
  readonly heapBytes: number;
  /** Of settled deliveries. */
  readonly history: DeliveryHistory;
}

/** The nouns that every area shares, each made from the ports it needs. */
export function createServices(ports: ServicePorts) {
  const contacts = createContacts(ports);
  const records = createMessageRecords(ports);
  const conversations = createConversations({ ...ports, records });
  const messages = createMessageLog({ ...ports, records, contacts, conversations });
  const templates = createTemplates(ports);
  return {
    numbers: createNumbers(ports),
    tokens: createTokens(ports),
    contacts,
    conversations,
    messages,
    media: createMedia({ ...ports, key: ports.mediaKey }),
    channels: createChannels({ messages, contacts, templates, drivers: ports.drivers, checks: ports.outboundChecks }),
    templates,
    webhooks: createWebhooks(ports),
    deliveries: createDeliveries(ports),
    journeys: createJourneys(ports),
    effects: createEffects(ports.performers),
  };
}

export type Services = ReturnType<typeof createServices>;
