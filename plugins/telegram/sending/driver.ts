import { type ChannelDriver, MessageRefused, type PluginContext } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import { turnType } from '#core/messaging';
import type { BotApi } from '../bot-api.js';
import { settingsOf, TELEGRAM, telegramConnection } from '../connection.js';
import { notificationErrorOf } from '../errors.js';
import { keyboards } from '../records.js';
import { fileIn, NotShown, rendered } from './calls.js';
import { SENDER } from './sender.js';

const MB = 1024 * 1024;
/** Bytes of an upload. */
const MAX_UPLOAD = 50 * MB;
const KEY_BYTES = 6;

/** What Telegram takes; longer texts are sent in several messages. */
const capabilities: ChannelCapabilities = {
  limits: { buttons: 100, rows: 100, sections: 100 },
  files: {
    image: { maxBytes: MAX_UPLOAD, types: ['image/*'] },
    video: { maxBytes: MAX_UPLOAD, types: ['video/*'] },
    audio: { maxBytes: MAX_UPLOAD, types: ['audio/*'] },
    sticker: { maxBytes: MAX_UPLOAD, types: ['image/webp'] },
    document: { maxBytes: MAX_UPLOAD, types: ['application/*', 'text/*'] },
  },
};

/** The driver of Telegram bots: each call that a message needs is a delivery, sent when the one before it was accepted. */
export function telegramDriver(context: PluginContext, api: BotApi): ChannelDriver {
  const { messages, media, connections, deliveries, clock, ids } = context;
  return {
    type: TELEGRAM,
    capabilities,
    connection: telegramConnection(context, api),

    check(_tx, { turn }) {
      if (turnType(turn) !== 'interactive' || (turn as unknown as { interactive: { type: string } }).interactive.type !== 'flow') return;
      throw new MessageRefused(notificationErrorOf(400, 'Telegram has no forms: ask the questions in a journey, or send a link'));
    },

    async deliver(tx, { turn, number, message, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      if (!destination)
        return messages.undeliverable(tx, number, message.uuid, notificationErrorOf(400, 'The number is not connected to Telegram'));
      const connection = await connections.of(number.uuid);
      const key = ids.secret(KEY_BYTES);
      const file = fileIn(turn);
      const about = file === undefined ? undefined : await media.about(file);
      const kind = connection ? settingsOf(connection).buttons : 'inline';
      try {
        const { calls, options } = rendered(turn, { template: message.rendered, keyboard: { key, kind }, about });
        if (options.length > 0) {
          const at = clock.now().toISOString();
          tx.in(keyboards).put({ key, number: number.uuid, message: message.uuid, conversation: conversation.uuid, at, options });
        }
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
      } catch (error) {
        if (!(error instanceof NotShown)) throw error;
        await messages.undeliverable(tx, number, message.uuid, notificationErrorOf(400, error.message));
      }
    },
  };
}

/** The message that a message answers, if it is one of the same chat. Telegram sends the answer also if that one was deleted. */
function quotedIn(id: string | undefined, chat: string) {
  const [, of, message] = /^(-?\d+):(\d+)$/.exec(id ?? '') ?? [];
  return of === chat ? { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } } : undefined;
}
