/** The mistakes for which the receivers in `signature-fixes.ts` have the lines that make them. */
export const codeMistakes = [
  'hex',
  'base64url',
  'no_padding',
  'sha1',
  'sha512',
  'reserialized',
  'pretty_printed',
  'trailing_newline',
  'key_base64_decoded',
] as const;
/** A mistake in the code of a receiver, with the lines that make it. */
export type CodeMistake = (typeof codeMistakes)[number];

/** The mistakes that an explanation recognizes. */
export const signatureMistakes = [
  ...codeMistakes,
  'other_secret',
  'prefix',
  'url_encoded',
  'base64_of_hex',
  'truncated',
  'extra_characters',
  'key_newline',
  'key_quoted',
  'key_body_swapped',
  'body_ascii',
  'body_latin1',
  'body_utf16',
  'body_empty',
  'body_object',
  'body_repr',
  'body_quoted',
  'timestamp_added',
] as const;
export type SignatureMistake = (typeof signatureMistakes)[number];

/** A mistake, and how to fix it, as sentences. */
interface Sentences {
  /** Follows "Your value is the signature with". */
  readonly is: (owner: string | undefined) => string;
  readonly fix: (owner: string | undefined) => string;
}

const RAW = 'Sign the raw body: read its bytes before any parser does, and parse it after the check.';
const SHA = 'Use SHA-256 as the hash.';
const BASE64 = 'Write the digest as standard base64 with padding.';
const WHOLE = 'Compare the whole value of the header with the whole base64 of the digest.';
const BYTES = 'Sign the bytes as they arrived; if you have only a text, encode it as UTF-8.';

const fixed = (is: string, fix: string): Sentences => ({ is: () => is, fix: () => fix });

export const sentences: Readonly<Record<SignatureMistake, Sentences>> = {
  hex: fixed('the digest written as hex', BASE64),
  base64url: fixed('the digest written as base64url', BASE64),
  no_padding: fixed('the = at the end of the base64 missing', BASE64),
  base64_of_hex: fixed('the hex of the digest written as base64', BASE64),
  prefix: fixed(
    'the name of a hash or of a version before it',
    'Compare the base64 of the digest alone: the header has no prefix such as sha256=.',
  ),
  url_encoded: fixed('characters encoded as in a URL', 'Compare the value of the header as it arrived, without URL encoding.'),
  truncated: fixed('its end missing', WHOLE),
  extra_characters: fixed('more characters at its end', WHOLE),
  sha1: fixed('SHA-1 as the hash', SHA),
  sha512: fixed('SHA-512 as the hash', SHA),
  reserialized: fixed('the body parsed as JSON and serialized again', RAW),
  pretty_printed: fixed('the body parsed as JSON and printed with indentation', RAW),
  body_empty: fixed(
    'an empty body',
    'Read the body once, before any parser does, and keep its bytes: a second read of a stream gives nothing.',
  ),
  body_object: fixed('[object Object], the text of a parsed body', RAW),
  body_repr: fixed("the body as Python prints bytes, b'…'", 'Pass the bytes of the body to the HMAC, without str().'),
  body_quoted: fixed('the body written as a JSON string', 'Sign the raw body, without serializing it as JSON.'),
  body_ascii: fixed('the body as ASCII, without its other characters', BYTES),
  body_latin1: fixed('the body decoded or encoded as Latin-1', BYTES),
  body_utf16: fixed('the body as UTF-16', BYTES),
  trailing_newline: fixed(
    'a line break at the end of the body added or removed',
    'Sign the bytes as they arrived; when you test with a shell, printf adds no line break and echo does.',
  ),
  timestamp_added: fixed('a time before the body', 'Sign the body alone: the signature covers no time and no id.'),
  key_base64_decoded: fixed('the secret base64-decoded', 'Use the characters of the secret as the key, without decoding them.'),
  key_newline: fixed('a line break at the end of the secret', 'Remove the line break: trim the secret after you read it from a file.'),
  key_quoted: fixed('quotes around the secret', 'Remove the quotes: write POSTHORN_SECRET=… without quotes if your tool keeps them.'),
  key_body_swapped: fixed(
    'the body as the key and the secret as the text',
    'Swap the two: the secret is the key of the HMAC, and the body is its text.',
  ),
  other_secret: {
    is: (owner) => `the secret of ${owner ?? 'another webhook'}`,
    fix: (owner) =>
      `Use the secret of ${owner ?? 'this webhook'}: the one that was returned when the webhook was created, or when its secret was last rotated.`,
  },
};
