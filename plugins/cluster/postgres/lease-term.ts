import type { Logger } from '#core/ports';
import type { Connection } from './connection.js';
import type { Tables } from './schema.js';

export interface LeaseTermOptions {
  /** The shortest lease, in real milliseconds: that of the options. */
  readonly baseMs: number;
  readonly log: Logger;
  readonly now?: () => number;
}

/** The length on which the processes have agreed, as the database has it. */
interface AgreedTerm {
  readonly lease_ms: number | null;
  /** Milliseconds since a process needed leases of this length; null if none did. */
  readonly quiet_ms: number | null;
}

/** The change that a process wants the database to keep. */
type TermChange =
  | { readonly kind: 'longer' | 'needed'; readonly leaseMs: number }
  | { readonly kind: 'shorter'; readonly fromMs: number; readonly leaseMs: number };

/** The longest lease, as a multiple of that of the options. */
const LONGEST = 8;
/** Renewals and heartbeats per lease. */
export const BEATS = 5;
/** Shares of a lease that a beat may be late: twice within `AGAIN_MS`, or once. The lease counts as over after 0.75 of it, and a beat takes 0.2. */
const [LATE, VERY_LATE] = [0.3, 0.45];
const AGAIN_MS = 10_000;
const SHOWN_MS = 60_000;
/** After so long without a late beat, leases are one step shorter again. */
const QUIET_MS = 60_000;
/** The shortest pause after which a process says again that it needs long leases. */
const SAY_EVERY_MS = 10_000;

/**
 * The length of leases. On a machine without enough CPU, renewals come late, shards change their owner although no process has ended, and that
 * takes more CPU. So a process that is late doubles the leases of all processes, up to eight times, and they become shorter when none
 * was late for a minute.
 */
export class LeaseTerm {
  readonly baseMs: number;
  readonly #log: Logger;
  readonly #now: () => number;
  #ms: number;
  /** Of beats that were late at the same time, the latest. */
  #lates: { readonly at: number; readonly ms: number }[] = [];
  #change: TermChange | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor({ baseMs, log, now = () => performance.now() }: LeaseTermOptions) {
    [this.baseMs, this.#ms, this.#log, this.#now] = [baseMs, baseMs, log, now];
  }

  /** The current length of a lease. */
  get ms(): number {
    return this.#ms;
  }

  /** How late a beat of this process was at most within the last minute. */
  get lateMs(): number {
    return Math.round(Math.max(0, ...this.#lates.filter(({ at }) => at > this.#now() - SHOWN_MS).map(({ ms }) => ms)));
  }

  /** A beat was sent, or its response came, so much later than due. */
  late(ms: number): void {
    const at = this.#now();
    // Later than a whole lease is not slow: the process was stopped, or the database away.
    if (ms < (LATE * this.#ms) / 4 || ms >= this.#ms) return;
    this.#lates = this.#lates.filter((one) => one.at > at - SHOWN_MS);
    const before = this.#lates.at(-1);
    if (!before || at - before.at > this.#ms / BEATS) this.#lates.push({ at, ms });
    else if (ms > before.ms) this.#lates[this.#lates.length - 1] = { at, ms };
    const isLate = (share: number, since: number) => this.#lates.filter((one) => one.at > at - since && one.ms > share * this.#ms).length;
    if (isLate(VERY_LATE, AGAIN_MS) >= 1 || isLate(LATE, AGAIN_MS) >= 2) this.#lengthen(ms);
    // A shorter lease would be too short for it.
    else if (ms > (LATE * this.#ms) / 2 && this.#ms > this.baseMs && at > this.#saidAt + SAY_EVERY_MS) {
      this.#saidAt = at;
      this.#change ??= { kind: 'needed', leaseMs: this.#ms };
    }
  }

  #lengthen(lateMs: number): void {
    const leaseMs = Math.min(LONGEST * this.baseMs, 2 * this.#ms);
    if (this.#change?.kind === 'longer') return;
    const fields = { late_ms: Math.round(lateMs), lease_ms: this.#ms, next_lease_ms: leaseMs };
    if (leaseMs === this.#ms) {
      if (this.#now() > this.#saidAt + SAY_EVERY_MS) this.#log.warn('leases are renewed late although they are as long as allowed', fields);
      this.#saidAt = this.#now();
      return;
    }
    this.#log.warn('leases are renewed late because the machine or the database is busy; they become longer', fields);
    this.#change = { kind: 'longer', leaseMs };
  }

  /** The change that this process wants to store, once. */
  takeChange(): TermChange | undefined {
    const change = this.#change;
    this.#change = undefined;
    return change;
  }

  /** The processes have agreed on a length. */
  agreed({ lease_ms, quiet_ms }: AgreedTerm): void {
    const ms = Math.max(this.baseMs, Math.min(lease_ms ?? 0, LONGEST * this.baseMs));
    if (ms !== this.#ms) {
      this.#log.info('the length of leases has changed', { from_ms: this.#ms, lease_ms: ms });
      this.#ms = ms;
      this.#lates = [];
    }
    if (ms > this.baseMs && (quiet_ms ?? 0) > QUIET_MS && this.#change === undefined)
      this.#change = { kind: 'shorter', fromMs: ms, leaseMs: Math.max(this.baseMs, ms / 2) };
  }
}

/** Stores what this process needs, and reads on which length all have agreed. */
export async function agreeOnTerm(connection: Connection, { format }: Pick<Tables, 'format'>, term: LeaseTerm): Promise<void> {
  const change = term.takeChange();
  if (change)
    await connection.query({
      text: changes[change.kind](format),
      values: change.kind === 'shorter' ? [change.leaseMs, change.fromMs] : [change.leaseMs],
    });
  const [agreed] = await connection.query<AgreedTerm>({
    name: 'term',
    text: `select lease_ms, (extract(epoch from clock_timestamp() - late_at) * 1000)::float as quiet_ms from ${format}`,
  });
  if (agreed) term.agreed(agreed);
}

const changes: Record<TermChange['kind'], (format: string) => string> = {
  longer: (format) => `update ${format} set lease_ms = greatest(coalesce(lease_ms, 0), $1), late_at = clock_timestamp()`,
  needed: (format) => `update ${format} set late_at = clock_timestamp() where lease_ms >= $1`,
  // Another process may have said meanwhile that it is late.
  shorter: (format) =>
    `update ${format} set lease_ms = $1, late_at = clock_timestamp()
     where lease_ms = $2 and late_at < clock_timestamp() - ${QUIET_MS} * interval '1 ms'`,
};
