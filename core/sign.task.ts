import { createHmac } from 'node:crypto';

/** Returns base64 of the HMAC-SHA256 of a body. The key is the UTF-8 of the secret as it was shown, not decoded. */
export default function sign({ secret, body }: { secret: string; body: string | Uint8Array }): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}
