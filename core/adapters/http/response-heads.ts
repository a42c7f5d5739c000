import type { Socket } from 'node:net';

const [LF, CR] = [0x0a, 0x0d];
const CRLF = Buffer.from('\r\n');
const NOTHING: Buffer = Buffer.alloc(0);
/** With this part of a response its status is known. */
const DECISIVE_BYTES = 'HTTP/1.1 100'.length;
/** Without 101: after it, the server does not speak HTTP. */
const INFORMATIONAL = /^HTTP\/\d\.\d 1(?!01)/;

/** Is notified when the first byte of its response arrives, which may be one that undici does not get. */
interface ResponseReader {
  onFirstByte(): void;
}

/**
 * Corrects the heads of the responses on a connection before undici parses them: skips informational responses (RFC 9110 15.2), and ends
 * each line with CRLF where the server sent a bare LF (RFC 9112 2.2). undici 7 closes the connection at both, and has an option for
 * neither: it refuses an unsolicited 100 itself, and does not set the lenient modes of its parser, llhttp.
 */
export class ResponseHeads {
  #state: 'before' | 'start' | 'skipped' | 'head' | 'body' = 'before';
  /** The first bytes of a response, too few to know its kind. */
  #held = NOTHING;
  /** Of the current line in earlier chunks. */
  #lineBytes = 0;
  #lastByte = 0;
  #reader: ResponseReader | undefined;

  /** A request is being written, so the next byte begins its response: undici sends one request at a time on a connection. */
  begin(reader: ResponseReader | undefined): void {
    this.#state = 'start';
    this.#held = NOTHING;
    this.#reader = reader;
  }

  /** @returns what undici is to parse; null if nothing of the chunk */
  pass(chunk: Buffer): Buffer | null {
    if (this.#state === 'body' || this.#state === 'before') return chunk;
    this.#reader?.onFirstByte();
    this.#reader = undefined;
    let rest: Buffer | undefined = chunk;
    while (rest !== undefined && this.#state !== 'head') {
      if (this.#state === 'skipped') {
        const end: number | undefined = this.#endOfHead(rest);
        if (end !== undefined) this.#state = 'start';
        rest = end === undefined ? undefined : rest.subarray(end);
      } else rest = this.#begun(rest);
    }
    return rest?.length ? this.#corrected(rest) : null;
  }

  /** Decides about a response from its first bytes; undefined if they are too few. */
  #begun(chunk: Buffer): Buffer | undefined {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    let blank = 0;
    while (rest[blank] === CR || rest[blank] === LF) blank++;
    if (blank > 0) rest = rest.subarray(blank);
    if (rest.length < DECISIVE_BYTES) {
      this.#held = rest;
      return undefined;
    }
    this.#held = NOTHING;
    this.#state = INFORMATIONAL.test(rest.toString('latin1', 0, DECISIVE_BYTES)) ? 'skipped' : 'head';
    this.#lineBytes = 0;
    this.#lastByte = 0;
    return rest;
  }

  /** A part of the head, with CRLF after each line, and what follows the head. */
  #corrected(chunk: Buffer): Buffer {
    const bare: number[] = [];
    if (this.#endOfHead(chunk, bare) !== undefined) this.#state = 'body';
    if (bare.length === 0) return chunk;
    const parts: Buffer[] = [];
    let from = 0;
    for (const at of bare) {
      parts.push(chunk.subarray(from, at), CRLF);
      from = at + 1;
    }
    return Buffer.concat([...parts, chunk.subarray(from)]);
  }

  /** @returns where the head ends in this chunk; undefined if it continues. Adds the positions of bare line ends to `bare`. */
  #endOfHead(chunk: Buffer, bare?: number[]): number | undefined {
    for (let from = 0; ; ) {
      const at = chunk.indexOf(LF, from);
      if (at < 0) {
        this.#lineBytes += chunk.length - from;
        this.#lastByte = chunk.at(-1) ?? this.#lastByte;
        return undefined;
      }
      const hasCr = (at > 0 ? chunk[at - 1] : this.#lastByte) === CR;
      if (!hasCr) bare?.push(at);
      const length = this.#lineBytes + at - from - (hasCr ? 1 : 0);
      from = at + 1;
      this.#lineBytes = 0;
      if (length === 0) return from;
    }
  }
}

/** Corrects the responses that undici reads from a socket. `readerOf` gives the reader of the response to the request that is being written. */
export function correctResponses(socket: Socket, readerOf: () => ResponseReader | undefined): void {
  const heads = new ResponseHeads();
  const { read, write } = socket;
  socket.read = function (this: Socket, size?: number): Buffer | null {
    for (;;) {
      const chunk = read.call(this, size) as Buffer | null;
      const passed = chunk && heads.pass(chunk);
      // undici stops reading at the first null.
      if (!chunk || passed) return passed;
    }
  };
  socket.write = function (this: Socket, ...args: unknown[]): boolean {
    heads.begin(readerOf());
    return write.apply(this, args as never);
  } as Socket['write'];
}
