import type { Lease, Log } from '../../ports/log.js';

export interface TenureOptions {
  readonly log: Log;
  readonly lease: Lease;
  /** The time by `performance.now` before the lease was taken. */
  readonly takenAt: number;
  /** Another process has taken the lease. */
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
  readonly #leaseMs: number;
  #confirmedAt: number;
  #renewal: NodeJS.Timeout | undefined;
  #staleness: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(options: TenureOptions) {
    this.#options = options;
    this.#leaseMs = options.log.leaseMs ?? Number.POSITIVE_INFINITY;
    this.#confirmedAt = options.takenAt;
    if (this.#leaseMs === Number.POSITIVE_INFINITY) return;
    this.#renewal = setInterval(() => this.#renew(), this.#leaseMs / RENEWALS);
    this.#watch();
  }

  /** Whether no other process can have taken the lease. False also in a process that was stopped for longer than its lease and continues. */
  get isFresh(): boolean {
    return !this.#hasEnded && performance.now() - this.#confirmedAt < OWN_SHARE * this.#leaseMs;
  }

  /** Stops renewing the lease. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#staleness);
    await this.#renewing;
  }

  #renew(): void {
    this.#renewing ??= this.#tryToRenew().finally(() => {
      this.#renewing = undefined;
    });
  }

  async #tryToRenew(): Promise<void> {
    const { log, lease, onLost } = this.#options;
    const sentAt = performance.now();
    try {
      const isOurs = await log.renew(lease);
      if (this.#hasEnded) return;
      if (!isOurs) return onLost();
      this.#confirmedAt = sentAt;
      this.#watch();
    } catch {
      // The next renewal tries again. Meanwhile the lease becomes stale, which is reported.
    }
  }

  #watch(): void {
    clearTimeout(this.#staleness);
    const leftMs = this.#confirmedAt + OWN_SHARE * this.#leaseMs - performance.now();
    // A timer may fire a fraction of a millisecond early.
    this.#staleness = setTimeout(() => (this.isFresh ? this.#watch() : this.#options.onStale()), Math.max(1, Math.ceil(leftMs)));
  }
}
