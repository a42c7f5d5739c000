import { type ChannelDriver, MessageRefused, type PluginContext } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import {
  type MessageHappened,
  type MessageParts,
  type NotificationError,
  type TurnParts,
  turnParts,
  withFileLink,
  withFormLink,
} from '#core/messaging';
import { EMAIL, emailConnection, settingsOf } from '../connection.js';
import { normalAddress } from '../content/addresses.js';
import { refusal } from '../errors.js';
import { chooseIn, type EmailSettings, type Settings } from '../options.js';
import type { StoredMail } from '../schemas.js';
import { MAX_FILE_BYTES, mailId } from './sender.js';

/** A contact who types a number reads no longer list. */
const MAX_OPTIONS = 50;
/** Messages of a conversation in which the last mail of the contact is searched. */
const NEWEST = 20;
/** How long a contact can open the link to a file. */
const LINK_MS = 30 * 24 * 60 * 60 * 1000;

const file = (...types: string[]) => ({ maxBytes: MAX_FILE_BYTES, types });
const capabilities: ChannelCapabilities = {
  limits: { buttons: MAX_OPTIONS, rows: MAX_OPTIONS, sections: MAX_OPTIONS },
  files: { image: file('image/*'), video: file('video/*'), audio: file('audio/*'), document: file('application/*', 'text/*', 'message/*') },
};

const NO_TEXT = 'The template is not known here, so its text cannot be sent as a mail';
const NO_OPTIONS = `A mail offers at most ${MAX_OPTIONS} options`;
const NOTHING = 'The message has nothing that a mail can show';
const NO_ADDRESS = 'The contact has no address that mails can be sent to';

/** Why a message cannot be a mail; undefined if it can. */
export function faultOf(parts: TurnParts | undefined, to: string): NotificationError | undefined {
  if (normalAddress(to) === undefined) return refusal(NO_ADDRESS);
  if (!parts) return refusal(NO_TEXT);
  const { form, sections, header, body, footer, file } = parts;
  if (sections.flatMap(({ options }) => options).length > MAX_OPTIONS) return refusal(NO_OPTIONS);
  return file || form || [header, body, footer].some(({ text }) => text.trim() !== '') ? undefined : refusal(NOTHING);
}

/** The driver of e-mail numbers: each message is a mail, sent when the mail before it was accepted. */
export function emailDriver(context: PluginContext, settings: Settings, sends: MessageParts): ChannelDriver {
  const { messages, conversations, connections, choices, forms, media, clock } = context;
  return {
    type: EMAIL,
    capabilities,
    connection: emailConnection(context, settings),

    async check(_tx, { number, to, turn }) {
      // The text of a template is known only when it is sent.
      const parts = turnParts(turn, 'template' in turn ? '-' : '');
      const fault = faultOf(parts, to);
      if (fault) throw new MessageRefused(fault);
      const why = parts?.form && (await forms.refusal(number, parts.form));
      if (why !== undefined) throw new MessageRefused(refusal(why));
    },

    async deliver(tx, { turn, number, contact, message, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      const connection = await connections.of(number.uuid);
      const parts = turnParts(turn, message.rendered);
      const fault = destination && connection ? faultOf(parts, message.to) : refusal('The number is not connected to a mail server');
      if (fault) return messages.undeliverable(tx, number, message.uuid, fault);
      const own = settingsOf(connection!);
      let shown = parts!.form ? withFormLink(parts!, await forms.link(tx, message)) : parts!;
      const file = shown.file?.id === undefined ? undefined : await media.about(shown.file.id);
      const until = new Date(clock.now().getTime() + LINK_MS);
      if (file && file.size > MAX_FILE_BYTES) shown = withFileLink(shown, await media.publish(tx, file.id, { contact, until }));
      const options = shown.sections.flatMap((one) => one.options);
      if (options.length > 0) choices.offer(tx, message, options);
      // Stored before the mail is sent, so that a reply finds its message whatever becomes of the attempt.
      await messages.identify(tx, message.uuid, mailId(message.uuid, own.address));
      const { name, language } = contact.fields as { readonly name?: string | null; readonly language?: string };
      const thread = await threadOf(own, { conversation, message });
      const body: StoredMail = {
        ...{ to: message.to, parts: shown, language: String(language ?? own.language) },
        ...(typeof name === 'string' && name !== '' && { name }),
        date: new Date(Number(message.timestamp) * 1_000).toISOString(),
        choose: options.length > 0 ? chooseIn(settings.texts, [language, own.language]) : '',
        ...thread,
        ...(message.author?.type !== 'OPERATOR' && { automatic: thread.in_reply_to === undefined ? 'auto-generated' : 'auto-replied' }),
      };
      return sends.post(tx, destination!, { message, conversation }, [body]);
    },
  };

  /** The mail of the contact that a message answers: the one of its context, or else the last one. */
  async function threadOf(
    { subject, name, address }: EmailSettings,
    { conversation, message }: Pick<MessageHappened, 'conversation' | 'message'>,
  ) {
    const newest = await conversations.newest(conversation.uuid, NEWEST);
    const answered = newest.filter(({ external_id: id }) => id !== undefined && id === message.context?.id);
    for (const { direction, channel } of [...answered, ...newest]) {
      const mail = (direction === 'inbound' ? channel : undefined) as
        | { readonly message_id?: string; readonly subject?: string; readonly references?: string[] }
        | undefined;
      if (mail?.message_id === undefined) continue;
      return { subject: replySubject(mail.subject ?? ''), in_reply_to: mail.message_id, references: mail.references ?? [] };
    }
    return { subject: subject ?? name ?? address };
  }
}

/** The subject of an answer. Mail programs put mails of other subjects in other threads. */
export const replySubject = (subject: string): string =>
  /^\s*(re|aw|sv|antw|rép|回复|答复)\s*[:：]/i.test(subject) ? subject : `Re: ${subject}`;
