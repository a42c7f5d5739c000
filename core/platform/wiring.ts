import { eventRoutes as createEventRoutes } from '../admin/events.js';
import { memoryChanged, memoryEvent, memoryFix } from '../admin/memory.js';
import { createDeliveryLog } from '../delivery/delivery-log.js';
import type { Recipes } from '../kernel/container.js';
import { createEventStream, keptWithin, NOTHING_KEPT } from '../kernel/event-stream.js';
import { createMemoryGuard } from '../kernel/memory-guard.js';
import { createMeters } from '../kernel/meters.js';
import { wire } from '../kernel/wire.js';
import { corePlugin } from './core-plugin.js';
import type { Parts, WiringParts } from './parts.js';

export const wiringRecipes: Recipes<WiringParts, Parts> = {
  wiring: (parts) =>
    wire({
      queue: parts.queue,
      bus: parts.bus,
      withTransaction: (raw, work) => parts.database.withTransaction(raw, work),
      room: parts.memory.room,
    }),
  forms: ({ wiring }) => wiring.forms,
  memory: (parts) =>
    createMemoryGuard({
      heap: parts.heap,
      safeBytes: parts.settings.safeHeapBytes,
      onChange(state, report) {
        const fields = { state, live: report.live, safe: report.safe, limit: report.limit };
        if (state === 'enough') parts.log.info('there is memory enough again', fields);
        else parts.log.warn('memory is short', { ...fields, fix: memoryFix(report) });
        parts.announce(memoryChanged, memoryEvent(report));
        void squeeze(parts, state !== 'enough');
      },
    }),
  meters: (parts) =>
    parts.settings.admin &&
    createMeters({
      load: async () => (await import('../adapters/prometheus.js')).prometheus(),
      queue: parts.queue,
      storeIsOpen: parts.storeIsOpen,
      memory: parts.memory,
      histories: () => parts.histories.report(),
    }),
  // Only the admin API gives out events of before.
  stream: ({ clock, log, settings, heapBytes }) =>
    createEventStream({ clock, log, kept: settings.admin ? keptWithin(heapBytes) : NOTHING_KEPT }),
  events: createEventRoutes,
  listener({ stream, meters, log }) {
    const deliveryLog = createDeliveryLog(log);
    return (announcement) => {
      stream.append(announcement);
      meters?.received(announcement);
      deliveryLog.received(announcement);
    };
  },
  core: corePlugin,
};

/** What is kept for people to look into makes room first. Only a collection tells how much that was. */
async function squeeze({ histories, memory, log }: Pick<Parts, 'histories' | 'memory' | 'log'>, isShort: boolean): Promise<void> {
  try {
    if (await histories.squeeze(isShort)) await memory.collect();
  } catch (error) {
    log.error('what is kept only for a while could not make room', { error });
  }
}
