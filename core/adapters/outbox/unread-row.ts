import type { OutboxIndex } from '../../ports/outbox.js';
import type { StoredText } from '../../ports/store.js';
import { integerIn, isText, NONE, skipString, skipValue, textIn } from './row-text.js';

/** Parses the text of a row. */
export type ParseRow = (json: string) => object;

/** Takes the place of the body in the text to parse. */
const NO_BODY = '0';

/** The values that a scan has found in a row. Times are read when they are needed. */
interface Found extends Omit<OutboxIndex, 'created_at' | 'settled_at'> {
  readonly seq: number;
  readonly createdAt: number;
  readonly settledAt: number;
  /** The body of JSON, if it is the only field of the content; `NONE` otherwise. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

/**
 * A stored delivery that was found at the start: its bytes, which are outside of the heap, and few of its fields. Most deliveries of the
 * history are never read again, and parsing all of them would take most of the start.
 */
export class UnreadRow implements OutboxIndex {
  readonly seq: number;
  readonly uuid: string;
  readonly number: string;
  readonly webhook: string;
  readonly event: string;
  readonly message: string | undefined;
  readonly state: OutboxIndex['state'];
  readonly body_bytes: number | undefined;
  readonly kept_bytes: number | undefined;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #bodyStart: number;
  readonly #bodyEnd: number;
  readonly #createdAt: number;
  readonly #settledAt: number;
  readonly #parse: ParseRow;

  constructor(fields: Found, { bytes, start, end }: StoredText, parse: ParseRow) {
    this.seq = fields.seq;
    this.uuid = fields.uuid;
    this.number = fields.number;
    this.webhook = fields.webhook;
    this.event = fields.event;
    this.message = fields.message;
    this.state = fields.state;
    this.body_bytes = fields.body_bytes;
    this.kept_bytes = fields.kept_bytes;
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#bodyStart = fields.bodyStart;
    this.#bodyEnd = fields.bodyEnd;
    this.#createdAt = fields.createdAt;
    this.#settledAt = fields.settledAt;
    this.#parse = parse;
  }

