import { randomUUID } from 'node:crypto';

/** A part of a multipart body: a text, or a file. */
export type FormPart = readonly [
  name: string,
  value: string | { readonly bytes: Uint8Array; readonly type: string; readonly filename: string },
];

/** A body of `multipart/form-data`, for uploads, and the value of its `Content-Type`. */
export function multipart(parts: readonly FormPart[]): { body: Uint8Array; type: string } {
  const boundary = `posthorn-${randomUUID()}`;
  const pieces: Uint8Array[] = [];
  for (const [name, value] of parts) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (typeof value === 'string') pieces.push(Buffer.from(`${head}\r\n\r\n${value}\r\n`));
    else {
      const about = `; filename="${quoted(value.filename)}"\r\nContent-Type: ${value.type.replace(/[\r\n]/g, ' ')}\r\n\r\n`;
      pieces.push(Buffer.from(head + about), value.bytes, Buffer.from('\r\n'));
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { body: Buffer.concat(pieces), type: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write names, so that no name ends its line. */
const quoted = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent);
