import { beginningOf } from '../cut-text.js';
import type { Json, JsonObject } from '../json.js';
import type { StepDetails } from '../turns/input.js';
import type { Turn } from '../turns/turn.js';
import { isAnswerPath, withAnswer } from './answer-names.js';
import type { AnswerLocale } from './answers/locale.js';
import type { BlockEvent, BlockType, Run, SendOptions } from './blocks/block-type.js';
import { type Block, type Definition, type Flow, objectAt } from './compile.js';
import { contextView, engineNames } from './context.js';
import { ConversationEnvironment } from './conversation-environment.js';
import { withoutNoise } from './expression/arithmetic.js';
import {
  type Evaluated,
  type ExpressionEnvironment,
  evaluate,
  holds,
  type Meter,
  render,
  resolve,
  type Scope,
} from './expression/expression.js';
import type { ContainerValue } from './floip.js';
import { JOURNEY_LIMITS, RESERVED_NAMES } from './limits.js';
import { chooseValues, evaluatedResource, languageFor, type Rendered, renderedValue } from './resources.js';
import { seededRandom } from './seeded-random.js';
import type { Environment, Frame, JourneyEvent, Place, Session } from './session.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export const newFrame = (journey: string, revision: string, flow: Flow): MutableFrame => ({
  journey,
  revision,
  flow: flow.uuid,
  block: flow.first,
  vars: {},
  results: {},
});

/** A frame that a step may change. */
export interface MutableFrame extends Mutable<Omit<Frame, 'vars' | 'results'>> {
  vars: Record<string, Json>;
  results: Record<string, Json>;
}

export type Observe = (at: Place, source: string) => void;

/** The working copy of a session during one step. The original session does not change. */
export class SessionDraft {
  readonly events: JourneyEvent[] = [];
  readonly environment: ExpressionEnvironment;
  readonly now: string;
  readonly meter: Meter = { remaining: JOURNEY_LIMITS.expressions };
  readonly stack: MutableFrame[];
  readonly uuid: string;
  contact: JsonObject;
  globals: JsonObject;
  steps: number;
  turns: number;
  runs: number;
  memory: JsonObject;
  attempts: number;
  /** The contact's answer to the current block; undefined when the block did not ask. */
  response: string | undefined;
  definition: Definition;
  flow: Flow;
  readonly observe: Observe | undefined;
  private readonly definitions: (revision: string) => Definition;
  private cachedScope: Scope | undefined;

  constructor(session: Session, definitions: (revision: string) => Definition, environment: Environment, observe?: Observe) {
    this.observe = observe;
    this.uuid = session.uuid;
    this.contact = session.contact;
    this.globals = session.globals;
    this.steps = session.steps;
    this.turns = session.turns;
    this.runs = session.runs;
    this.memory = session.memory ?? {};
    this.attempts = session.wait?.attempts ?? 0;
    this.response = session.response;
    this.stack = session.stack.map((frame) => ({ ...frame, vars: { ...frame.vars }, results: { ...frame.results } }));
    this.now = environment.now;
    const random = seededRandom(`${environment.seed} ${session.uuid} ${session.turns} ${session.steps}`);
    this.environment = new ConversationEnvironment(environment, random, this);
    this.definitions = definitions;
    [this.definition, this.flow] = this.locate();
  }

  get frame(): MutableFrame {
    const frame = this.stack.at(-1);
    if (!frame) throw new Error('the session has no frame; pass a session that `step` returned');
    return frame;
  }

  /** Where expressions look up names, in this order: names set by the engine, variables, the rest of the context. */
  get scope(): Scope {
    this.cachedScope ??= [
      engineNames(this.stack, this.contact),
      this.frame.vars,
      this.globals,
      { flow: this.frame.results },
      this.definition.parameters,
    ];
    return this.cachedScope;
  }

  get context(): JsonObject {
    return contextView(this);
  }

  push(frame: MutableFrame): void {
    this.stack.push(frame);
    this.relocate();
  }

  pop(): MutableFrame {
    const frame = this.frame;
    this.stack.pop();
    this.relocate();
    return frame;
  }

  setContact(contact: JsonObject): void {
    this.contact = contact;
    this.cachedScope = undefined;
  }

  /** Stores the latest message of the contact where expressions read it: `event.message`. */
  setEvent(message: JsonObject): void {
    this.globals = { ...this.globals, event: { ...objectAt(this.globals, 'event'), message } };
    this.cachedScope = undefined;
  }

  setAnswer(answer: JsonObject, isAnswer = false): void {
    this.frame.answer = answer;
    this.cachedScope = undefined;
    this.markAnswer('block', isAnswer);
  }

  private markAnswer(name: string, isAnswer: boolean): void {
    const { answers = [] } = this.frame;
    if (answers.includes(name) !== isAnswer) this.frame.answers = withAnswer(answers, name, isAnswer);
  }

