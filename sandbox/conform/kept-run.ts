import { anyString, array, boolean, event, integer, named, nullable, object, oneOf, string, type TypeOf } from '#core';
import type { Outcome } from './check.js';
import { type Exchange, shownExchange } from './exchange.js';
import type { BoundCheck } from './run.js';

/** A longer body is cut, because a subject chooses the size of its responses. */
const MAX_BODY_BYTES = 64 * 1024;

export const kinds = oneOf('connector', 'webhook', 'integration', 'api');
const states = oneOf('running', 'ended', 'failed', 'cancelled');
const results = oneOf('pass', 'fail', 'skipped');

const headers = array(array(anyString()).length(2));
const body = object({ bytes: integer() }, { text: anyString(), base64: anyString(), cut: boolean() });
const exchangeSchema = object(
  {
    /** The sender: the run itself, the platform for the run, or the subject. */
    by: oneOf('run', 'platform', 'subject'),
    request: object({ method: string(), url: string(), headers, body }),
    response: nullable(object({ status: integer(), headers, body })),
    ms: integer(),
  },
  {
    /** Why there is no response. */
    error: anyString(),
    /** The call in `GET /admin/v1/calls/{id}`, of a request to the platform. */
    call: string(),
    /** The delivery in `GET /admin/v1/deliveries/{uuid}`, of a request by the platform. */
    delivery: string(),
  },
);
const callSchema = object({ id: string(), method: string(), path: string(), status: integer(), error: nullable(anyString()) });
const about = { id: string(), level: oneOf('MUST', 'SHOULD', 'INFO'), section: string(), title: string() };
const result = { ...about, result: results, at: string() };
const reasons = { reason: anyString(), expected: anyString(), received: anyString(), fix: string() };
const resultSchema = object(
  {
    ...result,
    /** The deliveries and the calls that the evidence names, in its order. */
    deliveries: array(string()),
    calls: array(string()),
  },
  reasons,
);

/** A check with its result and its evidence. */
export const checkSchema = named(
  'ConformanceCheck',
  object(result, {
    ...reasons,
    exchanges: array(exchangeSchema),
    /** Calls that the subject made about the contacts of the check, beside those in the exchanges. */
    calls: array(callSchema),
  }),
);
type ShownCheck = TypeOf<typeof checkSchema>;

const run = {
  id: string(),
  kind: kinds,
  /** The uuid of the channel or of the webhook; null for other kinds. */
  subject: nullable(string()),
  url: string(),
  /** The URL that acts as a contact; null without one. */
  drive: nullable(string()),
  started_at: string(),
  ended_at: nullable(string()),
  state: states,
  /** Why a run has failed. */
  error: nullable(string()),
  /** Why no request of the run got a response; null once one did. */
  unreachable: nullable(string()),
  /** The number of checks of the run. */
  of: integer(),
  /** The checks that failed, and those that were skipped because of them. */
  to_repeat: array(string()),
  /** Checks of the run without a result, in their order. */
  remaining: array(object(about)),
};
/** A run with its results, and with those that it took over from an earlier run. */
export const runSchema = object({ ...run, checks: array(checkSchema) });
/** The same without evidence. */
export const listedRunSchema = object({ ...run, checks: array(resultSchema) });

interface Ended {
  readonly run: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly state: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Checked {
  readonly run: string;
  readonly id: string;
  readonly level: string;
  readonly result: string;
  readonly title: string;
  readonly number: number;
  readonly of: number;
}

interface Started {
  readonly run: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly url: string;
  readonly of: number;
}

export const conformStarted = event<Started>('conform.started', 'A conformance run has started.');
export const conformChecked = event<Checked>('conform.checked', 'A conformance run has the result of a check.');
export const conformEnded = event<Ended>('conform.ended', 'A conformance run has ended, has failed, or was cancelled.');

/** The target of a run, and how to bind the checks to it. */
export interface Subject {
  readonly kind: TypeOf<typeof kinds>;
  readonly subject: string | null;
  readonly drive: string | null;
  /** Reads the current endpoint and secret. */
  bind(signal: AbortSignal): Promise<{ readonly url: string; readonly checks: readonly BoundCheck[] }>;
}

interface NewRun {
  readonly id: string;
  readonly startedAt: Date;
  readonly of: Subject;
  readonly url: string;
  /** All checks of this kind. */
  readonly all: readonly BoundCheck[];
  /** The ids of the checks of this run. */
  readonly only: ReadonlySet<string>;
  /** Results of an earlier run. */
  readonly before?: ReadonlyMap<string, ShownCheck>;
}

/** A conformance run in memory. */
export class KeptRun {
  readonly id: string;
  readonly of: Subject;
  readonly results: Map<string, ShownCheck>;
  readonly #new: NewRun;
  readonly #abort: AbortController;
  readonly #remaining: Set<string>;
  /** For each request to the subject why it got no response; null if it got one. */
  readonly #direct: (string | null)[] = [];
  #ended: { readonly at: Date; readonly state: 'ended' | 'failed' | 'cancelled'; readonly error: string | null } | undefined;

