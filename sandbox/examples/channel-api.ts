/** Calls of the Channel API with the token of the channel, and the deliveries that the platform makes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from './turn.js';

const { env } = process;

/** The time of a message or status, in Unix seconds. */
export const now = (): string => String(Math.floor(Date.now() / 1000));

/** A delivery, without a turn if the body is not a message to a contact. */
export function messageIn(body: Buffer): { readonly to: string; readonly turn?: Turn } {
  try {
    return JSON.parse(body.toString()) ?? { to: '' };
  } catch {
    return { to: '' };
  }
}

export const report = (id: string, recipient_id: string, status: string): Promise<void> =>
  post('statuses', { status: { id, recipient_id, status, timestamp: now() } });

/** Retries while the platform does not respond, as it may be starting. A refused request would be refused again. */
export async function post(what: 'messages' | 'statuses', body: object, attempt = 1): Promise<void> {
  const url = `${env.POSTHORN_API}/v1/numbers/${env.POSTHORN_NUMBER}/${what}`;
  const headers = { authorization: `Bearer ${env.POSTHORN_TOKEN}`, 'content-type': 'application/json' };
  const got = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch((error: Error) => error);
  if (got instanceof Response && got.ok) return;
  const problem = got instanceof Response ? `${got.status} ${await got.text()}` : got.message;
  if ((got instanceof Response && got.status < 500) || attempt === 8) throw new Error(`the platform did not accept ${what}: ${problem}`);
  await sleep(250 * 2 ** attempt);
  await post(what, body, attempt + 1);
}
