import type { OutboxContent } from '../../ports/outbox.js';
import type { StoredText } from '../../ports/store.js';

/** A stored document, and the body that was left out of its content; undefined if it is complete. */
export interface StoredDelivery {
  readonly document: object;
  readonly body: StoredBody | undefined;
}

/** In a stored document the length of the body comes before the body. No string of JSON contains these bytes. */
const BEFORE_LENGTH = Buffer.from('"body_bytes":');
const BEFORE_BODY = Buffer.from('"content":{"json":');
/** Replaces the body in the text to parse. */
const PLACEHOLDER = 0;
const MAX_DIGITS = 16;
const SLAB_BYTES = 1 << 20;

/** Bytes in memory that many bodies share. */
export interface StoredBody {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The content of a delivery that was read at the start. Its body stays outside of the heap, and is seldom read. */
export class UnreadContent {
  readonly #body: StoredBody;
  readonly #others: object;

  constructor(body: StoredBody, others: object) {
    this.#body = body;
    this.#others = others;
  }

  read(): OutboxContent {
    const { bytes, start, end } = this.#body;
    return { body: bytes.toString('utf8', start, end), ...this.#others };
  }
}

/** Reads stored deliveries without parsing their bodies, which are most of the text. */
export class StoredReader {
  #slab = Buffer.alloc(0);
  #free = 0;

  read(text: StoredText, parse: (json: string) => object): StoredDelivery {
    return this.#withoutBody(text, parse) ?? { document: parse(text.bytes.toString('utf8', text.start, text.end)), body: undefined };
  }

  /** Undefined if the body is not where the platform writes it, for example in a file that somebody has formatted. */
  #withoutBody({ bytes, start, end }: StoredText, parse: (json: string) => object): StoredDelivery | undefined {
    const text = bytes.subarray(start, end);
    const before = text.indexOf(BEFORE_BODY);
    const length = text.indexOf(BEFORE_LENGTH);
    if (before < 0 || length < 0 || length > before) return undefined;
    const from = before + BEFORE_BODY.length;
    const to = from + Number.parseInt(text.toString('latin1', length + BEFORE_LENGTH.length, length + BEFORE_LENGTH.length + MAX_DIGITS), 10);
    if (!(to <= text.length)) return undefined;
    try {
      const document = parse(`${text.toString('utf8', 0, from)}${PLACEHOLDER}${text.toString('utf8', to)}`) as { content?: { json?: unknown } };
      // A patch may have removed the content.
      const isPlaced = document.content === undefined || document.content.json === PLACEHOLDER;
      return isPlaced ? { document, body: this.#copy(text.subarray(from, to)) } : undefined;
    } catch {
      // With another length than the stored one, the braces of the rest do not match.
      return undefined;
    }
  }

  /** A copy, because the bytes are part of a buffer that is reused. */
  #copy(body: Buffer): StoredBody {
    if (this.#free + body.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, body.length));
      this.#free = 0;
    }
    const start = this.#free;
    this.#free += body.copy(this.#slab, start);
    return { bytes: this.#slab, start, end: this.#free };
  }
}
