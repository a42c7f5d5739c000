import type { Ports } from '../../ports/ports.js';
import type { Consumer, Job, Queue } from '../../ports/queue.js';
import type { Span, Tracing } from '../../ports/tracing.js';
import type { WorkerPool } from '../../ports/workers.js';
import { signPayload } from '../../signature.js';

type Traced = Pick<Ports, 'queue' | 'workers'>;

/** A span would cost more than this task. */
const UNTRACED_TASK = signPayload.name;

/** Wraps queue and workers with tracing: each job and task runs in a span, and a job stores the trace of its cause. */
export const tracedPorts = ({ queue, workers }: Traced, tracing: Tracing): Traced => ({
  queue: tracedQueue(queue, tracing),
  workers: tracedWorkers(workers, tracing),
});

function tracedQueue(queue: Queue, tracing: Tracing): Queue {
  return {
    push(tx, type, payload, placement) {
      const trace = tracing.current()?.traceparent;
      queue.push(tx, type, payload, trace === undefined ? placement : { ...placement, trace });
    },
    cancel: (tx, type, id) => queue.cancel(tx, type, id),
    attach: (owner, consumer) => queue.attach(owner, tracedConsumer(consumer, tracing)),
    depths: () => queue.depths(),
    due: async (limit) => (await queue.due?.(limit)) ?? [],
    find: async (type, id) => queue.find?.(type, id),
    load: async () => queue.load?.(),
    start: () => queue.start(),
    stop: (limitMs) => queue.stop(limitMs),
  };
}

function tracedConsumer(consumer: Consumer, tracing: Tracing): Consumer {
  const { name } = consumer.queue;
  const handle = (job: Job<unknown>) => {
    const attributes = {
      'messaging.system': 'posthorn',
      'messaging.operation.type': 'process',
      'messaging.destination.name': name,
      'messaging.message.id': job.id,
    };
    return spanning(tracing, tracing.begin({ name: `process ${name}`, kind: 'consumer', parent: job.trace ?? null, attributes }), () =>
      consumer.handle(job),
    );
  };
  return { ...consumer, handle };
}

function tracedWorkers(workers: WorkerPool, tracing: Tracing): WorkerPool {
  return {
    run: (type, input) =>
      type.name === UNTRACED_TASK
        ? workers.run(type, input)
        : spanning(tracing, tracing.begin({ name: type.name, kind: 'internal' }), () => workers.run(type, input)),
    check: (type) => workers.check(type),
    stop: () => workers.stop(),
  };
}

async function spanning<T>(tracing: Tracing, span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await tracing.within(span, work);
  } catch (error) {
    failed(span, error instanceof Error ? error.name : typeof error);
    throw error;
  } finally {
    span.end();
  }
}

/** Records the kind of an error, not its message, which may contain secrets. */
function failed(span: Span, kind: string): void {
  span.set({ 'error.type': kind });
  span.fail(kind);
}
