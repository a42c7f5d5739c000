import { chance } from './chance.js';
import { type Definition, type Flow, objectAt } from './compile.js';
import { contextView, namedBy } from './context.js';
import type { ExpressionEnvironment, Meter, Scope } from './expression/expression.js';
import { JOURNEY_LIMITS, RESERVED_NAMES } from './limits.js';
import type { Environment, Frame, JourneyEvent, Json, JsonObject, Place, Session } from './session.js';

type Open<T> = { -readonly [K in keyof T]: T[K] };

export const newFrame = (journey: string, revision: string, flow: Flow): OpenFrame => ({
  journey,
  revision,
  flow: flow.uuid,
  block: flow.first,
  vars: {},
  results: {},
});

/** The frame that runs, with the flow it runs. */
export interface OpenFrame extends Open<Omit<Frame, 'vars' | 'results'>> {
  vars: Record<string, Json>;
  results: Record<string, Json>;
}

/** A session while a step changes it. It is a copy: the session it was made from stays as it was. */
export class Progress {
  readonly events: JourneyEvent[] = [];
  readonly environment: ExpressionEnvironment;
  readonly now: string;
  readonly meter: Meter = { left: JOURNEY_LIMITS.expressions };
  readonly stack: OpenFrame[];
  readonly uuid: string;
  contact: JsonObject;
  globals: JsonObject;
  steps: number;
  turns: number;
  runs: number;
  memory: JsonObject;
  attempts: number;
  /** What the contact said to the block that works, if it was asked. */
  response: string | undefined;
  definition: Definition;
  flow: Flow;
  private readonly definitions: (revision: string) => Definition;
  private known: Scope | undefined;

  constructor(session: Session, definitions: (revision: string) => Definition, environment: Environment) {
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
    this.environment = {
      now: Date.parse(environment.now),
      timeZone: environment.timeZone,
      country: environment.country,
      random: chance(`${environment.seed} ${session.uuid} ${session.turns} ${session.steps}`),
    };
    this.definitions = definitions;
    [this.definition, this.flow] = this.located();
  }

  get frame(): OpenFrame {
    const frame = this.stack.at(-1);
    if (!frame) throw new Error('a session has at least one frame');
    return frame;
  }

  /** Where names are looked up: what the engine names, the variables, the rest of the context. */
  get scope(): Scope {
    this.known ??= [namedBy(this.stack, this.contact), this.frame.vars, this.globals, { flow: this.frame.results }];
    return this.known;
  }

  get context(): JsonObject {
    return contextView(this);
  }

  push(frame: OpenFrame): void {
    this.stack.push(frame);
    this.moved();
  }

  pop(): OpenFrame {
    const frame = this.frame;
    this.stack.pop();
    this.moved();
    return frame;
  }

  setContact(contact: JsonObject): void {
    this.contact = contact;
    this.known = undefined;
  }

  /** The message that a contact sent last, where expressions find it. */
  setEvent(message: JsonObject): void {
    this.globals = { ...this.globals, event: { ...objectAt(this.globals, 'event'), message } };
    this.known = undefined;
  }

  setAnswer(answer: JsonObject): void {
    this.frame.answer = answer;
    this.known = undefined;
  }

  setChild(child: JsonObject): void {
    this.frame.child = child;
    this.known = undefined;
  }

  setVariable(at: Place, name: string, value: Json): void {
    if (RESERVED_NAMES.has(name)) {
      this.events.push({ type: 'warning', at, expression: name, reason: 'no variable can have this name' });
      return;
    }
    this.frame.vars[name] = value;
    this.events.push({ type: 'variable_set', at, name, value });
  }

  /** A flow of a revision; its first where none is named. */
  flowOf(revision: string, flow: string | undefined): Flow | undefined {
    const definition = this.definitions(revision);
    return flow === undefined ? definition.entry : definition.flows.get(flow);
  }

  session(status: Session['status']): Session {
    const { uuid, stack, contact, globals, steps, turns, runs, attempts, response } = this;
    // A question that needs an effect before it is asked again counts on meanwhile.
    const asks = status === 'waiting' || (status === 'active' && attempts > 0);
    const wait = asks ? { wait: { attempts } } : {};
    const answered = status === 'active' && response !== undefined ? { response } : {};
    const remembered = Object.keys(this.memory).length > 0 ? { memory: this.memory } : {};
    return { v: 1, uuid, status, stack, contact, globals, ...wait, ...answered, steps, turns, runs, ...remembered };
  }

  private moved(): void {
    this.known = undefined;
    [this.definition, this.flow] = this.located();
  }

  private located(): [Definition, Flow] {
    const definition = this.definitions(this.frame.revision);
    const flow = definition.flows.get(this.frame.flow);
    if (!flow) throw new Error(`revision ${this.frame.revision} has no flow ${this.frame.flow}`);
    return [definition, flow];
  }
}
