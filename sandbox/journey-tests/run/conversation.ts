import { dialectOf, type JsonObject } from '#core';
import { type Input, nearest } from '#core/basics';
import { reservedFields } from '#core/messaging';
import { type Definition, type Environment, type Next, type Session, type Step, step } from '#engine';
import { firstTrueGuard, JOURNEY_LIMITS, type JourneyEvent, type Perform, type Signal } from '../../../plugins/journeys/plugin.js';
import type { JourneyUnderTest } from './journey-under-test.js';
import { NUMBER } from './performers.js';

/** The result of one action of a test. */
export interface TestTurn {
  readonly events: readonly JourneyEvent[];
  readonly session: Session;
  readonly card: string;
  readonly state: 'waiting_for_input' | 'end' | 'expired';
  readonly failure?: { readonly code: string; readonly reason: string };
}

/** A question of the journey, with the state from which a late answer continues. */
interface Question {
  readonly session: Session;
  readonly next: Next;
  readonly events: readonly JourneyEvent[];
}

export interface ConversationOptions {
  readonly journey: JourneyUnderTest;
  /** Compiled journeys by revision. The revision of a journey is its uuid, or the id with which it is called. */
  readonly definitions: (revision: string) => Definition;
  readonly perform: Perform;
  readonly contact: JsonObject;
  readonly parent?: JsonObject | undefined;
  readonly child?: JsonObject | undefined;
  readonly timeZone: string;
  readonly country: string | undefined;
  readonly seed: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Called with each evaluated expression. */
  readonly observe?: Step['observe'];
}

/** The contact's message cannot be sent as the test says; the message explains why. */
export class StepImpossible extends Error {
  override readonly name = 'StepImpossible';
}

/** Without a result of a step, the session fails. */
const MAX_WAITS = 1_000;

/**
 * A conversation of a test with a journey, on a clock of its own. It runs `step` directly: through the workers, each turn would write and parse the
 * session and its report.
 */
