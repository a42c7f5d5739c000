import { type Clock, Conflict, event, type Logger, NotFound, type PluginContext, type Transaction } from '#core';
import type { Fault, FaultPlace, FaultSubject, Faults, Timer } from '#core/ports';
import { type FaultRule, faultRules, type NewFault, placeOf } from './fault-rule.js';

const MAX_RULES = 100;

/** Emitted each time a rule acts. */
export const faultFired = event<{
  readonly rule: string;
  readonly where: FaultRule['where'];
  readonly effect: FaultRule['effect'];
  readonly fired: number;
  /** How often it acts again; null if only its rate limits it. */
  readonly left: number | null;
  /** The request, call or operation that failed. */
  readonly on: Readonly<Record<string, string | number>>;
}>('fault.fired', 'A fault rule acted.', {
  immutableBytes: () => 500,
  mark: ({ left, ...rule }) => (left === 0 ? markOf(rule, 'off') : undefined),
});

type Named = Pick<FaultRule, 'where' | 'effect'>;

/** Emitted when a rule was added or removed, or its time has ended. One that is used up stays, and `fault.fired` says so with `left`. */
export const faultChanged = event<Named & { readonly rule: string; readonly left: number | null; readonly is: 'on' | 'off' | 'expired' }>(
  'fault.changed',
  'A fault rule was added or removed, or its time has ended.',
  { mark: ({ is, left, ...rule }) => (left === 0 ? undefined : markOf(rule, is === 'on' ? 'on' : 'off')) },
);

const markOf = ({ where, effect }: Named, is: 'on' | 'off') => ({
  kind: 'fault' as const,
  text: `Fault ${is}: ${effect.kind.replaceAll('_', ' ')} (${where})`,
});

interface ActiveRule {
  rule: FaultRule;
  readonly place: FaultPlace;
  readonly fixed: Readonly<Record<string, string>>;
  /** Runs at the end of its time. */
  readonly end?: Timer;
}

/** The fault rules of a sandbox. The first rule that matches and is not used up acts. */
export class FaultRules implements Faults {
  readonly #rules = new Map<string, ActiveRule>();
  /** Rules whose counters have changed since they were stored. */
  readonly #changed = new Set<string>();
  #context: Pick<PluginContext, 'store' | 'announce' | 'clock' | 'log'> | undefined;
  #lastId = 0;
  #saving: Promise<void> | undefined;

  /** Gives the rules the parts of the platform that they need: they exist before the platform does. */
  connect(context: { store: PluginContext['store']; announce: PluginContext['announce']; clock: Clock; log: Logger }): void {
    this.#context = context;
  }

  /** Replaces the rules in memory by those in the store: after a start, and whenever the store has another state. */
  async load(): Promise<void> {
    const stored = await this.#store.open(faultRules).find('id', {});
    this.#forgetEnds();
    this.#rules.clear();
    this.#changed.clear();
    for (const rule of stored) this.#set(rule);
    this.#sort();
  }

  list(): FaultRule[] {
    return [...this.#rules.values()].map(({ rule }) => rule);
  }

  /** Adds rules in one transaction. @throws Conflict when there are too many */
  async add(created: readonly NewFault[]): Promise<FaultRule[]> {
    if (this.#rules.size + created.length > MAX_RULES)
      throw new Conflict('too_many_faults', `There are at most ${MAX_RULES} fault rules; remove some first`);
    const rules = created.map((one): FaultRule => {
      const counted = one.times === undefined && one.rate === undefined ? { times: 1 } : {};
      const seeded = one.rate !== undefined && one.seed === undefined ? { seed: 1 } : {};
      return { ...one, ...counted, ...seeded, id: `fault_${++this.#lastId}`, seen: 0, fired: 0 };
    });
    await this.#store.transaction(async (tx) => {
      for (const rule of rules) tx.in(faultRules).put(rule);
    });
    for (const rule of rules) {
      this.#set(rule);
      this.#announce(rule, 'on');
    }
    return rules;
  }

  /** @throws NotFound */
  async remove(id: string): Promise<void> {
    const active = this.#rules.get(id);
    if (!active) throw new NotFound('fault rule', id);
    await this.#store.transaction(async (tx) => tx.in(faultRules).delete(id));
    active.end?.cancel();
    this.#rules.delete(id);
    this.#changed.delete(id);
    this.#announce(active.rule, 'off');
  }

