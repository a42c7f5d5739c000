import { type ChannelDriver, MessageRefused, type PluginContext } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import { type MessageParts, turnParts, withFileLink } from '#core/messaging';
import type { BotApi } from '../bot-api.js';
import { settingsOf, TELEGRAM, telegramConnection } from '../connection.js';
import { notificationErrorOf } from '../errors.js';
import { callsOf } from './calls.js';
import { MAX_UPLOAD } from './sender.js';

/** The limits of Telegram; longer texts are sent in several messages. */
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

/** As a chat is written in ids of messages; another spelling would be another contact of the same person. */
const CHAT = /^-?[1-9]\d*$/;
const NO_CHAT = 'The contact is not one of Telegram, whose ids have digits only: a phone number does not reach a person there';
const NO_TEXT = 'The template is not known here, so its text cannot be sent on Telegram';
const BLANK = 'The message has no text that Telegram would show';
const NO_FILE = 'The file of the message was deleted';
/** How long a contact can open the link to a file that is too large. */
const LINK_MS = 30 * 24 * 60 * 60 * 1000;

/** The driver of Telegram bots: each call that a message needs is a delivery, sent when the previous call was accepted. */
export function telegramDriver(context: PluginContext, { api, sends }: { api: BotApi; sends: MessageParts }): ChannelDriver {
  const { messages, media, connections, choices, forms, clock } = context;
  return {
    type: TELEGRAM,
    capabilities,
    connection: telegramConnection(context, api),

    async check(_tx, { number, to, turn }) {
      if (!CHAT.test(to)) throw new MessageRefused(notificationErrorOf(400, NO_CHAT));
      const form = turnParts(turn, '')?.form;
      const why = form && (await forms.refusal(number, form));
      if (why !== undefined) throw new MessageRefused(notificationErrorOf(400, why));
    },

    async deliver(tx, { turn, number, message, contact, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      const connection = await connections.of(number.uuid);
      const given = turnParts(turn, message.rendered);
      const refused = (why: string) => messages.undeliverable(tx, number, message.uuid, notificationErrorOf(400, why));
      if (!given) return refused(NO_TEXT);
      if (!destination || !connection) return refused('The number is not connected to Telegram');
      const id = given.file?.id;
      const about = id === undefined ? undefined : await media.about(id);
      if (id !== undefined && !about) return refused(NO_FILE);
      const until = new Date(clock.now().getTime() + LINK_MS);
      const isTooLarge = about?.number === number.uuid && about.size > MAX_UPLOAD;
      const parts = isTooLarge ? withFileLink(given, await media.publish(tx, about.id, { contact, until })) : given;
      const link = parts.form && (await forms.link(tx, message));
      const options = parts.sections.flatMap((one) => one.options);
      const key = options.length > 0 ? choices.offer(tx, message, options) : '';
      const calls = callsOf(parts, { key, kind: settingsOf(connection).buttons }, about, link);
      if (calls.length === 0) return refused(BLANK);
      const quoted = quotedIn(message.context?.id, message.to);
      const bodies = calls.map((call, i) => ({ ...call, fields: { chat_id: Number(message.to), ...call.fields, ...(i === 0 && quoted) } }));
      return sends.post(tx, destination, { message, conversation }, bodies);
    },
  };
}

/** The message that a message answers, if it is one of the same chat. Telegram sends the answer also if that one was deleted. */
function quotedIn(id: string | undefined, chat: string) {
  const [, of, message] = /^(-?\d+):(\d+)$/.exec(id ?? '') ?? [];
  return of === chat ? { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } } : undefined;
}
