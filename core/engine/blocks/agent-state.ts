import { beginningOf } from '../../cut-text.js';
import type { Json, JsonObject } from '../../json.js';
import type { ModelCall, ModelMessage } from '../../ports/model.js';
import { isObject, objectAt } from '../compile.js';
import type { Run } from './block-type.js';
import { numberOf } from './config.js';

/** What an agent has in mind: the conversation, and what of the present turn is still to be done. */
export interface AgentState {
  readonly messages: readonly ModelMessage[];
  /** Tools the model wants used and that have not been, in order. */
  readonly pending: readonly ModelCall[];
  /** Tools used in this turn. */
  readonly used: number;
  /** Messages of the contact that were answered. */
  readonly turns: number;
  /** What the model said last in this turn, beside using tools. */
  readonly said: string;
}

const FRESH: AgentState = { messages: [], pending: [], used: 0, turns: 0, said: '' };
const DEFAULT_MESSAGES = 20;
/** Characters of one message that are remembered. */
const MAX_LENGTH = 8000;

/** How much is remembered: nothing beyond an answer, until the agent is left, or for the session. */
export type Memory = { readonly lasts: 'answer' | 'visit' | 'session'; readonly most: number };

function memoryOf(config: JsonObject): Memory {
  const { enabled, max_messages } = objectAt(config, 'memory');
  const most = Math.max(1, Math.floor(numberOf(max_messages) ?? DEFAULT_MESSAGES));
  return { lasts: enabled === true ? 'session' : enabled === false ? 'answer' : 'visit', most };
}

/** What is known when the agent is entered. */
export const stateOnEntry = (run: Run): AgentState =>
  memoryOf(run.config).lasts === 'session' ? { ...FRESH, messages: known(run).messages } : FRESH;

export const known = (run: Run): AgentState => {
  const kept = run.remembered;
  return isObject(kept) ? { ...FRESH, ...(kept as unknown as AgentState) } : FRESH;
};

export const keep = (run: Run, state: AgentState): void => run.remember(state as unknown as Json);

/** The contact says something. */
export function withUserMessage(run: Run, content: string): AgentState {
  const { lasts, most } = memoryOf(run.config);
  const before = known(run);
  const earlier = lasts === 'answer' ? [] : before.messages;
  const messages = newest([...earlier, { role: 'user', content: short(content) }], most);
  return { ...FRESH, messages, turns: before.turns + 1 };
}

export const added = (state: AgentState, ...messages: readonly ModelMessage[]): AgentState => ({
  ...state,
  messages: [...state.messages, ...messages.map((message) => ({ ...message, content: short(message.content) }))],
});

/** What is left when the agent is left. */
export function left(run: Run, state: AgentState): AgentState {
  return memoryOf(run.config).lasts === 'session' ? { ...FRESH, messages: state.messages } : FRESH;
}

/** Calls that were never made have to be answered too, or no endpoint takes the conversation again. */
export const unanswered = (calls: readonly ModelCall[]): readonly ModelMessage[] =>
  calls.map(({ id, name }) => ({ role: 'tool', call: id, name, content: '{"error":"not used"}' }));

/** The newest messages, from one of the contact's on: what comes before answers something that is gone. */
function newest(messages: readonly ModelMessage[], most: number): readonly ModelMessage[] {
  const cut = messages.slice(-most);
  const first = cut.findIndex(({ role }) => role === 'user');
  return cut.slice(Math.max(0, first));
}

const short = (text: string): string => (text.length <= MAX_LENGTH ? text : `${beginningOf(text, MAX_LENGTH)}…`);
