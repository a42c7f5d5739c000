import type { FaultRule, FaultRules, RecordedCall, Reply } from '#core/testing';
import { GraphError, type GraphErrorFields } from './graph-error.js';

export const messageStatuses = ['sent', 'delivered', 'read', 'played', 'failed'] as const;
export type StandInStatus = (typeof messageStatuses)[number];

/** A status that a rule plans for a message. */
export interface PlannedStatus {
  readonly status: StandInStatus;
  /** Milliseconds after the acceptance at which it is reported. Default 0. */
  readonly afterMs?: number;
  /** Milliseconds after the acceptance at which it happened, if not when it is reported. */
  readonly happenedMs?: number;
  /** The error of `failed`: a code, or a code with its texts. */
  readonly error?: number | GraphErrorFields;
  /** How many times it is reported. Default 1. */
  readonly copies?: number;
}

/** Which requests a rule is for: all given fields must match. */
export interface RuleMatch {
  readonly method?: string;
  /** After the version, with `*` for any text: `/106540352242922/messages`, `/*&#47;media`. */
  readonly path?: string;
  /** The recipient, digits. */
  readonly to?: string;
  /** The type of a message. */
  readonly type?: string;
  /** Text that the body contains. */
  readonly contains?: string;
}

/** The outcome of matching requests. Give one of `error`, `respond` and `connection`, or none. */
export interface StandInRule extends FaultRule {
  readonly on?: RuleMatch;
  /** Refuses the request with this error; nothing is recorded. */
  readonly error?: number | GraphErrorFields;
  /** Responds with this, such as a 503 with HTML; nothing is recorded. */
  readonly respond?: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };
  /**
   * `reset`: the connection breaks before the request is accepted. `reset after`: the request is accepted, then the connection breaks.
   * `silent`: the request is accepted, but there is no response. `answer twice`: the response is sent twice (on sockets only).
   */
  readonly connection?: 'reset' | 'reset after' | 'silent' | 'answer twice';
  /** Milliseconds by which the response is delayed after the request was accepted. */
  readonly holdMs?: number;
  /** The statuses of the accepted message, instead of `sent` and `delivered`. */
  readonly statuses?: readonly PlannedStatus[];
  /** The `message_status` of the accepted message: `held_for_quality_assessment`, `paused`. */
  readonly messageStatus?: string;
}

/** The rule for a request, counted as applied. `path` is without the version. */
export const ruleFor = (rules: FaultRules<StandInRule>, call: RecordedCall, path: string): StandInRule | undefined =>
  rules.take(({ on = {} }) => matches(on, call, path));

/** The answer of a rule that keeps the request from being accepted; undefined if the request continues. @throws GraphError */
export function refusalOf({ error, respond, connection }: StandInRule): Reply | 'reset' | undefined {
  if (error !== undefined) throw errorOf(error);
  if (respond) return respond;
  return connection === 'reset' ? 'reset' : undefined;
}

export function errorOf(error: number | GraphErrorFields): GraphError {
  const fields = typeof error === 'number' ? { code: error } : error;
  return new GraphError(fields.code, fields.details, fields);
}

function matches({ method, path: pattern, to, type, contains }: RuleMatch, call: RecordedCall, path: string): boolean {
  if (method !== undefined && method !== call.method) return false;
  if (pattern !== undefined && !matchesPath(pattern, path)) return false;
  if (contains !== undefined && !call.text.includes(contains)) return false;
  if (to === undefined && type === undefined) return true;
  const body = bodyOf(call);
  return (to === undefined || String(body.to ?? body.recipient).replace('+', '') === to) && (type === undefined || body.type === type);
}

const matchesPath = (pattern: string, path: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  ).test(path);

function bodyOf(call: RecordedCall): Record<string, unknown> {
  try {
    return Object(call.json) as Record<string, unknown>;
  } catch {
    // Not a message: only messages have a recipient and a type.
    return {};
  }
}
