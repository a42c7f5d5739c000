import { createRequire } from 'node:module';
import type { Clock } from '../../ports/clock.js';
import type { ChatModel, ModelCall, ModelMessage, ModelOutcome, ModelRequest } from '../../ports/model.js';

/** The conditions of a rule. Plain text matches case-insensitively anywhere; `/…/` and `/…/i` are regular expressions. */
export interface RuleCondition {
  /** The contact's last message. */
  readonly last_user?: string;
  /** The system instructions. */
  readonly system?: string;
  /** The position of the contact's last message among the contact's messages, counted from 1. */
  readonly turn?: number;
  /** The name of a skill that has returned since the contact's last message. */
  readonly tool_result?: string;
}

/** A rule's reply: text, skill calls with their arguments, and an action. `{{…}}` inserts a value. */
export interface ScriptRule {
  readonly when?: RuleCondition;
  readonly say?: string;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly action?: string;
}

/** The replies of a scripted model, in order. */
export interface Script {
  /** `true` if not given: a request that matches no rule fails. */
  readonly strict?: boolean;
  readonly fallback?: string;
  readonly rules?: readonly ScriptRule[];
}

const require = createRequire(import.meta.url);

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A model that replies by rules, for tests and for trying a journey without a vendor. The first matching rule that has not
 * yet replied in this conversation is used; when all matching rules have replied, the last of them is used again. The model derives this from
 * the conversation and keeps no state.
 */
export class ScriptedModel implements ChatModel {
  readonly #script: Script;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(script: Script, clock: Pick<Clock, 'now'>) {
    this.#script = script;
    this.#clock = clock;
  }

  async generate({ messages }: ModelRequest): Promise<ModelOutcome> {
    const rules = this.#script.rules ?? [];
    const used = new Set<ScriptRule>();
    for (const [i, { role }] of messages.entries()) {
      const rule = role === 'assistant' ? choose(rules, used, messages.slice(0, i)) : undefined;
      if (rule) used.add(rule);
    }
    const rule = choose(rules, used, messages);
    if (rule) return this.#answer(rule, messages);
    if (this.#script.strict === false) return reply(this.#script.fallback ?? '', []);
    return { kind: 'failed', code: 'model_no_match', reason: noMatch(rules, messages) };
  }

  #answer({ say = '', call = {}, action }: ScriptRule, messages: readonly ModelMessage[]): ModelOutcome {
    const fill = (value: unknown): unknown => {
      if (typeof value === 'string') return value.replace(/\{\{\s*([^}]*?)\s*\}\}/g, (_, path: string) => this.#value(path, messages));
      if (Array.isArray(value)) return value.map(fill);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, fill(inside)]));
    };
    const calls = [...Object.entries(call), ...(action === undefined ? [] : [[`route_${action}`, {}] as const])];
    const turn = messages.length;
    return reply(
      fill(say) as string,
      calls.map(([name, given], i) => ({
        id: `call-${turn}-${i}`,
        name,
        // Text is sent unchanged, so that a script can imitate a model that writes invalid JSON.
        arguments: typeof given === 'string' ? given : JSON.stringify(fill(given)),
      })),
    );
  }

  /** `user`: the contact's last message. `result.a.0`: a part of the last skill result. `date+1d`: a date. */
  #value(path: string, messages: readonly ModelMessage[]): string {
    const day = /^date(?:([+-]\d+)d)?$/.exec(path);
    if (day) return new Date(this.#clock.now().getTime() + Number(day[1] ?? 0) * DAY_MS).toISOString().slice(0, 10);
    if (path === 'user') return lastUser(messages) ?? '';
    const [root, ...keys] = path.split('.');
    const last = root === 'result' ? sinceLastUser(messages).findLast(({ role }) => role === 'tool') : undefined;
    let value: unknown = last === undefined ? undefined : jsonOrText(last.content);
    for (const key of keys) value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
    return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  }
}

const reply = (text: string, calls: readonly ModelCall[]): ModelOutcome => ({
  kind: 'reply',
  text,
  calls,
  tokens: { input: 0, output: 0 },
});

function choose(rules: readonly ScriptRule[], used: ReadonlySet<ScriptRule>, messages: readonly ModelMessage[]): ScriptRule | undefined {
  const matching = rules.filter(({ when = {} }) => unmetConditions(when, messages).length === 0);
  return matching.find((rule) => !used.has(rule)) ?? matching.at(-1);
}

/** The unmet conditions, in plain text. */
function unmetConditions(when: RuleCondition, messages: readonly ModelMessage[]): readonly string[] {
  const { last_user, system, turn, tool_result } = when;
  const lastMessage = lastUser(messages) ?? '';
  const turns = messages.filter(({ role }) => role === 'user').length;
  const instructions = messages.find(({ role }) => role === 'system')?.content ?? '';
  // Counts only results since the contact's last message; otherwise a rule could not tell two questions apart.
  const results = sinceLastUser(messages).flatMap((message) => (message.role === 'tool' ? message.name : []));
  return [
    ...(last_user !== undefined && !isMatch(last_user, lastMessage)
      ? [`the contact said ${JSON.stringify(lastMessage)}, not ${last_user}`]
      : []),
    ...(system !== undefined && !isMatch(system, instructions) ? [`the instructions do not contain ${system}`] : []),
    ...(turn !== undefined && turn !== turns ? [`it is turn ${turns}, not ${turn}`] : []),
    ...(tool_result !== undefined && !results.includes(tool_result)
      ? [`'${tool_result}' has not returned since the contact's last message`]
      : []),
  ];
}

const lastUser = (messages: readonly ModelMessage[]): string | undefined => messages.findLast(({ role }) => role === 'user')?.content;

const sinceLastUser = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);

function isMatch(pattern: string, text: string): boolean {
  const [, source, flags] = /^\/(.*)\/(i?)$/s.exec(pattern) ?? [];
  if (source === undefined) return text.toLowerCase().includes(pattern.toLowerCase());
  // Loaded here: it has a fifth of the code that an import of the platform would compile, and few platforms have such a rule.
  const { RE2JS } = require('re2js') as typeof import('re2js');
  return RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
    .matcher(text)
    .find();
}

function noMatch(rules: readonly ScriptRule[], messages: readonly ModelMessage[]): string {
  const [nearest] = rules
    .map(({ when = {} }, i) => ({ i, unmet: unmetConditions(when, messages) }))
    .sort((a, b) => a.unmet.length - b.unmet.length);
  if (!nearest) return 'the script has no rules';
  return `no rule of the script matches; the nearest is rule ${nearest.i + 1}, but ${nearest.unmet.join(', and ')}`;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
