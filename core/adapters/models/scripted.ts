import { RE2JS } from 're2js';
import type { Clock } from '../../ports/clock.js';
import type { ChatModel, ModelCall, ModelMessage, ModelOutcome, ModelRequest } from '../../ports/model.js';

/** When a rule answers. A text is looked for in any case of letters; `/…/` and `/…/i` are regular expressions. */
export interface RuleCondition {
  /** What the contact said last. */
  readonly last_user?: string;
  /** The instructions. */
  readonly system?: string;
  /** Which of the contact's messages is answered, counted from 1. */
  readonly turn?: number;
  /** A skill has returned since the contact's last message. */
  readonly tool_result?: string;
}

/** What a rule answers: words, calls of skills with their arguments, and an action. `{{…}}` stands for a value. */
export interface ScriptRule {
  readonly when?: RuleCondition;
  readonly say?: string;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly action?: string;
}

export interface Script {
  /** `true` if not given: what no rule answers is a failure. */
  readonly strict?: boolean;
  readonly fallback?: string;
  readonly rules?: readonly ScriptRule[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * A model that answers by rules, for tests and for trying a journey without a vendor. The first rule that fits and has not
 * answered in this conversation answers; when all that fit have, the last of them answers again. Which have answered is
 * seen from the conversation itself, so that the model remembers nothing.
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
      const rule = role === 'assistant' ? chosen(rules, used, messages.slice(0, i)) : undefined;
      if (rule) used.add(rule);
    }
    const rule = chosen(rules, used, messages);
    if (rule) return this.#answer(rule, messages);
    if (this.#script.strict === false) return replied(this.#script.fallback ?? '', []);
    return { kind: 'failed', code: 'model_no_match', reason: noMatch(rules, messages) };
  }

  #answer({ say = '', call = {}, action }: ScriptRule, messages: readonly ModelMessage[]): ModelOutcome {
    const fill = (value: unknown): unknown => {
      if (typeof value === 'string') return value.replace(/\{\{\s*([^}]*?)\s*\}\}/g, (_, path: string) => this.#value(path, messages));
      if (Array.isArray(value)) return value.map(fill);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, fill(inside)]));
    };
    const wanted = [...Object.entries(call), ...(action === undefined ? [] : [[`route_${action}`, {}] as const])];
    const turn = messages.length;
    return replied(
      fill(say) as string,
      wanted.map(([name, given], i) => ({
        id: `call-${turn}-${i}`,
        name,
        // Text is sent as it is: a script can also be of a model that writes what is no JSON.
        arguments: typeof given === 'string' ? given : JSON.stringify(fill(given)),
      })),
    );
  }

  /** `user`: what the contact said last. `result.a.0`: a part of what a skill returned last. `date+1d`: a day. */
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

const replied = (text: string, calls: readonly ModelCall[]): ModelOutcome => ({
  kind: 'reply',
  text,
  calls,
  tokens: { input: 0, output: 0 },
});

function chosen(rules: readonly ScriptRule[], used: ReadonlySet<ScriptRule>, messages: readonly ModelMessage[]): ScriptRule | undefined {
  const fitting = rules.filter(({ when = {} }) => misses(when, messages).length === 0);
  return fitting.find((rule) => !used.has(rule)) ?? fitting.at(-1);
}

/** Which conditions do not hold, as a person would say it. */
function misses(when: RuleCondition, messages: readonly ModelMessage[]): readonly string[] {
  const { last_user, system, turn, tool_result } = when;
  const said = lastUser(messages) ?? '';
  const turns = messages.filter(({ role }) => role === 'user').length;
  const instructions = messages.find(({ role }) => role === 'system')?.content ?? '';
  // Looking further back would find the results of earlier questions, and then no later question could ever be told apart.
  const results = sinceLastUser(messages).flatMap((message) => (message.role === 'tool' ? message.name : []));
  return [
    ...(last_user !== undefined && !fits(last_user, said) ? [`the contact said ${JSON.stringify(said)}, not ${last_user}`] : []),
    ...(system !== undefined && !fits(system, instructions) ? [`the instructions do not say ${system}`] : []),
    ...(turn !== undefined && turn !== turns ? [`it is turn ${turns}, not ${turn}`] : []),
    ...(tool_result !== undefined && !results.includes(tool_result) ? [`'${tool_result}' has not returned since`] : []),
  ];
}

const lastUser = (messages: readonly ModelMessage[]): string | undefined => messages.findLast(({ role }) => role === 'user')?.content;

const sinceLastUser = (messages: readonly ModelMessage[]): readonly ModelMessage[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);

function fits(pattern: string, text: string): boolean {
  const [, source, flags] = /^\/(.*)\/(i?)$/s.exec(pattern) ?? [];
  if (source === undefined) return text.toLowerCase().includes(pattern.toLowerCase());
  return RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
    .matcher(text)
    .find();
}

function noMatch(rules: readonly ScriptRule[], messages: readonly ModelMessage[]): string {
  const [nearest] = rules
    .map(({ when = {} }, i) => ({ i, missed: misses(when, messages) }))
    .sort((a, b) => a.missed.length - b.missed.length);
  if (!nearest) return 'the script has no rules';
  return `no rule of the script fits; rule ${nearest.i + 1} comes nearest, but ${nearest.missed.join(', and ')}`;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
