import { type MessageRecord, type Sendable, type Transaction, textOf } from '#core';
import { networkId, turnType } from '#core/messaging';
import { policies } from './records.js';
import type { Policy, Rule } from './schemas.js';

/** The policy unless the option `policy` changes it: every message is sent and delivered; no message fails or is read. */
export const DEFAULT_POLICY: Policy = {
  mode: 'automatic',
  sent_after_ms: 50,
  delivered_after_ms: 250,
  read_after_ms: null,
  swallow_delivered_ms: 1_000,
  order: 'real',
  window_hours: null,
  rules: [],
};

/** Reads the policy of a number in a transaction: its own, or the default of the platform. */
export type PolicyOf = (tx: Transaction, number: string) => Promise<Policy>;

export const policiesWith =
  (initial: Policy): PolicyOf =>
  async (tx, number) => {
    const { number: _, ...policy } = (await tx.in(policies).get(number)) ?? { number, ...initial };
    return policy;
  };

/** Finds the first rule that matches a message. Decrements `times` of the rule, and removes the rule at zero. */
export function ruleFor(
  tx: Transaction,
  number: string,
  policy: Policy,
  message: { to: string; type: string; text: string },
  outcomes: readonly Rule['outcome'][],
): Rule | undefined {
  const rule = policy.rules.find((rule) => outcomes.includes(rule.outcome) && matches(rule, message));
  if (rule?.times !== undefined) {
    const remaining = rule.times - 1;
    const rules = policy.rules.flatMap((one) => (one !== rule ? [one] : remaining > 0 ? [{ ...rule, times: remaining }] : []));
    tx.in(policies).put({ ...policy, rules, number });
  }
  return rule;
}

const matches = (rule: Rule, { to, type, text }: { to: string; type: string; text: string }): boolean =>
  (rule.to === undefined || (networkId(rule.to) ?? rule.to) === to) &&
  (rule.type === undefined || rule.type === type) &&
  (rule.text === undefined || text.includes(rule.text));

/** The properties of a message that rules match. */
export function matchableOf(to: string, turn: Sendable): { to: string; type: string; text: string } {
  const type = turnType(turn);
  return { to, type, text: textOf({ type, content: turn as unknown as MessageRecord['content'] }) };
}
