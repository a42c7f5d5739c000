import { type ChannelDriver, MessageRefused, type PluginContext } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import { turnParts } from '#core/messaging';
import type { BotApi } from '../bot-api.js';
import { settingsOf, TELEGRAM, telegramConnection } from '../connection.js';
import { notificationErrorOf } from '../errors.js';
import { callsOf } from './calls.js';
import { MAX_UPLOAD as maxBytes, SENDER } from './sender.js';

/** The limits of Telegram; longer texts are sent in several messages. */
const capabilities: ChannelCapabilities = {
  limits: { buttons: 100, rows: 100, sections: 100 },
  files: {
    image: { maxBytes, types: ['image/*'] },
    video: { maxBytes, types: ['video/*'] },
    audio: { maxBytes, types: ['audio/*'] },
    sticker: { maxBytes, types: ['image/webp'] },
    document: { maxBytes, types: ['application/*', 'text/*'] },
  },
};

const NO_FORMS = 'Telegram has no forms: ask the questions in a journey, or send a link';
const NO_TEXT = 'The template is not known here, so its text cannot be sent on Telegram';

/** The driver of Telegram bots: each call that a message needs is a delivery, sent when the previous call was accepted. */
export function telegramDriver(context: PluginContext, api: BotApi): ChannelDriver {
  const { messages, media, connections, choices, deliveries } = context;
  return {
    type: TELEGRAM,
    capabilities,
    connection: telegramConnection(context, api),

    check(_tx, { turn }) {
      if (turnParts(turn, '')?.form) throw new MessageRefused(notificationErrorOf(400, NO_FORMS));
    },

    async deliver(tx, { turn, number, message, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      const connection = await connections.of(number.uuid);
      const parts = turnParts(turn, message.rendered);
      if (!destination || !connection || !parts) {
        const why = parts ? 'The number is not connected to Telegram' : NO_TEXT;
        return messages.undeliverable(tx, number, message.uuid, notificationErrorOf(400, why));
      }
      const options = parts.sections.flatMap((one) => one.options);
      const key = options.length > 0 ? choices.offer(tx, message, options) : '';
      const about = parts.file?.id === undefined ? undefined : await media.about(parts.file.id);
      const calls = callsOf(parts, { key, kind: settingsOf(connection).buttons }, about);
      const quoted = quotedIn(message.context?.id, message.to);
      for (const [i, call] of calls.entries()) {
        await deliveries.post(tx, {
          sender: SENDER,
          webhook: destination,
          event: `${message.uuid}/${i + 1}/${calls.length}`,
          isNew: true,
          kind: 'network',
          body: { ...call, fields: { chat_id: Number(message.to), ...call.fields, ...(i === 0 && quoted) } },
          message: message.uuid,
          conversation: conversation.uuid,
          recipient: message.to,
        });
      }
    },
  };
}

/** The message that a message answers, if it is one of the same chat. Telegram sends the answer also if that one was deleted. */
function quotedIn(id: string | undefined, chat: string) {
  const [, of, message] = /^(-?\d+):(\d+)$/.exec(id ?? '') ?? [];
  return of === chat ? { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } } : undefined;
}
