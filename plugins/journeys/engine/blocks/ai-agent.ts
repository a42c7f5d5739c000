import { beginningOf, exactJson, type Json, type JsonObject, readExactJson, readJson } from '#core/basics';
import type { ModelCall } from '#core/ports';
import { objectAt, textAt } from '../compile.js';
import type { EffectResult } from '../effect.js';
import { JOURNEY_LIMITS } from '../limits.js';
import { messageTurns, textTurns } from '../message-turns.js';
import {
  type AgentState,
  skippedResults,
  stateOnEntry,
  stateOnExit,
  storedState,
  storeState,
  withMessages,
  withUserMessage,
} from './agent-state.js';
import { checkTools, declarationOf, readArguments, runSkill, toolsOf } from './agent-tools.js';
import type { BlockType, Outcome, Run } from './block-type.js';
import { isGiven, numberOf, uuidsIn } from './config.js';
import { REQUEST } from './settings.js';

const DEFAULT_TOOL_CALLS = 8;
const DEFAULT_TURNS = 50;

/**
 * Lets a language model talk with the contact until it routes the journey to the exit of an action. In each turn it runs the skills
 * that the model requests, one after the other, and returns their output to the model.
 */
export const aiAgent: BlockType = {
  settings: {
    connection: 'any',
    model: 'any',
    instructions: 'any',
    opening: 'any',
    temperature: 'any',
    max_tokens: 'any',
    max_tool_calls: 'any',
    max_turns: 'any',
    memory: { enabled: 'any', max_messages: 'any' },
    skills: [
      {
        name: 'any',
        kind: 'any',
        description: 'any',
        parameters: 'any',
        content: 'any',
        skill: 'any',
        http: { ...REQUEST, query: 'any', timeout_ms: 'any' },
      },
    ],
    actions: [{ name: 'any', description: 'any', exit: 'any' }],
  },

  enter(run) {
    const state = stateOnEntry(run);
    const { opening } = run.config;
    if (opening === 'model') return askModel(run, state);
    storeState(run, state);
    if (typeof opening === 'string' && opening !== 'none') run.send(messageTurns(run.resource(opening)), { waiting: true });
    return { kind: 'wait' };
  },

  answer(run, { text, type }) {
    const content = text.trim() === '' ? `[${type}]` : text;
    const state = withUserMessage(run, content);
    if (state.turns > (numberOf(run.config.max_turns) ?? DEFAULT_TURNS)) return leave(run, storedState(run), '');
    return askModel(run, state);
  },

  performed(run, result) {
    const state = storedState(run);
    const [call, ...rest] = state.pending;
    if (!call) return onModelResult(run, state, result);
    return onSkillResult(run, { ...state, pending: rest }, call, result);
  },

  resources: ({ instructions, opening, skills }) => {
    const contents = Array.isArray(skills) ? skills.map((skill: Json) => objectAt({ skill }, 'skill').content) : [];
    return uuidsIn(instructions, opening === 'model' || opening === 'none' ? undefined : opening, ...contents);
  },

  picks: ({ actions }) => (Array.isArray(actions) ? actions.map((action: Json) => exitOf(objectAt({ action }, 'action'))) : []),

  check({ config, exits }, report) {
    report.resource('config.instructions', config.instructions);
    const { opening } = config;
    if (isGiven(opening) && opening !== 'model' && opening !== 'none') report.resource('config.opening', opening);
    checkTools(config, report);
    for (const [i, action] of (Array.isArray(config.actions) ? config.actions : []).entries()) {
      const exit = exitOf(objectAt({ action: action as Json }, 'action'));
      if (!exits.some(({ name, test }) => name === exit || test?.includes(exit))) {
        report.error(
          `config.actions[${i}].exit`,
          `this action leads to exit '${exit.slice(0, 60)}', which the block does not have`,
          'dangling_exit',
        );
      }
    }
  },
};

/** The exit name of an action: its `exit`, or its own name if `exit` is missing. */
const exitOf = (action: JsonObject): string => textAt(action, 'exit') || textAt(action, 'name');

