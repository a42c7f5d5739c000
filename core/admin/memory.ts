import { type Route, route } from '../contract/route.js';
import { type MemoryReport, type MemoryState, memoryStates } from '../kernel/observe/memory-guard.js';
import type { Histories } from '../memory/histories.js';
import { event } from '../ports/events.js';
import { array, integer, object, oneOf, string } from '../shape.js';

/** Announced when the memory state changes; `fix` says what to do. */
export const memoryChanged = event<{ state: MemoryState; live_bytes: number; safe_bytes: number; limit_bytes: number; fix: string }>(
  'memory.changed',
  'The state of memory changed; while it is full, calls that would store something get 503.',
);

const MEBIBYTE = 1 << 20;

/** Advice for an operator whose state needs too much memory. */
export const memoryFix = ({ limit }: Pick<MemoryReport, 'limit'>): string =>
  `Start Node with a larger heap (node --max-old-space-size=${Math.ceil((2 * limit) / MEBIBYTE)}, in MiB), or store less: reduce deliveries.kept and deliveries.keptBytes, and kept and keptBytes of the plugins journeys and simulation`;

export const memoryEvent = (report: MemoryReport) => ({
  state: report.state,
  live_bytes: report.live,
  safe_bytes: report.safe,
  limit_bytes: report.limit,
  fix: report.state === 'enough' ? 'Nothing to do' : memoryFix(report),
});

const size = { count: integer(), bytes: integer() };
const answer = object({
  memory: object({
    state: oneOf(...memoryStates),
    used_bytes: integer(),
    live_bytes: integer(),
    safe_bytes: integer(),
    limit_bytes: integer(),
    fix: string(),
    /** Collections with limited retention, which evict their oldest records first. */
    histories: array(object({ name: string(), ...size, most: object(size) })),
  }),
});

/** The admin route that shows memory in use and the size of each history. */
export function memoryRoutes({ memory, histories }: { memory: { report(): MemoryReport }; histories: Pick<Histories, 'report'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/memory',
      permission: 'platform.read',
      shards: 'process',
      summary: 'Shows the memory in use, the size of each history, and what to do if memory is full.',
      responses: { 200: answer },
      handler() {
        const report = memory.report();
        return {
          memory: {
            ...memoryEvent(report),
            used_bytes: report.used,
            histories: histories.report().map(({ most, bytes, ...one }) => ({
              ...one,
              bytes: Math.round(bytes),
              most: { count: most.count, bytes: Math.round(most.bytes) },
            })),
          },
        };
      },
    }),
  ];
}
