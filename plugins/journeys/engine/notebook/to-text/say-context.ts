import type { Json } from '#core/basics';
import { type Block, type Flow, listAt, objectAt, textAt } from '../../compile.js';
import type { ContainerValue } from '../../floip.js';
import { RESERVED_NAMES } from '../../limits.js';
import { reservedWords } from '../tokens.js';
import type { Cards } from './cards.js';
import { canonical, readable, textLiteral } from './literals.js';

/** Context for writing a block. */
export interface Context {
  readonly flow: Flow;
  readonly cards: Cards;
  readonly language: string;
  /** Prefix of default block names in the card. */
  readonly base: string;
}

/** Writes a block as items; undefined when no item can express it. */
export type Say = (block: Block, context: Context) => readonly string[] | undefined;

const NAME = /^[A-Za-z_]\w*$/;
/** Longer calls get one line per argument. */
const WIDTH = 100;

export const isName = (name: string): boolean => NAME.test(name) && !reservedWords.has(name);

/** Assigns an item to the block's name, unless that is the default. */
export function assigned({ name }: Block, usual: string, item: string): string {
  return name === usual || !isName(name) || RESERVED_NAMES.has(name) ? item : `${name} = ${item}`;
}

/** A call, on several lines if it is long. */
export function call(word: string, args: readonly string[]): string {
  const line = `${word}(${args.join(', ')})`;
  const isLong = line.split('\n', 1)[0]!.length > WIDTH || args.slice(0, -1).some((arg) => arg.includes('\n'));
  return isLong && args.length > 0 ? `${word}(\n${args.join(',\n')}\n)` : line;
}

export const body = (lines: readonly string[]): string => ` do\n${lines.join('\n')}\nend`;

/** An expression in notebook syntax; undefined when a notebook cannot express it. */
export function expression(source: Json | undefined): string | undefined {
  const text =
    typeof source === 'string' ? canonical(source) : typeof source === 'number' || typeof source === 'boolean' ? String(source) : undefined;
  return text === undefined ? undefined : readable(text);
}

export const template = (source: Json | undefined): string =>
  textLiteral(typeof source === 'string' ? source : JSON.stringify(source ?? ''));

/** Values of a resource in the language of the notebook, or in the first one it has. */
export function valuesOf({ flow, language }: Context, uuid: Json | undefined): readonly ContainerValue[] {
  const values = (typeof uuid === 'string' ? flow.resources.get(uuid)?.values : undefined) ?? [];
  const own = values.filter(({ language_id }) => language_id === language);
  return own.length > 0 ? own : values.filter(({ language_id }) => language_id === values[0]?.language_id);
}

export const firstText = (context: Context, uuid: Json | undefined): string | undefined => valuesOf(context, uuid)[0]?.value;

const kinds: Readonly<Record<string, string>> = { IMAGE: 'image', VIDEO: 'video', AUDIO: 'audio' };

export const wordFor = ({ content_type, mime_type }: ContainerValue): string =>
  kinds[content_type] ?? (mime_type?.startsWith('application/') ? 'document' : 'text');

/** Body lines: header, media, texts, footer. */
export function contents(context: Context, values: readonly ContainerValue[], config: Block['config']): string[] {
  const around = ['header', 'footer'].flatMap((key) => {
    const text = firstText(context, config[key]);
    return text === undefined ? [] : [[key, call(key, [textLiteral(text)])] as const];
  });
  const lines = new Map(around);
  return [
    ...(lines.has('header') ? [lines.get('header')!] : []),
    ...values.map((value) => call(wordFor(value), [textLiteral(value.value)])),
    ...(lines.has('footer') ? [lines.get('footer')!] : []),
  ];
}

/** `card_item.type` of a block. */
export const itemType = ({ hints }: Block): string => textAt(objectAt(hints.notebook, 'card_item'), 'type');

export const pairs = (config: Block['config'], key: string): string | undefined => {
  const list = listAt(config, key).filter((pair) => Array.isArray(pair));
  return list.length === 0
    ? undefined
    : `[${list.map(([name, value]) => `[${template(name as Json)}, ${template(value as Json)}]`).join(', ')}]`;
};
