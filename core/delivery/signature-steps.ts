import { createHash, createHmac } from 'node:crypto';
import { anyString, boolean, integer, named, object, oneOf, string, type TypeOf } from '../shape.js';

/** The bytes of the body that a step shows. */
const MAX_START_BYTES = 256;
const MAX_END_BYTES = 16;
/** The last characters of a shorter secret are not shown, because they would be too much of it. */
const MIN_HINTED_CHARACTERS = 16;
const HINT_CHARACTERS = 4;

/** The schema of a step, for responses that show how a signature is made. */
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

/** The name of the header with the signature in the default dialect. */
export const SIGNATURE_HEADER = 'X-Svc-Hook-Signature';

/** Base64 of the HMAC-SHA256 of the bytes of a body; the key is the UTF-8 of the secret. */
export const signatureOf = (secret: string, body: string | Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** Says how a signature was made from a body. */
export function signatureSteps(
  body: string | Uint8Array,
  signature: string,
  { header = SIGNATURE_HEADER, secret, contentType }: { header?: string; secret?: string; contentType?: string | undefined } = {},
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
