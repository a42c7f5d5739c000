import { type Route, route } from '../contract/route.js';
import { NotReady } from '../errors.js';
import { type MemoryGuard, memoryStates } from '../kernel/memory-guard.js';
import { object, oneOf } from '../shape.js';

/** For whoever watches the process: whether it answers at all, and whether it should be given work. */
export function healthRoutes({
  whyNotReady,
  memory,
}: {
  whyNotReady: () => string | undefined;
  memory: Pick<MemoryGuard, 'report'>;
}): Route[] {
  const about = { method: 'GET', auth: 'none', bucket: 'none' } as const;
  return [
    route({
      ...about,
      path: '/health',
      summary: 'Says that the process answers, and whether it has memory left: while it is full, calls that would keep something get 503.',
      responses: { 200: object({ status: oneOf('ok'), memory: oneOf(...memoryStates) }) },
      handler: () => ({ status: 'ok', memory: memory.report().state }),
    }),
    route({
      ...about,
      path: '/ready',
      summary: 'Says whether calls are taken: 503 while the platform starts or stops, or its store takes no writes.',
      responses: { 200: object({ status: oneOf('ready') }) },
      handler() {
        const reason = whyNotReady();
        if (reason !== undefined) throw new NotReady(reason);
        return { status: 'ready' };
      },
    }),
  ];
}
