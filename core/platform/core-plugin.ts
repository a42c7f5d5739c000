import { adviceRoutes, keepAdvice } from '../admin/advice.js';
import { auditRoutes } from '../admin/audit.js';
import { callRoutes } from '../admin/calls.js';
import { causeRoutes } from '../admin/causes.js';
import { commandRoutes } from '../admin/commands.js';
import { connectionRoutes } from '../admin/connections.js';
import { contactMergeRoutes } from '../admin/contact-merges.js';
import { contactRoutes } from '../admin/contacts.js';
import { conversationRoutes } from '../admin/conversations.js';
import { deliveryRoutes } from '../admin/deliveries/routes.js';
import { endpointRoutes } from '../admin/endpoints.js';
import { healthRoutes } from '../admin/health.js';
import { keyRoutes } from '../admin/keys.js';
import { meRoutes } from '../admin/me.js';
import { mediaRoutes } from '../admin/media.js';
import { memoryRoutes } from '../admin/memory.js';
import { metricRoutes } from '../admin/metrics.js';
import { numberRoutes } from '../admin/numbers.js';
import { openApiRoutes } from '../admin/openapi.js';
import { permissionRoutes } from '../admin/permissions.js';
import { personalDataRoutes } from '../admin/personal-data.js';
import { platformRoutes } from '../admin/platform.js';
import { retentionRoutes } from '../admin/retention.js';
import { searchRoutes } from '../admin/search/routes.js';
import { coreSources } from '../admin/search/sources.js';
import { storeRoutes } from '../admin/store.js';
import { trafficRoutes } from '../admin/traffic.js';
import { whyRoutes } from '../admin/why.js';
import { coreCauses } from '../causes.js';
import type { Payload } from '../contract/payload.js';
import { ALERTS, alertSchema } from '../delivery/alert.js';
import type { Alerts } from '../delivery/alerts.js';
import { deliveryConsumer } from '../delivery/delivery-consumer.js';
import { movingDeliveries } from '../delivery/moved-deliveries.js';
import { pauseAfterFailures, releaseConsumer } from '../delivery/pauses.js';
import { CORE, type LoadedPlugin } from '../kernel/plugins/load.js';
import { adviceOnce } from '../messaging/advice-once.js';
import { connectionChanged } from '../messaging/connection.js';
import { createDoubleCheck } from '../messaging/doubles.js';
import { linksOfPerson } from '../messaging/media-link.js';
import { issuedAdvice } from '../messaging/messages.js';
import { corePermissions } from '../permissions.js';
import { on, type Subscription } from '../ports/subscription.js';
import { signPayload } from '../signature.js';
import { alertSubscriptions, lossAlert } from './alerts.js';
import { coreEvents } from './core-events.js';
import type { Loops } from './loops.js';
import type { Parts } from './parts.js';
import { servicesOf } from './services.js';
import { version } from './version.js';

