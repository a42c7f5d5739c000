import type { Transact } from '../adapters/outbox/batches.js';
import { StoredOutbox } from '../adapters/outbox/stored-outbox.js';
import { jobs } from '../adapters/queue/job-record.js';
import { erasureListIn } from '../adapters/store/index.js';
import { adviceRecords } from '../admin/advice.js';
import { createKeys, keys } from '../admin/keys.js';
import { alertRecords } from '../delivery/alert.js';
import { createBacklog } from '../delivery/backlog.js';
import { createDeliveries } from '../delivery/deliveries.js';
import type { DeliveryOutbox } from '../delivery/delivery.js';
import { createDeliveryDetails } from '../delivery/delivery-details.js';
import { createErasedDeliveries } from '../delivery/erased-deliveries.js';
import { erasures, listedErasureOf } from '../delivery/erasure.js';
import { createErasures, type Erasures } from '../delivery/erasures.js';
import { createHolds } from '../delivery/holds.js';
import { createLanes } from '../delivery/lanes.js';
import { messageCounts } from '../delivery/message-count.js';
import { createMessageCounts } from '../delivery/message-counts.js';
import { createMessageRetention } from '../delivery/message-retention.js';
import { createMessageDeliveries, deliveryHistory } from '../delivery/retention.js';
import { createSettledDeliveries } from '../delivery/settled-deliveries.js';
import { settledDeliveries } from '../delivery/settled-delivery.js';
import { webhooks } from '../delivery/webhook.js';
import { webhookSender } from '../delivery/webhook-sender.js';
import { createWebhooks } from '../delivery/webhooks.js';
import { auditRecords } from '../kernel/observe/audit-record.js';
import { endpointRecords, markRecords } from '../kernel/observe/endpoint-record.js';
import type { Recipes } from '../kernel/plugins/container.js';
import { announcementOf, createDatabase } from '../kernel/plugins/database.js';
import { CORE } from '../kernel/plugins/load.js';
import { payloadCheck } from '../kernel/plugins/payload-check.js';
import { chunks, chunkUses, createChunks } from '../memory/chunks.js';
import { createHistories } from '../memory/histories.js';
import { accounts } from '../messaging/account.js';
import { createChannels } from '../messaging/channel-drivers.js';
import { choices } from '../messaging/choice.js';
import { createChoices } from '../messaging/choices.js';
import { connections } from '../messaging/connection.js';
import { createConnections } from '../messaging/connections.js';
import { contacts } from '../messaging/contact.js';
import { contactAliases } from '../messaging/contact-alias.js';
import { contactMerges } from '../messaging/contact-merge.js';
import { createContacts } from '../messaging/contacts.js';
import { conversations } from '../messaging/conversation.js';
import { createConversations } from '../messaging/conversations.js';
import { createMedia } from '../messaging/media.js';
import { mediaLinks } from '../messaging/media-link.js';
import { mediaRecords } from '../messaging/medium.js';
import { messages } from '../messaging/message.js';
import { createMessageRecords } from '../messaging/message-records.js';
import { createMessages, issuedAdvice } from '../messaging/messages.js';
import { numbers } from '../messaging/number.js';
import { createNumbers } from '../messaging/numbers.js';
import { remoteIds } from '../messaging/remote-id.js';
import { pendingStatuses } from '../messaging/status.js';
import { createStoredKey } from '../messaging/stored-key.js';
import { templates } from '../messaging/template.js';
import { createTemplates } from '../messaging/templates.js';
import { tokens } from '../messaging/token.js';
import { createTokens } from '../messaging/tokens.js';
import { uploads } from '../messaging/upload.js';
import { createUploads } from '../messaging/uploads.js';
import type { EventType } from '../ports/events.js';
import type { Parts, ServiceParts, Services } from './parts.js';

