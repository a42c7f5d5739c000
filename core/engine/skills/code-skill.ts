import type { Json, JsonObject } from '../../json.js';
import { task } from '../../ports/workers.js';

/**
 * Code skills: JavaScript that a journey's author wrote, run in an interpreter of its own (QuickJS, compiled to
 * WebAssembly) on a worker thread. There is no Node in there, nothing of the host and nothing of an earlier call.
 *
 * A skill is a module whose default export is a function of the arguments. It calls HTTP services as if that took no time:
 * a run that comes to a call it has no answer for stops there, the call is made outside, and the skill runs again from
 * the start with what came back. That works because time and chance are the same in every repetition.
 */
export interface SkillRun {
  readonly source: string;
  readonly arguments: JsonObject;
  /** What its HTTP calls came to so far, in their order. */
  readonly answered: readonly AnsweredCall[];
  /** Milliseconds since 1970, for its `Date`. */
  readonly now: number;
  /**
   * Seeds its `Math.random`. Also marks what `secret(name)` gives it, so that whoever makes its calls can tell the mark from
   * any text that came with the arguments: it must not be known to those.
   */
  readonly seed: string;
  /** Milliseconds it may run. */
  readonly limitMs: number;
  readonly limitBytes: number;
}

/** An HTTP call as a skill makes it. */
export interface SkillCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An HTTP call of a skill with its answer, which the next repetition of the skill is given. */
export interface AnsweredCall {
  readonly call: SkillCall;
  /** What the skill is given: `{status, headers, body, json, error?}`. */
  readonly answer: JsonObject;
}

export type SkillFailure =
  /** The source is no JavaScript, imports something, or exports no function. */
  'skill_invalid' | 'skill_timeout' | 'skill_out_of_memory' | 'skill_threw' | 'skill_call_limit';

/** What came of a run, and what it logged. */
export type SkillEnd = { readonly logs: readonly string[]; readonly elapsedMs: number } & (
  | { readonly kind: 'output'; readonly output: Json }
  | { readonly kind: 'call'; readonly call: SkillCall }
  | { readonly kind: 'failed'; readonly code: SkillFailure; readonly reason: string }
);

/** What one call of a code skill may use. */
export const SKILL_LIMITS = {
  /** For all repetitions of one call together. */
  ms: 10_000,
  bytes: 50 * 1024 * 1024,
  /** HTTP calls of one call. */
  calls: 20,
  /** Characters of a source, of the arguments and of the output, as JSON. */
  source: 256 * 1024,
  output: 256 * 1024,
  logs: 100,
  log: 1000,
} as const;

/** The interpreter ends a skill at its limit by itself; where it cannot, its thread is replaced this much later. */
const GRACE_MS = 2000;
/** So heavy that it travels alone: what it does must not harm others. */
const ALONE_BYTES = 128 * 1024;

/** Runs a code skill in an interpreter of its own, on a worker. */
export const codeSkill = task<SkillRun, SkillEnd>('journey.code-skill', new URL('./code-skill.task.js', import.meta.url), {
  weigh: () => ALONE_BYTES,
  limitMs: SKILL_LIMITS.ms + GRACE_MS,
});
