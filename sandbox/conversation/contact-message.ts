import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';

/** A message that `posthorn send` sends as a contact. `phone.ts` turns it into a request to the network or to the example connector. */
export type ContactMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: FileKind; readonly file: File; readonly caption: string }
  | { readonly kind: 'button' | 'list'; readonly title: string }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number; readonly name: string }
  | { readonly kind: 'contact'; readonly name: string; readonly phone: string }
  | { readonly kind: 'reaction'; readonly emoji: string }
  | { readonly kind: 'flow'; readonly response: object };

const fileKinds = ['image', 'document', 'audio', 'voice', 'video', 'sticker'] as const;
export type FileKind = (typeof fileKinds)[number];

export interface File {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const otherKinds = ['button', 'list', 'location', 'contact', 'reaction', 'flow'] as const;

export type MessageFlags = { readonly [K in FileKind | (typeof otherKinds)[number]]?: string };

/** Reads the message from flags and the text. @throws UsageError for no message, several messages, or an unreadable file */
export function contactMessageOf(values: MessageFlags, text: string): ContactMessage {
  const parts = [...fileKinds, ...otherKinds].flatMap((kind) => (values[kind] === undefined ? [] : [[kind, values[kind]] as const]));
  const [first, second] = parts;
  if (first && second) throw new UsageError(`--${first[0]} and --${second[0]} are two messages; send them one by one`);
  if (!first) {
    if (text.trim() === '') throw new UsageError('send needs a text or a flag, for example: npx posthorn send "hi"');
    return { kind: 'text', text };
  }
  const [kind, value] = first;
  if (isFileKind(kind)) return { kind, file: fileAt(kind, value), caption: text };
  if (kind === 'location') return locationIn(value, text);
  if (text.trim() !== '') throw new UsageError(`--${kind} does not take a text`);
  if (kind === 'button' || kind === 'list') return { kind, title: value };
  if (kind === 'contact') return contactIn(value);
  if (kind === 'reaction') return { kind, emoji: value === 'none' ? '' : value };
  return { kind: 'flow', response: responseIn(value) };
}

const isFileKind = (kind: string): kind is FileKind => fileKinds.some((one) => one === kind);

export function summaryOf(message: ContactMessage): string {
  if (message.kind === 'text') return message.text;
  if ('title' in message) return message.title;
  if ('file' in message) return `[${message.kind} ${message.file.name}]${message.caption ? ` ${message.caption}` : ''}`;
  if (message.kind === 'reaction') return message.emoji || '[reaction removed]';
  return `[${message.kind}]`;
}

const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/opus',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.amr': 'audio/amr',
  '.mp4': 'video/mp4',
  '.3gp': 'video/3gpp',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
};

/** The required prefix of a file's media type. */
const PREFIX: Readonly<Partial<Record<FileKind, string>>> = {
  image: 'image/',
  audio: 'audio/',
  voice: 'audio/',
  video: 'video/',
  sticker: 'image/webp',
};

function fileAt(kind: FileKind, path: string): File {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`--${kind}: file ${path} not found`);
  if (!found.isFile()) throw new UsageError(`--${kind}: ${path} is not a file`);
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const prefix = PREFIX[kind];
  if (prefix && !type.startsWith(prefix)) {
    const extensions = Object.keys(TYPES).filter((ending) => TYPES[ending]!.startsWith(prefix));
    throw new UsageError(`--${kind} takes a file with the extension ${extensions.join(', ')}, not ${basename(path)}`);
  }
  return { name: basename(path), type, bytes: readFileSync(path) };
}

function locationIn(value: string, name: string): ContactMessage {
  const [latitude = Number.NaN, longitude = Number.NaN, ...rest] = value
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && rest.length === 0;
  if (!isValid) throw new UsageError(`--location takes LATITUDE,LONGITUDE in degrees, such as -33.92,18.42, not '${value}'`);
  return { kind: 'location', latitude, longitude, name };
}

function contactIn(value: string): ContactMessage {
  const [, name = '', phone = ''] = /^(.*),([^,]*)$/s.exec(value)?.map((part) => part.trim()) ?? [];
  if (name === '' || phone === '') throw new UsageError(`--contact takes NAME,PHONE, not '${value}'`);
  return { kind: 'contact', name, phone };
}

function responseIn(path: string): object {
  if (!existsSync(path)) throw new UsageError(`--flow: file ${path} not found`);
  try {
    const response: unknown = readJsonFile(path);
    if (typeof response === 'object' && response !== null && !Array.isArray(response)) return response;
  } catch {
    // Not JSON: the error below covers it.
  }
  throw new UsageError('--flow takes a JSON file with an object: the answers of the form');
}