  fire(place: FaultPlace, subject: FaultSubject): Fault | undefined {
    if (this.#rules.size === 0) return undefined;
    for (const active of this.#rules.values()) {
      if (active.place === place && this.#acts(active, subject)) return this.#fired(active, subject);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#forgetEnds();
    await this.save();
  }

  #forgetEnds(): void {
    for (const { end } of this.#rules.values()) end?.cancel();
  }

  /** Stores counters that are not stored yet. */
  async save(): Promise<void> {
    while (this.#changed.size > 0) {
      const ids = [...this.#changed];
      await this.#store.transaction(async (tx) => this.#put(tx, ids));
      for (const id of ids) this.#changed.delete(id);
    }
  }

  #acts(active: ActiveRule, subject: FaultSubject): boolean {
    const { rule, fixed } = active;
    const { match = {}, times, rate, seed = 1 } = rule;
    if (times !== undefined && rule.fired >= times) return false;
    if (this.#msLeft(rule) === 0) return false;
    for (const field in fixed) if (fixed[field] !== subject[field]) return false;
    for (const field in match) if (!matches(field, match[field]!, subject)) return false;
    const acts = rate === undefined || chance(seed, rule.seen) < rate;
    active.rule = { ...rule, seen: rule.seen + 1, fired: rule.fired + (acts ? 1 : 0) };
    this.#note(active.rule);
    return acts;
  }

  #fired({ rule }: ActiveRule, { text: _, ...subject }: FaultSubject): Fault {
    const { id, where, effect, fired } = rule;
    const on = Object.fromEntries(Object.entries(subject).filter((field): field is [string, string | number] => field[1] !== undefined));
    this.#context!.announce(faultFired, { rule: id, where, effect, fired, left: leftOf(rule), on });
    return { rule: id, effect };
  }

  #announce(rule: FaultRule, is: 'on' | 'off' | 'expired'): void {
    const { id, where, effect } = rule;
    const isOver = is === 'off' && this.#msLeft(rule) === 0;
    this.#context!.announce(faultChanged, { rule: id, where, effect, left: isOver ? 0 : leftOf(rule), is });
  }

  /** Until the end of the time of a rule; 0 after it, and undefined for a rule without one. */
  #msLeft({ until }: FaultRule): number | undefined {
    return until === undefined ? undefined : Math.max(0, Date.parse(until) - this.#context!.clock.now().getTime());
  }

  /** Remembers that the counters of a rule have changed, and stores them soon. */
  #note({ id, where }: FaultRule): void {
    this.#changed.add(id);
    // Storing the counters of a rule for the store would make it act again.
    if (where === 'store' || this.#saving) return;
    const { clock, log } = this.#context!;
    this.#saving = clock
      .during(async () => {
        await new Promise(setImmediate);
        await this.save();
      })
      .catch((error: unknown) => log.warn('the counters of fault rules could not be stored', { error }))
      .finally(() => {
        this.#saving = undefined;
      });
  }

  async #put(tx: Transaction, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const active = this.#rules.get(id);
      if (active && (await tx.in(faultRules).get(id))) tx.in(faultRules).put(active.rule);
    }
  }

  #set(rule: FaultRule): void {
    this.#lastId = Math.max(this.#lastId, numberOf(rule));
    const ms = this.#msLeft(rule);
    const label = { kind: 'fault', id: rule.id, title: `end of the fault rule ${rule.id}` };
    const expire = (): void => this.#announce(this.#rules.get(rule.id)!.rule, 'expired');
    this.#rules.set(rule.id, { rule, ...placeOf(rule), ...(ms && { end: this.#context!.clock.after(ms, expire, label) }) });
  }

  /** Rules act in the order of their creation. */
  #sort(): void {
    const sorted = [...this.#rules].sort(([, a], [, b]) => numberOf(a.rule) - numberOf(b.rule));
    this.#rules.clear();
    for (const [id, active] of sorted) this.#rules.set(id, active);
  }

  get #store(): PluginContext['store'] {
    return this.#context!.store;
  }
}

/** How often a rule acts again; null if only its rate limits it. */
const leftOf = ({ times, fired }: FaultRule): number | null => (times === undefined ? null : times - fired);

const numberOf = ({ id }: FaultRule): number => Number(id.slice(id.lastIndexOf('_') + 1));

function matches(field: string, wanted: string, subject: FaultSubject): boolean {
  if (field === 'contains') return typeof subject.text === 'string' && subject.text.includes(wanted);
  return String(subject[field] ?? '') === wanted;
}

/** A number from 0 to 1 that only depends on its arguments (the mixing function of MurmurHash3). */
function chance(seed: number, n: number): number {
  let hash = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
