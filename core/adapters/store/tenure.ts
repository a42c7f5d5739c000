import { type Lease, type Log, LogRewound } from '../../ports/log.js';

export interface TenureOptions {
  readonly log: Log;
  readonly lease: Lease;
  /** The time by `performance.now` before the lease was taken. */
  readonly takenAt: number;
  /** The length of the lease that was taken; undefined if it lasts until another process ends it. */
  readonly leaseMs: number | undefined;
  /** The last transaction that this owner knows to be durable; undefined before its first append. */
  readonly through?: () => number | undefined;
  /** Another process has taken the lease, or the log has lost transactions of this owner. */
  readonly onLost: () => void;
  /** This process could not confirm its lease in time, so another one may take it soon. */
  readonly onStale: () => void;
}

/** The share of a lease after which it counts as over here: the clock of the database may be ahead. */
const OWN_SHARE = 3 / 4;
/** Renewals per lease. */
const RENEWALS = 5;

/** The time for which a process owns a shard: renews its lease, and knows whether it may still respond from its data. */
export class Tenure {
  readonly #options: TenureOptions;
  /** Until when no other process can have taken the lease, by `performance.now`. */
  #freshUntil: number;
  #renewal: NodeJS.Timeout | undefined;
  #staleness: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(options: TenureOptions) {
    this.#options = options;
    const { leaseMs } = options;
    this.#freshUntil = leaseMs === undefined ? Number.POSITIVE_INFINITY : options.takenAt + OWN_SHARE * leaseMs;
    if (leaseMs === undefined) return;
    this.#renewLater(leaseMs / RENEWALS);
    this.#watch();
  }

  /** Whether no other process can have taken the lease. False also in a process that was stopped for longer than its lease and continues. */
  get isFresh(): boolean {
    return !this.#hasEnded && performance.now() < this.#freshUntil;
  }

  /** Stops renewing the lease. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#staleness);
    await this.#renewing;
  }

  #renewLater(inMs: number): void {
    if (this.#hasEnded) return;
    this.#renewal = setTimeout(() => {
      const sentAt = performance.now();
      this.#renewing = this.#tryToRenew(sentAt).finally(() => {
        // Leases become longer on busy machines.
        const { leaseMs = 0 } = this.#options.log;
        this.#renewLater(Math.max(0, sentAt + leaseMs / RENEWALS - performance.now()));
      });
    }, inMs);
  }

  async #tryToRenew(sentAt: number): Promise<void> {
    const { log, lease, onLost, through } = this.#options;
    // The lease that is asked for: the response may bring another length.
    const { leaseMs = 0 } = log;
    try {
      const isOurs = await log.renew(lease, through?.());
      if (this.#hasEnded) return;
      if (!isOurs) return onLost();
      this.#freshUntil = sentAt + OWN_SHARE * leaseMs;
      this.#watch();
    } catch (error) {
      if (error instanceof LogRewound && !this.#hasEnded) onLost();
      // The next renewal tries again. Meanwhile the lease becomes stale, which is reported.
    }
  }

  #watch(): void {
    clearTimeout(this.#staleness);
    const leftMs = this.#freshUntil - performance.now();
    // A timer may fire a fraction of a millisecond early.
    this.#staleness = setTimeout(() => (this.isFresh ? this.#watch() : this.#options.onStale()), Math.max(1, Math.ceil(leftMs)));
  }
}
