import { createHmac } from 'node:crypto';

/** Base64 of the HMAC-SHA256 of a body. The key is the UTF-8 of the secret as shown. */
export default function sign({ secret, body }: { secret: string; body: string }): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}
