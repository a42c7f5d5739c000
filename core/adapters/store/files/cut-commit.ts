import type { StoredChange, StoredCommit } from '../commit.js';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, NINE] = [0x30, 0x39];
const [BEFORE_TX, BEFORE_CHANGES, BEFORE_PATCH] = [Buffer.from('{"tx":'), Buffer.from(',"changes":['), Buffer.from(',null,')];

/**
 * Splits the line of a commit into its parts, in the format that `addCommit` writes. Does not parse the documents, because a
 * later write replaces most of them before they are needed. @returns undefined if the line has another format
 */
export function cutCommit(content: Buffer): StoredCommit | undefined {
  if (!isAt(BEFORE_TX, content, 0)) return undefined;
  let at = BEFORE_TX.length;
  let tx = 0;
  for (; content[at]! >= ZERO && content[at]! <= NINE; at++) tx = tx * 10 + content[at]! - ZERO;
  if (!isAt(BEFORE_CHANGES, content, at)) return undefined;
  at += BEFORE_CHANGES.length;
  const changes: StoredChange[] = [];
  // Most commits change one collection: its name is decoded once.
  let name: Buffer | undefined;
  let collection = '';
  for (;;) {
    if (content[at] !== OPEN_LIST) return undefined;
    if (!name || !isAt(name, content, at + 1)) {
      const end = endOfText(content, at + 1);
      if (content[end] !== COMMA) return undefined;
      name = content.subarray(at + 1, end + 1);
      collection = textIn(content, at + 1, end);
    }
    const keyStart = at + 1 + name.length;
    const keyEnd = endOfText(content, keyStart);
    const isDeletion = content[keyEnd] !== COMMA;
    const isPatch = isAt(BEFORE_PATCH, content, keyEnd);
    const start = keyEnd + (isDeletion ? 0 : isPatch ? BEFORE_PATCH.length : 1);
    const end = isDeletion ? keyEnd : endOfObject(content, start);
    if (content[end] !== CLOSE_LIST) return undefined;
    const key = textIn(content, keyStart, keyEnd);
    changes.push({ collection, key, kind: isDeletion ? 'deletion' : isPatch ? 'patch' : 'document', bytes: content, start, end });
    at = end + 1;
    if (content[at] === CLOSE_LIST) break;
    if (content[at] !== COMMA) return undefined;
    at++;
  }
  return content[at + 1] === CLOSE_OBJECT && at + 2 === content.length ? { tx, changes } : undefined;
}

function isAt(expected: Buffer, content: Buffer, at: number): boolean {
  for (let i = 0; i < expected.length; i++) if (content[at + i] !== expected[i]) return false;
  return true;
}

/** The index after the string that starts here, including its quotes; `length` or more if there is none or it does not end. */
function endOfText(content: Buffer, start: number): number {
  const { length } = content;
  if (content[start] !== QUOTE) return length;
  for (let at = start + 1; at < length; at++) {
    const byte = content[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return length;
}

/** The index after the object that starts here; `length` if there is none or it does not end. */
function endOfObject(content: Buffer, start: number): number {
  const { length } = content;
  if (content[start] !== OPEN_OBJECT) return length;
  let depth = 0;
  for (let at = start; at < length; at++) {
    const byte = content[at];
    if (byte === QUOTE) at = endOfText(content, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (--depth === 0) return at + 1;
    }
  }
  return length;
}

/** The text between two quotes. */
function textIn(content: Buffer, start: number, end: number): string {
  const text = content.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
