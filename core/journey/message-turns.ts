import type { Turn } from '../messaging/turn.js';
import { beginningOf } from './cut.js';
import { JOURNEY_LIMITS } from './limits.js';
import type { Rendered } from './resources.js';

/** A text as it was typed over several paragraphs, in pieces that a message can hold; cut at paragraphs, lines or words. */
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

/** Nothing at all for an empty text. */
export const textTurns = (text: string): readonly Turn[] =>
  splitText(text.trim()).flatMap((body) => (body === '' ? [] : { type: 'text', text: { body } }));

/** A message of any kind: media first, the text as the caption of the medium before it where that can have one. */
export function messageTurns(parts: readonly Rendered[], header = '', footer = ''): readonly Turn[] {
  const media = parts.filter(({ kind }) => kind !== 'text');
  const text = [header, ...parts.filter(({ kind }) => kind === 'text').map((part) => part.text), footer]
    .filter((line) => line !== '')
    .join('\n');
  const last = media.at(-1);
  const captioned = last !== undefined && last.kind !== 'audio' && text !== '' && text.length <= CAPTION_LIMIT;
  const turns = media.map((part) => mediaTurn(part, captioned && part === last ? text : undefined));
  return captioned || (text === '' && turns.length > 0) ? turns : [...turns, ...textTurns(text)];
}

const CAPTION_LIMIT = 1024;

function mediaTurn({ kind, text: link, mimeType }: Rendered, caption: string | undefined): Turn {
  const mime_type = guessedType(kind, link, mimeType);
  const file = { link, mime_type, ...(caption !== undefined && { caption }) };
  if (kind === 'image') return { type: 'image', image: file };
  if (kind === 'video') return { type: 'video', video: file };
  if (kind === 'audio') return { type: 'audio', audio: { link, mime_type } };
  return { type: 'document', document: { ...file, filename: link.split(/[?#]/)[0]?.split('/').at(-1) || 'document' } };
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  '3gp': 'video/3gpp',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  pdf: 'application/pdf',
};

const USUAL_TYPES = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/ogg',
  document: 'application/pdf',
  text: 'text/plain',
} as const;

export const mediaKinds = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof mediaKinds)[number];

/** The type of a medium: as it is said, else as its link ends, else what is usual for its kind. */
export function guessedType(kind: Rendered['kind'], link: string, said?: string): string {
  if (said && said !== 'application/octet-stream' && !said.startsWith('text/')) return said;
  const ending = link.split(/[?#]/)[0]?.split('.').at(-1)?.toLowerCase() ?? '';
  const type = Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
  return type?.startsWith(`${USUAL_TYPES[kind].split('/')[0]}/`) ? type : USUAL_TYPES[kind];
}

/** The header of an interactive message: a medium of its prompt, or a text. */
export function headerOf(text: string, media: Rendered | undefined): Header | undefined {
  if (media && (media.kind === 'image' || media.kind === 'video' || media.kind === 'document')) {
    return { type: media.kind, [media.kind]: { link: media.text } };
  }
  return text === '' ? undefined : { type: 'text', text };
}

type Header = { type: 'text' | 'image' | 'video' | 'document'; [key: string]: unknown };
