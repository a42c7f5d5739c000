import type { Exchange } from './exchange.js';

export type Level = 'MUST' | 'SHOULD' | 'INFO';

/** One rule that a connector, a webhook receiver, an integration or an implementation of the API is checked for. */
export interface Check<S> {
  /** Never changes, and is never used for another check: `C-07`. */
  readonly id: string;
  readonly level: Level;
  /** The section of the API specification that states the rule. */
  readonly section: string;
  /** The rule, as a sentence about the subject. */
  readonly title: string;
  /** The requests that the check makes, for `--dry-run`. */
  readonly sends: string;
  /** Without all of these the check is skipped: what the run was given, such as `contact`, and ids of checks that must pass first. */
  readonly needs?: readonly string[];
  /** Checks that fail whenever this one fails. */
  readonly implies?: readonly string[];
  /** One or two sentences for the developer of a subject that fails. */
  readonly fix: string;
  /** @throws CheckFailed, CheckSkipped */
  run(subject: S): Promise<void>;
}

/** The subject of a run, with the addresses and secrets that the checks need. */
export interface Subject {
  /** The exchanges since the last call of `begin`, as evidence. */
  readonly log: { begin(): void; taken(): readonly Exchange[] };
  /** Why the subject lacks something that a check needs; undefined if it has it. */
  missing(need: string): string | undefined;
  /** Adds what the platform recorded during the check that just ran to its evidence. @returns further calls that the subject made */
  recorded?(): Promise<readonly SubjectCall[]>;
}

/** A call that the subject made to the platform, which recorded it. */
export interface SubjectCall {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The error of a refused call. */
  readonly error: string | null;
}

/** The subject breaks the rule. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
  readonly expected: string;
  readonly received: string;
  /** The correction, if the cause is another one than the `fix` of the check is about. */
  readonly fix: string | undefined;

  constructor(expected: string, received: string, fix?: string) {
    super(`expected ${expected}; received ${received}`);
    this.expected = expected;
    this.received = received;
    this.fix = fix;
  }
}

/** The run has reached its time limit. */
export class RunLate extends Error {
  override readonly name = 'RunLate';
}

/** The check does not apply, or cannot be run; the message says why. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** @throws CheckFailed unless the condition is true */
export function expect(condition: boolean, expected: string, received: string | (() => string)): asserts condition {
  if (!condition) throw new CheckFailed(expected, typeof received === 'string' ? received : received());
}

export type Result = 'pass' | 'fail' | 'skipped';

/** The result of one check, with its evidence. */
export interface Outcome {
  readonly id: string;
  readonly level: Level;
  readonly section: string;
  readonly title: string;
  readonly result: Result;
  /** Why the check was skipped. */
  readonly reason?: string;
  /** Whether the run had reached its time limit, so that its result is incomplete. */
  readonly isLate?: true;
  /** Of a failed check. */
  readonly expected?: string;
  readonly received?: string;
  readonly fix?: string;
  readonly exchanges: readonly Exchange[];
  /** Calls that the subject made about the contacts of the check, beside those in the exchanges. */
  readonly calls?: readonly SubjectCall[];
  readonly ms: number;
}
