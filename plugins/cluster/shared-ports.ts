import type { HttpClient, HttpOutcome, HttpRequest, Ports, WorkerPool } from '#core/ports';

/** Ports that the host passes for all shards of a process, and that a platform stops when it stops. */
type Stoppable = Partial<Pick<Ports, 'http' | 'workers'>>;

/** The same ports for one shard. When the shard ends, for example because it moved, they still serve the other shards. */
export const forShard = ({ http, workers }: Stoppable): Stoppable => ({
  ...(http && { http: new SharedHttp(http) }),
  ...(workers && { workers: sharedWorkers(workers) }),
});

/** Stops the ports when the process has no more shards. */
export async function stopPorts({ http, workers }: Stoppable): Promise<void> {
  await Promise.all([http?.stop(), workers?.stop()]);
}

const STOPPED: HttpOutcome = { kind: 'unreachable', permanent: false, code: 'STOPPED', reason: 'the shard is stopping', elapsedMs: 0 };

/** A shard that ends stops waiting for its requests. The client still completes them. */
class SharedHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #pending = new Set<(outcome: HttpOutcome) => void>();
  #isStopped = false;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  start(): void {
    this.#http.start?.();
  }

  refusal(url: string): string | undefined {
    return this.#http.refusal?.(url);
  }

  async send(request: HttpRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return STOPPED;
    return new Promise((resolve) => {
      this.#pending.add(resolve);
      void this.#http.send(request).then((outcome) => {
        this.#pending.delete(resolve);
        resolve(outcome);
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const resolve of this.#pending) resolve(STOPPED);
    this.#pending.clear();
  }
}

const sharedWorkers = (workers: WorkerPool): WorkerPool => ({
  run: (type, input) => workers.run(type, input),
  check: (type) => workers.check(type),
  stop: async () => undefined,
});
