import type { Json, JsonObject } from '#core/basics';
import { isAnswerPath, withAnswer } from './answer-names.js';
import { type Definition, type Flow, objectAt } from './compile.js';
import type { Mark } from './contact-text.js';
import { contextView, engineNames } from './context.js';
import { ConversationEnvironment } from './conversation-environment.js';
import { textRoots } from './expression/check.js';
import type { Meter, Scope } from './expression/expression.js';
import { JOURNEY_LIMITS, RESERVED_NAMES } from './limits.js';
import { markedValue, mayBeTyped, withMark, withMarksOfChild } from './marked-values.js';
import { seededRandom } from './seeded-random.js';
import type { Environment, Frame, JourneyEvent, JourneyPosition, Session } from './session.js';

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

export type Observe = (at: JourneyPosition, source: string) => void;

/** The working copy of a session during one step. The original session does not change. */
export class SessionDraft {
  readonly events: JourneyEvent[] = [];
  readonly environment: ConversationEnvironment;
  readonly now: string;
  readonly meter: Meter;
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

  constructor(
    session: Session,
    definitions: (revision: string) => Definition,
    environment: Environment,
    meter: Meter = { remaining: JOURNEY_LIMITS.expressions },
    observe?: Observe,
  ) {
    this.meter = meter;
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

  /** @param marks of `answer.value`; the whole of an answer to the block is the contact's */
  setAnswer(answer: JsonObject, isAnswer = false, marks?: Json): void {
    this.frame.answer = answer;
    const others = marks === undefined || isAnswer ? undefined : Object.fromEntries(Object.keys(answer).map((key) => [key, false]));
    this.setMark('block', others && { ...others, value: marks ?? null });
    this.cachedScope = undefined;
    this.markAnswer('block', isAnswer);
  }

  private markAnswer(name: string, isAnswer: boolean): void {
    const { answers = [] } = this.frame;
    if (answers.includes(name) !== isAnswer) this.frame.answers = withAnswer(answers, name, isAnswer);
  }

  readonly isAnswer = (path: readonly string[]): boolean =>
    this.definition.readsAnswers && isAnswerPath(path, this.stack, this.response !== undefined);

  private setMark(name: string, marks: Json | undefined): void {
    const all = withMark(this.frame, name, marks ?? null);
    if (all !== this.frame.marked && all !== undefined) this.frame.marked = all;
  }

  /** Whether a part of the value of an expression, or of the text of a template, can be text of the contact. */
  canBeTyped(source: string, isTemplate: boolean): boolean {
    if (this.meter.isShort && this.meter.remaining < 0) return false;
    return textRoots(source, isTemplate).some((root) => mayBeTyped(root, this.stack, this.response !== undefined));
  }

  /** Evaluates with the text of the contact marked. */
  marking<T>(mark: Mark, work: () => T): T {
    const { environment } = this;
    const { random } = environment;
    environment.typed = (name, value) => markedValue(name, value, this.stack, this.response !== undefined, mark);
    // A repeated evaluation must not take further random numbers.
    environment.random = () => 0;
    try {
      return work();
    } finally {
      environment.typed = undefined;
      environment.random = random;
    }
  }

  setChild(child: JsonObject, ended: Frame): void {
    const marked = withMarksOfChild(this.frame, ended);
    if (marked !== undefined || this.frame.marked !== undefined) this.frame.marked = marked ?? {};
    this.frame.child = child;
    this.cachedScope = undefined;
  }

  setVariable(at: JourneyPosition, name: string, value: Json, isAnswer = false, marks?: Json): void {
    if (RESERVED_NAMES.has(name)) {
      this.events.push({ type: 'warning', at, expression: name, reason: 'this name is reserved; choose another name for the variable' });
      return;
    }
    this.frame.vars[name] = value;
    this.setMark(name, marks);
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
