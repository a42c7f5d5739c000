import { type ChannelDriver, MessageRefused, type NumberRecord, type PluginContext, type Transaction } from '#core';
import type { ChannelCapabilities } from '#core/basics';
import { type MessageParts, networkAddress, type TurnFile, type TurnParts, turnParts, withFileLink, withFormLink } from '#core/messaging';
import { SMS, settingsOf, smsConnection } from '../connection.js';
import { refusal } from '../errors.js';
import { type Settings, type SmsSettings, textsIn } from '../options.js';
import { partsRecords } from '../records.js';
import { type SmsText, smsTexts, textOf } from './text.js';

/** A contact who types a number reads no longer list. */
const MAX_OPTIONS = 20;
/** Bytes of a file that carriers of the USA take. */
const MAX_MMS_BYTES = 5 * 1024 * 1024;
/** How long a contact can open the link to a file. */
const LINK_MS = 30 * 24 * 60 * 60 * 1000;

/** Files that are MMS on numbers with `mms`. */
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
const NO_FILE = 'The file of the message was deleted';
/** A signed link of the platform to a file, which expires after two minutes. */
const SIGNED = /\/v1\/media\/(\d+)\/content\?.*signature=/;
const NO_OPTIONS = `An SMS offers at most ${MAX_OPTIONS} options`;
const NOTHING = 'The message has no text that an SMS can show';

/** A message as it is sent, or why it is not. */
type Rendered = { readonly texts: readonly SmsText[]; readonly isMms: boolean } | { readonly error: ReturnType<typeof refusal> };

/** Renders a message for a number, whose form, and whose file unless that is an MMS, are links in its text. */
export function renderedSms(
  parts: TurnParts | undefined,
  number: Pick<SmsSettings, 'plain_text' | 'max_segments'>,
  choose: string,
): Rendered {
  if (!parts) return { error: refusal(NO_TEXT) };
  if (parts.sections.flatMap(({ options }) => options).length > MAX_OPTIONS) return { error: refusal(NO_OPTIONS) };
  const isMms = parts.file !== undefined;
  const texts = smsTexts(textOf(parts, choose), number);
  if (texts[0]!.text.trim() === '' && !isMms) return { error: refusal(NOTHING) };
  const segments = texts.reduce((sum, one) => sum + one.segments, 0);
  const { encoding } = texts.find((one) => one.encoding === 'UCS-2') ?? texts[0]!;
  if (segments <= number.max_segments) return { texts, isMms };
  const most = `the number sends at most ${number.max_segments} (max_segments)`;
  return { error: refusal(`The text needs ${segments} segments of ${encoding}, and ${most}`) };
}

type Way = 'mms' | 'address' | 'gone' | { readonly publish: string };

/** A message with links in place of its form, and of its file unless that is an MMS. */
function linked(parts: TurnParts, way: Way, { form = '', file = '' }: { form?: string | undefined; file?: string | undefined }): TurnParts {
  const shown = parts.form ? withFormLink(parts, form) : parts;
  if (!parts.file || way === 'mms') return shown;
  return withFileLink(shown, way === 'address' ? parts.file.link : file);
}

/** The driver of SMS numbers: each part of a message is a delivery, sent when the previous part was accepted. */
export function smsDriver(context: PluginContext, { texts: own }: Pick<Settings, 'texts'>, messageParts: MessageParts): ChannelDriver {
  const { messages, contacts, connections, choices, forms, media, clock, publicUrl } = context;
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
      const why = parts.form && (await forms.refusal(number, parts.form));
      if (why !== undefined) throw new MessageRefused(refusal(why));
      const way = await wayOf(parts.file, number, settings);
      if (way === 'gone') throw new MessageRefused(refusal(NO_FILE));
      // The links are made when the message is recorded; they begin with this.
      const shown = linked(parts, way, { form: publicUrl(), file: publicUrl() });
      const rendered = renderedSms(shown, settings, await chooseFor(tx, number, to, settings));
      if ('error' in rendered) throw new MessageRefused(rendered.error);
    },

    async deliver(tx, { turn, number, message, contact, conversation }) {
      const destination = await connections.destination(tx, number.uuid);
      const connection = await connections.of(number.uuid);
      if (!destination || !connection)
        return messages.undeliverable(tx, number, message.uuid, refusal('The number is not connected to an SMS gateway'));
      const settings = settingsOf(connection);
      const parts = turnParts(turn, message.rendered);
      const way = await wayOf(parts?.file, number, settings);
      if (way === 'gone') return messages.undeliverable(tx, number, message.uuid, refusal(NO_FILE));
      const form = parts?.form && (await forms.link(tx, message));
      const until = new Date(clock.now().getTime() + LINK_MS);
      const link = typeof way === 'object' ? await media.publish(tx, way.publish, { contact, until }) : undefined;
      const shown = parts && linked(parts, way, { form, file: link });
      const rendered = renderedSms(shown, settings, await chooseFor(tx, number, message.to, settings));
      if ('error' in rendered) return messages.undeliverable(tx, number, message.uuid, rendered.error);
      const { texts, isMms } = rendered;
      const options = parts!.sections.flatMap((one) => one.options);
      if (options.length > 0) choices.offer(tx, message, options);
      const file = isMms ? { id: parts!.file!.id, link: parts!.file!.link } : undefined;
      if (texts.length > 1)
        tx.in(partsRecords).put({ message: message.uuid, number: number.uuid, parts: texts.length, ids: {}, states: {} });
      const to = networkAddress(message.to) ?? message.to;
      const bodies = texts.map((one, i) => ({ to, ...one, ...(file && i === 0 && { file }) }));
      return messageParts.post(tx, destination, { message, conversation }, bodies);
    },
  };

  /** How a message has its file: as MMS, by its address elsewhere, or by a link to this file of the platform. */
  async function wayOf(file: TurnFile | undefined, { uuid }: NumberRecord, { mms: isMms }: SmsSettings): Promise<Way> {
    const id = file?.id ?? SIGNED.exec(file?.link ?? '')?.[1];
    if (id === undefined) return isMms ? 'mms' : 'address';
    const about = await media.about(id);
    if (about?.number !== uuid) return 'gone';
    return isMms && about.size <= MAX_MMS_BYTES ? 'mms' : { publish: id };
  }

  /** The line about options, in the language of the contact. */
  async function chooseFor(tx: Transaction, number: Parameters<typeof contacts.current>[1], to: string, { language }: SmsSettings) {
    const contact = await contacts.current(tx, number, to);
    return textsIn(own, [contact?.fields.language, language]).choose;
  }
}
