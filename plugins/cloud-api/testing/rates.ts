import type { Clock } from '#core/ports';
import { GraphError } from './graph-error.js';
import type { StandInSwitches } from './settings.js';

/** The throughput of each number, and the rate of each pair of number and contact. */
export class Rates {
  readonly #clock: Clock;
  readonly #switches: () => StandInSwitches;
  readonly #recent = new Map<string, number[]>();
  /** Messages that a pair may still send, and when that was so. */
  readonly #pairs = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(clock: Clock, switches: () => StandInSwitches) {
    this.#clock = clock;
    this.#switches = switches;
  }

  /** Counts a message, in or out, towards the throughput of its number. */
  count(phoneNumberId: string): void {
    this.#recentOf(phoneNumberId).push(this.#clock.monotonic());
  }

  /** Admits a message to a contact and counts it. @throws GraphError 130429, 131056 */
  admit(phoneNumberId: string, userId: string): void {
    const { messagesPerSecond, pairBurst, pairGapMs } = this.#switches();
    if (this.#recentOf(phoneNumberId).length >= messagesPerSecond) {
      throw new GraphError(130429, 'Cloud API message throughput has been reached.');
    }
    const now = this.#clock.monotonic();
    const key = `${phoneNumberId} ${userId}`;
    const pair = this.#pairs.get(key) ?? { left: pairBurst, at: now };
    const left = Math.min(pairBurst, pair.left + (now - pair.at) / pairGapMs);
    if (left < 1) throw new GraphError(131056, 'Too many messages sent from this phone number to the same phone number.');
    this.#pairs.set(key, { left: left - 1, at: now });
    this.count(phoneNumberId);
  }

  /** The times of the messages of the last second. */
  #recentOf(phoneNumberId: string): number[] {
    const since = this.#clock.monotonic() - 1_000;
    const recent = (this.#recent.get(phoneNumberId) ?? []).filter((at) => at > since);
    this.#recent.set(phoneNumberId, recent);
    return recent;
  }
}
