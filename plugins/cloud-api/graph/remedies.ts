/**
 * The reaction to an error code of the network. `refuse`: never repeat the call. `repeat`: temporary, repeat with growing delays. `pair`:
 * too many messages to this contact. `slow`: too many calls of the number or the app. `stop`: nothing can be sent until an operator acts.
 * `later`: not before some hours, and never automatically.
 */
export type Remedy = 'refuse' | 'repeat' | 'pair' | 'slow' | 'stop' | 'later';

interface CodeRule {
  readonly remedy: Remedy;
  /** Minimum delay before the first repetition. */
  readonly fromMs?: number;
}

const STOP: CodeRule = { remedy: 'stop' };
const REPEAT: CodeRule = { remedy: 'repeat' };
const REFUSE: CodeRule = { remedy: 'refuse' };
const LATER: CodeRule = { remedy: 'later' };
const CALLS_LIMIT: CodeRule = { remedy: 'slow', fromMs: 60_000 };

/** Refusals, which no repetition changes. They are listed, because an unknown code with a status of 5XX counts as temporary. */
const refusals = [
  ...[100, 130403, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131047, 131050, 131051, 131052, 131053, 131062],
  ...[132000, 132001, 132005, 132007, 132012, 132015, 132016, 132018, 132068, 134011, 135000],
  ...[139000, 139001, 139002, 139003, 139004, 139005, 139006],
];

/** The rule for each code. Decided by code alone: statuses and titles differ between versions of the network's API. */
const rules: Readonly<Record<number, CodeRule>> = {
  ...Object.fromEntries(refusals.map((code) => [code, REFUSE])),
  0: STOP,
  1: REPEAT,
  2: REPEAT,
  3: STOP,
  4: CALLS_LIMIT,
  10: STOP,
  33: STOP,
  190: STOP,
  368: STOP,
  80007: CALLS_LIMIT,
  130429: { remedy: 'slow', fromMs: 1_000 },
  131000: REPEAT,
  131005: STOP,
  131016: REPEAT,
  131031: STOP,
  131037: STOP,
  131042: STOP,
  131045: STOP,
  131048: STOP,
  131049: LATER,
  131056: { remedy: 'pair', fromMs: 1_000 },
  131057: { remedy: 'repeat', fromMs: 30_000 },
  131064: STOP,
  132069: LATER,
  133000: STOP,
  133004: REPEAT,
  133005: STOP,
  133006: STOP,
  133008: STOP,
  133009: STOP,
  133010: STOP,
  133015: STOP,
  133016: STOP,
  2494100: { remedy: 'repeat', fromMs: 30_000 },
};

/** Codes 200 to 299 mean that the token lacks a permission. */
const isPermission = (code: number): boolean => code >= 200 && code < 300;

/** The rule for an error: by its code; for an unknown or missing code by the HTTP status, where only 5XX is temporary. */
export function ruleOf(code: number | undefined, status: number): CodeRule {
  if (code !== undefined && isPermission(code)) return STOP;
  const known = code === undefined ? undefined : rules[code];
  return known ?? (status >= 500 ? REPEAT : REFUSE);
}

/** Attempts of a temporary error before it counts as permanent. */
const MAX_ATTEMPTS: Readonly<Record<Remedy, number>> = { refuse: 1, later: 1, repeat: 5, pair: 6, slow: 8, stop: Number.POSITIVE_INFINITY };
const MAX_DELAY_MS = 5 * 60_000;
const PAIR_BASE = 4;

/**
 * The delay before attempt `attempt + 1` after an error, in milliseconds: 1, 2, 4, 8 s, and 1, 4, 16, 64, 256 s for a contact with too many
 * messages. Undefined if the call must not be repeated. `attempt` counts from 1; `random` is in [0, 1).
 */
export function delayBefore(
  { remedy, fromMs = 1_000 }: CodeRule,
  { attempt, random, retryAfterMs = 0 }: { attempt: number; random: number; retryAfterMs?: number | undefined },
): number | undefined {
  if (attempt >= MAX_ATTEMPTS[remedy] || remedy === 'stop') return undefined;
  const base = remedy === 'pair' ? PAIR_BASE : 2;
  const delay = Math.min(MAX_DELAY_MS, fromMs * base ** (attempt - 1));
  // The network's own limit is exact: with less than the delay it would refuse again.
  return Math.max(retryAfterMs, Math.round(delay * (1 + 0.2 * random)));
}
