import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import { type Json, readJsonText, TOO_DEEP } from '#core/basics';
import { isObject } from '../compile.js';
import { type AnsweredCall, SKILL_LIMITS, type SkillCall, type SkillFailure, type SkillResult, type SkillRun } from './code-skill.js';
import { hostFunction, type Isolate, openIsolate } from './isolate.js';
import { PRELUDE } from './prelude.js';

/** Runs a skill from its start until it returns, makes an HTTP call without a recorded response, or fails. */
export default async function runSkill(run: SkillRun): Promise<SkillResult> {
  const began = performance.now();
  const logs: string[] = [];
  const end = await runInIsolate(run, logs);
  return { ...end, logs, elapsedMs: performance.now() - began };
}

type End = SkillResult extends infer E ? (E extends unknown ? Omit<E, 'logs' | 'elapsedMs'> : never) : never;

async function runInIsolate(run: SkillRun, logs: string[]): Promise<End> {
  const isolate = await openIsolate(run);
  const calls = callsOf(run.answered, isolate);
  try {
    const end = evaluated(isolate, run, logs, calls.answer);
    return calls.stopped() ?? end;
  } catch (error) {
    // The interpreter throws here only when it cannot even create an error object inside.
    const reason = error instanceof Error ? error.message : String(error);
    const defaultCode = /call stack/.test(reason) ? 'skill_threw' : 'skill_out_of_memory';
    return calls.stopped() ?? failed(isolate.isOver() ? 'skill_timeout' : defaultCode, reason);
  }
}

function evaluated(isolate: Isolate, run: SkillRun, logs: string[], answer: (text: string) => string | undefined): End {
  const { context } = isolate;
  // Saved before the skill runs, because a skill can replace the global functions.
  const json = context.getProp(context.global, 'JSON');
  const [parse, stringify] = [context.getProp(json, 'parse'), context.getProp(json, 'stringify')];
  prepare(context, run, logs, answer);
  const loaded = context.evalCode(run.source, 'skill.js', { type: 'module' });
  if (loaded.error) return failure(isolate, loaded.error, 'skill_invalid');
  const skill = context.getProp(loaded.value, 'default');
  if (context.typeof(skill) !== 'function') return failed('skill_invalid', 'a skill must be a module whose default export is a function');
  const given = context.unwrapResult(context.callFunction(parse, context.undefined, context.newString(JSON.stringify(run.arguments))));
  const called = context.callFunction(skill, context.undefined, given);
  if (called.error) return failure(isolate, called.error, 'skill_threw');
  const jobs = context.runtime.executePendingJobs();
  if (jobs.error) return failure(isolate, jobs.error, 'skill_threw');
  const state = context.getPromiseState(called.value);
  // A time-out between two jobs raises no error: the promise stays pending.
  if (state.type === 'pending' && isolate.isOver()) return failed('skill_timeout', TOO_LONG);
  if (state.type === 'pending') return failed('skill_threw', 'the skill awaits a promise that never settles; timers are not available');
  if (state.type === 'rejected') return failure(isolate, state.error, 'skill_threw');
  return outputOf(isolate, state.value, stringify);
}

/** Defines the globals of a skill; must run before the skill is loaded. */
function prepare(context: QuickJSContext, run: SkillRun, logs: string[], answer: (text: string) => string | undefined): void {
  const host = context.newObject();
  context.setProp(host, 'call', hostFunction(context, 'call', answer));
  context.setProp(
    host,
    'log',
    hostFunction(context, 'log', (text) => {
      if (logs.length < SKILL_LIMITS.logs) logs.push(text.slice(0, SKILL_LIMITS.log));
      return undefined;
    }),
  );
  context.setProp(host, 'now', context.newNumber(run.now));
  context.setProp(host, 'marker', context.newString(run.seed));
  context.setProp(host, 'seed', context.newNumber(numberFrom(run.seed)));
  context.setProp(context.global, '__host', host);
  context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
}