function askModel(run: Run, state: AgentState): Outcome {
  storeState(run, state);
  const { config } = run;
  const instructions = run
    .resource(config.instructions)
    .map(({ text }) => text)
    .join('\n');
  const temperature = numberOf(config.temperature);
  const maxTokens = numberOf(config.max_tokens);
  return {
    kind: 'effect',
    effect: {
      kind: 'model',
      connection: textAt(config, 'connection'),
      model: textAt(config, 'model'),
      messages: [{ role: 'system', content: instructions }, ...state.messages],
      tools: toolsOf(config).map(declarationOf),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxTokens }),
    },
  };
}

/** Handles the model's response: a text, tool calls, or both. */
function onModelResult(run: Run, state: AgentState, result: EffectResult): Outcome {
  const model = textAt(run.config, 'model');
  if (result.kind !== 'model') {
    const failed =
      result.kind === 'failed'
        ? result
        : { code: 'effect_failed', reason: `unexpected result of kind '${result.kind}' for a model request` };
    const nothing = { input: 0, output: 0 };
    run.emit({ type: 'ai_call', connection: textAt(run.config, 'connection'), model, outcome: failed.code, tokens: nothing, elapsedMs: 0 });
    storeState(run, stateOnExit(run, state));
    return { kind: 'fail', code: failed.code, reason: failed.reason };
  }
  const { text, calls, tokens, elapsedMs, connection, recording } = result;
  const { uuid, vendor } = connection;
  run.emit({
    type: 'ai_call',
    connection: uuid,
    model: connection.model,
    outcome: 'answered',
    tokens,
    elapsedMs,
    ...(recording !== undefined && { recording }),
  });
  run.setVariable('ai_connections', { [connection.name]: { uuid, vendor, model: connection.model } });
  const next = withMessages(state, { role: 'assistant', content: text, ...(calls.length > 0 && { calls }) });
  if (calls.length > 0) return runToolCalls(run, { ...next, pending: calls, said: text.trim() || state.said });
  if (text.trim() !== '') return reply(run, next, text);
  storeState(run, stateOnExit(run, state));
  return { kind: 'fail', code: 'model_empty', reason: 'the model returned neither a text nor tool calls; try again or use another model' };
}

/** Runs pending tool calls until one needs an effect or none remain. */
function runToolCalls(run: Run, given: AgentState): Outcome {
  const tools = toolsOf(run.config);
  const maxToolCalls = numberOf(run.config.max_tool_calls) ?? DEFAULT_TOOL_CALLS;
  let state = given;
  for (let [call, ...rest] = state.pending; call; [call, ...rest] = state.pending) {
    const { id, name } = call;
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool?.kind === 'action') return route(run, { ...state, pending: rest }, call, tool.action);
    if (state.used >= maxToolCalls) return stopAtToolLimit(run, state, maxToolCalls);
    const read = tool ? readArguments(call.arguments, tool.parameters) : { fault: `unknown tool '${name.slice(0, 64)}'` };
    if ('fault' in read || !tool) {
      const output = { error: 'fault' in read ? read.fault : '' };
      run.emit({ type: 'skill_call', name, arguments: readJson(call.arguments) ?? call.arguments, output });
      state = withMessages(
        { ...state, pending: rest, used: state.used + 1 },
        { role: 'tool', call: id, name, content: JSON.stringify(output) },
      );
      continue;
    }
    const use = runSkill(run, tool, read.value);
    if ('effect' in use) {
      storeState(run, state);
      return { kind: 'effect', effect: use.effect };
    }
    run.emit({ type: 'skill_call', name, arguments: read.value, output: use.text });
    state = withMessages({ ...state, pending: rest, used: state.used + 1 }, { role: 'tool', call: id, name, content: use.text });
  }
  return askModel(run, state);
}

