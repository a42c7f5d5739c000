import type { Exchange, Network } from './network.js';
import type { World } from './world.js';

/** Seconds after the first failure at which retries are due (Limits, "Webhook timing and retries": 17, 19, 24, 31 and 47 s later). */
const DUE_S = [0, 17, 36, 60, 91, 138];
/** "Some random variation is applied." */
const VARIATION = 0.15;
const DROPPED_AFTER_MS = 140_000;
/** How long a retry that is due may wait for others. */
const QUEUE_MS = 35_000;
/** Pause after an attempt that was late itself. */
const BETWEEN_MS = 5_000;
/** How long a retry that is due waits while nothing is wrong with the platform. */
const LATE_MS = 10_000;
const MAX_ATTEMPTS = 6;
/** After an interruption that has ended so soon after the first failure, there is time for all retries: one each 5 s. */
const SHORT_MS = 90_000;
/** How long the outcome of a request takes until it is durable. */
const RECORDING_MS = 5_000;

/** The requests of one delivery in one run. */
interface Chain {
  readonly delivery: string;
  readonly run: number;
  readonly host: string;
  readonly exchanges: Exchange[];
  cancelledAt?: number;
}

/** How a delivery ended, as far as the network shows it. */
type Ending = 'delivered' | 'cancelled' | 'dropped' | 'open';

/** The parts of a run that the book uses. */
interface BookDeps {
  readonly network: Pick<Network, 'onExchange'>;
  readonly world: Pick<World, 'now'>;
  violated(what: string): void;
  wasDisturbed(from: number, to: number): boolean;
  disturbedUntil(from: number, to: number): number;
  /** Whether clocks may jump or drift, so that retries seem to be due, or over. */
  readonly hasClockFaults: boolean;
  readonly cluster?: { hasLost(from: number, to: number): boolean } | undefined;
}

/** Checks every request of deliveries against the retry policy of the interface. */
export class DeliveryBook {
  readonly #run: BookDeps;
  readonly #chains = new Map<string, Chain>();
  /** By host and an id in the body. */
  readonly #byId = new Map<string, Chain[]>();
  /** By host: what to call with the first request of each delivery. */
  readonly #onFirst = new Map<string, (first: Exchange) => void>();
  /** By host: what to call with each request. */
  readonly #onEach = new Map<string, (request: Exchange) => void>();
  /** Times at which an operator kept a host from getting its requests. */
  readonly #pauses: { readonly host: string; readonly from: number; to: number }[] = [];
  /** Deliveries whose runs up to this one an operator has ended. */
  readonly #ended = new Map<string, number>();

  constructor(run: BookDeps) {
    this.#run = run;
    run.network.onExchange = (exchange) => this.#note(exchange);
  }

  /** Deliveries of which a request was sent. */
  get count(): number {
    return this.#chains.size;
  }