/** The output as JSON. Serialised inside the interpreter, so that the skill's getters and `toJSON` run under its limits. */
function outputOf(isolate: Isolate, value: QuickJSHandle, stringify: QuickJSHandle): End {
  const { context } = isolate;
  const written = context.callFunction(stringify, context.undefined, value);
  if (written.error) return failure(isolate, written.error, 'skill_threw');
  if (context.typeof(written.value) !== 'string') return { kind: 'output', output: null };
  if (context.getProp(written.value, 'length').consume((length) => context.getNumber(length)) > SKILL_LIMITS.output) {
    return failed('skill_threw', `the output has more than ${SKILL_LIMITS.output} characters as JSON; return less`);
  }
  const { value: output, fault } = readJsonText(context.getString(written.value));
  return fault ? failed('skill_threw', `the output is ${TOO_DEEP}`) : { kind: 'output', output };
}

/** Returns recorded responses to the skill's calls, in order. The first call without a recording ends the run. */
function callsOf(answered: readonly AnsweredCall[], isolate: Isolate) {
  let next = 0;
  let stopped: End | undefined;
  const stop = (end: End): undefined => {
    stopped ??= end;
    isolate.interrupt();
    return undefined;
  };
  return {
    stopped: () => stopped,
    answer(text: string): string | undefined {
      if (stopped) return undefined;
      const call = parseCall(text);
      if (!call) return stop(failed('skill_threw', 'the HTTP request is malformed; the skill must not replace built-ins that http uses'));
      const recorded = answered[next++];
      if (!recorded) return stop({ kind: 'call', call });
      if (JSON.stringify(recorded.call) === JSON.stringify(call)) return JSON.stringify(recorded.answer);
      return stop(
        failed(
          'skill_threw',
          'the skill made a different HTTP call when it was run again; its calls must depend only on its arguments and earlier responses',
        ),
      );
    },
  };
}

/** Parses a request of the prelude; undefined when it is malformed, because the skill replaced built-ins. */
function parseCall(text: string): SkillCall | undefined {
  const { value } = readJsonText(text);
  if (!isObject(value)) return undefined;
  const { method, url, headers, query, body } = value;
  const isRequest = typeof method === 'string' && typeof url === 'string' && (body === null || typeof body === 'string');
  return isRequest && areTexts(headers) && areTexts(query) ? { method, url, headers, query, body } : undefined;
}

const areTexts = (value: Json | undefined): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((inner) => typeof inner === 'string');

const TOO_LONG = `the skill ran longer than ${SKILL_LIMITS.ms} ms; do less in one call`;

function failure(isolate: Isolate, error: QuickJSHandle, defaultCode: SkillFailure): End {
  const thrown: unknown = isolate.context.dump(error);
  // Checked after `dump`, because `dump` runs getters and `toJSON` of the skill and can reach the time limit.
  if (isolate.isOver()) return failed('skill_timeout', TOO_LONG);
  const { name, message, stack } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Partial<Record<string, unknown>>;
  // Without memory for an error object, QuickJS throws null instead.
  const isOut = (name === 'InternalError' && message === 'out of memory') || (thrown === null && isolate.hasGrown());
  if (isOut)
    return failed('skill_out_of_memory', `the skill needs more than ${SKILL_LIMITS.bytes} bytes of memory; keep less data at a time`);
  // A skill can throw any value, including objects that resemble errors.
  if (typeof message !== 'string') return failed(defaultCode, `the skill threw ${textOfThrown(thrown)}`);
  const line = typeof stack === 'string' ? /skill\.js:(\d+)/.exec(stack)?.[1] : undefined;
  return failed(
    defaultCode,
    `${typeof name === 'string' ? name.slice(0, 100) : 'Error'}: ${message.slice(0, 500)}${line === undefined ? '' : ` (line ${line})`}`,
  );
}

/** A thrown value as text; bigints, which JSON does not support, become strings. */
const textOfThrown = (thrown: unknown): string =>
  (typeof thrown === 'object'
    ? JSON.stringify(thrown, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    : String(thrown)
  ).slice(0, 200);

const failed = (code: SkillFailure, reason: string): Extract<End, { kind: 'failed' }> => ({ kind: 'failed', code, reason });

function numberFrom(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