  get created_at(): string {
    return textIn(this.#bytes, this.#createdAt)!;
  }

  get settled_at(): string | undefined {
    return textIn(this.#bytes, this.#settledAt);
  }

  /** Whether its content has a body of JSON, and nothing else. */
  get hasBody(): boolean {
    return this.#bodyEnd !== NONE;
  }

  readBody(): string {
    return this.#slice(this.#bodyStart, this.#bodyEnd);
  }

  /** The document, without its body if `hasBody`. */
  read(): object {
    if (!this.hasBody) return this.#parse(this.#slice(this.#start, this.#end));
    return this.#parse(this.#slice(this.#start, this.#bodyStart) + NO_BODY + this.#slice(this.#bodyEnd, this.#end));
  }

  /** The document as JSON. */
  toText(): string {
    const text = this.#slice(this.#start, this.#end);
    return text.startsWith('[') ? JSON.stringify(this.#parse(text)) : text;
  }

  #slice(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }
}

/** The members of a row that are read, by their places in a list. */
const members = {
  id: 0,
  uuid: 1,
  webhook: 2,
  event: 3,
  message: 4,
  state: 5,
  created_at: 6,
  settled_at: 7,
  body_bytes: 8,
  kept_bytes: 9,
  content: 10,
} as const;
/** The same, by the length of their names. */
const named: { readonly name: Buffer; readonly member: number }[][] = [];
for (const [name, member] of Object.entries(members)) {
  named[name.length] ??= [];
  named[name.length]!.push({ name: Buffer.from(name), member });
}
/** Begins a content whose body is JSON. */
const BEFORE_BODY = Buffer.from('{"json":');
const DELIVERED = Buffer.from('"delivered"');
const [COMMA, COLON, SLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x3a, 0x2f, 0x5b, 0x5d, 0x7b, 0x7d];

/** Finds the fields of a row without parsing it: of a document, or of a list of a document and its merge patches. */
export class RowScanner {
  /** Where the value of each member starts. */
  readonly #values = new Int32Array(Object.keys(members).length);
  readonly #number = new SharedTexts();
  readonly #webhook = new SharedTexts();
  #bodyEnd = NONE;

  /** Undefined if the text is not compact JSON, as the store writes it, or lacks a field. */
  scan(text: StoredText, parse: ParseRow): UnreadRow | undefined {
    const { bytes, start, end } = text;
    this.#values.fill(NONE);
    this.#bodyEnd = NONE;
    const isList = bytes[start] === OPEN_LIST;
    let at = this.#object(bytes, isList ? start + 1 : start);
    while (isList && bytes[at] === COMMA) at = this.#object(bytes, at + 1);
    if (isList && bytes[at] === CLOSE_LIST) at++;
    const found = at === end ? this.#found(bytes) : undefined;
    return found && new UnreadRow(found, text, parse);
  }

  #found(bytes: Buffer): Found | undefined {
    const values = this.#values;
    const id = values[members.id]!;
    const idEnd = skipString(bytes, id) - 1;
    let slash = idEnd - 1;
    while (slash > id && bytes[slash] !== SLASH) slash--;
    const seq = integerIn(bytes, slash + 1);
    const uuid = textIn(bytes, values[members.uuid]!);
    const webhookAt = values[members.webhook]!;
    const webhook = this.#webhook.read(bytes, webhookAt + 1, skipString(bytes, webhookAt) - 1);
    const event = textIn(bytes, values[members.event]!);
    const createdAt = values[members.created_at]!;
    if (slash <= id || seq === undefined || !uuid || !webhook || !event || createdAt === NONE) return undefined;
    const state = values[members.state]!;
    const bodyBytes = integerIn(bytes, values[members.body_bytes]!);
    return {
      seq,
      uuid,
      number: this.#number.read(bytes, id + 1, slash)!,
      webhook,
      event,
      message: textIn(bytes, values[members.message]!),
      state: isText(bytes, state, DELIVERED) ? 'delivered' : ((textIn(bytes, state) ?? 'queued') as OutboxIndex['state']),
      body_bytes: bodyBytes,
      kept_bytes: integerIn(bytes, values[members.kept_bytes]!) ?? bodyBytes,
      createdAt,
      settledAt: values[members.settled_at]!,
      bodyStart: values[members.content]! + BEFORE_BODY.length,
      bodyEnd: this.#bodyEnd,
    };
  }

  /** @returns the position after the object; `NONE` if none starts there */
  #object(bytes: Buffer, start: number): number {
    if (bytes[start] !== OPEN_OBJECT) return NONE;
    for (let at = start; ; ) {
      const name = at + 1;
      const colon = skipString(bytes, name);
      if (bytes[colon] !== COLON) return NONE;
      at = this.#member(bytes, name + 1, colon);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return NONE;
    }
  }

  /** @returns the position after the value of a member */
  #member(bytes: Buffer, nameStart: number, colon: number): number {
    const value = colon + 1;
    const candidates = named[colon - 1 - nameStart];
    if (candidates) {
      for (const { name, member } of candidates) {
        if (!isText(bytes, nameStart, name)) continue;
        this.#values[member] = value;
        return member === members.content ? this.#content(bytes, value) : skipValue(bytes, value);
      }
    }
    return skipValue(bytes, value);
  }

  #content(bytes: Buffer, start: number): number {
    this.#bodyEnd = NONE;
    if (!isText(bytes, start, BEFORE_BODY)) return skipValue(bytes, start);
    const body = start + BEFORE_BODY.length;
    // The platform writes the length before the body. With a wrong length, the braces of the rest do not match.
    const length = integerIn(bytes, this.#values[members.body_bytes]!);
    const end = length === undefined ? skipValue(bytes, body) : body + length;
    if (bytes[end] !== CLOSE_OBJECT) return skipValue(bytes, start);
    this.#bodyEnd = end;
    return end + 1;
  }
}

/** The texts of webhooks or numbers: the same string for all rows that have the same text. */
class SharedTexts {
  readonly #known = new Map<string, string>();
  #last: StoredText = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  #text = '';

  /** Undefined for a text with escapes. */
  read(bytes: Buffer, start: number, end: number): string | undefined {
    const { bytes: last, start: from, end: to } = this.#last;
    if (end - start === to - from && last.compare(bytes, start, end, from, to) === 0) return this.#text;
    const text = bytes.toString('utf8', start, end);
    if (text.includes('\\')) return undefined;
    if (this.#known.size >= MAX_SHARED) this.#known.clear();
    this.#text = this.#known.get(text) ?? text;
    this.#known.set(text, this.#text);
    this.#last = { bytes, start, end };
    return this.#text;
  }
}

const MAX_SHARED = 10_000;
