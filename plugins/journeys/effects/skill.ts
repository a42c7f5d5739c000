import type { JsonObject, PluginContext } from '#core';
import {
  type AnsweredCall,
  codeSkill,
  type EffectContext,
  type HttpCall,
  type Performer,
  readAnswer,
  type SecretTemplate,
  SKILL_LIMITS,
  type SkillCall,
  type SkillEffect,
  type SkillResult,
} from '#core/areas';
import { TaskFailed } from '#core/ports';
import type { Skills } from '../assets/code-skills.js';
import { takingTurns } from './turns.js';

const CALL_TIMEOUT_MS = 5000;

/**
 * Runs code skills on the worker pool, one at a time, so that a slow one leaves threads for everybody else; numbers take turns,
 * so that the many slow ones of one number leave turns for the others.
 */
export function performSkill({ workers, clock, ids }: PluginContext, skills: Skills): Performer<SkillEffect> {
  const inTurn = takingTurns();

  async function run(source: string, given: JsonObject, { number, perform }: EffectContext) {
    const answered: AnsweredCall[] = [];
    const calls: HttpCall[] = [];
    // Nobody can guess it, so that no text of a contact's can stand for a secret.
    const seed = ids.uuid();
    const now = clock.now().getTime();
    for (let left: number = SKILL_LIMITS.ms; ; ) {
      const about = { source, arguments: given, answered, now, seed, limitMs: left, limitBytes: SKILL_LIMITS.bytes };
      // One that waits for the network holds up nobody.
      const end: SkillResult = await inTurn(number, () => workers.run(codeSkill, about));
      left -= end.elapsedMs;
      if (end.kind !== 'call') return { end, calls };
      if (answered.length === SKILL_LIMITS.calls) return { end: tooMany, calls };
      if (left <= 0) return { end: tooLate, calls };
      answered.push({ call: end.call, answer: await call(end.call, seed, perform, calls) });
    }
  }

  return async ({ skill: id, arguments: given }, about) => {
    const skill = await skills.find(about.number, id);
    if (!skill) return { kind: 'failed', code: 'skill_not_found', reason: `there is no code skill '${id.slice(0, 60)}'` };
    if (!skill.enabled) return { kind: 'failed', code: 'skill_disabled', reason: `the code skill '${skill.name}' is disabled` };
    try {
      const { end, calls } = await run(skill.source, given, about);
      if (end.kind === 'output') return { kind: 'skill', output: end.output, success: true, calls };
      return { kind: 'skill', output: null, success: false, error: `${end.code}: ${end.reason}`, calls };
    } catch (error) {
      // The thread had to be replaced: the interpreter was in something that it cannot be interrupted in.
      if (!(error instanceof TaskFailed)) throw error;
      const code = error.reason === 'timed out' ? 'skill_timeout' : 'skill_failed';
      return { kind: 'skill', output: null, success: false, error: `${code}: ${error.message}`, calls: [] };
    }
  };
}

const tooMany = { kind: 'failed', code: 'skill_call_limit', reason: `it made more than ${SKILL_LIMITS.calls} calls` } as const;
const tooLate = { kind: 'failed', code: 'skill_timeout', reason: 'it ran for longer than it may' } as const;

/** Makes a call of a skill's, as a journey's own are made: with the guard, the limits, the secrets and the mocks of those. */
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

/** What stands for a secret in a text of this run. */
function secretsIn(text: string, seed: string): SecretTemplate {
  const parts = text.split(`{{secret:${seed}:`);
  if (parts.length === 1) return text;
  return parts.flatMap((part, i) => {
    const end = i === 0 ? -1 : part.indexOf('}}');
    return end < 0 ? [part] : [{ secret: part.slice(0, end) }, part.slice(end + 2)];
  });
}