  readonly isAnswer = (path: readonly string[]): boolean =>
    this.definition.readsAnswers && isAnswerPath(path, this.stack, this.response !== undefined);

  setChild(child: JsonObject): void {
    this.frame.child = child;
    this.cachedScope = undefined;
  }

  setVariable(at: Place, name: string, value: Json, isAnswer = false): void {
    if (RESERVED_NAMES.has(name)) {
      this.events.push({ type: 'warning', at, expression: name, reason: 'this name is reserved; choose another name for the variable' });
      return;
    }
    this.frame.vars[name] = value;
    this.markAnswer(name, isAnswer && typeof value === 'string');
    this.events.push({ type: 'variable_set', at, name, value });
  }

  /** A flow of a revision by uuid; without a uuid, the flow that the revision starts with. */
  flowOf(revision: string, flow: string | undefined): Flow | undefined {
    const definition = this.definitions(revision);
    return flow === undefined ? definition.entry : definition.flows.get(flow);
  }

  session(status: Session['status']): Session {
    const { uuid, stack, contact, globals, steps, turns, runs, attempts, response } = this;
    // While a question waits for an effect before it is repeated, its attempt count is kept.
    const asks = status === 'waiting' || (status === 'active' && attempts > 0);
    const wait = asks ? { wait: { attempts } } : {};
    const answered = status === 'active' && response !== undefined ? { response } : {};
    const remembered = Object.keys(this.memory).length > 0 ? { memory: this.memory } : {};
    return { v: 1, uuid, status, stack, contact, globals, ...wait, ...answered, steps, turns, runs, ...remembered };
  }

  private relocate(): void {
    this.cachedScope = undefined;
    [this.definition, this.flow] = this.locate();
  }

  private locate(): [Definition, Flow] {
    const definition = this.definitions(this.frame.revision);
    const flow = definition.flows.get(this.frame.flow);
    if (!flow) throw new Error(`revision ${this.frame.revision} has no flow ${this.frame.flow}`);
    return [definition, flow];
  }
}

/** Where a block begins in its notebook; empty for journeys written as JSON. */
function sourceOf({ hints: { own } }: Block): Pick<Place, 'line' | 'column'> {
  const { line, column } = objectAt(own, 'source');
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : {};
}

/** The `Run` of one block. Every change goes to the session's draft. */
export class BlockRun implements Run {
  readonly block: Block;
  readonly flow: Flow;
  readonly config: JsonObject;
  readonly random: () => number;
  readonly now: string;
  readonly timeZone: string;
  readonly locale: AnswerLocale;
  readonly session: string;
  readonly place: Place;
  private readonly draft: SessionDraft;
  private readonly type: BlockType | undefined;
  private readonly texts = new Map<ContainerValue, string>();
  /** The value of the last expression, if it is a text of the contact. */
  private answerText: string | undefined;

  constructor(draft: SessionDraft, block: Block, type: BlockType | undefined) {
    const { journey, flow } = draft.frame;
    this.draft = draft;
    this.block = block;
    this.type = type;
    this.flow = draft.flow;
    this.config = block.config;
    this.random = draft.environment.random;
    this.now = draft.now;
    this.timeZone = draft.environment.timeZone;
    this.locale = draft.environment;
    this.session = draft.uuid;
    this.place = { journey, flow, block: block.uuid, name: block.name, type: block.type, card: block.card, ...sourceOf(block) };
  }

  text(template: string, limit?: number, local?: JsonObject): string {
    this.draft.observe?.(this.place, template);
    return this.cut(this.emitWarnings(render(template, this.scopeWith(local), this.draft.environment, this.draft.meter)), limit);
  }

  resolve(template: Json): Json {
    if (typeof template !== 'string') return template;
    this.draft.observe?.(this.place, template);
    return withoutNoiseIn(this.emitWarnings(resolve(template, this.draft.scope, this.draft.environment, this.draft.meter)));
  }

  value(expression: string, local?: JsonObject): Json {
    this.draft.observe?.(this.place, expression);
    const evaluated = evaluate(expression, this.scopeWith(local), this.draft.environment, this.draft.meter);
    this.answerText = evaluated.isAnswer ? (evaluated.value as string) : undefined;
    return withoutNoiseIn(this.emitWarnings(evaluated));
  }

  holds(expression: string, local?: JsonObject): boolean {
    this.draft.observe?.(this.place, expression);
    return this.emitWarnings(holds(expression, this.scopeWith(local), this.draft.environment, this.draft.meter));
  }

  tryValue(expression: string): Evaluated<Json> {
    this.draft.observe?.(this.place, expression);
    return evaluate(expression, this.draft.scope, this.draft.environment, this.draft.meter);
  }

  resource(uuid: Json | undefined): readonly Rendered[] {
    return this.values(uuid).map((value) => {
      const known = this.texts.get(value);
      const text = known ?? this.text(value.value);
      this.texts.set(value, text);
      return renderedValue(value, text);
    });
  }

