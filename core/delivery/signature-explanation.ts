import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from './signature.js';

/** The mistakes that an explanation recognizes. */
export const signatureMistakes = [
  'hex',
  'base64url',
  'no_padding',
  'sha1',
  'sha512',
  'reserialized',
  'pretty_printed',
  'trailing_newline',
  'key_base64_decoded',
  'other_secret',
] as const;
export type SignatureMistake = (typeof signatureMistakes)[number];

/** One step of making a signature. No step contains the key. */
export interface SignatureStep {
  readonly step: 'body' | 'key' | 'hmac' | 'base64' | 'header';
  readonly about: string;
  readonly value?: string;
}

/** Another secret that a receiver may have used by mistake. */
export interface OtherSecret {
  /** Its owner, for example `webhook 'Orders'`. */
  readonly owner: string;
  readonly secret: string;
}

export interface SignatureQuestion {
  readonly body: string | Uint8Array;
  readonly secret: string;
  /** The signature to check, as the receiver computed or received it. */
  readonly signature: string;
  readonly header?: string;
  readonly others?: readonly OtherSecret[];
}

export interface SignatureExplanation {
  readonly matches: boolean;
  /** The signature of the body with the secret. */
  readonly expected: string;
  readonly steps: readonly SignatureStep[];
  /** Null when the signature matches, or when none of the known mistakes gives it. */
  readonly diagnosis: { readonly mistakes: readonly SignatureMistake[]; readonly message: string; readonly fix: string } | null;
}

/** The name of the header in the default dialect. */
const HEADER = 'X-Svc-Hook-Signature';

