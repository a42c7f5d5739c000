import type { Sandbox } from '../../sandbox/compose.js';

/** Calls the admin API of a sandbox: with POST if there is a payload, otherwise with GET. */
export async function admin(
  { admin: { url, key } }: Sandbox,
  path: string,
  payload?: object | string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}${path}`, {
    method: payload === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(payload !== undefined && { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
  return { status: response.status, text, body: JSON.parse(text) as any };
}
