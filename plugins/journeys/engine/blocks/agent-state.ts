import { beginningOf, type Json, type JsonObject } from '#core/basics';
import type { ModelCall, ModelMessage } from '#core/ports';
import { isObject, objectAt } from '../compile.js';
import type { Run } from './block-type.js';
import { numberOf } from './config.js';

/** The state of an agent: the conversation, and the progress of the current turn. Stored in the session. */
export interface AgentState {
  readonly messages: readonly ModelMessage[];
  /** Tool calls that the model requested and that have not run yet, in order. */
  readonly pending: readonly ModelCall[];
  /** Number of tool calls run in this turn. */
  readonly used: number;
  /** Number of messages that the contact has sent since the run entered the block. */
  readonly turns: number;
  /** The latest text in this turn that the model sent together with tool calls. */
  readonly said: string;
}

const EMPTY: AgentState = { messages: [], pending: [], used: 0, turns: 0, said: '' };
const DEFAULT_MESSAGES = 20;
const MAX_MESSAGE_CHARACTERS = 8000;

/** How long the agent remembers the conversation: during one turn, until the run leaves the block, or for the whole session. */
export type Memory = { readonly lasts: 'answer' | 'visit' | 'session'; readonly maxMessages: number };

function memoryOf(config: JsonObject): Memory {
  const { enabled, max_messages } = objectAt(config, 'memory');
  const maxMessages = Math.max(1, Math.floor(numberOf(max_messages) ?? DEFAULT_MESSAGES));
  return { lasts: enabled === true ? 'session' : enabled === false ? 'answer' : 'visit', maxMessages };
}

export const stateOnEntry = (run: Run): AgentState =>
  memoryOf(run.config).lasts === 'session' ? { ...EMPTY, messages: storedState(run).messages } : EMPTY;

export const storedState = (run: Run): AgentState => {
  const stored = run.sessionMemory;
  return isObject(stored) ? { ...EMPTY, ...(stored as unknown as AgentState) } : EMPTY;
};

export const storeState = (run: Run, state: AgentState): void => run.setSessionMemory(state as unknown as Json);

export function withUserMessage(run: Run, content: string): AgentState {
  const { lasts, maxMessages } = memoryOf(run.config);
  const before = storedState(run);
  const earlier = lasts === 'answer' ? [] : before.messages;
  const messages = newest([...earlier, { role: 'user', content: shortened(content) }], maxMessages);
  return { ...EMPTY, messages, turns: before.turns + 1 };
}

export const withMessages = (state: AgentState, ...messages: readonly ModelMessage[]): AgentState => ({
  ...state,
  messages: [...state.messages, ...messages.map((message) => ({ ...message, content: shortened(message.content) }))],
});

export function stateOnExit(run: Run, state: AgentState): AgentState {
  return memoryOf(run.config).lasts === 'session' ? { ...EMPTY, messages: state.messages } : EMPTY;
}

/** Results for tool calls that never ran. Model APIs reject a conversation in which a tool call has no result. */
export const skippedResults = (calls: readonly ModelCall[]): readonly ModelMessage[] =>
  calls.map(({ id, name }) => ({ role: 'tool', call: id, name, content: '{"error":"not used"}' }));

/** The newest messages, starting with a message of the contact. Replies before it would refer to messages that were cut off. */
function newest(messages: readonly ModelMessage[], maxMessages: number): readonly ModelMessage[] {
  const cut = messages.slice(-maxMessages);
  const first = cut.findIndex(({ role }) => role === 'user');
  return cut.slice(Math.max(0, first));
}

const shortened = (text: string): string =>
  text.length <= MAX_MESSAGE_CHARACTERS ? text : `${beginningOf(text, MAX_MESSAGE_CHARACTERS)}…`;
