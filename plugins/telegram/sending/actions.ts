import {
  beforeCommit,
  type Consumer,
  consume,
  type JsonObject,
  messageSeen,
  type PluginContext,
  queue,
  type Subscription,
  type Transaction,
} from '#core';
import { type BotApi, BotApiError } from '../bot-api.js';
import { type Bots, TELEGRAM } from '../connection.js';
import { isTooLate, remedyOf } from '../errors.js';

/** Telegram shows that a bot is typing for five seconds; later, it would only confuse. */
const TYPING_MS = 5_000;
const MAX_ATTEMPTS = 4;

/** Calls without an effect that could be lost: answers to taps, and indicators. */
const actions = queue<{ number: string; method: string; fields: JsonObject; until?: string }>('telegram.actions');

export const pushAction = (tx: Transaction, number: string, method: string, fields: JsonObject, until?: Date): void =>
  void tx.push(actions, { number, method, fields, ...(until && { until: until.toISOString() }) }, { lane: 'high' });

/** Shows that the bot is typing. Telegram has no marks for messages that a bot has read. */
export const typing = ({ clock }: PluginContext): Subscription =>
  beforeCommit(messageSeen, ({ number, message, typing: isTyping = false }, tx) => {
    if (number.type !== TELEGRAM || !isTyping) return;
    const until = new Date(clock.now().getTime() + TYPING_MS);
    pushAction(tx, number.uuid, 'sendChatAction', { chat_id: Number(message.from), action: 'typing' }, until);
  });

/** Makes the calls. A failure costs only an indicator, so it is logged, and repeated only if it may pass. */
export const actionConsumer = ({ clock, log }: PluginContext, { bots, api }: { bots: Bots; api: BotApi }): Consumer =>
  consume(
    actions,
    async ({ payload: { number, method, fields, until } }) => {
      const bot = await bots.of(number);
      if (!bot || (until !== undefined && until < clock.now().toISOString())) return;
      await api.call(bot, method, fields).catch((error: unknown) => {
        if (!(error instanceof BotApiError) || ['wait', 'repeat'].includes(remedyOf(error.status, error.description))) throw error;
        if (!isTooLate(error.description)) log.warn('Telegram refused a call', { number_id: number, method, error });
      });
    },
    { maxAttempts: MAX_ATTEMPTS },
  );
