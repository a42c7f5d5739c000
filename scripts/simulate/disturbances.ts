import type { FaultKind } from './scenario.js';

/** A store is open again this long after the end of a fault. */
const REOPEN_MS = 5_000;

interface Disturbance {
  readonly about: object;
  readonly kind: FaultKind | undefined;
  readonly from: number;
  to: number;
}

/** True times at which something was wrong with a machine or the database. */
export class Disturbances {
  readonly #all: Disturbance[] = [];

  /** Something is wrong from now on. @param kind the fault, if it matters to checks */
  began(about: object, now: number, kind: FaultKind | undefined): void {
    this.#all.push({ about, kind, from: now, to: Number.POSITIVE_INFINITY });
  }

  /** Nothing is wrong any more with a machine or the database. */
  ended(about: object, now: number): void {
    for (const one of this.#all) if (one.about === about) one.to = Math.min(one.to, now);
  }

  /** Those in a range, or shortly before it. @param kinds of these faults only */
  between(from: number, to: number, kinds?: readonly FaultKind[]): readonly Disturbance[] {
    return this.#all.filter(
      (one) => one.from <= to && one.to >= from - REOPEN_MS && (!kinds || (one.kind !== undefined && kinds.includes(one.kind))),
    );
  }
}