/** Builds what the core contributes, in the form that plugins use: routes, consumers and listeners. */
export function corePlugin(parts: Parts): LoadedPlugin {
  const { store, clock, settings, outbox, senders, sender, meters, wiring, deliveryHistory: history, settledDeliveries: settled } = parts;
  const { deliveries } = settings;
  const drivers = () => wiring.drivers;
  const openApi = openApiRoutes(parts.describe);
  const doubleCheck = createDoubleCheck({ store, clock });
  const { ids, chunks, heapBytes, lanes, webhooks, media, contacts, erasures, faults, deliveryDetails: details, alerts } = parts;
  const sending = { sender, senders, faults, details, ...deliveries };
  outbox.consume(deliveryConsumer({ store, outbox, settled, clock, ids, chunks, history, heapBytes, lanes, ...sending }));
  return {
    manifest: { name: CORE, version, tasks: [signPayload], emits: coreEvents, causes: coreCauses, permissions: corePermissions },
    contributions: {
      async start() {
        await lanes.load();
        await alerts.start();
        // Not awaited: there may be many contacts.
        void clock.during(() =>
          doubleCheck().catch((error: unknown) => parts.log.warn('contacts that are one person could not be looked for', { error })),
        );
      },
      stop() {
        parts.texts.clear();
        return alerts.stop();
      },
      routes: [...mediaRoutes(parts), ...healthRoutes(parts), ...openApi.routes],
      admin: [
        ...openApi.admin,
        ...numberRoutes({ ...servicesOf(parts), store, drivers }),
        ...connectionRoutes({ ...servicesOf(parts), store, receiving: (number) => parts.loops.healthOf(number), log: parts.log }),
        ...conversationRoutes({ ...servicesOf(parts), store, records: parts.records, views: () => wiring.views }),
        ...contactRoutes({ ...servicesOf(parts), store, texts: parts.texts, sources: () => wiring.search }),
        ...contactMergeRoutes(parts),
        ...personalDataRoutes(parts),
        ...auditRoutes(parts),
        ...deliveryRoutes(parts, { lanes, drivers }),
        ...endpointRoutes(parts),
        ...trafficRoutes(parts),
        ...callRoutes(parts),
        ...keyRoutes({
          store,
          keys: parts.keys,
          get roles() {
            return parts.roles;
          },
        }),
        ...meRoutes({
          roles: () => parts.roles,
          routes: () => parts.loaded.flatMap(({ contributions: { admin = [] } }) => admin),
          signOutUrl: settings.operators?.signOutUrl,
        }),
        ...causeRoutes(() => wiring.causes),
        ...commandRoutes(() => wiring.commands),
        ...permissionRoutes({
          routes: () => parts.loaded.flatMap(({ contributions: { routes = [] } }) => routes),
          limits: settings.rateLimits,
        }),
        ...adviceRoutes(parts),
        ...whyRoutes({
          ...servicesOf(parts),
          store,
          dialect: parts.dialect,
          calls: parts.calls,
          deliveryDetails: details,
          drivers,
          explanations: () => wiring.explanations,
        }),
        ...searchRoutes({ numbers: parts.numbers, sources: () => wiring.search }),
        ...platformRoutes({ dialect: parts.dialect, version, plugins: () => parts.loaded, limits: settings.rateLimits }),
        ...storeRoutes(parts.rawStore, ({ id, shard, kept, last }) =>
          alerts.resolveNow(`transactions_lost/${id}`, lossAlert(id, shard, last - kept)),
        ),
        ...memoryRoutes(parts),
        ...retentionRoutes(parts),
        ...parts.events,
        ...(meters ? metricRoutes(meters) : []),
      ],
      search: coreSources(parts),
      consumes: [
        releaseConsumer({ store, outbox, clock, senders }),
        media.expiries(),
        webhooks.expiries(),
        contacts.expiries(),
        erasures.consumer(),
        alerts.recoveries(),
      ],
      personalData: linksOfPerson(store),
      senders: [alerts.sender],
      payloads: [ALERT_PAYLOAD],
      on: coreSubscriptions({
        store,
        clock,
        outbox,
        isAdminServed: settings.hasAdmin,
        alerts: settings.alerts.length > 0 ? alerts : undefined,
        released: erasures.released,
        connectionChanged: (change) => parts.loops.changed(change),
        pauseAfterFailures: deliveries.pauseAfterFailures,
      }),
    },
  };
}

/** Not in the OpenAPI document: its receivers belong to the operators of the platform, and not to the owners of numbers. */
const ALERT_PAYLOAD: Payload = {
  name: 'alert',
  summary: 'Something needs an operator, or no longer does.',
  subscription: ALERTS,
  body: alertSchema,
  isUnlisted: true,
};

interface ListenerOptions extends Pick<Parts, 'store' | 'clock' | 'outbox'> {
  readonly isAdminServed: boolean;
  readonly pauseAfterFailures?: number | undefined;
  /** Only if the platform has targets of alerts. */
  readonly alerts?: Alerts | undefined;
  readonly released?: Subscription | undefined;
  readonly connectionChanged: Loops['changed'];
}

/** The listeners of the core. Keep the generated table of listeners complete: it calls this without starting a platform. */
export const coreSubscriptions = ({
  store,
  clock,
  outbox,
  isAdminServed,
  pauseAfterFailures: failures,
  alerts,
  released,
  connectionChanged: changed,
}: ListenerOptions): readonly Subscription[] => [
  ...(failures === undefined ? [] : [pauseAfterFailures(failures, { clock })]),
  ...movingDeliveries({ outbox }),
  // Only the admin API and alerts show kept advice.
  ...(isAdminServed || alerts ? keepAdvice({ store, clock }) : []),
  ...(alerts ? alertSubscriptions(alerts) : []),
  ...(released ? [released] : []),
  on(connectionChanged, changed),
  adviceOnce(issuedAdvice, clock).dismissals,
];
