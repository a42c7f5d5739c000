import type { ContactRecord, MessageRecord, NumberRecord } from '#core';
import type { Action } from '../../components/copy.js';
import type { NamedAction } from '../../components/copy-sheet.js';
import { flag, inShell } from '../../components/shell-words.js';
import { admin, upload } from '../../data/admin.js';
import { refusalOf } from '../../data/operator.js';
import type { FileKind, Option } from './content.js';
import { contentOf, idOf, nameOf, optionsOf } from './content.js';
import { platformNow } from './platform-clock.js';
import { texts } from './texts.js';

/** A message that a contact writes on a phone of the console. */
export type Draft =
  | { readonly kind: 'text'; readonly body: string }
  | { readonly kind: FileKind; readonly file: Uploaded; readonly filename: string; readonly caption: string }
  | { readonly kind: 'tap'; readonly option: Option; readonly question: MessageRecord }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly name: string }
  | { readonly kind: 'contacts'; readonly name: string; readonly phone: string }
  | { readonly kind: 'reaction'; readonly target: MessageRecord; readonly emoji: string };

export interface Uploaded {
  readonly media: { readonly id: string; readonly mime_type: string; readonly sha256: string };
  readonly link: string;
}

export interface Sender {
  readonly id: string;
  readonly address: string;
  readonly name: string;
  /** Numbers of the network know the profile names of earlier contacts. */
  readonly isNew?: boolean;
}

export const senderOf = (contact: ContactRecord): Sender => ({ id: contact.id, address: contact.address, name: nameOf(contact) });

/** A call that posts a message of a contact, and for channels the call that the connector makes. */
export interface Posting {
  /** Below `/admin/v1`. */
  readonly path: string;
  /** The path that a connector calls with a token of the channel. */
  readonly connectorPath?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The `posthorn send` that writes the same message, if there is one: forms and records of files have none. */
  readonly command?: string;
}

export const actionOf = ({ path, payload, command }: Posting): Action => ({
  method: 'POST',
  path,
  payload,
  ...(command !== undefined && { command }),
});

export const isChannel = ({ type }: Pick<NumberRecord, 'type'>): boolean => type === 'channel_http_api';
/** Whether the console can write to a number as a contact: others belong to services outside of this sandbox. */
export const isPlayable = ({ type }: Pick<NumberRecord, 'type'>): boolean =>
  type === 'network' || type === 'sandbox' || type === 'channel_http_api';

/** The kinds of messages that channels receive (Channel API); numbers of the network receive all. */
export const channelTakes = (kind: Draft['kind']): boolean => !['voice', 'location', 'contacts', 'reaction'].includes(kind);

const pathOf = (number: NumberRecord): string =>
  isChannel(number) ? `/channels/${number.uuid}/messages` : `/network/numbers/${number.uuid}/messages`;

/** Why the console cannot write as a contact to a number; undefined if it can. */
export const whyNotWritten = (number: NumberRecord): string | undefined =>
  isPlayable(number) ? refusalOf({ method: 'POST', path: pathOf(number) }) : texts.contactsOfThisNumberWrite(number.type);

/** The call for a message. Each has a new id, as each message on a phone has. */
export function postingOf(number: NumberRecord, sender: Sender, draft: Draft, quoted?: MessageRecord): Posting {
  const answers = draft.kind === 'tap' ? draft.question : quoted;
  const command = commandOf(number, sender, draft, quoted);
  const context = answers && { context: { id: idOf(answers) } };
  if (!isChannel(number)) {
    const payload = { from: sender.address, ...(sender.isNew && { name: sender.name }), ...context, ...partOf(draft, false) };
    return { path: pathOf(number), payload, ...command };
  }
  const message = {
    from: sender.address,
    id: newId(),
    timestamp: String(Math.floor(platformNow() / 1_000)),
    ...context,
    ...partOf(draft, true),
  };
  return {
    path: pathOf(number),
    connectorPath: `/v1/numbers/${number.uuid}/messages`,
    payload: { contact: { id: sender.id, profile: { name: sender.name } }, message },
    ...command,
  };
}

/** The command that sends a draft. */
function commandOf(number: NumberRecord, sender: Sender, draft: Draft, quoted: MessageRecord | undefined): { command?: string } {
  const answers = draft.kind === 'tap' ? draft.question : draft.kind === 'reaction' ? draft.target : quoted;
  return sendCommand(number, sender, flagsOf(draft), answers && idOf(answers));
}

