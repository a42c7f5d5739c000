import { createHash, createHmac } from 'node:crypto';
import { anyString, array, boolean, integer, named, object, oneOf, string, type TypeOf } from '../shape.js';
import { isSameSecret } from './signature.js';
import { frameworks, receivers } from './signature-fixes.js';
import { type CodeMistake, type SignatureMistake, sentences, signatureMistakes } from './signature-mistakes.js';
import { bodiesOf, formOf, givenVariants, hashes, keysOf, MAX_COMBINED_BYTES, type Variant } from './signature-variants.js';

/** The bytes of the body that a step shows. */
const MAX_START_BYTES = 256;
const MAX_END_BYTES = 16;
/** The last characters of a shorter secret are not shown, because they would be too much of it. */
const MIN_HINTED_CHARACTERS = 16;
const HINT_CHARACTERS = 4;

export const signatureStepSchema = named(
  'SignatureStep',
  object(
    { step: oneOf('body', 'key', 'hmac', 'base64', 'header', 'given'), about: string() },
    {
      /** The SHA-256 of the body, the HMAC as hex, the signature, the line of the header, or the signature that was given. */
      value: anyString(),
      /** The size of the body, or of the key. */
      bytes: integer(),
      content_type: string(),
      /** The first 256 bytes of the body, as hex and, as far as they are UTF-8, as text. */
      start_hex: anyString(),
      start: anyString(),
      /** The last 16 bytes of a longer body. */
      end_hex: string(),
      /** The last characters of the secret, unless it is short. */
      ends_with: string(),
      /** Whether the given signature is that of the body. */
      matches: boolean(),
    },
  ),
);
/** One step of making a signature, or of comparing it. No step contains the key. */
export type SignatureStep = TypeOf<typeof signatureStepSchema>;

const changeSchema = object({
  mistake: oneOf(...signatureMistakes),
  /** Lines that make the mistake, and the lines that replace them. `wrong` is empty if lines are missing. */
  wrong: anyString(),
  right: string(),
});
type SignatureChange = TypeOf<typeof changeSchema>;

export const signatureDiagnosisSchema = object({
  mistakes: array(oneOf(...signatureMistakes)),
  message: string(),
  fix: string(),
  /** For each framework, the lines to change, and a complete receiver that verifies signatures correctly. */
  fixes: array(
    object({
      framework: oneOf(...frameworks),
      title: string(),
      language: oneOf('js', 'python', 'go'),
      changes: array(changeSchema),
      code: string(),
    }),
  ),
});
export type SignatureDiagnosis = TypeOf<typeof signatureDiagnosisSchema>;

/** Another secret that a receiver may have used by mistake. */
export interface OtherSecret {
  /** Its owner, for example `webhook 'Orders'`. */
  readonly owner: string;
  readonly secret: string;
}

export interface SignatureQuestion {
  readonly body: string | Uint8Array;
  readonly contentType?: string | undefined;
  readonly secret: string;
  /** The owner of the secret, for example `webhook 'Orders'`. */
  readonly owner?: string | undefined;
  /** The signature to check, as the receiver computed or received it. The name of the header and quotes around it are ignored. */
  readonly signature: string;
  readonly header?: string;
  readonly others?: readonly OtherSecret[];
  /** Times that a receiver may have signed too, as it may have written them. */
  readonly times?: readonly string[];
}

export interface SignatureExplanation {
  readonly matches: boolean;
  /** The signature of the body with the secret. */
  readonly expected: string;
  readonly steps: SignatureStep[];
  /** Null when the signature matches, or when none of the known mistakes gives it. */
  readonly diagnosis: SignatureDiagnosis | null;
}

/** The name of the header in the default dialect. */
const HEADER = 'X-Svc-Hook-Signature';

