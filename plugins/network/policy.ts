import {
  collection,
  fields,
  list,
  type MessageRecord,
  nullable,
  oneOf,
  type Sendable,
  type Transaction,
  type TypeOf,
  textOf,
  textUpTo,
  whole,
} from '#core';
import { type NotificationError, networkId, notificationErrorSchema, turnType } from '#core/areas';

/** Longest delay of a status. */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const delay = () => whole().min(0).max(WEEK_MS);

const ruleSchema = fields(
  {
    /** `refuse`: the network does not take it. `fail`: it takes it, and reports `failed`. `hold`: it never reports anything. */
    outcome: oneOf('refuse', 'fail', 'hold'),
  },
  {
    /** All of these that are given have to fit. */
    to: textUpTo(256),
    type: textUpTo(64),
    /** The text contains this. */
    text: textUpTo(256),
    /** So many messages more; without it every one. */
    times: whole().min(1).max(1_000_000),
    error: notificationErrorSchema,
  },
);
export type Rule = TypeOf<typeof ruleSchema>;

const settings = {
  /** With `manual`, statuses come only when they are asked for. */
  mode: oneOf('automatic', 'manual'),
  sent_after_ms: delay(),
  delivered_after_ms: delay(),
  /** Null: read receipts are off. */
  read_after_ms: nullable(delay()),
  /** A message that is read so soon after it was delivered is not reported as delivered, as `read` implies it. */
  swallow_delivered_ms: delay(),
  /** `reversed`: reports arrive last one first; their timestamps tell. */
  order: oneOf('real', 'reversed'),
  /** Without a template only contacts can be written to who wrote within so many hours; null: always. */
  window_hours: nullable(whole().min(1).max(720)),
  rules: list(ruleSchema).max(100),
};

export const policySchema = fields(settings);
export type Policy = TypeOf<typeof policySchema>;
export const policyChangeSchema = fields({}, settings);

/** Nothing fails, waits or is read by itself until somebody says so. */
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

export type PolicyRecord = Policy & { readonly number: string };

/** How the network treats a number's messages, where it is not as by default. */
export const policies = collection<PolicyRecord>({ key: 'number' });

export async function policyOf(tx: Transaction, number: string): Promise<Policy> {
  const { number: _, ...policy } = (await tx.in(policies).get(number)) ?? { number, ...DEFAULT_POLICY };
  return policy;
}

/** The rule that a message falls under, counted down. */
export function ruleFor(
  tx: Transaction,
  number: string,
  policy: Policy,
  message: { to: string; type: string; text: string },
  outcomes: readonly Rule['outcome'][],
): Rule | undefined {
  const rule = policy.rules.find((rule) => outcomes.includes(rule.outcome) && fits(rule, message));
  if (rule?.times !== undefined) {
    const rest = rule.times - 1;
    const rules = policy.rules.flatMap((one) => (one !== rule ? [one] : rest > 0 ? [{ ...rule, times: rest }] : []));
    tx.in(policies).put({ ...policy, rules, number });
  }
  return rule;
}

const fits = (rule: Rule, { to, type, text }: { to: string; type: string; text: string }): boolean =>
  (rule.to === undefined || (networkId(rule.to) ?? rule.to) === to) &&
  (rule.type === undefined || rule.type === type) &&
  (rule.text === undefined || text.includes(rule.text));

export const errorOf = ({ error, outcome }: Rule): NotificationError => error ?? (outcome === 'refuse' ? NOT_TAKEN : UNDELIVERABLE);

/** Where errors of the local network are described: here, as there is nowhere else. */
export const HREF = 'https://posthorn.invalid/network-errors';
const UNDELIVERABLE: NotificationError = {
  code: 131026,
  title: 'Message undeliverable',
  details: 'A rule of the local network says so',
  href: HREF,
};
export const NOTHING_TO_REACT_TO: NotificationError = {
  code: 131009,
  title: 'Parameter value is not valid',
  details: 'reaction.message_id names no message of this conversation',
  href: HREF,
};
const NOT_TAKEN: NotificationError = {
  code: 131000,
  title: 'Something went wrong',
  details: 'A rule of the local network says so',
  href: HREF,
};

/** What rules look at. */
export function looksOf(to: string, turn: Sendable): { to: string; type: string; text: string } {
  const type = turnType(turn);
  return { to, type, text: textOf({ type, content: turn as unknown as MessageRecord['content'] }) };
}
