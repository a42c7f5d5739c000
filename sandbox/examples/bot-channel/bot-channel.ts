/**
 * A plugin with a channel to a bot API in the style of Telegram's. Messages go out with `sendMessage`, buttons and lists as an inline
 * keyboard. The bot API posts updates, which are texts and taps of contacts, to `/v1/bot/updates` with the token of the number.
 */
import Joi from 'joi';
import { boolean, type ChannelDriver, consume, definePlugin, object, queue, route, unixSeconds } from 'posthorn';
import { inboundOf, type Key, sentForm, updateSchema } from './bot-messages.js';
import { sendMessage } from './send-message.js';

const MAX_ATTEMPTS = 5;
const sends = queue<{ number: string; message: string; chat: string; text: string; keys: readonly Key[] }>('bot-channel.sends');

export const botChannel = definePlugin<{ api?: string }, 'api'>({
  name: 'bot-channel',
  version: '0.1.0',
  options: Joi.object({ api: Joi.string().uri().default('http://127.0.0.1:4704') }),

  register({ store, messages, numbers, http, clock }, { api }) {
    const driver: ChannelDriver = {
      type: 'bot-channel',
      // Runs in the transaction that records the message, so it only queues a job. The consumer below calls the bot API.
      deliver(tx, { number, message, turn }) {
        const job = { number: number.uuid, message: message.uuid, chat: message.to, ...sentForm(turn) };
        tx.push(sends, job, { serial: message.to });
      },
    };

    const send = consume(sends, async (job) => {
      const { number: uuid, message, chat, text, keys } = job.payload;
      const outcome = await sendMessage(http, api, chat, text, keys);
      // The queue retries a job that throws, with exponential backoff.
      if ('problem' in outcome && !outcome.isFinal && job.attempt < MAX_ATTEMPTS) throw new Error(outcome.problem);
      const number = await numbers.require(uuid);
      await store.transaction(async (tx) => {
        if ('sentAs' in outcome) await messages.accepted(tx, number, message, outcome.sentAs);
        else await messages.undeliverable(tx, number, message, outcome.problem);
        job.done(tx);
      });
    });

    const receive = route({
      method: 'POST',
      path: '/v1/bot/updates',
      summary: 'Receives an update from the bot API.',
      numbers: ['channel'],
      request: { payload: updateSchema },
      responses: { 200: object({ ok: boolean() }) },
      async handler({ payload, caller: { number } }) {
        const inbound = inboundOf(payload);
        const timestamp = unixSeconds(clock.now());
        if (inbound) await store.transaction((tx) => messages.received(tx, number, { ...inbound, timestamp }));
        return { ok: true };
      },
    });

    return { channels: [driver], consumes: [send], routes: [receive] };
  },
});
