import { existsSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { UsageError } from '../terminal/flags.js';
import { readJsonFile } from '../terminal/json-file.js';

/** A message that the command line sends as a contact, before `phone.ts` makes it the body of a call to the network or to a connector. */
export type PhoneMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: FileKind; readonly file: File; readonly caption: string }
  | { readonly kind: 'button' | 'list'; readonly title: string }
  | { readonly kind: 'location'; readonly latitude: number; readonly longitude: number }
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

const others = ['button', 'list', 'location', 'contact', 'reaction', 'flow'] as const;

/** The flags that say what is sent. */
export type Chosen = { readonly [K in FileKind | (typeof others)[number]]?: string };

/** @throws UsageError when it says nothing, too much, or what cannot be read */
export function phoneMessageOf(chosen: Chosen, words: string): PhoneMessage {
  const given = [...fileKinds, ...others].flatMap((kind) => (chosen[kind] === undefined ? [] : [[kind, chosen[kind]] as const]));
  const [first, second] = given;
  if (first && second) throw new UsageError(`--${first[0]} and --${second[0]} are two messages; send one after the other`);
  if (!first) {
    if (words.trim() === '') throw new UsageError('what shall be sent? For example: npx posthorn send "hi"');
    return { kind: 'text', text: words };
  }
  const [kind, value] = first;
  if (isFileKind(kind)) return { kind, file: fileAt(kind, value), caption: words };
  if (words.trim() !== '') throw new UsageError(`--${kind} goes without a text`);
  if (kind === 'button' || kind === 'list') return { kind, title: value };
  if (kind === 'location') return locationIn(value);
  if (kind === 'contact') return contactIn(value);
  if (kind === 'reaction') return { kind, emoji: value === 'none' ? '' : value };
  return { kind: 'flow', response: responseIn(value) };
}

const isFileKind = (kind: string): kind is FileKind => fileKinds.some((one) => one === kind);

/** A short text for the message, for what is printed. */
export function wordsOf(message: PhoneMessage): string {
  if (message.kind === 'text') return message.text;
  if ('title' in message) return message.title;
  if ('file' in message) return `[${message.kind} ${message.file.name}]${message.caption ? ` ${message.caption}` : ''}`;
  if (message.kind === 'reaction') return message.emoji || '[reaction taken back]';
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

/** Kinds whose files have to be of a type of their own. */
const PREFIX: Readonly<Partial<Record<FileKind, string>>> = {
  image: 'image/',
  audio: 'audio/',
  voice: 'audio/',
  video: 'video/',
  sticker: 'image/webp',
};

function fileAt(kind: FileKind, path: string): File {
  if (!existsSync(path)) throw new UsageError(`--${kind}: there is no file ${path}`);
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  const prefix = PREFIX[kind];
  if (prefix && !type.startsWith(prefix)) {
    const fitting = Object.keys(TYPES).filter((ending) => TYPES[ending]!.startsWith(prefix));
    throw new UsageError(`--${kind} takes a file that ends with ${fitting.join(', ')}, not ${basename(path)}`);
  }
  return { name: basename(path), type, bytes: readFileSync(path) };
}

function locationIn(value: string): PhoneMessage {
  const [latitude = Number.NaN, longitude = Number.NaN, ...rest] = value
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isThere = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && rest.length === 0;
  if (!isThere) throw new UsageError(`--location takes LATITUDE,LONGITUDE in degrees, such as -33.92,18.42, not '${value}'`);
  return { kind: 'location', latitude, longitude };
}

function contactIn(value: string): PhoneMessage {
  const [name = '', phone = '', ...rest] = value.split(',').map((part) => part.trim());
  if (name === '' || phone === '' || rest.length > 0) throw new UsageError(`--contact takes NAME,PHONE, not '${value}'`);
  return { kind: 'contact', name, phone };
}

function responseIn(path: string): object {
  if (!existsSync(path)) throw new UsageError(`--flow: there is no file ${path}`);
  try {
    const response: unknown = readJsonFile(path);
    if (typeof response === 'object' && response !== null && !Array.isArray(response)) return response;
  } catch {
    // Not JSON: said below, in the same words.
  }
  throw new UsageError(`--flow takes a JSON file with an object: what the form is completed with`);
}
