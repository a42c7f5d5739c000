import { createHmac } from 'node:crypto';
import {
  anyString,
  array,
  isSameSecret,
  object,
  oneOf,
  SIGNATURE_HEADER,
  type SignatureStep,
  signatureOf,
  signatureSteps,
  string,
  type TypeOf,
} from '#core';
import { frameworks, receivers } from './fixes.js';
import { type CodeMistake, type SignatureMistake, sentences, signatureMistakes } from './mistakes.js';
import { bodiesOf, formOf, givenVariants, hashes, keysOf, MAX_COMBINED_BYTES, type Variant } from './variants.js';

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

/** A signature to check, and with what it may have been made. */
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

/** Whether a signature matches, how it is made, and the mistake that gives the given one. */
export interface SignatureExplanation {
  readonly matches: boolean;
  /** The signature of the body with the secret. */
  readonly expected: string;
  readonly steps: SignatureStep[];
  /** Null when the signature matches, or when none of the known mistakes gives it. */
  readonly diagnosis: SignatureDiagnosis | null;
}

/**
 * Checks a signature, and explains a mismatch: tries the mistakes that receivers make, alone and combined, and names those that give the
 * same value, with the code that fixes them in each framework. Combinations are not tried with the secrets in `others`, whose number has
 * no small limit.
 */
export function explainSignature(question: SignatureQuestion): SignatureExplanation {
  const { body, contentType, secret, signature, header = SIGNATURE_HEADER } = question;
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
  const named = (code: string): string =>
    code.replaceAll(SIGNATURE_HEADER, header).replaceAll(SIGNATURE_HEADER.toLowerCase(), header.toLowerCase());
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
