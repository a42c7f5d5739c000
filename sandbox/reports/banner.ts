import type { Sandbox } from '../sandbox.js';
import { painter } from '../terminal/painter.js';
import { version } from '../version.js';

/** What a person needs to go on: addresses, tokens, secrets, and what to try. */
export function banner(
  { api, admin, numbers, channels, webhooks, journeys, phone, isResumed, withoutToken, clock }: Sandbox,
  { data, readyMs, isColoured }: { data: string | undefined; readyMs: number; isColoured: boolean },
): string[] {
  const paint = painter(isColoured);
  const head = (label: string, ...cells: string[]): string => `  ${paint('dim', label.padEnd(9))} ${cells.join('   ')}`;
  const detail = (label: string, value: string): string => `            ${paint('dim', label.padEnd(8))} ${value}`;
  const state = data === undefined ? 'state in memory' : `state in ${data}${isResumed ? ', as it was left' : ''}`;
  const deliveries = `curl -H "authorization: Bearer ${admin.key}" \\`;

  return [
    '',
    `  ${paint('bold', `posthorn ${version}`)}  sandbox ready in ${readyMs} ms   ${paint('dim', `no account, no network, ${state}`)}`,
    '',
    head('API', `${api}/v1`),
    head('Admin', admin.url),
    detail('key', admin.key),
    ...numbers.flatMap(({ uuid, kind, name, address, token }) => {
      const channel = channels.find((channel) => channel.uuid === uuid);
      return [
        head(channel ? 'Channel' : 'Number', paint('bold', name), address, ...(channel ? [] : [paint('dim', kind)])),
        detail('uuid', uuid),
        detail('token', withoutToken.includes(uuid) ? `${token}  ${paint('red', 'no longer valid')}` : token),
        ...(channel ? [detail('secret', channel.webhook.hmac_secret), detail('endpoint', channel.endpoint)] : []),
      ];
    }),
    ...webhooks.flatMap(({ name, url, subscriptions, hmac_secret }) => [
      head('Webhook', paint('bold', name), subscriptions.join(', ')),
      detail('url', url),
      detail('secret', hmac_secret),
    ]),
    ...journeys.map(({ name, uuid }) => head('Journey', paint('bold', name), paint('dim', uuid))),
    '',
    ...(phone === undefined
      ? [`  ${paint('dim', 'Try')}  ${deliveries}`, `         ${admin.url}/numbers`]
      : [
          `  ${paint('dim', 'Try, in a second terminal in this folder:')}`,
          `    npx posthorn send "hi"     ${paint('dim', 'writes to the channel as a contact, and shows what follows')}`,
          `    npx posthorn tail          ${paint('dim', 'shows everything that happens')}`,
          `    ${deliveries}`,
          `      ${admin.url}/deliveries`,
        ]),
    ...(clock === undefined
      ? []
      : [
          `  ${paint('dim', `Its clock stands at ${clock.now().toISOString()}; what is due later waits until you move it:`)}`,
          `    curl --json '{"seconds":60}' -H "authorization: Bearer ${admin.key}" \\`,
          `      ${admin.url}/clock/advance`,
        ]),
    `  ${paint('dim', 'Ctrl-C stops it.')}`,
    '',
  ];
}
