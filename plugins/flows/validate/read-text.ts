/** The maximum size of Flow JSON, in bytes of UTF-8 (Limits, "Flow JSON file size"). */
export const MAX_FLOW_BYTES = 10 * 1024 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

export type ReadText = { readonly text: string } | { readonly text: string; readonly problem: string; readonly offset: number };

/**
 * Returns the text without a byte-order mark. Invalid UTF-8 and unescaped lone surrogates are a problem, because such a text cannot be
 * stored and sent unchanged. (Escaped, as `\ud800`, lone surrogates are valid JSON.)
 */
export function readText(source: string | Uint8Array): ReadText {
  return typeof source === 'string' ? readString(source) : readBytes(source);
}

function readString(source: string): ReadText {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source;
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 > MAX_FLOW_BYTES && Buffer.byteLength(text) > MAX_FLOW_BYTES) return tooLarge(Buffer.byteLength(text));
  const half = text.search(/\p{Surrogate}/u);
  if (half >= 0) return { text, problem: 'the text contains half of a surrogate pair', offset: half };
  return { text };
}

function readBytes(bytes: Uint8Array): ReadText {
  if (bytes.byteLength > MAX_FLOW_BYTES + BYTE_ORDER_MARK.length * 3) return tooLarge(bytes.byteLength);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const text = validPrefix(bytes);
    return { text: `${text}\uFFFD`, problem: 'the text is not UTF-8', offset: text.length };
  }
}

const tooLarge = (bytes: number): ReadText => ({
  text: '',
  problem: `the text has ${bytes} bytes; at most ${MAX_FLOW_BYTES} are allowed`,
  offset: 0,
});

function validPrefix(bytes: Uint8Array): string {
  let valid = 0;
  let invalid = bytes.byteLength + 1;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (decoded(bytes, middle) === undefined) invalid = middle;
    else valid = middle;
  }
  return decoded(bytes, valid) ?? '';
}

/** Decodes the first `length` bytes, without an incomplete last character; undefined if they are not UTF-8. */
function decoded(bytes: Uint8Array, length: number): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined;
  }
}
