import { type Route, route } from '../contract/route.js';
import type { NotReady } from '../errors.js';
import { type MemoryGuard, memoryStates } from '../kernel/observe/memory-guard.js';
import type { StoreHealth } from '../ports/store.js';
import { integer, object, oneOf } from '../shape.js';

/** Routes for probes: `/health` (the process responds) and `/ready` (it accepts calls). */
export function healthRoutes({
  whyNotReady,
  memory,
  storeHealth,
}: {
  whyNotReady: () => NotReady | undefined;
  memory: Pick<MemoryGuard, 'report'>;
  storeHealth: () => StoreHealth;
}): Route[] {
  const about = { method: 'GET', auth: 'none', bucket: 'none', needsNoStore: true } as const;
  return [
    route({
      ...about,
      path: '/health',
      shards: 'process',
      summary:
        'Reports that the process responds, and the state of its memory: while it is full, calls that would store something get 503.',
      responses: { 200: object({ status: oneOf('ok'), memory: oneOf(...memoryStates) }) },
      handler: () => ({ status: 'ok', memory: memory.report().state }),
    }),
    route({
      ...about,
      path: '/ready',
      shards: 'process',
      summary:
        'Reports whether the platform accepts calls: 503 while it starts, stops or is a standby, or while its store accepts no writes. `damaged_files`: how many files have documents that cannot be read; GET /admin/v1/store names them.',
      responses: { 200: object({ status: oneOf('ready') }, { damaged_files: integer() }) },
      handler() {
        const refusal = whyNotReady();
        if (refusal) throw refusal;
        const { damaged } = storeHealth();
        return { status: 'ready', ...(damaged && { damaged_files: damaged.length }) };
      },
    }),
  ];
}
