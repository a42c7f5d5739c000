import { createHmac } from 'node:crypto';

export default function hmac(text: string): string {
  return createHmac('sha256', 'secret').update(text).digest('base64');
}
