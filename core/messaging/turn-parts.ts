import { joinedTexts, plainText, type RichText, richText, strongText } from '../turns/rich-text.js';
import { type Sendable, turnType } from '../turns/turn.js';
import type { Inlined } from './inlined.js';
import { MEDIA_SCHEME } from './medium.js';

/** The file of a message. */
export type TurnFile = Inlined<{
  readonly kind: string;
  /** The id of the platform's file; missing for one that is elsewhere. */
  readonly id?: string | undefined;
  readonly link: string;
  readonly mime_type?: string | undefined;
  readonly filename?: string | undefined;
}>;

/** Something that a contact can choose: a button or a row of a list. `kind` is that of the reply. */
export type TurnOption = Inlined<{
  readonly kind: 'button_reply' | 'list_reply';
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
}>;

/** A message to a contact, taken apart for a channel that has other forms of messages. */
export interface TurnParts {
  readonly header: RichText;
  /** The text, the caption of a file, or the text of a template with its parameters. */
  readonly body: RichText;
  readonly footer: RichText;
  readonly file?: TurnFile | undefined;
  /** The options, in sections as the list has them; buttons are one section without a title. */
  readonly sections: readonly { readonly title: string; readonly options: readonly TurnOption[] }[];
  /** The parameters of the form that it opens. */
  readonly form?: Readonly<Record<string, unknown>> | undefined;
}

interface FilePart {
  readonly id?: string;
  readonly link: string;
  readonly mime_type?: string;
  readonly caption?: string;
  readonly filename?: string;
}
interface Interactive {
  readonly type: string;
  readonly body: { readonly text: string };
  readonly header?: { readonly type: string; readonly text?: string; readonly [kind: string]: unknown };
  readonly footer?: { readonly text: string };
  readonly action: {
    readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[];
    readonly sections?: readonly { readonly title?: string; readonly rows: readonly Omit<TurnOption, 'kind'>[] }[];
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
}

const NONE = plainText('');

/**
 * Takes a message apart: any shape of the `turn` object (Resources, "Shapes of the turn object").
 * @param rendered the text of a template with its parameters filled in
 * @returns undefined for a template without such a text
 */
export function turnParts(turn: Sendable, rendered?: string): TurnParts | undefined {
  const type = turnType(turn);
  const part = (turn as unknown as Readonly<Record<string, unknown>>)[type];
  const parts = { header: NONE, body: NONE, footer: NONE, sections: [] };
  if (type === 'text') return { ...parts, body: richText((part as { body: string }).body) };
  if (type === 'template') return rendered === undefined ? undefined : { ...parts, body: plainText(rendered) };
  if (type !== 'interactive') return { ...parts, body: richText((part as FilePart).caption ?? ''), file: fileOf(type, part as FilePart) };
  const { header, body, footer, action, type: shape } = part as Interactive;
  const isFile = header !== undefined && header.type !== 'text';
  return {
    header: isFile ? NONE : strongText(header?.text ?? ''),
    body: richText(body.text),
    footer: plainText(footer?.text ?? ''),
    file: isFile ? fileOf(header.type, header[header.type] as FilePart) : undefined,
    sections: sectionsOf(action),
    form: shape === 'flow' ? action.parameters : undefined,
  };
}

function sectionsOf({ buttons, sections = [] }: Interactive['action']): TurnParts['sections'] {
  if (buttons) return [{ title: '', options: buttons.map(({ reply: { id, title } }) => ({ kind: 'button_reply', id, title })) }];
  return sections.map(({ title = '', rows }) => ({
    title,
    options: rows.map(({ id, title, description }) => ({ kind: 'list_reply', id, title, ...(description ? { description } : {}) })),
  }));
}

function fileOf(kind: string, { id, link, mime_type, filename }: FilePart): TurnFile {
  const own = id ?? (link.startsWith(MEDIA_SCHEME) ? link.slice(MEDIA_SCHEME.length) : undefined);
  return { kind, id: own, link, mime_type, filename };
}

/** A message with a form for a channel that has none: the label of its button and a link to the form follow the body. */
export function withFormLink({ form, body, ...parts }: TurnParts, link: string): TurnParts {
  const label = typeof form?.flow_cta === 'string' && form.flow_cta !== '' ? `${form.flow_cta}: ` : '';
  return { ...parts, body: joinedTexts([body, plainText(`${label}${link}`)]) };
}

/** A message with a file for a channel that cannot send it: a link to the file follows the body. */
export function withFileLink({ file: _, body, ...parts }: TurnParts, link: string): TurnParts {
  return { ...parts, body: joinedTexts([body, plainText(link)]) };
}

/**
 * The whole text of a message for a channel whose buttons have titles only: header, body, what the rows of a list say besides their titles, and
 * footer.
 */
export function textBesideButtons({ header, body, sections, footer }: TurnParts): RichText {
  const isSaidByButtons = sections.every(({ title, options }) => title === '' && options.every(({ description }) => !description));
  const described = sections.map(({ title, options }) =>
    joinedTexts(
      [strongText(title), ...options.map((one) => plainText(one.description ? `${one.title}: ${one.description}` : one.title))],
      '\n',
    ),
  );
  return joinedTexts([header, body, ...(isSaidByButtons ? [] : described), footer]);
}

/**
 * The options of a message as numbered lines, in the order of `choices.byText`, then the line that tells the contact to reply with a number. Empty
 * if there are none.
 * @param dot what follows each number
 */
export function numberedOptions({ sections }: TurnParts, choose: string, dot = ''): RichText {
  let n = 0;
  const options = sections.flatMap(({ title, options }) => [
    ...(title === '' ? [] : [title]),
    ...options.map((one) => `${++n}${dot} ${one.title}${one.description ? ` - ${one.description}` : ''}`),
  ]);
  return plainText(n > 0 ? [...options, choose].join('\n') : '');
}

/** The line that tells a contact to reply with a number, by language. */
export const chooseLines: Readonly<Record<string, string>> = {
  en: 'Reply with the number.',
  de: 'Antworten Sie mit der Zahl.',
  fr: 'Répondez avec le numéro.',
  es: 'Responda con el número.',
  pt: 'Responda com o número.',
};

/** The text in the first of these languages that has it, such as `de-AT`; else in English. */
export function inLanguage<T>(texts: Readonly<Record<string, T>>, languages: readonly unknown[]): T {
  const names = languages.map((one) => String(one ?? '').toLowerCase()).flatMap((one) => [one, one.split(/[-_]/)[0]!]);
  return texts[[...names, 'en'].find((name) => Object.hasOwn(texts, name))!]!;
}

/** A text without formats, whose links have their addresses behind the words. */
export function writtenText({ text, marks }: RichText): string {
  const links = marks.filter(({ type, url }) => type === 'link' && url !== undefined).sort((a, b) => b.offset - a.offset);
  return links.reduce((shown, { offset, length, url }) => {
    const [end, words] = [offset + length, text.slice(offset, offset + length)];
    return url!.replace(/^(mailto|tel):/, '') === words ? shown : `${shown.slice(0, end)} (${url})${shown.slice(end)}`;
  }, text);
}