export class Conversation {
  now: number;
  /** The position of the trigger that started the journey last; -1 if it was not a trigger. */
  trigger = -1;
  readonly #options: ConversationOptions;
  #contact: JsonObject;
  #current: Question | undefined;
  #waitingSince = 0;
  #isExpired = false;
  #started = 0;
  readonly #questions: Question[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.now = options.now;
    this.#contact = { ...reservedFields(DIALECT, 'simulated'), ...options.contact };
  }

  get isWaiting(): boolean {
    return this.#current?.next.kind === 'wait' && !this.#isExpired;
  }

  /** Milliseconds until the time-out of the current question; undefined if it has none. */
  get timeoutMs(): number | undefined {
    const next = this.isWaiting ? this.#current?.next : undefined;
    return next?.kind === 'wait' && next.timeoutIn !== undefined ? next.timeoutIn * 1000 : undefined;
  }

  /** A conversation that continues from here on its own, with effects of its own. */
  fork(perform: Perform): Conversation {
    const copy = new Conversation({ ...this.#options, perform, now: this.now });
    copy.trigger = this.trigger;
    copy.#contact = this.#contact;
    copy.#current = this.#current;
    copy.#waitingSince = this.#waitingSince;
    copy.#isExpired = this.#isExpired;
    copy.#started = this.#started;
    copy.#questions.push(...this.#questions);
    copy.#lastCard = this.#lastCard;
    return copy;
  }

  /** The labels that the contact can tap or choose, of the newest message with options. */
  get options(): readonly Option[] {
    for (const question of this.#questions.toReversed()) {
      const options = question.events.flatMap(optionsOf);
      if (options.length > 0) return options;
    }
    return [];
  }

  /** Starts the journey, with or without a message. */
  start(input: Input | undefined): Promise<TestTurn> {
    const { journey, parent, child } = this.#options;
    this.trigger = input ? this.#triggerOf(input) : -1;
    this.#isExpired = false;
    this.#started++;
    return this.#turn(null, {
      kind: 'start',
      session: `00000000-0000-4000-8000-${String(this.#started).padStart(12, '0')}`,
      journey: journey.uuid,
      revision: journey.uuid,
      contact: this.#contact,
      globals: this.#globals(input),
      ...(input && { input }),
      ...(parent && { parent }),
      ...(child && { child }),
    });
  }

  /**
   * The contact sends a message. A waiting journey receives it; after its end it starts again. A reply (`isReply`) continues at the newest
   * question, also after that expired.
   */
  say(input: Input, isReply = false): Promise<TestTurn> {
    if (this.isWaiting) return this.#turn(this.#current!.session, { kind: 'input', input });
    const question = isReply ? this.#questions.at(-1) : undefined;
    return question ? this.#resume(question, input) : this.start(input);
  }

  /** The contact taps a button or chooses a row. An option of an earlier message continues at that message, as on the network. */
  select(kind: Option['kind'], label: string): Promise<TestTurn> {
    for (const [back, question] of this.#questions.toReversed().entries()) {
      const option = question.events.flatMap(optionsOf).find((option) => option.label === label || option.id === label);
      if (!option) continue;
      if (option.kind !== kind) throw new StepImpossible(`'${label}' is ${NOUNS[option.kind]}; write: ${WORDS[option.kind]}: ${label}`);
      const input = option.input;
      return back === 0 && this.isWaiting ? this.say(input) : this.#resume(question, input);
    }
    const labels = this.options.map((option) => option.label);
    const meant = nearest(label, labels);
    const hint = labels.length === 0 ? 'it offers none' : `its newest options: ${labels.map((known) => `'${known}'`).join(', ')}`;
    throw new StepImpossible(`the journey offers no option '${label}'${meant === undefined ? '' : ` (did you mean '${meant}'?)`}; ${hint}`);
  }

  /** Lets time pass: time-outs run at their times, and a wait without an answer expires. */
  async wait(ms: number): Promise<TestTurn> {
    const until = this.now + ms;
    let last: TestTurn | undefined;
    const events: JourneyEvent[] = [];
    for (let waits = 0; this.isWaiting && waits < MAX_WAITS; waits++) {
      const next = this.#current!.next as Extract<Next, { kind: 'wait' }>;
      const expiry = this.#waitingSince + next.expiresIn * 1000;
      const timeout = next.timeoutIn === undefined ? Number.POSITIVE_INFINITY : this.#waitingSince + next.timeoutIn * 1000;
      if (Math.min(expiry, timeout) > until) break;
      this.now = Math.min(expiry, timeout);
      if (timeout > expiry) {
        this.#isExpired = true;
        break;
      }
      last = await this.#turn(this.#current!.session, { kind: 'timeout' });
      events.push(...last.events);
    }
    this.now = until;
    const { session, next } = this.#current!;
    return {
      events,
      session,
      card: last?.card ?? this.#lastCard,
      state: this.#isExpired ? 'expired' : next.kind === 'wait' ? 'waiting_for_input' : 'end',
      ...(last?.failure && { failure: last.failure }),
    };
  }

  #lastCard = '';

  #resume(question: Question, input: Input): Promise<TestTurn> {
    this.#isExpired = false;
    return this.#turn({ ...question.session, contact: this.#contact }, { kind: 'input', input });
  }

  async #turn(session: Session | null, first: Signal): Promise<TestTurn> {
    const { definitions, perform, timeZone, country, seed, observe } = this.#options;
    const environment: Environment = { now: new Date(this.now).toISOString(), timeZone, seed, ...(country !== undefined && { country }) };
    const events: JourneyEvent[] = [];
    let signal = first;
    let before = session;
    for (let effects = 0; ; effects++) {
      const result = step({ definitions, session: before, signal, environment, ...(observe && { observe }) });
      for (const event of result.events) events.push(event);
      const { next } = result;
      if (next.kind === 'effect') {
        const value = effects < JOURNEY_LIMITS.effects ? await performSafely(perform, next.effect) : TOO_MANY;
        before = result.session;
        signal = { kind: 'result', value };
        continue;
      }
      this.#contact = result.session.contact;
      this.#current = { session: result.session, next, events };
      this.#waitingSince = this.now;
      this.#lastCard = result.stop.card;
      if (next.kind === 'wait' && events.some((event) => event.type === 'message_out' && event.waiting))
        this.#questions.push(this.#current);
      const failure = next.kind === 'end' ? next.failure : undefined;
      return {
        events,
        session: result.session,
        card: result.stop.card,
        state: next.kind === 'wait' ? 'waiting_for_input' : 'end',
        ...(failure && { failure }),
      };
    }
  }

  /** @throws StepImpossible when the journey has triggers for messages, and none matches */
  #triggerOf(input: Input): number {
    const { journey, timeZone, country, seed } = this.#options;
    const { triggers } = journey;
    if (triggers.length === 0) return -1;
    const fitting = triggers
      .map((trigger, i) => ({ i, ...trigger }))
      .filter((trigger) => 'on' in trigger && (trigger.on !== FIRST || this.#started === 0));
    const candidates = [
      ...fitting.filter((trigger) => 'on' in trigger && trigger.on !== LAST),
      ...fitting.filter((trigger) => 'on' in trigger && trigger.on === LAST),
    ];
    const { first, warnings } = firstTrueGuard({
      guards: candidates.map(({ when = 'true' }) => when),
      context: { ...this.#globals(input), contact: this.#contact },
      environment: { now: new Date(this.now).toISOString(), timeZone, seed, ...(country !== undefined && { country }) },
    });
    if (first >= 0) return candidates[first]!.i;
    const conditions = triggers.map(
      (trigger) => `${'on' in trigger ? trigger.on : ''}${trigger.when === undefined ? '' : ` when ${trigger.when}`}`,
    );
    const errors = warnings.map(({ expression, reason }) => `; ${expression}: ${reason}`).join('');
    throw new StepImpossible(
      `no trigger of the journey matches '${input.text}' (${conditions.join('; ')})${errors}. Begin with 'start' to start it without a message`,
    );
  }

  #globals(input: Input | undefined): JsonObject {
    return {
      number: { ...NUMBER },
      chat: { uuid: null, contact_uuid: null, owner: 'test' },
      event: input?.message ? { message: input.message } : {},
      global: {},
      organisation: {},
    };
  }
}

