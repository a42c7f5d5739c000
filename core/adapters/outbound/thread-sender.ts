import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { messageOf } from '../../errors.js';
import type { HttpOutcome } from '../../ports/http-client.js';
import { type OutboundRequest, type OutboundSender, RequestNotSent } from '../../ports/outbound.js';
import { unusable } from '../http/http-failure.js';
import { SpareThreads } from '../spare-threads.js';
import { ABORT, addRequest, type Batch, FORGET, type NewSecrets, readOutcomes } from './batch.js';
import { InFlight, notSent, type SenderClock, secretOf } from './in-flight.js';
import type { SenderSettings } from './sender-entry.js';

export interface ThreadSenderOptions extends SenderSettings {
  readonly clock: SenderClock;
  /** Heap of the thread in MiB; Node's default if not given. */
  readonly heapMiB?: number;
  /** Whether the thread serves the next sender of this process with the same settings, if it is created soon after this one has stopped. */
  readonly leavesThread?: boolean;
  /** Called when the thread dies. The next request starts another one. */
  readonly onError?: (error: Error) => void;
}

interface Pending {
  readonly id: number;
  readonly request: OutboundRequest;
}

/**
 * A longer batch is sent before the turn ends. The thread encodes the bodies of one batch before it reads the next, so this bounds what
 * they take of its heap.
 */
const MAX_BATCH_CHARS = 256 * 1024;
/** After so many milliseconds without a request the thread's task ends, because a running task keeps the process alive. */
const IDLE_MS = 1_000;
const MAX_SECRETS = 10_000;
const spare = new SpareThreads<{ readonly piscina: Piscina }>();
/** How long a stop waits for the thread to abort its requests. */
const ABORT_MS = 1_000;

/**
 * Signs and sends in one worker thread, which owns connections, name lookup and address guard; deadlines count real time. The requests of
 * one turn of the event loop are sent to the thread as one batch. The thread starts with the first request.
 */
export class ThreadSender implements OutboundSender {
  readonly #options: ThreadSenderOptions;
  readonly #inFlight = new InFlight();
  #piscina: Piscina | undefined;
  /** Connected to the thread while its task runs. */
  #port: MessagePort | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Ids of the keys whose secrets the thread has, or gets with the next batch. */
  readonly #known = new Set<string>();
  readonly #newSecrets: NewSecrets = new Map();
  #pending: Pending[] = [];
  #pendingChars = 0;
  #isScheduled = false;
  #isStopped = false;

  constructor(options: ThreadSenderOptions) {
    this.#options = options;
  }

