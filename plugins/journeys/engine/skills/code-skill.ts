import type { Json, JsonObject } from '#core/basics';
import { task } from '#core/ports';

/**
 * Code skills: JavaScript by the author of a journey, run in a QuickJS interpreter (WebAssembly) on a worker thread. The
 * interpreter has no access to Node, to the host application or to state of earlier calls.
 *
 * A skill is a module whose default export is a function of the arguments. Its HTTP calls are synchronous. A run stops at the first call that has
 * no recorded response; the platform sends the request and runs the skill again from its start with the recorded response.
 * Therefore the clock and random numbers are the same in every repetition.
 */
export interface SkillRun {
  readonly source: string;
  readonly arguments: JsonObject;
  /** The HTTP calls so far with their responses, in order. */
  readonly answered: readonly AnsweredCall[];
  /** Milliseconds since 1970; the fixed clock of the skill. */
  readonly now: number;
  /**
   * Seeds `Math.random`. Also part of the placeholder that `secret(name)` returns: it must be unpredictable, so that a text in the
   * arguments cannot forge a placeholder and have a secret inserted.
   */
  readonly seed: string;
  /** Milliseconds that this run may take. */
  readonly limitMs: number;
  readonly limitBytes: number;
}

export interface SkillCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A recorded HTTP call with its response, for the next repetition of the skill. */
export interface AnsweredCall {
  readonly call: SkillCall;
  /** The return value of the call in the skill: `{status, headers, body, json, error?}`. */
  readonly answer: JsonObject;
}

export type SkillFailure =
  /** `skill_invalid`: the source is not JavaScript, has an import, or does not export a function. */
  'skill_invalid' | 'skill_timeout' | 'skill_out_of_memory' | 'skill_threw' | 'skill_call_limit';

/** The result of a run, with its log. */
export type SkillResult = { readonly logs: readonly string[]; readonly elapsedMs: number } & (
  | { readonly kind: 'output'; readonly output: Json }
  | { readonly kind: 'call'; readonly call: SkillCall }
  | { readonly kind: 'failed'; readonly code: SkillFailure; readonly reason: string }
);

export const SKILL_LIMITS = {
  /** Milliseconds of all repetitions of one call together. */
  ms: 10_000,
  /** Milliseconds of a run that does not hold up others. A run that takes longer is repeated beside the quick ones. */
  quickMs: 250,
  bytes: 50 * 1024 * 1024,
  calls: 20,
  /** Characters of the source (`source`), and of the arguments and the output as JSON (`output`). */
  source: 256 * 1024,
  output: 256 * 1024,
  logs: 100,
  log: 1000,
} as const;

/** The interpreter stops a skill at its time limit. If the interpreter hangs, the pool replaces the thread after this time. */
const GRACE_MS = 2000;
/** A weight that puts each skill into a batch of its own, so that a crash affects no other task. */
const SEPARATE_BATCH_BYTES = 128 * 1024;

const skillTask = (ms: number) =>
  task<SkillRun, SkillResult>('journey.code-skill', new URL('./code-skill.task.js', import.meta.url), {
    weigh: () => SEPARATE_BATCH_BYTES,
    limitMs: ms + GRACE_MS,
  });

export const codeSkill = skillTask(SKILL_LIMITS.ms);
/** The same, for runs of at most `quickMs`. */
export const quickSkill = skillTask(SKILL_LIMITS.quickMs);
