import type { JsonObject } from '#core/basics';
import { countryOf } from './answers/locale.js';
import { objectAt } from './compile.js';
import type { ExpressionEnvironment } from './expression/expression.js';
import type { Environment } from './session.js';

/** The conversation that expressions are about. */
export interface Conversation {
  readonly globals: JsonObject;
  readonly contact: JsonObject;
  readonly isAnswer?: (path: readonly string[]) => boolean;
}

/** The environment of expressions in a conversation. A class, because country and language are looked up only when an expression needs them. */
export class ConversationEnvironment implements ExpressionEnvironment {
  readonly now: number;
  readonly timeZone: string;
  random: () => number;
  readonly isAnswer: ExpressionEnvironment['isAnswer'];
  typed: ExpressionEnvironment['typed'];
  private readonly given: Environment;
  private readonly conversation: Conversation;

  constructor(given: Environment, random: () => number, conversation: Conversation) {
    this.now = Date.parse(given.now);
    this.timeZone = given.timeZone;
    this.random = random;
    this.isAnswer = conversation.isAnswer;
    this.given = given;
    this.conversation = conversation;
  }

  get country(): string | undefined {
    const { chat, number } = this.conversation.globals;
    return this.given.country ?? countryOf(objectAt(chat).owner) ?? countryOf(objectAt(number).address);
  }

  get language(): string | undefined {
    const { language } = this.conversation.contact;
    return typeof language === 'string' && language !== '' ? language : undefined;
  }
}
