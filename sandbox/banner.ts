import type { Sandbox } from './compose.js';

type Paint = (style: 'bold' | 'dim' | 'green' | 'red' | 'cyan' | 'yellow', text: string) => string;
const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours text, or leaves it alone. */
export const painter =
  (isColoured: boolean): Paint =>
  (style, text) =>
    isColoured ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

/** What a person needs to go on: addresses, tokens, secrets, and what to try. */
export function banner(
  { api, admin, seeded }: Sandbox,
  { version, data, readyMs, isColoured }: { version: string; data: string | undefined; readyMs: number; isColoured: boolean },
): string[] {
  const paint = painter(isColoured);
  const row = (label: string, ...cells: string[]): string => `  ${paint('dim', label.padEnd(9))} ${cells.join('   ')}`;
  const state = data === undefined ? 'state in memory' : `state in ${data}`;
  return [
    '',
    `  ${paint('bold', `posthorn ${version}`)}  sandbox ready in ${readyMs} ms   ${paint('dim', `no account, no network, ${state}`)}`,
    '',
    row('API', `${api}/v1`),
    row('Admin', admin.url, `${paint('dim', 'key')} ${admin.key}`),
    ...seeded.numbers.flatMap(({ kind, name, address, token, uuid }) => [
      row(kind === 'channel' ? 'Channel' : 'Number', paint('bold', name), address, paint('dim', uuid)),
      row('', `${paint('dim', 'token')}  ${token}`),
      ...seeded.channels
        .filter((channel) => channel.uuid === uuid)
        .map(({ webhook, endpoint }) =>
          row('', `${paint('dim', 'secret')} ${webhook.hmac_secret}`, `${paint('dim', 'connector')} ${endpoint}`),
        ),
    ]),
    ...seeded.webhooks.map(({ url, subscriptions, hmac_secret }) =>
      row('Webhook', subscriptions.join(', '), url, `${paint('dim', 'secret')} ${hmac_secret}`),
    ),
    ...seeded.journeys.map(({ name, uuid }) => row('Journey', paint('bold', name), paint('dim', uuid))),
    '',
    ...(seeded.journeys.length > 0
      ? [`  ${paint('dim', 'Try, in a second terminal:')}  npx posthorn send "hi"      npx posthorn tail`]
      : [`  ${paint('dim', 'Try:')}  curl -H "authorization: Bearer ${admin.key}" ${admin.url}/numbers`]),
    `  ${paint('dim', 'Ctrl-C stops it.')}`,
    '',
  ];
}
