import {
  collection,
  dateTime,
  InvalidRequest,
  integer,
  named,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { type FaultKind, type FaultPlace, faultKinds } from '#core/ports';

/** The targets of rules. `journeys` and `integrations` are the HTTP requests of journeys and of integrations. */
export const faultTargets = ['deliveries', 'api', 'journeys', 'models', 'integrations', 'store'] as const;
export type FaultTarget = (typeof faultTargets)[number];

const MAX_TIMES = 1_000_000;
const MAX_DELAY_MS = 24 * 60 * 60 * 1_000;
const MAX_COPIES = 100;

const effectSchema = object(
  { kind: oneOf(...faultKinds) },
  {
    status: integer().min(100).max(599),
    delay_ms: integer().min(0).max(MAX_DELAY_MS),
    copies: integer().min(1).max(MAX_COPIES),
    window_ms: integer().min(1).max(MAX_DELAY_MS),
  },
);

const ruleFields = {
  match: record(stringUpTo(1_000)),
  /** How many times it acts; 1 if neither `times` nor `rate` is given. */
  times: integer().min(1).max(MAX_TIMES),
  /** The probability with which it acts, from 0 to 1. The same seed gives the same sequence. */
  rate: number().min(0).max(1),
  seed: integer(),
  /** It does not act from this time on. */
  until: dateTime(),
};

/** A rule as clients create it, or the name of a preset. */
export const newFaultSchema = object({}, { where: oneOf(...faultTargets), effect: effectSchema, ...ruleFields, preset: string() });
export type NewFault = Omit<FaultRule, 'id' | 'seen' | 'fired'>;

/** A rule with its counters. */
export const faultRuleSchema = named(
  'FaultRule',
  object(
    {
      id: string(),
      where: oneOf(...faultTargets),
      effect: effectSchema,
      /** How often something matched it while it was active. */
      seen: integer(),
      /** How often it acted. */
      fired: integer(),
    },
    ruleFields,
  ),
);
export type FaultRule = TypeOf<typeof faultRuleSchema>;

/** The rules with their counters, so that both survive a restart. */
export const faultRules = collection<FaultRule>({ key: 'id', tenant: { global: true }, indexes: { id: ['id'] } });

const HTTP: readonly FaultKind[] = ['status', 'delay', 'timeout', 'refuse', 'reset', 'half_body', 'bad_json', 'dns'];

/** For each target: its kinds of faults, the fields that a rule can match, and where the core asks for it. */
const targets: Readonly<
  Record<FaultTarget, { kinds: readonly FaultKind[]; match: readonly string[]; place: FaultPlace; plugin?: string }>
> = {
  deliveries: {
    kinds: [...HTTP, 'duplicate', 'reorder', 'wrong_signature', 'stale_signature', 'expired_link'],
    match: ['webhook', 'number', 'subscription', 'recipient', 'attempt', 'contains'],
    place: 'delivery',
  },
  api: { kinds: ['status', 'delay'], match: ['method', 'path', 'route', 'number', 'contains'], place: 'api' },
  journeys: { kinds: HTTP, match: ['method', 'host', 'contains'], place: 'http', plugin: 'journeys' },
  models: { kinds: ['status', 'delay', 'timeout', 'refuse', 'reset', 'bad_json', 'dns'], match: ['model', 'vendor'], place: 'model' },
  integrations: { kinds: HTTP, match: ['method', 'host', 'contains'], place: 'http', plugin: 'integration' },
  store: { kinds: ['disk_full', 'delay'], match: ['file'], place: 'store' },
};

/** The targets as the admin API shows them. @param hasFiles whether the store has files that can fail */
export const faultTargetsShown = (hasFiles: boolean): Record<string, { effects: string[]; match: string[] }> =>
  Object.fromEntries(
    Object.entries(targets)
      .filter(([name]) => hasFiles || name !== 'store')
      .map(([name, { kinds, match }]) => [name, { effects: [...kinds], match: [...match] }]),
  );

const API_STATUSES = [429, 500, 503];

/** Where the core asks for the faults of a rule, with the fields that always have to match. */
export function placeOf({ where, effect }: Pick<FaultRule, 'where' | 'effect'>): {
  readonly place: FaultPlace;
  readonly fixed: Readonly<Record<string, string>>;
} {
  const { place, plugin } = targets[where];
  if (effect.kind === 'reorder') return { place: 'delivery_order', fixed: {} };
  if (where === 'store') return { place, fixed: { operation: effect.kind === 'delay' ? 'sync' : 'write' } };
  return { place, fixed: plugin === undefined ? {} : { plugin } };
}

/** The rule in a request. @throws InvalidRequest without its required fields */
export function faultIn({ where, effect, preset: _, ...fields }: TypeOf<typeof newFaultSchema>): NewFault {
  if (where === undefined) throw invalid(['where'], 'where is required');
  if (effect === undefined) throw invalid(['effect'], 'effect is required');
  return { where, effect, ...fields };
}

/** @throws InvalidRequest when a rule could never act as its author means it */
export function checkFault({ where, effect, match = {}, times, rate, seed }: NewFault): void {
  const { kinds, match: fields } = targets[where];
  const { kind, status } = effect;
  if (!kinds.includes(kind))
    throw invalid(['effect', 'kind'], `effect.kind ${kind} has no effect on ${where}; it takes ${kinds.join(', ')}`);
  const unknown = Object.keys(match).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw invalid(['match', unknown], `match.${unknown} is not known: ${where} match ${fields.join(', ')}`);
  if (where === 'api' && kind === 'status' && !API_STATUSES.includes(status ?? 500))
    throw invalid(['effect', 'status'], `effect.status of the API must be ${API_STATUSES.join(', ')}`);
  if (times !== undefined && rate !== undefined) throw invalid(['rate'], 'rate and times exclude each other');
  if (seed !== undefined && rate === undefined) throw invalid(['seed'], 'seed needs rate');
}

const invalid = (path: readonly string[], message: string): InvalidRequest => new InvalidRequest([{ path, rule: 'any.invalid', message }]);
