import { beginningOf } from '../../cut-text.js';
import type { Json, JsonObject } from '../../json.js';
import type { ModelCall, ModelMessage } from '../../ports/model.js';
import { isObject, objectAt } from '../compile.js';
import type { Run } from './block-type.js';
import { numberOf } from './config.js';

/** The state of an agent: the conversation, and the progress of the current turn. Stored in the session. */
export interface AgentState {
  readonly messages: readonly ModelMessage[];
  /** Tool calls that the model requested and that have not run yet, in order. */
  readonly pending: readonly ModelCall[];
  /** Tool calls that have run in this turn. */
  readonly used: number;
  /** Messages received from the contact. */
  readonly turns: number;
  /** The latest text of the model in this turn that came together with tool calls. */
  readonly said: string;
}

const FRESH: AgentState = { messages: [], pending: [], used: 0, turns: 0, said: '' };
const DEFAULT_MESSAGES = 20;
/** Characters of one message that are stored. */
const MAX_LENGTH = 8000;

/** How long the conversation is stored: for one answer, until the run leaves the agent, or for the session. */
export type Memory = { readonly lasts: 'answer' | 'visit' | 'session'; readonly most: number };

function memoryOf(config: JsonObject): Memory {
  const { enabled, max_messages } = objectAt(config, 'memory');
  const most = Math.max(1, Math.floor(numberOf(max_messages) ?? DEFAULT_MESSAGES));
  return { lasts: enabled === true ? 'session' : enabled === false ? 'answer' : 'visit', most };
}

/** The state when a run enters the agent. */
export const stateOnEntry = (run: Run): AgentState =>
  memoryOf(run.config).lasts === 'session' ? { ...FRESH, messages: known(run).messages } : FRESH;

export const known = (run: Run): AgentState => {
  const kept = run.remembered;
  return isObject(kept) ? { ...FRESH, ...(kept as unknown as AgentState) } : FRESH;
};

export const keep = (run: Run, state: AgentState): void => run.remember(state as unknown as Json);

/** The state after a message of the contact. */
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

/** The state to store when the run leaves the agent. */
export function left(run: Run, state: AgentState): AgentState {
  return memoryOf(run.config).lasts === 'session' ? { ...FRESH, messages: state.messages } : FRESH;
}

/** Results for tool calls that never ran. Endpoints reject a conversation in which a tool call has no result. */
export const unanswered = (calls: readonly ModelCall[]): readonly ModelMessage[] =>
  calls.map(({ id, name }) => ({ role: 'tool', call: id, name, content: '{"error":"not used"}' }));

/** The newest messages, beginning with one of the contact's: earlier ones would respond to a message that was cut off. */
function newest(messages: readonly ModelMessage[], most: number): readonly ModelMessage[] {
  const cut = messages.slice(-most);
  const first = cut.findIndex(({ role }) => role === 'user');
  return cut.slice(Math.max(0, first));
}

const short = (text: string): string => (text.length <= MAX_LENGTH ? text : `${beginningOf(text, MAX_LENGTH)}…`);
