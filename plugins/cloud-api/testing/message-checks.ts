import { NETWORK_LIMITS } from '#core/basics';
import { GraphError } from './graph-error.js';

type Fields = Readonly<Record<string, unknown>>;

const missing = (name: string): GraphError => new GraphError(131008, `The parameter ${name} is required.`);
const wrong = (name: string, why: string): GraphError => new GraphError(131009, `The parameter ${name} ${why}.`);

/** Reads the fields of a message, and refuses those that break a rule. `at` names the object in errors. */
class CheckedFields {
  readonly #fields: Fields;
  readonly #at: string;

  constructor(fields: unknown, at: string) {
    if (fields === undefined) throw missing(at);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw wrong(at, 'must be an object');
    this.#fields = fields as Fields;
    this.#at = at;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  part(name: string): CheckedFields {
    return new CheckedFields(this.#fields[name], `${this.#at}.${name}`);
  }

  optional(name: string): CheckedFields | undefined {
    return this.has(name) ? this.part(name) : undefined;
  }

  /** A text of 1 to `max` characters. */
  text(name: string, max = Number.POSITIVE_INFINITY): string {
    const value = this.#fields[name];
    const path = `${this.#at}.${name}`;
    if (value === undefined || value === '') throw missing(path);
    if (typeof value !== 'string') throw wrong(path, 'must be a text');
    if ([...value].length > max) throw wrong(path, `has ${[...value].length} characters; the maximum is ${max}`);
    return value;
  }

  optionalText(name: string, max: number): string | undefined {
    return this.has(name) ? this.text(name, max) : undefined;
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const value = this.text(name);
    if (!(values as readonly string[]).includes(value)) throw wrong(`${this.#at}.${name}`, `must be one of ${values.join(', ')}`);
    return value as T;
  }

  list(name: string, max: number): CheckedFields[] {
    const items = this.items(name);
    const path = `${this.#at}.${name}`;
    if (items.length === 0) throw wrong(path, 'must be a list with at least one item');
    if (items.length > max) throw wrong(path, `has ${items.length} items; the maximum is ${max}`);
    return items;
  }

  /** The objects of a list, which can be empty. */
  items(name: string): CheckedFields[] {
    const value = this.#fields[name];
    const path = `${this.#at}.${name}`;
    if (value === undefined) throw missing(path);
    if (!Array.isArray(value)) throw wrong(path, 'must be a list');
    return value.map((item, i) => new CheckedFields(item, `${path}[${i}]`));
  }

  number(name: string, limit: number): void {
    const value = Number(this.#fields[name] ?? Number.NaN);
    if (!this.has(name)) throw missing(`${this.#at}.${name}`);
    if (!(Math.abs(value) <= limit)) throw wrong(`${this.#at}.${name}`, `must be a number from -${limit} to ${limit}`);
  }

  /** Refuses two items with the same value. */
  refuse(name: string, why: string): never {
    throw wrong(`${this.#at}.${name}`, why);
  }
}

const LIMITS = NETWORK_LIMITS;

function media(part: CheckedFields): void {
  if (part.has('id') === part.has('link')) {
    if (part.has('id')) part.refuse('id', 'excludes link');
    throw missing('id or link');
  }
  if (part.has('link') && !/^https?:\/\//.test(part.text('link'))) part.refuse('link', 'must be an http or https address');
  part.optionalText('caption', LIMITS.caption);
}

function uniqueIds(parts: readonly { part: CheckedFields; id: string }[], where: string): void {
  const seen = new Set<string>();
  for (const { part, id } of parts) {
    if (seen.has(id)) part.refuse(where, 'must be unique');
    seen.add(id);
  }
}

const interactives: Readonly<Record<string, (interactive: CheckedFields, action: CheckedFields) => void>> = {
  button(interactive, action) {
    interactive.part('body').text('text', LIMITS.body);
    const replies = action.list('buttons', LIMITS.buttons).map((button) => {
      button.oneOf('type', ['reply']);
      const reply = button.part('reply');
      reply.text('title', LIMITS.buttonTitle);
      return { part: reply, id: reply.text('id', LIMITS.buttonId) };
    });
    uniqueIds(replies, 'id');
  },
  list(interactive, action) {
    interactive.part('body').text('text', LIMITS.listBody);
    if (interactive.optional('header') && interactive.part('header').text('type') !== 'text')
      interactive.refuse('header', 'must be a text');
    action.text('button', LIMITS.listButton);
    const sections = action.list('sections', LIMITS.sections);
    const rows = sections.flatMap((section) => {
      if (sections.length > 1) section.text('title', LIMITS.sectionTitle);
      return section.list('rows', LIMITS.rows).map((row) => {
        row.text('title', LIMITS.rowTitle);
        row.optionalText('description', LIMITS.rowDescription);
        return { part: row, id: row.text('id', LIMITS.rowId) };
      });
    });
    if (rows.length > LIMITS.rows) action.refuse('sections', `has ${rows.length} rows in all; the maximum is ${LIMITS.rows}`);
    uniqueIds(rows, 'id');
  },
  flow(interactive, action) {
    interactive.part('body').text('text', LIMITS.body);
    action.oneOf('name', ['flow']);
    const parameters = action.part('parameters');
    parameters.oneOf('flow_message_version', ['3']);
    if (parameters.has('flow_id') === parameters.has('flow_name')) throw missing('flow_id or flow_name');
    parameters.text('flow_cta', LIMITS.flowCta);
  },
  cta_url(interactive, action) {
    interactive.part('body').text('text', LIMITS.body);
    action.oneOf('name', ['cta_url']);
    const parameters = action.part('parameters');
    parameters.text('display_text', LIMITS.linkTitle);
    parameters.text('url');
  },
  location_request_message(interactive, action) {
    interactive.part('body').text('text', LIMITS.body);
    action.oneOf('name', ['send_location']);
  },
};

const types: Readonly<Record<string, (part: CheckedFields) => void>> = {
  text: (text) => void text.text('body', LIMITS.text),
  image: media,
  video: media,
  audio: media,
  document: media,
  sticker: media,
  location(location) {
    location.number('latitude', 90);
    location.number('longitude', 180);
  },
  reaction: (reaction) => void reaction.text('message_id'),
  interactive(interactive) {
    const type = interactive.oneOf('type', Object.keys(interactives));
    const header = interactive.optional('header');
    if (header) {
      const kind = header.oneOf('type', ['text', 'image', 'video', 'document']);
      if (kind === 'text') header.text('text', LIMITS.header);
      else media(header.part(kind));
    }
    interactive.optional('footer')?.text('text', LIMITS.footer);
    interactives[type]!(interactive, interactive.part('action'));
  },
  template(template) {
    template.text('name', LIMITS.templateName);
    template.part('language').text('code');
    if (!template.has('components')) return;
    for (const component of template.items('components')) if (component.has('parameters')) component.items('parameters');
  },
};

/** Checks a message as the network does when it receives it. @throws GraphError 131008, 131009 */
export function checkMessage(message: Fields): void {
  const whole = new CheckedFields(message, 'message');
  if (!message.to && !message.recipient) throw missing('to');
  const type = message.type ?? (message.text === undefined ? undefined : 'text');
  if (type === undefined) throw missing('type');
  if (type === 'contacts') {
    for (const card of new CheckedFields({ contacts: message.contacts }, 'message').list('contacts', LIMITS.contacts))
      card.part('name').text('formatted_name');
    return;
  }
  const check = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (!check) throw wrong('type', `must be one of ${[...Object.keys(types), 'contacts'].join(', ')}`);
  check(new CheckedFields(message[type as string], type as string));
  if (message.context !== undefined) new CheckedFields(message.context, 'context').text('message_id');
  if (message.biz_opaque_callback_data !== undefined) whole.text('biz_opaque_callback_data', LIMITS.callbackData);
}