function onSkillResult(run: Run, state: AgentState, { id, name, arguments: given }: ModelCall, result: EffectResult): Outcome {
  const output = outputOf(run, result);
  run.emit({ type: 'skill_call', name, arguments: readJson(given), output });
  const content = typeof output === 'string' ? output : exactJson(output);
  return runToolCalls(run, withMessages({ ...state, used: state.used + 1 }, { role: 'tool', call: id, name, content }));
}

/** The output of a skill, for the model and for the `skill_call` event. */
function outputOf(run: Run, result: EffectResult): Json {
  switch (result.kind) {
    case 'http': {
      run.emit({ type: 'http_call', call: result.call });
      const { answer, error } = result;
      if (!answer) return { error: error ?? 'unreachable' };
      return { status: answer.status, body: readExactJson(answer.body ?? '').value ?? answer.body, ...(error !== undefined && { error }) };
    }
    case 'skill':
      for (const call of result.calls) run.emit({ type: 'http_call', call });
      return result.success ? result.output : { error: result.error ?? 'the skill failed' };
    case 'failed':
      return { error: `${result.code}: ${result.reason}` };
    default:
      return { error: `unexpected result of kind '${result.kind}' for a skill` };
  }
}

function reply(run: Run, state: AgentState, text: string): Outcome {
  storeState(run, { ...state, pending: [], said: '' });
  run.send(textTurns(beginningOf(text, JOURNEY_LIMITS.text)), { waiting: true });
  return { kind: 'wait' };
}

/** Ends a turn whose tool calls reached the limit: sends the model's latest text, or fails without one. */
function stopAtToolLimit(run: Run, state: AgentState, maxToolCalls: number): Outcome {
  run.emit({
    type: 'warning',
    expression: run.block.name,
    reason: `the agent made ${maxToolCalls} tool calls in one turn and was stopped; raise max_tool_calls if it needs more`,
  });
  const stopped = withMessages({ ...state, pending: [] }, ...skippedResults(state.pending));
  if (state.said !== '') return reply(run, withMessages(stopped, { role: 'assistant', content: state.said }), state.said);
  storeState(run, stateOnExit(run, stopped));
  return {
    kind: 'fail',
    code: 'tool_call_limit',
    reason: `the agent made ${maxToolCalls} tool calls in one turn without a text for the contact; raise max_tool_calls or change its instructions`,
  };
}

/** Leaves the agent by an action, after sending the text that came with it. */
function route(run: Run, state: AgentState, call: ModelCall, action: string): Outcome {
  run.emit({ type: 'action_routed', action });
  const routed = withMessages(
    state,
    { role: 'tool', call: call.id, name: call.name, content: '{"routed":true}' },
    ...skippedResults(state.pending),
  );
  // Sends only the text of this response. Earlier texts of the turn were comments on tool calls.
  const reply = state.messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  run.send(textTurns(beginningOf(reply, JOURNEY_LIMITS.text)));
  return leave(run, routed, action);
}

/** Leaves the block with the action as its value. If no action was called, leaves by the default exit. */
function leave(run: Run, state: AgentState, action: string): Outcome {
  const response = state.messages.findLast(({ role, content }) => role === 'assistant' && content !== '')?.content ?? null;
  storeState(run, stateOnExit(run, state));
  const exit = toolsOf(run.config).some((tool) => tool.kind === 'action' && tool.action === action) ? exitNamed(run, action) : undefined;
  const value = { __value__: action, action: action === '' ? null : action, response, turns: state.turns };
  return { kind: 'continue', value, ...(exit !== undefined && { exit }) };
}

/** The uuid of an action's exit; undefined lets the tests of the exits choose, such as `block.value == "<action>"`. */
function exitNamed(run: Run, action: string): string | undefined {
  const { actions } = run.config;
  const config = (Array.isArray(actions) ? actions : [])
    .map((item: Json) => objectAt({ item }, 'item'))
    .find(({ name }) => name === action);
  const wanted = config && exitOf(config);
  return run.block.exits.find(({ name }) => name === wanted)?.uuid;
}