/** The collections of the core, stored as `core.<name>`. Renaming a key loses the records of existing data folders. */
export const coreCollections = {
  chunks,
  'chunk-uses': chunkUses,
  numbers,
  connections,
  choices,
  uploads,
  tokens,
  contacts,
  'contact-aliases': contactAliases,
  'contact-merges': contactMerges,
  conversations,
  messages,
  'held-statuses': pendingStatuses,
  'remote-ids': remoteIds,
  said: issuedAdvice,
  advice: adviceRecords,
  alerts: alertRecords,
  media: mediaRecords,
  'media-links': mediaLinks,
  templates,
  webhooks,
  accounts,
  erasures,
  audit: auditRecords,
  'admin-keys': keys,
  'message-counts': messageCounts,
  endpoints: endpointRecords,
  marks: markRecords,
  'settled-deliveries': settledDeliveries,
};

/** Default limit of a history: the heap divided by this. */
const HISTORIES_SHARE = 8;

/** A recipe for each service. It destructures the parts that the service needs. */
export const serviceRecipes: Recipes<ServiceParts, Parts> = {
  database: ({ meters, rawStore, queue, wiring, clock, bus, audit }) =>
    createDatabase({
      store: meters?.measured(rawStore) ?? rawStore,
      queue,
      handlersBeforeCommit: wiring.handlersBeforeCommit,
      audited: audit.transaction,
      announce: (announcements) => {
        for (const announcement of announcements) void clock.during(() => bus.announce(announcement));
      },
    }),
  store: ({ database }) => database.store,
  announce:
    ({ clock, bus }) =>
    (type, payload) =>
      void clock.during(() => bus.announce(announcementOf(type as EventType<never>, payload))),
  findJob:
    ({ queue }) =>
    async (type, id) =>
      queue.find?.(type, id),
  chunks: createChunks,
  holds: createHolds,
  histories: (parts) =>
    createHistories(parts, {
      maxBytes: parts.heapBytes / HISTORIES_SHARE,
      onDisk: parts.rawStore.offHeapBytes !== undefined,
      onEvicted: (history, reason) => parts.meters?.evicted(history, reason),
    }),
  history: ({ histories }) => histories.create,
  outbox: ({ rawStore: store, clock, log, database }) =>
    new StoredOutbox({ store, clock, log, transaction: database.store.transaction as Transact }) as unknown as DeliveryOutbox,
  senders: ({ store, webhooks, media, chunks, dialect, tracing, clock, log, settings: { deliveries }, wiring }) => {
    const ports = { store, webhooks, media, chunks, dialect, tracing, clock, log, drivers: () => wiring.drivers };
    return wiring.sendersWith(webhookSender({ ...ports, ...deliveries }));
  },
  deliveryDetails: ({ settings: { recording } }) => recording.deliveries && createDeliveryDetails(recording.deliveries),
  settledDeliveries: createSettledDeliveries,
  deliveryHistory: ({ histories, chunks, settings }) => histories.create(deliveryHistory(chunks, settings.deliveries)),
  records: createMessageRecords,
  messageRetention: ({
    store,
    records,
    chunks,
    settledDeliveries: settled,
    holds,
    clock,
    log,
    deliveryHistory: history,
    settings,
    wiring,
    meters,
  }) =>
    createMessageRetention({
      store,
      records,
      deliveries: createMessageDeliveries({ settled, chunks, history }),
      holds,
      needsMessage: wiring.needsMessage,
      clock,
      log,
      limits: settings.messages,
      onExpired: (reason) => meters?.evicted('messages', reason),
    }),
  personalDeliveries: ({ settledDeliveries: settled, deliveryHistory: history, outbox, chunks, clock }) =>
    createErasedDeliveries({ settled, outbox, chunks, history, clock }),
  erasures: erasuresOf,
  mediaKey: (parts) => createStoredKey(parts, `${CORE}/media-links`),
  backlog: ({ outbox, log, settings }) => createBacklog({ outbox, log, settings: settings.deliveries }),
  numbers: ({ store, ids, clock, claims, wiring }) => createNumbers({ store, ids, clock, claims, drivers: () => wiring.drivers }),
  tokens: createTokens,
  contacts: ({ store, ids, clock, dialect, holds, settings: { mergesKeptDays } }) =>
    createContacts({ store, ids, clock, dialect, holds, mergesKeptDays }),
  conversations: createConversations,
  messages: ({ records, ids, clock, contacts, conversations, wiring }) =>
    createMessages({
      records,
      ids,
      clock,
      contacts,
      conversations,
      hooks: () => wiring.beforeReceive,
      unblocksOnMessage: (type) => wiring.drivers.get(type)?.unblocksOnMessage === true,
    }),
  keys: createKeys,
  templates: createTemplates,
  media: ({ store, blobs, ids, clock, log, holds, mediaKey, publicUrl, settings: { mediaKeptDays } }) =>
    createMedia({ store, blobs, ids, clock, log, holds, key: mediaKey.get, publicUrl, mediaKeptDays }),
  channels: ({ messages, contacts, templates, wiring }) =>
    createChannels({
      messages,
      contacts,
      templates,
      drivers: () => wiring.drivers,
      hooks: () => wiring.beforeSend,
      checks: () => wiring.sendChecks,
    }),
  choices: createChoices,
  uploads: createUploads,
  connections: ({ store, secrets, numbers, clock, log, masker, deliveries, wiring }) =>
    createConnections({
      ...{ store, secrets, numbers, clock, log, masker },
      drivers: () => wiring.drivers,
      release: (tx, number) => deliveries.release(tx, number),
    }),
  lanes: ({ store, settings: { deliveries } }) => createLanes({ store, policy: deliveries.policy }),
  webhooks: ({ store, secrets, ids, clock, http, log, isMixed, dialect, lanes, wiring }) =>
    createWebhooks({ store, secrets, ids, clock, http, log, isMixed, dialect, lanes, contributed: () => wiring.subscriptions }),
  deliveries: ({
    outbox,
    settledDeliveries: settled,
    senders,
    clock,
    ids,
    dialect,
    chunks,
    deliveryHistory: history,
    tracing,
    settings,
    wiring,
  }) =>
    createDeliveries({
      outbox,
      settled,
      senders,
      clock,
      ids,
      dialect,
      chunks,
      history,
      tracing,
      fieldsOf: wiring.fieldsOf,
      ...(settings.checkResponses && { checkBody: payloadCheck(() => wiring.payloads, wiring.fieldsOf) }),
    }),
};

