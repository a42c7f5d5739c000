import { type MessagePort, workerData } from 'node:worker_threads';
import type { HttpOutcome } from '../../ports/http-client.js';
import sign from '../../sign.task.js';
import { RealClock } from '../clock/real-clock.js';
import type { TargetOptions } from '../http/target-rules.js';
import { UndiciClient } from '../http/undici-client.js';
import { ABORT, addOutcome, type Batch, FORGET, readRequests } from './batch.js';

/** Settings that the sender thread receives on start. */
export interface SenderSettings {
  readonly targets: TargetOptions;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string | readonly string[];
}

/** Outcomes return in batches: as soon as so many are there, after so many milliseconds, or when no other request is in flight. */
const MAX_OUTCOMES = 24;
const MAX_WAIT_MS = 2;

const { targets, ca } = workerData as SenderSettings;
const clock = new RealClock({
  onError(error) {
    throw error;
  },
});
/** Shared by all tasks of the thread, so that connections stay open from one task to the next. */
let client = newClient();

/** Secrets by the id of their key. They stay for later tasks of the thread. */
const secrets = new Map<string, string>();

function newClient(): UndiciClient {
  return new UndiciClient({ clock, ...targets, ...(ca && { ca }) });
}

/** Signs and sends the requests that arrive at the port, and returns their outcomes through it. Resolves when the main thread closes it. */
export default function serve(port: MessagePort): Promise<void> {
  let inFlight = 0;
  let outcomes: Batch = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  port.on('message', (message: Batch | typeof ABORT | typeof FORGET) => {
    if (message === ABORT) {
      void client.stop();
      client = newClient();
    } else if (message === FORGET) secrets.clear();
    else readRequests(message, secrets, sign, send, settleLate);
  });
  return new Promise((resolve) => port.once('close', resolve));

  function send(id: number, request: Parameters<UndiciClient['exchange']>[0]): void {
    inFlight++;
    client.exchange(request, (outcome) => settle(id, outcome));
  }

  function settle(id: number, outcome: HttpOutcome): void {
    inFlight--;
    addOutcome(outcomes, id, outcome);
    if (++count >= MAX_OUTCOMES || inFlight === 0) flush();
    else timer ??= setTimeout(flush, MAX_WAIT_MS);
  }

  function settleLate(id: number, response: HttpOutcome | undefined): void {
    inFlight++;
    settle(-id, response ?? { kind: 'timeout', elapsedMs: 0 });
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    port.postMessage(outcomes);
    outcomes = [];
    count = 0;
  }
}
