import { conversationRoutes } from './admin/conversations.js';
import { deliveryRoutes } from './admin/deliveries.js';
import type { eventRoutes } from './admin/events.js';
import { healthRoutes } from './admin/health.js';
import { mediaRoutes } from './admin/media.js';
import { memoryRoutes } from './admin/memory.js';
import { metricRoutes } from './admin/metrics.js';
import { numberRoutes } from './admin/numbers.js';
import { type ApiPart, openApiRoutes } from './admin/openapi.js';
import { storeRoutes } from './admin/store.js';
import type { ConversationView } from './contract/plugin.js';
import { coreEvents } from './core-events.js';
import { type AttemptPorts, deliveryConsumer } from './delivery/attempt.js';
import type { createBacklog } from './delivery/backlog.js';
import { createLanes } from './delivery/lanes.js';
import { pauseAfterFailures, releaseConsumer } from './delivery/pauses.js';
import { signPayload } from './delivery/signature.js';
import { journeyStep } from './journeys/run-turn.js';
import { CORE, type LoadedPlugin } from './kernel/load.js';
import type { MemoryGuard } from './kernel/memory-guard.js';
import type { Meters } from './kernel/meters.js';
import type { Histories } from './memory/histories.js';
import type { Settings } from './platform-options.js';
import type { Store } from './ports/store.js';
import type { Subscription } from './ports/subscription.js';
import type { Services } from './services.js';

export interface CorePluginOptions {
  readonly version: string;
  readonly ports: Pick<
    AttemptPorts,
    'store' | 'workers' | 'http' | 'clock' | 'dialect' | 'chunks' | 'history' | 'heapBytes' | 'tracing'
  > & {
    readonly ids: AttemptPorts['ids'];
  };
  readonly services: Services;
  /** The store itself: without queue and events, but with its health. */
  readonly rawStore: Store;
  readonly deliveries: Settings['deliveries'];
  readonly backlog: ReturnType<typeof createBacklog>;
  readonly memory: MemoryGuard;
  readonly histories: Histories;
  readonly meters: Meters | undefined;
  readonly events: ReturnType<typeof eventRoutes>;
  readonly describe: (part: ApiPart) => Promise<object>;
  readonly whyNotReady: () => string | undefined;
  readonly drivers: AttemptPorts['drivers'];
  readonly views: () => readonly ConversationView[];
}

/** What the platform itself contributes, in the way plugins do. */
export function corePlugin({ ports, services, ...more }: CorePluginOptions): LoadedPlugin {
  const { version, rawStore, deliveries, backlog, memory, histories, meters, events, describe, whyNotReady, drivers, views } = more;
  const { store, clock } = ports;
  const openApi = openApiRoutes(describe);
  const lanes = createLanes({ store, law: deliveries.law });
  return {
    manifest: { name: CORE, version, tasks: [signPayload, journeyStep], emits: coreEvents },
    contributions: {
      async start() {
        await lanes.load();
        await backlog.load();
      },
      routes: [...mediaRoutes(services), ...healthRoutes({ whyNotReady, memory }), ...openApi.routes],
      admin: [
        ...openApi.admin,
        ...numberRoutes({ store, ...services, drivers }),
        ...conversationRoutes({ store, ...services, views }),
        ...deliveryRoutes({ store, clock, ...services }),
        ...storeRoutes(rawStore),
        ...memoryRoutes({ memory, histories }),
        ...events.routes,
        ...(meters ? metricRoutes(meters) : []),
      ],
      consumes: [
        deliveryConsumer({ ...services, ...deliveries, ...ports, lanes, drivers }),
        releaseConsumer({ store, clock }),
        services.media.expiries(),
        services.webhooks.expiries(),
      ],
      on: coreSubscriptions({ backlog, clock, pauseAfterFailures: deliveries.pauseAfterFailures }),
    },
  };
}

/** What the core itself hears. */
export const coreSubscriptions = ({
  backlog,
  clock,
  pauseAfterFailures: failures,
}: Pick<CorePluginOptions, 'backlog'> & {
  readonly clock: AttemptPorts['clock'];
  readonly pauseAfterFailures?: number | undefined;
}): readonly Subscription[] => [...backlog.hears(), ...(failures === undefined ? [] : [pauseAfterFailures(failures, { clock })])];