/** Base64 of the HMAC-SHA256 of the bytes of a body; the key is the UTF-8 of the secret. */
export const signatureOf = (secret: string, body: string | Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** Says how a signature was made from a body. */
export function signatureSteps(
  body: string | Uint8Array,
  signature: string,
  { header = HEADER, secret, contentType }: { header?: string; secret?: string; contentType?: string | undefined } = {},
): SignatureStep[] {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const start = bytes.subarray(0, MAX_START_BYTES);
  return [
    {
      step: 'body',
      about: `the ${bytes.length} bytes of the body, exactly as they are sent; this is their SHA-256`,
      value: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      ...(contentType !== undefined && { content_type: contentType }),
      start_hex: start.toString('hex'),
      // A decoder that expects more bytes leaves out a character that the end of `start` cuts.
      start: new TextDecoder('utf-8', { ignoreBOM: true }).decode(start, { stream: start.length < bytes.length }),
      ...(start.length < bytes.length && { end_hex: bytes.subarray(-MAX_END_BYTES).toString('hex') }),
    },
    {
      step: 'key',
      about: 'the UTF-8 bytes of the secret as it is shown, not base64-decoded',
      ...(secret !== undefined && { bytes: Buffer.byteLength(secret), ...hintOf(secret) }),
    },
    { step: 'hmac', about: 'HMAC-SHA256 of the body with the key, as hex', value: Buffer.from(signature, 'base64').toString('hex') },
    { step: 'base64', about: 'the same 32 bytes as standard base64 with padding', value: signature },
    { step: 'header', about: 'sent as this header', value: `${header}: ${signature}` },
  ];
}

const hintOf = (secret: string): { readonly ends_with?: string } =>
  secret.length < MIN_HINTED_CHARACTERS ? {} : { ends_with: secret.slice(-HINT_CHARACTERS) };

/**
 * Checks a signature, and explains a mismatch: tries the mistakes that receivers make, alone and combined, and names those that give the
 * same value, with the code that fixes them in each framework. Combinations are not tried with the secrets in `others`, whose number has
 * no small limit.
 */
export function explainSignature(question: SignatureQuestion): SignatureExplanation {
  const { body, contentType, secret, signature, header = HEADER } = question;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const given = withoutName(signature);
  const expected = signatureOf(secret, bytes);
  const matches = isSameSecret(given, expected);
  const about = matches ? 'the signature that you gave; it matches' : 'the signature that you gave; it does not match';
  return {
    matches,
    expected,
    steps: [...signatureSteps(bytes, expected, { header, secret, contentType }), { step: 'given', about, value: given, matches }],
    diagnosis: matches ? null : diagnosisOf(bytes, given, { ...question, header }),
  };
}

/** The signature in `X-Svc-Hook-Signature: "…"`. No form of a signature contains a colon or a quote. */
const withoutName = (signature: string): string =>
  signature
    .trim()
    .replace(/^[\w-]+:\s*/, '')
    .replace(/^(["'])(.*)\1$/, '$2');

type Mistakes = readonly SignatureMistake[];

function diagnosisOf(
  body: Uint8Array,
  given: string,
  { secret, owner: own, header, others = [], times = [] }: SignatureQuestion & { readonly header: string },
): SignatureDiagnosis | null {
  const isCombined = body.length <= MAX_COMBINED_BYTES;
  const givens = givenVariants(given);
  let best: { readonly mistakes: Mistakes; readonly owner?: string | undefined } | undefined;
  const attempt = (key: Variant<string | Uint8Array>, text: Variant<string | Uint8Array>, hash: Variant<string>, owner?: string): void => {
    const before = [...text[1], ...key[1], ...hash[1]];
    if (before.length > 1 && !isCombined) return;
    const digest = createHmac(hash[0], key[0]).update(text[0]).digest();
    for (const [value, written] of givens) {
      const form = formOf(value, digest);
      const mistakes = form && [...before, ...written, ...form];
      if (mistakes && (!best || mistakes.length < best.mistakes.length)) best = { mistakes, owner };
    }
  };
  const texts = bodiesOf(body, times);
  for (const key of keysOf(secret)) for (const text of texts) for (const hash of hashes) attempt(key, text, hash);
  attempt([body, ['key_body_swapped']], [secret, []], hashes[0]!);
  for (const { owner, secret: other } of others) {
    if (best) break;
    if (other !== secret) attempt([other, ['other_secret']], texts[0]!, hashes[0]!, owner);
  }
  if (!best || best.mistakes.length === 0) return null;
  const { mistakes, owner } = best;
  return {
    mistakes: [...mistakes],
    message: `Your value is the signature with ${mistakes.map((mistake) => sentences[mistake].is(owner)).join(', and ')}.`,
    fix: [...new Set(mistakes.map((mistake) => sentences[mistake].fix(own)))].join(' '),
    fixes: fixesOf(mistakes, { owner: own ?? 'this webhook', other: owner ?? 'another webhook', header }),
  };
}

/** For each framework, the lines that make these mistakes, and a receiver without them. */
function fixesOf(
  mistakes: Mistakes,
  { owner, other, header }: { readonly owner: string; readonly other: string; readonly header: string },
): SignatureDiagnosis['fixes'] {
  const named = (code: string): string => code.replaceAll(HEADER, header).replaceAll(HEADER.toLowerCase(), header.toLowerCase());
  return frameworks.map((framework) => {
    const { title, language, code, mistakes: own } = receivers[framework];
    const changes = mistakes.flatMap((mistake): SignatureChange[] =>
      mistake === 'other_secret'
        ? [{ mistake, wrong: `POSTHORN_SECRET=<secret of ${other}>`, right: `POSTHORN_SECRET=<secret of ${owner}>` }]
        : (own[mistake as CodeMistake] ?? []).map(([right, wrong]) => ({ mistake, wrong: wrong.trimEnd(), right: right.trimEnd() })),
    );
    return { framework, title, language, changes, code: named(code) };
  });
}
