/** A piece of HTML that is not escaped. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A template of HTML: every value is escaped, unless it is `Html` itself; lists are joined; `undefined` and `false` produce no output. */
export const html = (parts: TemplateStringsArray, ...values: readonly unknown[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(written)));

function written(value: unknown): string {
  if (value instanceof Html) return String(value);
  if (Array.isArray(value)) return value.map(written).join('');
  return value === undefined || value === false ? '' : escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
/** Escapes text for any place in HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Escapes text between tags. Quotes, a tenth of all JSON, are not escaped, so never use it for attributes. */
export const text = (value: string): Html => new Html(value.replace(/[&<>]/g, (character) => ENTITIES[character]!));

/** The value of an attribute, with quotes only if it needs them: those of ids and links were 2 % of the pages. */
export const attribute = (value: string): Html => (/^[\w#-]+$/.test(value) ? new Html(value) : html`"${value}"`);

/** Text whose parts in backticks are code. */
export const prose = (written: string): Html =>
  html`${written.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${text(part)}</code>` : text(part)))}`;

const WIDTH = 88;

/** JSON indented by two spaces; values that fit on one line are on one line. */
export function jsonText(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((item) => jsonText(item, inner))
    : Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${jsonText(part, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
