import type { JsonObject } from '#core';
import { withTextIntegers } from '#core/basics';
import { contextView, type JourneyEvent } from '../../../plugins/journeys/plugin.js';
import { actionsOf, messageText, optionsOf, skillCallsOf } from '../../../plugins/simulation/response/transcript.js';
import type { TestTurn } from './conversation.js';

/** The parts of a turn that expectations name. Each is computed when it is read, since most tests read few. */
export class TurnView {
  readonly #turn: TestTurn;

  constructor(turn: TestTurn) {
    this.#turn = turn;
  }

  /** The text of each message. */
  get texts(): string[] {
    return this.#turn.events.flatMap((event) => (event.type === 'message_out' ? messageText(event.turn) : []));
  }

  get text(): string {
    return this.texts.join('\n\n');
  }

  get options(): string[] {
    return optionsOf(this.#turn.events);
  }

  get card(): string {
    return this.#turn.card;
  }

  get state(): string {
    return this.#turn.state;
  }

  get context(): JsonObject {
    return withTextIntegers(contextView(this.#turn.session));
  }

  get contact(): JsonObject {
    return withTextIntegers(this.#turn.session.contact);
  }

  get actions(): string[] {
    return actionsOf(this.#turn.events);
  }

  get http_calls() {
    return this.#turn.events.flatMap((event) => (event.type === 'http_call' ? event.call : []));
  }

  get skill_calls() {
    return skillCallsOf(this.#turn.events);
  }

  get turns() {
    return this.#turn.events.flatMap((event) => (event.type === 'message_out' ? event.turn : []));
  }

  get warnings(): string[] {
    return this.#turn.events.flatMap((event) => (event.type === 'warning' ? `${event.at.name}: ${event.expression}: ${event.reason}` : []));
  }

  get error(): string | undefined {
    return this.#turn.failure?.code;
  }

  get failure(): TestTurn['failure'] {
    return this.#turn.failure;
  }

  /** Where the journey was last: the place to look at when an expectation fails. */
  get last(): Extract<JourneyEvent, { at: unknown }>['at'] | undefined {
    for (const event of this.#turn.events.toReversed()) if ('at' in event && event.at) return event.at;
    return undefined;
  }
}
