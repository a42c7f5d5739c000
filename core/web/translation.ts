/** The messages of a page: each is a text, or a function that puts values into one. Elements are for texts with marked words or links. */
export type Messages = Readonly<Record<string, string | ((...values: never[]) => unknown)>>;

/** The same messages in another language: one that misses a message, or takes other values, does not compile. */
export type Translation<M extends Messages> = { readonly [Name in keyof M]: M[Name] extends string ? string : M[Name] };

/** An element of Preact. Its types would bring those of browsers to the code of servers, whose tests import messages. */
interface Element {
  readonly type: unknown;
  readonly props: { readonly children?: unknown };
}

const isElement = (content: unknown): content is Element => typeof content === 'object' && content !== null && 'props' in content;

/** A word between marks that write it from right to left. Ids and signs stay as they are. */
const mirroredWord = (word: string): string => `\u200f\u202e${word}\u202c\u200f`;

/** A text that is a value of another message has its marks already. */
const mirroredText = (text: string): string =>
  text.includes('\u202e') ? text : text.replace(/\p{L}[\p{L}\p{M}\p{N}'’-]*/gu, mirroredWord);

/** Elements whose texts are the same in every language. */
const LITERAL: ReadonlySet<unknown> = new Set(['code', 'kbd', 'bdi']);

function mirrored(content: unknown): unknown {
  if (typeof content === 'string') return mirroredText(content);
  if (Array.isArray(content)) return content.map(mirrored);
  if (!isElement(content) || LITERAL.has(content.type)) return content;
  return { ...content, props: { ...content.props, children: mirrored(content.props.children) } };
}

/** English in a script that is written from right to left, for tests: what stays from left to right is not in a catalogue. */
export const mirroredMessages = <M extends Messages>(english: M): M =>
  Object.fromEntries(
    Object.entries(english).map(([name, message]) => [
      name,
      typeof message === 'string' ? mirroredText(message) : (...values: never[]) => mirrored(message(...values)),
    ]),
  ) as unknown as M;