const DIALECT = dialectOf();
const FIRST = 'FIRST MESSAGE';
const LAST = 'CATCH ALL';
const NOUNS = { button: 'a button', row: 'a row of a list' } as const;
const WORDS = { button: 'tap', row: 'choose' } as const;

const TOO_MANY = {
  kind: 'failed',
  code: 'effect_limit',
  reason: `the turn has more than ${JOURNEY_LIMITS.effects} effects; split the work over several turns`,
} as const;

async function performSafely(perform: Perform, effect: Parameters<Perform>[0]): ReturnType<Perform> {
  try {
    return await perform(effect);
  } catch (error) {
    return { kind: 'failed', code: 'effect_failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** An option that the contact can select. */
export interface Option {
  readonly kind: 'button' | 'row';
  readonly id: string;
  readonly label: string;
  readonly input: Input;
}

function optionsOf(event: JourneyEvent): readonly Option[] {
  if (event.type !== 'message_out') return [];
  const { turn } = event;
  if (!('type' in turn)) return event.options.map((label) => templateButton(label));
  if (turn.type !== 'interactive') return [];
  const { interactive } = turn;
  if (interactive.type === 'button') return interactive.action.buttons.map(({ reply }) => replyOption('button', reply.id, reply.title));
  if (interactive.type !== 'list') return [];
  return interactive.action.sections.flatMap(({ rows }) => rows.map(({ id, title }) => replyOption('row', id, title)));
}

function replyOption(kind: Option['kind'], id: string, label: string): Option {
  const key = kind === 'button' ? 'button_reply' : 'list_reply';
  const message = { type: 'interactive', interactive: { type: key, [key]: { id, title: label } } };
  return { kind, id, label, input: { type: 'interactive', text: label, message, reply: { id, title: label } } };
}

/** A quick reply of a template sends its text. */
const templateButton = (label: string): Option => ({
  kind: 'button',
  id: label,
  label,
  input: { type: 'button', text: label, message: { type: 'button', button: { text: label, payload: label } } },
});
