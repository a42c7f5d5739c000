// Reads compact JSON, as the store writes it, in a buffer without parsing all of it. `start` is the position of a value.

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE, MAX_ASCII] = [0x30, 0x39, 0x7f];
/** Instead of a position: there is none. */
export const NONE = -1;

/** @returns the position after the string; `NONE` if none starts there */
export function skipString(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return NONE;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return NONE;
}

/** @returns the position after the value; `NONE` if it does not end */
export function skipValue(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return skipString(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at) - 1;
      if (at < start) return NONE;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST)) return at;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return NONE;
}

/** The string; undefined for another value. */
export function textIn(bytes: Buffer, start: number): string | undefined {
  const end = skipString(bytes, start);
  if (end === NONE) return undefined;
  for (let at = start; at < end; at++)
    if (bytes[at] === BACKSLASH || bytes[at]! > MAX_ASCII) return JSON.parse(bytes.toString('utf8', start, end)) as string;
  return bytes.toString('latin1', start + 1, end - 1);
}

/** The integer, which is not negative; undefined for another value. */
export function integerIn(bytes: Buffer, start: number): number | undefined {
  let number: number | undefined;
  for (let at = start; at >= 0 && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) number = 10 * (number ?? 0) + bytes[at]! - ZERO;
  return number;
}

/** Whether this text starts there. */
export function isText(bytes: Buffer, start: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
  return true;
}
