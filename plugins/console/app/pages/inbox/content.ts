import type { ContactRecord, MessageRecord } from '#core';
import { texts } from './content-texts.js';

export interface Option {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
}

/** A file as content of a message, or in its header. */
export interface FilePart {
  readonly id?: string;
  readonly link?: string;
  readonly mime_type?: string;
  readonly filename?: string;
  readonly caption?: string;
}

type HeaderKind = 'image' | 'video' | 'document';

/** The parts of `content` of a message; it comes from contacts and connectors, so every part can be missing. */
export interface Content {
  readonly text?: { readonly body?: string };
  readonly button?: { readonly text?: string; readonly payload?: string | null };
  readonly location?: { readonly latitude?: number; readonly longitude?: number; readonly name?: string; readonly address?: string };
  readonly contacts?: readonly {
    readonly name?: { readonly formatted_name?: string };
    readonly phones?: readonly { readonly phone?: string }[];
  }[];
  readonly reaction?: { readonly message_id?: string; readonly emoji?: string };
  readonly system?: { readonly body?: string };
  readonly template?: { readonly name?: string };
  readonly interactive?: {
    readonly type?: string;
    readonly header?: { readonly type?: string; readonly text?: string } & { readonly [K in HeaderKind]?: FilePart };
    readonly body?: { readonly text?: string };
    readonly footer?: { readonly text?: string };
    readonly action?: {
      readonly button?: string;
      readonly buttons?: readonly { readonly reply: Option }[];
      readonly sections?: readonly { readonly title?: string; readonly rows: readonly Option[] }[];
      readonly parameters?: { readonly flow_id?: string; readonly flow_cta?: string };
    };
    readonly button_reply?: Option;
    readonly list_reply?: Option;
    readonly nfm_reply?: { readonly response_json?: string };
  };
}

export const fileKinds = ['image', 'sticker', 'audio', 'voice', 'video', 'document'] as const;
export type FileKind = (typeof fileKinds)[number];

export const isFileKind = (type: string): type is FileKind => fileKinds.some((kind) => kind === type);

export const contentOf = ({ content }: MessageRecord): Content => content as Content;

/** A message in one line, for lists, quotes and screen readers. */
export function summaryOf(message: MessageRecord): string {
  const { text, button, location, contacts, reaction, system, template, interactive } = contentOf(message);
  const { type, rendered } = message;
  const file = isFileKind(type) ? ((message.content as Record<string, FilePart | undefined>)[type] ?? {}) : undefined;
  if (file) return [capital(type), file.caption ?? file.filename].filter(Boolean).join(': ');
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  return (
    text?.body ??
    rendered ??
    reply?.title ??
    interactive?.body?.text ??
    button?.text ??
    system?.body ??
    (interactive?.nfm_reply && texts.formCompleted) ??
    (reaction && (reaction.emoji ? texts.reacted(reaction.emoji) : texts.removedAReaction)) ??
    (location && texts.location(location.name ? `: ${location.name}` : '')) ??
    (contacts && texts.contactCard(contacts[0]?.name?.formatted_name ?? '')) ??
    (template && texts.template(template.name ?? '')) ??
    texts.messageOfType(type)
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The id of a stored media file; undefined if the file is elsewhere. */
export function mediaIdOf({ id, link }: FilePart): string | undefined {
  if (link === undefined) return id;
  return /^media:(.+)$/.exec(link)?.[1] ?? /\/v1\/media\/([^/?]+)\/content(\?|$)/.exec(link)?.[1];
}

/** The id by which contacts, connectors and the network know a message. */
export const idOf = ({ external_id, uuid }: MessageRecord): string => external_id ?? uuid;

/** The buttons or rows that a message offers. */
export function optionsOf(message: MessageRecord): readonly Option[] {
  const { buttons = [], sections = [] } = contentOf(message).interactive?.action ?? {};
  return [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows)];
}

/** Whether the contact has the message: the network or connector has accepted it. */
export const isAccepted = ({ direction, external_id, status }: MessageRecord): boolean =>
  direction === 'inbound' || (external_id !== undefined && status !== 'failed');

/** The name of a contact: the one set by operators, that of its profile, or else its id. */
export function nameOf({ id, fields }: Pick<ContactRecord, 'id' | 'fields'>): string {
  const profile = Object.keys(fields).find((key) => key.endsWith('_profile_name'));
  const names = [fields.name, profile === undefined ? undefined : fields[profile], id];
  return names.find((one): one is string => typeof one === 'string' && one !== '')!;
}