/** Base64 of the HMAC-SHA256 of the bytes of a body; the key is the UTF-8 of the secret. */
export const signatureOf = (secret: string, body: string | Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** Says how a signature was made from a body. */
export function signatureSteps(body: string | Uint8Array, signature: string, header = HEADER): SignatureStep[] {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return [
    {
      step: 'body',
      about: `the ${bytes.length} bytes of the body, exactly as they are sent; this is their SHA-256`,
      value: createHash('sha256').update(bytes).digest('hex'),
    },
    { step: 'key', about: 'the UTF-8 bytes of the secret as it is shown, not base64-decoded' },
    { step: 'hmac', about: 'HMAC-SHA256 of the body with the key, as hex', value: Buffer.from(signature, 'base64').toString('hex') },
    { step: 'base64', about: 'the same 32 bytes as standard base64 with padding', value: signature },
    { step: 'header', about: 'sent as this header', value: `${header}: ${signature}` },
  ];
}

/**
 * Checks a signature, and explains a mismatch: tries the mistakes that receivers make, alone and combined, and names those that give the
 * same value. Combinations are not tried with the secrets in `others`, whose number has no small limit.
 */
export function explainSignature({ body, secret, signature, header = HEADER, others = [] }: SignatureQuestion): SignatureExplanation {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const given = signature.trim();
  const expected = signatureOf(secret, bytes);
  const matches = isSameSecret(given, expected);
  return {
    matches,
    expected,
    steps: signatureSteps(bytes, expected, header),
    diagnosis: matches ? null : diagnosisOf(bytes, given, { secret, others }),
  };
}

type Mistakes = readonly SignatureMistake[];
/** A value that a receiver may have used, with the mistakes that led to it. */
type Variant<T> = readonly [value: T, mistakes: Mistakes, owner?: string];

function diagnosisOf(
  body: Uint8Array,
  given: string,
  { secret, others }: { readonly secret: string; readonly others: readonly OtherSecret[] },
): SignatureExplanation['diagnosis'] {
  const keys: Variant<string | Buffer>[] = [
    [secret, []],
    [Buffer.from(secret, 'base64'), ['key_base64_decoded']],
  ];
  const bodies = bodiesOf(body);
  let best: { readonly mistakes: Mistakes; readonly owner: string | undefined } | undefined;
  const attempt = (key: Variant<string | Buffer>, text: Variant<Uint8Array>, digest: Variant<string>): void => {
    const hash = createHmac(digest[0], key[0]).update(text[0]).digest();
    const form = formOf(given, hash);
    if (!form) return;
    const mistakes = [...text[1], ...key[1], ...digest[1], ...form];
    if (!best || mistakes.length < best.mistakes.length) best = { mistakes, owner: key[2] };
  };
  for (const key of keys) for (const text of bodies) for (const digest of DIGESTS) attempt(key, text, digest);
  for (const { owner, secret: other } of others) {
    if (best) break;
    if (other !== secret) attempt([other, ['other_secret'], owner], bodies[0]!, DIGESTS[0]!);
  }
  if (!best || best.mistakes.length === 0) return null;
  const { mistakes, owner } = best;
  return {
    mistakes,
    message: `Your value is the signature with ${mistakes.map((mistake) => sentences[mistake].is(owner)).join(', and ')}.`,
    fix: mistakes.map((mistake) => sentences[mistake].fix).join(' '),
  };
}

const DIGESTS: readonly Variant<string>[] = [
  ['sha256', []],
  ['sha1', ['sha1']],
  ['sha512', ['sha512']],
];

/** The body, and the texts that receivers sign instead of it. */
function bodiesOf(body: Uint8Array): Variant<Uint8Array>[] {
  const text = Buffer.from(body).toString();
  const variants: [string, Mistakes][] = [];
  try {
    const value: unknown = JSON.parse(text);
    variants.push([JSON.stringify(value), ['reserialized']]);
    for (const space of [2, 4, '\t']) variants.push([JSON.stringify(value, null, space), ['pretty_printed']]);
  } catch {
    // A body that is not JSON cannot have been parsed and written again.
  }
  for (const end of ['\n', '\r\n']) variants.push([`${text}${end}`, ['trailing_newline']]);
  variants.push([text.replace(/\r?\n$/, ''), ['trailing_newline']]);
  const seen = new Set([text]);
  const different = variants.filter(([variant]) => !seen.has(variant) && seen.add(variant));
  return [[body, []], ...different.map(([variant, mistakes]): Variant<Uint8Array> => [Buffer.from(variant), mistakes])];
}

/** The mistakes of writing a hash as `given`; undefined when `given` is not this hash. */
function formOf(given: string, hash: Buffer): Mistakes | undefined {
  const base64 = hash.toString('base64');
  if (given === base64) return [];
  if (given.toLowerCase() === hash.toString('hex')) return ['hex'];
  if (given === base64.replace(/=+$/, '')) return ['no_padding'];
  const url = base64.replaceAll('+', '-').replaceAll('/', '_');
  return given === url || given === url.replace(/=+$/, '') ? ['base64url'] : undefined;
}

const RAW = "Read the raw body before any parser does, for example with express.raw({ type: 'application/json' }).";
const SHA = "Use SHA-256: createHmac('sha256', secret).";
const BASE64 = "Write the digest as standard base64 with padding: digest('base64').";

const sentences: Readonly<Record<SignatureMistake, { is(owner: string | undefined): string; readonly fix: string }>> = {
  hex: { is: () => 'the digest written as hex', fix: BASE64 },
  base64url: { is: () => 'the digest written as base64url', fix: BASE64 },
  no_padding: { is: () => 'the = at the end of the base64 missing', fix: BASE64 },
  sha1: { is: () => 'SHA-1 as the hash', fix: SHA },
  sha512: { is: () => 'SHA-512 as the hash', fix: SHA },
  reserialized: { is: () => 'the body parsed as JSON and serialized again', fix: RAW },
  pretty_printed: { is: () => 'the body parsed as JSON and printed with indentation', fix: RAW },
  trailing_newline: {
    is: () => 'a line break at the end of the body added or removed',
    fix: 'Sign the bytes as they arrived; when you test with a shell, printf adds no line break and echo does.',
  },
  key_base64_decoded: { is: () => 'the secret base64-decoded', fix: 'Use the characters of the secret as the key, without decoding them.' },
  other_secret: {
    is: (owner) => `the secret of ${owner ?? 'another webhook'}`,
    fix: 'Use the secret that was returned when this webhook was created, or when its secret was rotated.',
  },
};
