import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Whether `header`, the X-Svc-Hook-Signature of a request, belongs to its raw body. */
export function isSigned(secret: string, rawBody: Uint8Array, header: string | undefined): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(rawBody).digest('base64'));
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

// POSTHORN_SECRET=… node signature.js SIGNATURE < body
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const signed = isSigned(process.env.POSTHORN_SECRET ?? '', await buffer(process.stdin), process.argv[2]);
  console.log(signed ? 'signed' : 'not signed');
}
