const MAX_PARTS = 50;
/** Bytes of a text part that are shown. */
const MAX_TEXT_BYTES = 4096;
const HEAD_END = '\r\n\r\n';

/** A body of bytes for people: its size and type or, of a multipart body, each part, of which texts are shown as far as they are short. */
export function shownBytes(body: Uint8Array, type: string | undefined): string {
  const boundary = /^multipart\/.*;\s*boundary="?([^";]+)/i.exec(type ?? '')?.[1];
  const parts = boundary === undefined ? [] : partsOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), `--${boundary}`);
  return parts.length > 0 ? parts.join('\n') : bracketed(body.length, type);
}

function partsOf(bytes: Buffer, mark: string): string[] {
  const parts: string[] = [];
  for (let at = bytes.indexOf(mark); parts.length < MAX_PARTS; ) {
    const from = bytes.indexOf(HEAD_END, at);
    const next = from < 0 ? -1 : bytes.indexOf(mark, from);
    if (at < 0 || next < 0) break;
    const head = bytes.toString('utf8', at, from);
    // A line end precedes each mark.
    const content = bytes.subarray(from + HEAD_END.length, next - 2);
    const type = /^content-type: *(.*)$/im.exec(head)?.[1]?.trim();
    const isText = type === undefined || /^(text\/|application\/json)/i.test(type);
    const cut = content.length > MAX_TEXT_BYTES ? `… ${bracketed(content.length, type)}` : '';
    // As JSON, in which an erasure finds the ids of a contact.
    const shown = isText ? JSON.stringify(content.toString('utf8', 0, MAX_TEXT_BYTES)) + cut : bracketed(content.length, type);
    parts.push(`${/ name="([^"]*)"/.exec(head)?.[1] ?? ''}: ${shown}`);
    at = next;
  }
  return parts;
}

const bracketed = (bytes: number, type = 'unknown type'): string => `[${bytes} bytes, ${type}]`;