  send(request: OutboundRequest): Promise<HttpOutcome> {
    if (this.#isStopped) return Promise.resolve(notSent);
    if (request.perform) return this.#inFlight.perform(request.perform, request.deadlineMs, this.#options.clock);
    return this.#options.clock.during(
      () =>
        new Promise((resolve, reject) => {
          const id = this.#inFlight.add(resolve, reject, request.late);
          if (request.signatures.every(({ key }) => this.#known.has(key.id))) this.#add({ id, request });
          else void this.#addWithSecrets({ id, request });
        }),
    );
  }

  /**
   * Reads the secrets that the thread does not have yet. They count as known only when the request that brings them is queued, without
   * another wait in between: otherwise the batch of another request could leave before them.
   */
  async #addWithSecrets(pending: Pending): Promise<void> {
    const keys = pending.request.signatures.map(({ key }) => key);
    const read = new Map<string, string>();
    try {
      for (let missing = keys; missing.length > 0; missing = keys.filter(({ id }) => !this.#known.has(id) && !read.has(id))) {
        for (const key of missing) read.set(key.id, await secretOf(key));
      }
    } catch (error) {
      this.#inFlight.fail(pending.id, error);
      return;
    }
    // Stopped meanwhile: the request has its outcome.
    if (this.#isStopped || !this.#inFlight.has(pending.id)) return;
    if (this.#known.size + keys.length > MAX_SECRETS) this.#forget();
    for (const { id } of keys) {
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#newSecrets.set(id, read.get(id)!);
    }
    this.#add(pending);
  }

  /** Deletes the secrets of the thread, most of which belong to webhooks that no longer exist. */
  #forget(): void {
    this.#flush();
    this.#port?.postMessage(FORGET);
    this.#known.clear();
    this.#newSecrets.clear();
  }

  async stop(limitMs = 0): Promise<void> {
    this.#isStopped = true;
    await this.#inFlight.drain(limitMs);
    this.#flush();
    this.#port?.postMessage(ABORT);
    await this.#inFlight.drain(ABORT_MS);
    this.#inFlight.abortAll();
    if (this.#options.leavesThread) return this.#leaveThread();
    const piscina = this.#piscina;
    this.#closeThread();
    await piscina?.destroy();
  }

  /** Leaves the thread to the next sender of this process, without connections and secrets. */
  #leaveThread(): void {
    const piscina = this.#piscina;
    if (!piscina) return;
    const port = this.#openPort();
    port.postMessage(ABORT);
    port.postMessage(FORGET);
    this.#closeThread();
    piscina.removeAllListeners('error').removeAllListeners('workerDestroy');
    spare.keep(this.#threadSettings, { piscina });
  }

  #add(pending: Pending): void {
    this.#pending.push(pending);
    this.#pendingChars += pending.request.body.length;
    if (this.#pendingChars > MAX_BATCH_CHARS) return void this.#flush();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#takePending();
    if (batch.length === 0) return;
    const port = this.#openPort();
    try {
      const secrets = new Map(this.#newSecrets);
      post(port, batch, secrets);
      // Those that remain belong to a request of the next batch.
      for (const id of this.#newSecrets.keys()) if (!secrets.has(id)) this.#newSecrets.delete(id);
    } catch {
      // One of the requests cannot be cloned. Sent one by one, so that it fails alone.
      for (const one of batch) this.#postAlone(port, one);
    }
  }

  #takePending(): Pending[] {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingChars = 0;
    return pending;
  }

  #postAlone(port: MessagePort, pending: Pending): void {
    try {
      post(port, [pending], new Map(this.#newSecrets));
    } catch (error) {
      this.#inFlight.settle(pending.id, { kind: 'unreachable', ...unusable('BAD_REQUEST', messageOf(error)), elapsedMs: 0 });
    }
  }

  #receive(batch: Batch): void {
    readOutcomes(batch, (id, outcome) => (id > 0 ? this.#inFlight.settle(id, outcome) : this.#inFlight.settleLate(-id, outcome)));
    if (this.#inFlight.isIdle) this.#idle?.refresh();
  }

  /** Starts a task of the thread, if none runs, and the thread itself if needed. */
  #openPort(): MessagePort {
    if (this.#port) return this.#port;
    const piscina = this.#openThread();
    const { port1, port2 } = new MessageChannel();
    port1.on('message', (batch: Batch) => this.#receive(batch));
    // The task keeps the process alive.
    port1.unref();
    piscina.run(port2, { transferList: [port2] }).catch((error: Error) => this.#died(piscina, error));
    this.#idle = setTimeout(() => this.#closeIdlePort(), IDLE_MS).unref();
    this.#port = port1;
    return port1;
  }

  #closeIdlePort(): void {
    if (!this.#inFlight.isIdle) return void this.#idle?.refresh();
    this.#port?.close();
    this.#port = undefined;
  }

  #openThread(): Piscina {
    if (this.#piscina) return this.#piscina;
    const left = this.#options.leavesThread ? spare.take(this.#threadSettings) : undefined;
    const piscina = left?.piscina ?? this.#newThread();
    piscina.on('error', (error: Error) => this.#died(piscina, error));
    // A thread that exits while it is idle or starts has no error; any error arrives earlier than this.
    piscina.on('workerDestroy', () => setImmediate(() => this.#died(piscina, new Error('the thread exited'))));
    this.#piscina = piscina;
    return piscina;
  }

  get #threadSettings(): string {
    const { targets, ca, heapMiB } = this.#options;
    return JSON.stringify([targets, ca, heapMiB]);
  }

  #newThread(): Piscina {
    const { targets, ca, heapMiB } = this.#options;
    // Loaded with the thread, which takes longer to start than this import.
    const { Piscina }: typeof import('piscina') = createRequire(import.meta.url)('piscina');
    const settings: SenderSettings = { targets, ...(ca && { ca }) };
    return new Piscina({
      filename: fileURLToPath(new URL('./sender-entry.js', import.meta.url)),
      minThreads: 1,
      maxThreads: 1,
      recordTiming: false,
      // Between tasks the thread would otherwise block, and not see connections that a server closes.
      atomics: 'disabled',
      workerData: settings,
      ...(heapMiB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMiB } }),
    });
  }

  #died(piscina: Piscina, cause: Error): void {
    if (this.#piscina !== piscina) return;
    this.#closeThread();
    void piscina.destroy();
    const died = `the sender thread died: ${cause.message}`;
    for (const { id } of this.#takePending()) this.#inFlight.fail(id, new RequestNotSent(died, { cause }));
    this.#inFlight.failAll(new Error(`${died}; whether the endpoint received the request is unknown`, { cause }));
    this.#options.onError?.(cause);
  }

  #closeThread(): void {
    this.#piscina = undefined;
    this.#known.clear();
    this.#newSecrets.clear();
    this.#port?.close();
    this.#port = undefined;
    clearTimeout(this.#idle);
  }
}

function post(port: MessagePort, requests: readonly Pending[], secrets: NewSecrets): void {
  const batch: Batch = [];
  const moved: ArrayBuffer[] = [];
  for (const { id, request } of requests) addRequest(batch, id, request, secrets, moved);
  port.postMessage(batch, moved);
}
