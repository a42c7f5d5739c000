import type { Action } from '../../../components/copy.js';
import type { ModelCall } from './records.js';
import { everyTurn, firstTurn, type Setup, type Started } from './setup.js';
import type { Played } from './simulation.js';

/** Of a message, this much is a condition of a rule. */
const MAX_CONDITION = 200;

/** The call that writes a branch as a test. @param addTo the file that gets the test @throws Unreadable */
export function recording(journey: string, setup: Setup, branch: readonly Played[], addTo?: string): Action {
  // The forms may have changed since the branch was started.
  const { revision, contact, parent, child } = (branch[0]?.payload ?? firstTurn(setup)) as Started;
  const started = { contact, parent, child };
  const inputs: string[] = [];
  const waits: { before: number; ms: number }[] = [];
  for (const { done } of branch) {
    if (done.wait_ms !== undefined) waits.push({ before: inputs.length, ms: done.wait_ms });
    if (done.input !== undefined) inputs.push(done.input);
  }
  const calls = branch.flatMap(({ turn }) => turn.http_calls);
  const models = scriptsOf(branch.flatMap(({ turn }) => turn.model_calls));
  return {
    method: 'POST',
    path: '/tests/recordings/simulation',
    payload: {
      ...started,
      journey,
      inputs,
      revision: revision === 'draft' ? 'working' : revision,
      ...(waits.length > 0 && { waits }),
      starts_with_input: branch[0]?.done.input !== undefined,
      http_mocks: everyTurn(setup).http_mocks,
      http_answers: calls.flatMap(({ method, url, mocked, answer }) => (!mocked && answer ? { method, url, ...answer } : [])),
      ...(Object.keys(models).length > 0 && { models }),
      ...(addTo !== undefined && { add_to: addTo }),
    },
  };
}

interface Rule {
  readonly when?: object;
  readonly say?: string;
  readonly call?: object;
  readonly action?: string;
}

/** Scripts that reply as the models did, by connection. */
export function scriptsOf(calls: readonly ModelCall[]): Record<string, { rules: Rule[] }> {
  const scripts: Record<string, { rules: Rule[] }> = {};
  for (const { connection, messages, reply } of calls) {
    if (!reply) continue;
    const lastInput = messages.findLast(({ role }) => role === 'user')?.content.slice(0, MAX_CONDITION);
    const last = messages.at(-1);
    const when = {
      ...(lastInput && !lastInput.startsWith('/') && { last_user: lastInput }),
      ...(last?.role === 'tool' && { tool_result: last.name }),
    };
    const route = reply.calls.find(({ name }) => name.startsWith('route_'));
    const tools = reply.calls.filter((one) => one !== route).map(({ name, arguments: given }) => [name, jsonOr(given)] as const);
    scripts[connection] ??= { rules: [] };
    scripts[connection].rules.push({
      ...(Object.keys(when).length > 0 && { when }),
      ...(reply.text !== '' && { say: reply.text }),
      ...(tools.length > 0 && { call: Object.fromEntries(tools) }),
      ...(route && { action: route.name.slice('route_'.length) }),
    });
  }
  return scripts;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const STEP = /^\s*- (?:\{ )?(?:start|say|tap|choose|send|wait|advance)\b/;

/** The position from 0 of the turn that a line of a test file is about: the last action at or before the line. */
export function turnAtLine(file: string, line: number): number {
  const before = file.split('\n').slice(0, line);
  const steps = before.findLastIndex((text) => /^\s*steps:/.test(text));
  return before.slice(steps + 1).filter((text) => STEP.test(text)).length - 1;
}
