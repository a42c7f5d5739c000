/** The most that a flow's JSON may weigh, in bytes of UTF-8. */
export const MAX_FLOW_BYTES = 10 * 1024 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

export type ReadText = { readonly text: string } | { readonly text: string; readonly problem: string; readonly offset: number };

/**
 * The text to measure, without a byte-order mark. Bytes that are not UTF-8, and halves of surrogate pairs that stand in a
 * text as such, are a problem: such a text could not be stored and sent on as it is. (Escaped as `\ud800` they are JSON.)
 */
export function readText(source: string | Uint8Array): ReadText {
  return typeof source === 'string' ? ofText(source) : ofBytes(source);
}

function ofText(source: string): ReadText {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source;
  // A character is at most three times as many bytes of UTF-8 as it is UTF-16 units.
  if (text.length * 3 > MAX_FLOW_BYTES && Buffer.byteLength(text) > MAX_FLOW_BYTES) return tooLarge(Buffer.byteLength(text));
  const half = text.search(/\p{Surrogate}/u);
  if (half >= 0) return { text, problem: 'the text holds half of a surrogate pair', offset: half };
  return { text };
}

function ofBytes(bytes: Uint8Array): ReadText {
  if (bytes.byteLength > MAX_FLOW_BYTES + BYTE_ORDER_MARK.length * 3) return tooLarge(bytes.byteLength);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = validBeginning(bytes);
    return { text: `${text}\uFFFD`, problem: 'the text is not UTF-8', offset: text.length };
  }
}

const tooLarge = (bytes: number): ReadText => ({
  text: '',
  problem: `the text has ${bytes} bytes; at most ${MAX_FLOW_BYTES} are allowed`,
  offset: 0,
});

/** What can be read before the first byte that is wrong. */
function validBeginning(bytes: Uint8Array): string {
  let good = 0;
  let bad = bytes.byteLength + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decoded(bytes, middle) === undefined) bad = middle;
    else good = middle;
  }
  return decoded(bytes, good) ?? '';
}

/** The first bytes as text; a character that they leave unfinished is left out. Nothing when they are not UTF-8. */
function decoded(bytes: Uint8Array, length: number): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined;
  }
}
