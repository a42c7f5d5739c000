import { type ChannelDriver, MessageRefused, type PluginContext, type Transaction } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import { type NotificationError, networkAddress, type TurnParts, turnParts } from '#core/messaging';
import { SMS, settingsOf, smsConnection } from '../connection.js';
import { refusal } from '../errors.js';
import { type Settings, type SmsSettings, textsIn } from '../options.js';
import { partsRecords } from '../records.js';
import { SENDER } from './sender.js';
import { type SmsText, smsTexts, textOf } from './text.js';

/** A contact who types a number reads no longer list. */
const MAX_OPTIONS = 20;
/** Bytes of a file that carriers of the USA take. */
const MAX_MMS_BYTES = 5 * 1024 * 1024;

/** Files that are MMS on numbers with `mms`; others are refused when they are sent. */
const mms = (...types: string[]) => ({ maxBytes: MAX_MMS_BYTES, types });
const capabilities: ChannelCapabilities = {
  limits: { buttons: MAX_OPTIONS, rows: MAX_OPTIONS, sections: MAX_OPTIONS },
  files: {
    image: mms('image/jpeg', 'image/png', 'image/gif'),
    video: mms('video/*'),
    audio: mms('audio/*'),
    document: mms('application/pdf', 'text/*'),
  },
};

const NO_TEXT = 'The template is not known here, so its text cannot be sent as an SMS';
const NO_FORMS = 'An SMS has no forms: ask the questions in a journey, or send a link';
const NO_FILES =
  'The number sends no MMS, and links to files of the platform expire after two minutes: connect it with mms, or send the address of a file that is elsewhere';
/** A signed link of the platform to a file. */
const EXPIRES = /\/v1\/media\/.+[?&]signature=/;
const NO_OPTIONS = `An SMS offers at most ${MAX_OPTIONS} options`;
const NOTHING = 'The message has no text that an SMS can show';

/** A message as it is sent, or why it is not. */
type Rendered = { readonly texts: readonly SmsText[]; readonly isMms: boolean } | { readonly error: NotificationError };

/** Renders a message for a number. */
export function renderedSms(
  parts: TurnParts | undefined,
  number: Pick<SmsSettings, 'mms' | 'plain_text' | 'max_segments'>,
  choose: string,
): Rendered {
  if (!parts) return { error: refusal(NO_TEXT) };
  const { file, form, sections } = parts;
  if (form) return { error: refusal(NO_FORMS) };
  if (file && !number.mms && (file.id !== undefined || EXPIRES.test(file.link))) return { error: refusal(NO_FILES) };
  if (sections.flatMap(({ options }) => options).length > MAX_OPTIONS) return { error: refusal(NO_OPTIONS) };
  const isMms = file !== undefined && number.mms;
  const texts = smsTexts(textOf(parts, choose, !isMms), number);
  if (texts[0]!.text.trim() === '' && !isMms) return { error: refusal(NOTHING) };
  const segments = texts.reduce((sum, one) => sum + one.segments, 0);
  const { encoding } = texts.find((one) => one.encoding === 'UCS-2') ?? texts[0]!;
  if (segments <= number.max_segments) return { texts, isMms };
  return {
    error: refusal(
      `The text needs ${segments} segments of ${encoding}, and the number sends at most ${number.max_segments} (max_segments)`,
    ),
  };
}

/** The driver of SMS numbers: each part of a message is a delivery, sent when the previous part was accepted. */
export function smsDriver(context: PluginContext, { texts: own }: Pick<Settings, 'texts'>): ChannelDriver {
  const { messages, contacts, connections, choices, deliveries } = context;
  return {
    type: SMS,
    capabilities,
    connection: smsConnection(context),

    async check(tx, { number, to, turn }) {
      const parts = turnParts(turn, '');
      const connection = await connections.of(number.uuid);
      // The text of a template is known only when it is sent.
      if (!connection || !parts || 'template' in turn) return;
      const settings = settingsOf(connection);
      const rendered = renderedSms(parts, settings, await chooseFor(tx, number, to, settings));
      if ('error' in rendered) throw new MessageRefused(rendered.error);
    },

    async deliver(tx, { turn, number, message, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      const connection = await connections.of(number.uuid);
      if (!destination || !connection)
        return messages.undeliverable(tx, number, message.uuid, refusal('The number is not connected to an SMS gateway'));
      const settings = settingsOf(connection);
      const parts = turnParts(turn, message.rendered);
      const rendered = renderedSms(parts, settings, await chooseFor(tx, number, message.to, settings));
      if ('error' in rendered) return messages.undeliverable(tx, number, message.uuid, rendered.error);
      const { texts, isMms } = rendered;
      const options = parts!.sections.flatMap((one) => one.options);
      if (options.length > 0) choices.offer(tx, message, options);
      const file = isMms ? { id: parts!.file!.id, link: parts!.file!.link } : undefined;
      if (texts.length > 1)
        tx.in(partsRecords).put({ message: message.uuid, number: number.uuid, parts: texts.length, ids: {}, states: {} });
      for (const [i, one] of texts.entries()) {
        await deliveries.post(tx, {
          sender: SENDER,
          webhook: destination,
          event: `${message.uuid}/${i + 1}/${texts.length}/${one.segments}`,
          isNew: true,
          kind: 'network',
          body: { to: networkAddress(message.to) ?? message.to, ...one, ...(file && i === 0 && { file }) },
          message: message.uuid,
          conversation: conversation.uuid,
          recipient: message.to,
        });
      }
    },
  };

  /** The line about options, in the language of the contact. */
  async function chooseFor(tx: Transaction, number: Parameters<typeof contacts.current>[1], to: string, { language }: SmsSettings) {
    const contact = await contacts.current(tx, number, to);
    return textsIn(own, [contact?.fields.language, language]).choose;
  }
}
