import { type ComponentChildren, cloneElement, Fragment, isValidElement, type VNode } from 'preact';

/** The messages of a page: each is a text, or a function that puts values into one. Elements are for texts with marked words or links. */
export type Messages = Readonly<Record<string, string | ((...values: never[]) => ComponentChildren)>>;

/** The same messages in another language: one that misses a message, or takes other values, does not compile. */
export type Translation<M extends Messages> = { readonly [Name in keyof M]: M[Name] extends string ? string : M[Name] };

/** A word between marks that write it from right to left. Ids and signs stay as they are. */
const mirroredWord = (word: string): string => `\u200f\u202e${word}\u202c\u200f`;

const mirroredText = (text: string): string =>
  text.includes('\u202e') ? text : text.replace(/\p{L}[\p{L}\p{M}\p{N}'’-]*/gu, mirroredWord);

/** Elements whose texts are the same in every language. */
const LITERAL: ReadonlySet<unknown> = new Set(['code', 'kbd', 'bdi']);

/** Components show values that were passed to a message, so only the elements of the message are mirrored. */
function mirrored(content: ComponentChildren): ComponentChildren {
  if (typeof content === 'string') return mirroredText(content);
  if (Array.isArray(content)) return content.map(mirrored);
  if (!isValidElement(content)) return content;
  const { type, props } = content as VNode<{ children?: ComponentChildren }>;
  if (LITERAL.has(type) || (type !== Fragment && typeof type !== 'string')) return content;
  return cloneElement(content, undefined, ...[props.children].flat().map(mirrored));
}

/** English in a script that is written from right to left, for tests: what stays from left to right is not in a catalogue. */
export const mirroredMessages = <M extends Messages>(english: M): M =>
  Object.fromEntries(
    Object.entries(english).map(([name, message]) => [
      name,
      typeof message === 'string' ? mirroredText(message) : (...values: never[]) => mirrored(message(...values)),
    ]),
  ) as unknown as M;