  label(uuid: Json | undefined): string {
    const value = this.values(uuid).find(({ content_type }) => content_type === 'TEXT');
    return value ? render(value.value, this.draft.scope, this.draft.environment, this.draft.meter).value : '';
  }

  send(turns: readonly Turn[], { waiting = false, options = [], details }: SendOptions = {}): void {
    const step = this.details(details);
    for (const [i, turn] of turns.entries()) {
      const last = i === turns.length - 1;
      this.draft.events.push({
        type: 'message_out',
        at: this.place,
        turn,
        waiting: waiting && last,
        step,
        options: last ? options : [],
      });
    }
  }

  emit(event: BlockEvent): void {
    this.draft.events.push({ ...event, at: this.place } as JourneyEvent);
  }

  chooseExit(): string | undefined {
    const chosen = this.block.exits.find(({ isDefault, test }) => !isDefault && test !== undefined && this.holds(test));
    return (chosen ?? this.block.exits.find(({ isDefault }) => isDefault))?.uuid;
  }

  setVariable(name: string, value: Json): void {
    this.draft.setVariable(this.place, name, value, this.isAnswer(value));
  }

  /** Whether a value is a text of the contact: of the answer to this block, or of an expression that copies an answer. */
  isAnswer(value: Json): boolean {
    return typeof value === 'string' && (value === this.answerText || value === this.draft.response);
  }

  setContactField(key: string, value: Json): void {
    const { contact } = this.draft;
    const next = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.field) : value;
    const old = Object.hasOwn(contact, key) ? (contact[key] ?? null) : null;
    this.draft.setContact({ ...contact, [key]: next });
    this.emit({ type: 'contact_field_set', key, old, new: next });
  }

  writeResult(value: Json, label?: string): void {
    const { name } = this.block;
    const short = typeof value === 'string' ? this.cut(value, JOURNEY_LIMITS.result) : value;
    this.draft.frame.results[name] = { __value__: short, value: short, ...(label && { label }) };
    this.emit({ type: 'result_written', name, value: short, ...(label && { label }) });
  }

  get memory(): Json | undefined {
    return this.draft.frame.memory?.[this.block.uuid];
  }

  setMemory(memory: Json): void {
    this.draft.frame.memory = { ...this.draft.frame.memory, [this.block.uuid]: memory };
  }

  get sessionMemory(): Json | undefined {
    return this.draft.memory[this.memoryKey];
  }

  setSessionMemory(memory: Json): void {
    this.draft.memory = { ...this.draft.memory, [this.memoryKey]: memory };
  }

  private get memoryKey(): string {
    return `${this.draft.frame.journey}/${this.block.uuid}`;
  }

  hasFlow(uuid: string): boolean {
    return this.draft.definition.flows.has(uuid);
  }

  /** Cuts a text to the limit and emits a warning when it does. */
  cut(text: string, limit: number = JOURNEY_LIMITS.text): string {
    if (text.length <= limit) return text;
    this.emit({
      type: 'warning',
      expression: `${text.slice(0, 40)}…`,
      reason: `the text is longer than ${limit} characters and was cut; shorten it`,
    });
    return beginningOf(text, limit);
  }

  private scopeWith(local: JsonObject | undefined): Scope {
    return local ? [local, ...this.draft.scope] : this.draft.scope;
  }

  private emitWarnings<T>({ value, warnings }: Evaluated<T>): T {
    for (const { expression, reason } of warnings) this.emit({ type: 'warning', expression: expression.slice(0, 200), reason });
    return value;
  }

  private values(uuid: Json | undefined): readonly ContainerValue[] {
    const resource = typeof uuid === 'string' ? this.flow.resources.get(uuid) : undefined;
    return resource ? chooseValues(resource, this.flow, languageFor(this.flow, this.draft.contact.language)) : [];
  }

  private details(more: JsonObject | undefined): StepDetails {
    const uuids = resourcesOf(this.block, this.type);
    for (const uuid of uuids) this.resource(uuid);
    const resources = uuids.flatMap((uuid) => this.flow.resources.get(uuid) ?? []);
    return {
      block: more ? { ...this.block.source, config: { ...this.config, ...more } } : this.block.source,
      context: this.draft.context,
      resources: resources.map(({ source }) => source),
      evaluated_resources: resources.map((resource) => evaluatedResource(resource, this.texts)),
    };
  }
}

const withoutNoiseIn = (value: Json): Json => (typeof value === 'number' ? withoutNoise(value) : value);

/** Cached because every message of a block needs its resources, and a compiled definition never changes. */
const resourcesByBlock = new WeakMap<Block, readonly string[]>();

function resourcesOf(block: Block, type: BlockType | undefined): readonly string[] {
  const uuids = resourcesByBlock.get(block) ?? type?.resources?.(block.config) ?? [];
  resourcesByBlock.set(block, uuids);
  return uuids;
}