/** The `posthorn send` with the flags of a message; without flags there is none. */
export function sendCommand(
  { address }: NumberRecord,
  sender: Sender,
  flags: readonly string[] | undefined,
  quoted: string | undefined,
): { command?: string } {
  if (!flags) return {};
  const about = [...flag('from', sender.address), ...flag('name', sender.name), ...flag('number', address)];
  const words = [...about, ...(quoted === undefined ? [] : flag('quote', quoted)), ...flags];
  return { command: `posthorn send ${words.map(inShell).join(' ')}` };
}

export const textFlags = (text: string): readonly string[] => (text === '' ? [] : text.startsWith('-') ? ['--', text] : [text]);

function flagsOf(draft: Draft): readonly string[] | undefined {
  if (draft.kind === 'text') return textFlags(draft.body);
  if (draft.kind === 'location') return [`--location=${draft.latitude},${draft.longitude}`, ...textFlags(draft.name)];
  if (draft.kind === 'contacts') return flag('contact', `${draft.name},${draft.phone}`);
  if (draft.kind === 'reaction') return flag('reaction', draft.emoji === '' ? 'none' : draft.emoji);
  if (draft.kind !== 'tap') return [...flag(draft.kind, draft.filename), ...textFlags(draft.caption)];
  const { option, question } = draft;
  // The command names an option by its title.
  const namesakes = optionsOf(question).filter(({ title }) => title === option.title);
  return namesakes.length === 1 ? flag(contentOf(question).interactive?.type === 'list' ? 'list' : 'button', option.title) : undefined;
}

function partOf(draft: Draft, isForChannel: boolean): Record<string, unknown> {
  if (draft.kind === 'text') return { type: 'text', text: { body: draft.body } };
  if (draft.kind === 'tap') {
    const type = contentOf(draft.question).interactive?.type === 'list' ? 'list_reply' : 'button_reply';
    const { id, title, description } = draft.option;
    return {
      type: 'interactive',
      interactive: { type, [type]: { id, title, ...(type === 'list_reply' && description && { description }) } },
    };
  }
  if (draft.kind === 'location') {
    const { latitude, longitude, name } = draft;
    return { type: 'location', location: { latitude, longitude, ...(name !== '' && { name }) } };
  }
  if (draft.kind === 'contacts')
    return { type: 'contacts', contacts: [{ name: { formatted_name: draft.name }, phones: [{ phone: draft.phone, type: 'CELL' }] }] };
  if (draft.kind === 'reaction')
    return { type: 'reaction', reaction: { message_id: idOf(draft.target), ...(draft.emoji !== '' && { emoji: draft.emoji }) } };
  const { kind, file, filename, caption } = draft;
  const { id, mime_type, sha256 } = file.media;
  const more = caption !== '' && { caption };
  const part = isForChannel
    ? { id, mime_type, link: file.link, sha256, filename, ...(kind !== 'audio' && more) }
    : { id, ...more, ...(kind === 'document' && { filename }) };
  return { type: kind, [kind]: part };
}

/** Payloads that this browser has posted, by the id of their message: their bubbles show the exact bytes. */
const posted = new Map<string, Posting>();
export const postedFor = ({ uuid }: MessageRecord): Posting | undefined => posted.get(uuid);
const MAX_POSTED = 1_000;

/** Posts a message of a contact. @returns the message, found by its id @throws CallFailed */
export async function post(posting: Posting): Promise<MessageRecord> {
  const answer = await admin<{ message?: MessageRecord }>('POST', posting.path, posting.payload);
  const id = (posting.payload.message as { id?: string } | undefined)?.id;
  const { message } = answer.message
    ? { message: answer.message }
    : await admin<{ message: MessageRecord }>('GET', `/messages/${encodeURIComponent(id!)}`);
  posted.set(message!.uuid, posting);
  if (posted.size > MAX_POSTED) posted.delete(posted.keys().next().value!);
  return message!;
}

/** A file of the reader's machine, before it is uploaded: its call has names in place of what the upload returns. */
export const notUploaded = ({ type }: File): Uploaded => ({
  media: { id: 'MEDIA_ID', mime_type: type, sha256: 'SHA256' },
  link: 'LINK',
});

/** The two calls that send a file: the second needs values of the response to the first. */
export const fileActions = (number: NumberRecord, file: File, send: Action): readonly NamedAction[] => [
  { label: texts.upload, action: { method: 'POST', path: `/numbers/${number.uuid}/media`, file } },
  { label: texts.sendWithTheIdOf, action: send },
];

/** Uploads a file for a number. @throws CallFailed */
export const uploadFile = (number: NumberRecord, file: File): Promise<Uploaded> => upload<Uploaded>(`/numbers/${number.uuid}/media`, file);

/** The kind of message for a file, by its type. */
export function kindOf({ type }: File): FileKind {
  if (type === 'image/webp') return 'sticker';
  const [family] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** Unlike `crypto.randomUUID`, available on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