  constructor(given: NewRun, abort: AbortController) {
    this.id = given.id;
    this.of = given.of;
    this.results = new Map(given.before);
    this.#new = given;
    this.#abort = abort;
    this.#remaining = new Set(given.only);
  }

  get isRunning(): boolean {
    return this.#ended === undefined;
  }

  get size(): number {
    return this.#new.only.size;
  }

  add({ exchanges, isLate: _, ms: __, ...outcome }: Outcome, at: Date): void {
    const shown = exchanges.map((exchange) => shownExchange(exchange, MAX_BODY_BYTES));
    const calls = outcome.calls?.map((call) => ({ ...call })) ?? [];
    this.results.set(outcome.id, { ...outcome, at: at.toISOString(), exchanges: shown as ShownCheck['exchanges'] & object, calls });
    this.#remaining.delete(outcome.id);
    this.#direct.push(...exchanges.filter(isDirect).map(({ response, error }) => (response ? null : (error ?? 'no response'))));
  }

  end(at: Date, state: 'ended' | 'failed' | 'cancelled', error: string | null = null): void {
    this.#ended = { at, state, error };
    this.#abort.abort(new Error('the run was cancelled'));
  }

  /** The checks that failed, and those that were skipped because of them. */
  toRepeat(): string[] {
    const failed = [...this.results.values()].filter(({ result }) => result === 'fail').map(({ id }) => id);
    const because = new Set(failed.map((id) => `${id} failed`));
    return this.#new.all.flatMap(({ id }) => {
      const { result, reason = '' } = this.results.get(id) ?? {};
      return result === 'fail' || (result === 'skipped' && because.has(reason)) ? [id] : [];
    });
  }

  counts(): { readonly passed: number; readonly failed: number; readonly skipped: number } {
    const count = (result: string): number => [...this.results.values()].filter((one) => one.result === result).length;
    return { passed: count('pass'), failed: count('fail'), skipped: count('skipped') };
  }

  /** Without evidence. */
  listed(): TypeOf<typeof listedRunSchema> {
    const shown = this.shown();
    return {
      ...shown,
      checks: shown.checks.map(({ exchanges = [], calls = [], ...check }) => ({
        ...check,
        deliveries: exchanges.flatMap(({ delivery }) => delivery ?? []),
        calls: [...exchanges.flatMap(({ call }) => call ?? []), ...calls.map(({ id }) => id)],
      })),
    };
  }

  shown(): TypeOf<typeof runSchema> {
    const { url, all, startedAt } = this.#new;
    const { kind, subject, drive } = this.of;
    const { at, state, error } = this.#ended ?? { at: undefined, state: 'running' as const, error: null };
    return {
      id: this.id,
      kind,
      subject,
      url,
      drive,
      started_at: startedAt.toISOString(),
      ended_at: at?.toISOString() ?? null,
      state,
      error,
      unreachable: this.#direct.includes(null) ? null : (this.#direct.at(-1) ?? null),
      of: this.size,
      to_repeat: this.toRepeat(),
      remaining: all.filter(({ id }) => this.#remaining.has(id)).map(({ id, level, section, title }) => ({ id, level, section, title })),
      checks: all.flatMap(({ id }) => this.results.get(id) ?? []),
    };
  }
}

/** Whether the run sent it to the subject itself. */
const isDirect = ({ by = 'run', call }: Exchange): boolean => by === 'run' && call === undefined;
