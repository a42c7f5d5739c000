/** A rule of a stand-in for some of the requests that it receives. */
export interface FaultRule {
  /** How many requests the rule applies to. Default: all. */
  readonly times?: number;
  /** How many matching requests pass before. Default 0. */
  readonly skip?: number;
}

/** A rule in force. */
export interface ActiveFault<R> {
  readonly id: string;
  readonly rule: R;
  /** How many requests it was applied to. */
  readonly applied: number;
}

interface Counted<R> extends ActiveFault<R> {
  applied: number;
  seen: number;
}

/** The fault rules in force; later ones take precedence. */
export class FaultRules<R extends FaultRule> {
  #rules: Counted<R>[] = [];
  #made = 0;

  add(rule: R): ActiveFault<R> {
    const active = { id: String(++this.#made), rule, applied: 0, seen: 0 };
    this.#rules.unshift(active);
    return active;
  }

  /** @returns false when there is no such rule */
  remove(id: string): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((one) => one.id !== id);
    return this.#rules.length < before;
  }

  clear(): void {
    this.#rules = [];
  }

  list(): readonly ActiveFault<R>[] {
    return this.#rules;
  }

  /** The first rule that matches a request, counted as applied. */
  take(matches: (rule: R) => boolean): R | undefined {
    for (const active of this.#rules) {
      const { rule } = active;
      if (active.applied >= (rule.times ?? Number.POSITIVE_INFINITY) || !matches(rule)) continue;
      if (active.seen++ < (rule.skip ?? 0)) continue;
      active.applied++;
      return rule;
    }
    return undefined;
  }
}
