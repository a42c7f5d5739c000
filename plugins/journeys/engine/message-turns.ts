import { beginningOf, fileNameOf, fileTypeOf, NETWORK_LIMITS, type Turn } from '#core/basics';
import { JOURNEY_LIMITS } from './limits.js';
import type { Rendered } from './resources.js';

/** Splits a text into pieces of at most `limit` characters, preferably between paragraphs, then lines, then words. */
export function splitText(text: string, limit: number = JOURNEY_LIMITS.message): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const gap = ['\n\n', '\n', ' '].map((mark) => rest.lastIndexOf(mark, limit)).find((at) => at > limit / 2);
    const piece = beginningOf(rest, gap ?? limit);
    pieces.push(piece.trimEnd());
    rest = rest.slice(piece.length).trimStart();
  }
  return rest === '' && pieces.length > 0 ? pieces : [...pieces, rest];
}

/** Text messages for a text of any length; none for an empty text. */
export const textTurns = (text: string): readonly Turn[] =>
  splitText(text.trim()).flatMap((body) => (body === '' ? [] : { type: 'text', text: { body } }));

const isMedium = (part: Rendered): part is Rendered & { readonly kind: MediaKind } => part.kind !== 'text';

/** The messages for the parts of a resource: media files first. The text becomes the caption of the last file if that kind of file can have one. */
export function messageTurns(parts: readonly Rendered[], header = '', footer = ''): readonly Turn[] {
  const media = parts.filter(isMedium);
  const text = [header, ...parts.filter(({ kind }) => kind === 'text').map((part) => part.text), footer]
    .filter((line) => line !== '')
    .join('\n');
  const last = media.at(-1);
  const captioned = last !== undefined && last.kind !== 'audio' && text !== '' && text.length <= NETWORK_LIMITS.caption;
  const turns = media.map((part) => mediaTurn(part, captioned && part === last ? text : undefined));
  return captioned || (text === '' && turns.length > 0) ? turns : [...turns, ...textTurns(text)];
}

function mediaTurn({ kind, text: link, mimeType }: Rendered & { readonly kind: MediaKind }, caption: string | undefined): Turn {
  const mime_type = mimeTypeOf(kind, link, { declared: mimeType });
  const file = { link, mime_type, ...(caption !== undefined && { caption }) };
  if (kind === 'image') return { type: 'image', image: file };
  if (kind === 'video') return { type: 'video', video: file };
  if (kind === 'audio') return { type: 'audio', audio: { link, mime_type } };
  return { type: 'document', document: { ...file, filename: fileNameOf(link) ?? 'document' } };
}

export const mediaKinds = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The MIME type of a media file: declared, or guessed from the extension of its link or name, or the default of its kind. */
export function mimeTypeOf(
  kind: MediaKind,
  link: string,
  { declared, name }: { declared?: string | undefined; name?: string } = {},
): string {
  return declared && declared !== 'application/octet-stream' && !declared.startsWith('text/') ? declared : fileTypeOf(kind, link, name);
}

/** The header of an interactive message: the media file of its prompt, or the text; undefined if the prompt has neither. */
export function headerOf(text: string, media: Rendered | undefined): Header | undefined {
  if (media && (media.kind === 'image' || media.kind === 'video' || media.kind === 'document')) {
    return { type: media.kind, [media.kind]: { link: media.text } };
  }
  return text === '' ? undefined : { type: 'text', text };
}

type Header = { type: 'text' | 'image' | 'video' | 'document'; [key: string]: unknown };
