import { type Route, route } from '../contract/route.js';
import type { NotReady } from '../errors.js';
import { type MemoryGuard, memoryStates } from '../kernel/observe/memory-guard.js';
import { object, oneOf } from '../shape.js';

/** Routes for probes: `/health` (the process responds) and `/ready` (it accepts calls). */
export function healthRoutes({
  whyNotReady,
  memory,
}: {
  whyNotReady: () => NotReady | undefined;
  memory: Pick<MemoryGuard, 'report'>;
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
        'Reports whether the platform accepts calls: 503 while it starts, stops or is a standby, or while its store accepts no writes.',
      responses: { 200: object({ status: oneOf('ready') }) },
      handler() {
        const refusal = whyNotReady();
        if (refusal) throw refusal;
        return { status: 'ready' };
      },
    }),
  ];
}
