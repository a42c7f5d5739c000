import type { Json } from '#core';
import { type DocumentAction, type DocumentStep, durationText, type Expectation, type TestAction } from '../format/index.js';
import type { TestTurn } from '../run/conversation.js';
import { TurnView } from '../run/turn-view.js';

/** An action of the contact, or time that passes. */
export type Action = Exclude<TestAction, { kind: 'expect' | 'mock' }>;

/** An action as a test file has it, with what it caused. */
export function writtenSteps(action: Action, turn: TestTurn): readonly DocumentStep[] {
  const expect = expectationOf(turn);
  if (Object.keys(expect).length === 0) return action.kind === 'start' ? ['start'] : [writtenAction(action)];
  // As people write it: the start has no text that an expectation could follow.
  return action.kind === 'start' ? ['start', { expect }] : [{ ...writtenAction(action), expect }];
}

export function writtenAction(action: Action): DocumentAction {
  switch (action.kind) {
    case 'start':
      return { start: null };
    case 'say':
      return { say: action.text };
    case 'tap':
      return { tap: action.label };
    case 'choose':
      return { choose: action.label };
    case 'send':
      return { send: action.message };
    case 'wait':
      return { wait: durationText(action.ms) };
  }
}

/** The effects of a turn, in as few keys as describe it for a reader: its texts and options, the end, an error, and what it did elsewhere. */
function expectationOf(turn: TestTurn): Expectation {
  const view = new TurnView(turn);
  const { texts, options, actions, error } = view;
  const calls = view.http_calls.map(({ method, url, status }): Json => ({ method, url, status }));
  const skills = view.skill_calls.map(({ name, arguments: given }): Json => ({ name, arguments: given }));
  return {
    ...(texts.length > 0 && { text: texts.length === 1 ? texts[0]! : texts }),
    ...(options.length > 0 && { options }),
    ...(actions.length > 0 && { actions }),
    ...(calls.length > 0 && { http_calls: calls }),
    ...(skills.length > 0 && { skill_calls: skills }),
    ...(error !== undefined && { error }),
    ...(turn.state !== 'waiting_for_input' && error === undefined && { state: turn.state }),
  };
}