/** Besides messages and deliveries, only advice and failed jobs have ids of contacts. */
function erasuresOf(parts: Parts): Erasures {
  const { store, rawStore, contacts, records, media, personalDeliveries: deliveries, holds, clock, log, settings } = parts;
  return createErasures({
    ...{ store, rawStore, contacts, records, media, deliveries, holds, clock, log },
    counts: createMessageCounts({ store, records, clock }),
    plugins: () => parts.wiring.personalData,
    forget: (mentions) => {
      for (const memory of [parts.stream, parts.calls, parts.deliveryDetails]) memory?.forget(mentions);
      parts.texts.clear();
    },
    async eraseMentions(tx, number, mentions) {
      // The same person may be a contact of a number of another account.
      const isOfNumber = (one: { readonly number?: unknown }): boolean => one.number === undefined || one.number === number;
      const advice = (await tx.in(adviceRecords).list()).filter((one) => isOfNumber(one) && mentions(JSON.stringify(one)));
      for (const { id } of advice) tx.in(adviceRecords).delete(id);
      const found = await tx.in(jobs).find('failed');
      const failed = found.filter((one) => isOfNumber((one.payload ?? {}) as object) && mentions(JSON.stringify(one)));
      for (const { key } of failed) tx.in(jobs).delete(key);
      return { advice: advice.length, jobs: failed.length };
    },
    list: settings.dataDir === undefined || settings.ports.store ? undefined : erasureListIn(settings.dataDir, listedErasureOf),
  });
}

export const servicesOf = ({
  numbers,
  tokens,
  contacts,
  conversations,
  messages,
  media,
  channels,
  connections,
  choices,
  uploads,
  templates,
  webhooks,
  deliveries,
}: Services): Services => ({
  numbers,
  tokens,
  contacts,
  conversations,
  messages,
  media,
  channels,
  connections,
  choices,
  uploads,
  templates,
  webhooks,
  deliveries,
});
