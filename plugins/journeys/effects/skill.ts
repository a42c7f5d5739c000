import type { JsonObject, PluginContext } from '#core';
import { readAnswer } from '#core/basics';
import { TaskFailed } from '#core/ports';
import type { HttpCall, SecretTemplate, SkillEffect } from '../engine/effect.js';
import {
  type AnsweredCall,
  codeSkill,
  quickSkill,
  SKILL_LIMITS,
  type SkillCall,
  type SkillResult,
  type SkillRun,
} from '../engine/skills/code-skill.js';
import type { EffectContext, Performer } from '../running/performers.js';
import { createFairLock } from './turns.js';

const CALL_TIMEOUT_MS = 5000;
/** Skills that are known to be slow. */
const MAX_SLOW = 1_000;

interface SkillDeps extends Pick<PluginContext, 'workers' | 'ids'> {
  readonly clock: Pick<PluginContext['clock'], 'now'>;
}

interface SkillLookup {
  find(number: string, id: string): Promise<{ readonly name: string; readonly source: string; readonly enabled: boolean } | undefined>;
}

/**
 * Runs code skills on the worker pool: one quick one and one slow one at a time, so that skills leave threads for other tasks. A skill is
 * quick until a run exceeds `quickMs`. That run is repeated among the slow ones, which does no harm because runs have no effects of their own.
 * Both are scheduled round-robin by number, so that the skills of one number delay those of another by one skill at most.
 */
export function performSkill({ workers, clock, ids }: SkillDeps, skills: SkillLookup): Performer<SkillEffect> {
  const amongQuick = createFairLock();
  const amongSlow = createFairLock();
  const slow = new Set<string>();

  /** Runs a skill unless it is known to be slow, or turns out to be. The locks cover the worker only: a skill that waits for the network blocks no other. */
  async function runOnce(id: string, number: string, about: SkillRun): Promise<SkillResult> {
    const key = `${number}/${id}`;
    const end = await amongQuick(number, async () => {
      // Another run may have found out while this one was waiting.
      const quick = slow.has(key) ? undefined : await quickRun({ ...about, limitMs: Math.min(about.limitMs, SKILL_LIMITS.quickMs) });
      if (!quick) slow.add(key);
      if (slow.size > MAX_SLOW) slow.delete(slow.values().next().value!);
      return quick;
    });
    if (end) return end;
    const result = await amongSlow(number, () => workers.run(codeSkill, about));
    if (result.elapsedMs < SKILL_LIMITS.quickMs) slow.delete(key);
    return result;
  }

  /** @returns undefined if the run took too long, and may take longer among the slow ones */
  async function quickRun(about: SkillRun): Promise<SkillResult | undefined> {
    try {
      const end = await workers.run(quickSkill, about);
      const isOver = end.kind === 'failed' && end.code === 'skill_timeout' && about.limitMs === SKILL_LIMITS.quickMs;
      return isOver ? undefined : end;
    } catch (error) {
      if (error instanceof TaskFailed && error.reason === 'timed out') return undefined;
      throw error;
    }
  }

  async function run(id: string, source: string, given: JsonObject, { number, perform }: EffectContext) {
    const answered: AnsweredCall[] = [];
    const calls: HttpCall[] = [];
    // Unguessable, so that a contact's text can never contain a placeholder that resolves to a secret.
    const seed = ids.uuid();
    const now = clock.now().getTime();
    for (let remainingMs: number = SKILL_LIMITS.ms; ; ) {
      const about = { source, arguments: given, answered, now, seed, limitMs: remainingMs, limitBytes: SKILL_LIMITS.bytes };
      const end = await runOnce(id, number, about);
      remainingMs -= end.elapsedMs;
      if (end.kind !== 'call') return { end, calls };
      if (answered.length === SKILL_LIMITS.calls) return { end: callLimitReached, calls };
      if (remainingMs <= 0) return { end: timedOut, calls };
      answered.push({ call: end.call, answer: await call(end.call, seed, perform, calls) });
    }
  }

  return async ({ skill: id, arguments: given }, about) => {
    const skill = await skills.find(about.number, id);
    if (!skill) return { kind: 'failed', code: 'skill_not_found', reason: `code skill '${id.slice(0, 60)}' not found` };
    if (!skill.enabled) return { kind: 'failed', code: 'skill_disabled', reason: `the code skill '${skill.name}' is disabled` };
    try {
      const { end, calls } = await run(id, skill.source, given, about);
      if (end.kind === 'output') return { kind: 'skill', output: end.output, success: true, calls };
      return { kind: 'skill', output: null, success: false, error: `${end.code}: ${end.reason}`, calls };
    } catch (error) {
      // The pool had to replace the thread, because the interpreter did not react to its interrupt.
      if (!(error instanceof TaskFailed)) throw error;
      const code = error.reason === 'timed out' ? 'skill_timeout' : 'skill_failed';
      return { kind: 'skill', output: null, success: false, error: `${code}: ${error.message}`, calls: [] };
    }
  };
}

const callLimitReached = { kind: 'failed', code: 'skill_call_limit', reason: `it made more than ${SKILL_LIMITS.calls} calls` } as const;
const timedOut = { kind: 'failed', code: 'skill_timeout', reason: 'it exceeded its time limit' } as const;

/** Makes an HTTP call of a skill like one of the journey itself: with the same address guard, limits, secrets and mocks. */
async function call(
  { method, url, headers, query, body }: SkillCall,
  seed: string,
  perform: EffectContext['perform'],
  calls: HttpCall[],
): Promise<JsonObject> {
  const named = (text: string): SecretTemplate => secretsIn(text, seed);
  const result = await perform({
    kind: 'http',
    method,
    url: named(url),
    query: Object.entries(query).map(([name, value]) => [name, named(value)] as const),
    headers: Object.entries(headers).map(([name, value]) => [name, named(value)] as const),
    body: body === null ? null : named(body),
    timeoutMs: CALL_TIMEOUT_MS,
    cacheMs: 0,
    retry: { max: 0, on: [] },
    deferred: false,
  });
  if (result.kind !== 'http')
    return { status: 0, headers: {}, body: null, json: null, error: result.kind === 'failed' ? result.code : 'failed' };
  calls.push(result.call);
  const { answer, error } = result;
  if (!answer) return { status: error === 'timeout' ? 408 : 0, headers: {}, body: null, json: null, error: error ?? 'unreachable' };
  const read = readAnswer(answer.body);
  return { ...answer, json: read.json, error: error ?? read.error };
}

/** Replaces the placeholders `{{secret:<seed>:<name>}}` of a text by references to secrets. */
function secretsIn(text: string, seed: string): SecretTemplate {
  const parts = text.split(`{{secret:${seed}:`);
  if (parts.length === 1) return text;
  return parts.flatMap((part, i) => {
    const end = i === 0 ? -1 : part.indexOf('}}');
    return end < 0 ? [part] : [{ secret: part.slice(0, end) }, part.slice(end + 2)];
  });
}
