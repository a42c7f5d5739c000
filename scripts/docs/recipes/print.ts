/** The longest line of printed JSON. */
const WIDTH = 110;

/** JSON for a page: values that fit on one line are on one line; longer values are indented by two spaces. */
export function printJson(value: unknown, indent = ''): string {
  const line = onOneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((item) => printJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${printJson(item, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(onOneLine).join(', ')}]`;
  const entries = Object.entries(value);
  return entries.length === 0 ? '{}' : `{ ${entries.map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`).join(', ')} }`;
}

/** Matches hapi's request ids, which contain the real time. */
const REQUEST_ID = /("request_id": )"[^"]*"/g;

/** The output of a run for one part of a page: Markdown, and its code blocks by language and name. */
export class Printed {
  readonly #parts: string[] = [];
  /** The code blocks by their names on the page. */
  readonly blocks = new Map<string, unknown>();

  /** Adds a paragraph, or a heading. */
  say(text: string): this {
    this.#parts.push(text);
    return this;
  }

  /** Adds a body as it was sent or received. @throws when the part has a block of this name */
  show(name: string, body: unknown): this {
    if (this.blocks.has(name)) throw new Error(`two blocks have the name '${name}'`);
    this.blocks.set(name, body);
    return this.say(`\`\`\`json ${name}\n${printJson(body).replace(REQUEST_ID, '$1"1767600000000-10001"')}\n\`\`\``);
  }

  get text(): string {
    return this.#parts.join('\n\n');
  }
}