  /** The deliveries to a host that have a record with this id. */
  idsOf(host: string, id: string): readonly string[] {
    return [...new Set((this.#byId.get(`${host} ${id}`) ?? []).map(({ delivery }) => delivery))];
  }

  /** How many they are. */
  countOf(host: string, id: string): number {
    return this.idsOf(host, id).length;
  }

  /** Whether the platform has certainly recorded a success of a delivery's first run: its last request got a 2XX, and nothing was wrong meanwhile. */
  isDelivered(delivery: string): boolean {
    const exchanges = this.#chains.get(`${delivery} 1`)?.exchanges ?? [];
    const last = exchanges.at(-1);
    if (last?.outcome?.kind !== 'response' || last.outcome.status >= 300) return false;
    return last.outcome.status >= 200 && !this.#run.wasDisturbed(exchanges[0]!.sentAt, last.sentAt + last.outcome.elapsedMs + RECORDING_MS);
  }

  /** Calls a function with the first request of each delivery to a host, in their order, whether or not it arrives. */
  onFirst(host: string, call: (first: Exchange) => void): void {
    this.#onFirst.set(host, call);
  }

  /** When each delivery got its last outcome, in true milliseconds. */
  ends(): Map<string, number> {
    const ends = new Map<string, number>();
    for (const { delivery, exchanges } of this.#chains.values()) {
      const { sentAt, outcome } = exchanges.at(-1)!;
      ends.set(delivery, Math.max(ends.get(delivery) ?? 0, sentAt + (outcome?.elapsedMs ?? 0)));
    }
    return ends;
  }

  /** Calls a function with each request to a host, also one outside of deliveries. */
  onEach(host: string, call: (request: Exchange) => void): void {
    this.#onEach.set(host, call);
  }

  /** An operator keeps a host from getting its requests, until the function that it returns is called. */
  paused(host: string): () => void {
    const pause = { host, from: this.#run.world.now, to: Number.POSITIVE_INFINITY };
    this.#pauses.push(pause);
    return () => {
      pause.to = this.#run.world.now;
    };
  }

  /** An operator may have ended the runs of a delivery, by cancelling it or by starting a new run. */
  ended(delivery: string): void {
    this.#ended.set(delivery, this.newestRun(delivery));
  }

  /** The platform has confirmed that a run is cancelled: no request follows. */
  cancelled(delivery: string, run: number): void {
    const chain = this.#chains.get(`${delivery} ${run}`);
    if (chain) chain.cancelledAt = this.#run.world.now;
  }

  /** The newest run of a delivery of which a request was sent. */
  newestRun(delivery: string): number {
    let run = 0;
    while (this.#chains.has(`${delivery} ${run + 1}`)) run++;
    return run;
  }

  /** Whether a request of a run was sent. */
  hasRun(delivery: string, run: number): boolean {
    return this.#chains.has(`${delivery} ${run}`);
  }

  /** Checks that no delivery is left unsettled. */
  check(): void {
    for (const chain of this.#chains.values())
      if (this.#endingOf(chain) === 'open')
        this.#run.violated(`delivery ${chain.delivery} to ${chain.host} was dropped for no reason of the policy: ${historyOf(chain)}`);
  }

  #note(exchange: Exchange): void {
    const delivery = exchange.headers['x-svc-hook-delivery'];
    const { host } = exchange;
    if (delivery === undefined) {
      this.#onEach.get(host)?.(exchange);
      return;
    }
    const run = Number(exchange.headers['x-svc-hook-run']);
    const attempt = attemptOf(exchange);
    const key = `${delivery} ${run}`;
    const known = this.#chains.get(key);
    const chain = known ?? this.#add(key, { delivery, run, host, exchanges: [] }, exchange.body);
    const fault = this.#faultOf(chain, exchange, attempt);
    chain.exchanges.push(exchange);
    if (fault) this.#run.violated(`delivery ${delivery} to ${host}: ${fault}: ${historyOf(chain)}`);
    this.#onEach.get(host)?.(exchange);
    if (!known && run === 1) this.#onFirst.get(host)?.(exchange);
  }

  #add(key: string, chain: Chain, body: string): Chain {
    this.#chains.set(key, chain);
    for (const [, id] of new Set(body.matchAll(/"id":"([^"]+)"/g))) {
      const place = `${chain.host} ${id}`;
      this.#byId.set(place, [...(this.#byId.get(place) ?? []), chain]);
    }
    return chain;
  }

  /** Whether the times of requests to a host say nothing: something was wrong, or an operator kept them back. */
  #wasHeld(host: string, from: number, to: number): boolean {
    return this.#run.wasDisturbed(from, to) || this.#pauses.some((one) => one.host === host && one.from <= to && one.to >= from);
  }

  #faultOf({ exchanges, host, cancelledAt }: Chain, exchange: Exchange, attempt: number): string | undefined {
    if (!(attempt >= 1 && attempt <= MAX_ATTEMPTS)) return `attempt ${attempt}`;
    if (cancelledAt !== undefined && exchange.sentAt > cancelledAt)
      return `a request follows its cancellation at ${Math.round(cancelledAt)}`;
    const previous = exchanges.at(-1);
    if (!previous) return attempt === 1 ? undefined : `its first request is attempt ${attempt}`;
    const before = attemptOf(previous);
    // A database that fails over to a replica that lagged loses attempts.
    if (this.#run.cluster?.hasLost(previous.sentAt, exchange.sentAt)) return undefined;
    if (attempt < before || attempt > before + 1) return `attempt ${attempt} follows ${before}`;
    // A process may end before it has recorded an outcome, or its disk refuse to: the attempt is repeated then.
    const isRecorded = previous.from === exchange.from && !this.#run.wasDisturbed(previous.sentAt, exchange.sentAt);
    if (attempt === before && isRecorded) return `attempt ${attempt} was sent twice`;
    if (isRecorded && isFinal(previous)) return `a request follows ${outcomeOf(previous)}`;
    if (exchange.body.length === 0) return 'its body is empty';
    // Of its first attempts, only the last can have been recorded.
    const failed = exchanges.findLast((one) => attemptOf(one) === 1);
    if (!failed?.outcome || attempt === before) return undefined;
    const isHeld = this.#wasHeld(host, failed.sentAt, exchange.sentAt);
    if (isHeld && (this.#run.cluster || this.#run.hasClockFaults)) return undefined;
    const firstFailedAt = failed.sentAt + failed.outcome.elapsedMs;
    const waited = exchange.sentAt - firstFailedAt;
    const due = DUE_S[attempt - 1]! * 1_000;
    const gap = due - DUE_S[attempt - 2]! * 1_000;
    if (waited < due - VARIATION * gap) return `attempt ${attempt} is early, ${Math.round(waited)} ms after the first failure`;
    // An interruption that ended before a retry was due does not delay it.
    if (isHeld && this.#heldUntil(host, failed.sentAt, exchange.sentAt) > firstFailedAt + due) return undefined;
    const previousEndedAt = previous.sentAt + (previous.outcome?.elapsedMs ?? 0);
    const latest = Math.max(due + VARIATION * gap, previousEndedAt - firstFailedAt + BETWEEN_MS) + LATE_MS;
    if (waited > latest) return `attempt ${attempt} is late, ${Math.round(waited)} ms after the first failure`;
    return undefined;
  }

  #endingOf({ exchanges, delivery, run, host }: Chain): Ending {
    if (exchanges.some(({ outcome }) => outcome?.kind === 'response' && outcome.status >= 200 && outcome.status < 300)) return 'delivered';
    if (exchanges.some(isFinal) || run <= (this.#ended.get(delivery) ?? 0)) return 'cancelled';
    const last = exchanges.at(-1)!;
    const first = exchanges[0]!;
    if (attemptOf(last) === MAX_ATTEMPTS && last.outcome) return 'dropped';
    const failed = exchanges.find(({ outcome }) => outcome !== undefined);
    const window = [first.sentAt, (failed ?? last).sentAt + DROPPED_AFTER_MS + QUEUE_MS] as const;
    if (!this.#wasHeld(host, ...window)) return 'open';
    // After a long interruption the retries are over. After a short one, all of them follow.
    if (this.#run.cluster || this.#run.hasClockFaults) return 'dropped';
    const from = failed ? failed.sentAt + failed.outcome!.elapsedMs : Number.POSITIVE_INFINITY;
    return this.#heldUntil(host, ...window) < from + SHORT_MS ? 'open' : 'dropped';
  }

  /** When the last of what kept requests to a host back in a range has ended. */
  #heldUntil(host: string, from: number, to: number): number {
    const pauses = this.#pauses.filter((one) => one.host === host && one.from <= to && one.to >= from).map((one) => one.to);
    return Math.max(this.#run.disturbedUntil(from, to), ...pauses);
  }
}

const attemptOf = ({ headers }: Exchange): number => Number(headers['x-svc-hook-attempt']);

/** Whether no retry may follow: a success, a 4XX, a 502, or an unknown host name. */
function isFinal({ outcome }: Exchange): boolean {
  if (outcome?.kind === 'unreachable') return outcome.permanent;
  if (outcome?.kind !== 'response') return false;
  const { status } = outcome;
  return (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 502;
}

function outcomeOf({ outcome }: Exchange): string {
  if (!outcome) return 'no outcome';
  return outcome.kind === 'response' ? String(outcome.status) : outcome.kind === 'timeout' ? 'a time-out' : outcome.code;
}

const historyOf = ({ exchanges }: Chain): string =>
  exchanges.map((one) => `${attemptOf(one)} by ${one.from} at ${Math.round(one.sentAt)}: ${outcomeOf(one)}`).join(', ');
