import type { Sandbox } from '../sandbox.js';
import { painter } from '../terminal/painter.js';
import { version } from '../version.js';

/** The lines that a started sandbox prints: addresses, tokens, secrets, and commands to try. */
export function banner(
  { api, admin, numbers, channels, webhooks, journeys, phone, isResumed, withoutToken, clock }: Sandbox,
  { data, readyMs, isColoured }: { data: string | undefined; readyMs: number; isColoured: boolean },
): string[] {
  const paint = painter(isColoured);
  const head = (label: string, ...cells: string[]): string => `  ${paint('dim', label.padEnd(9))} ${cells.join('   ')}`;
  const detail = (label: string, value: string): string => `            ${paint('dim', label.padEnd(8))} ${value}`;
  const state = data === undefined ? 'state in memory' : `state in ${data}${isResumed ? ', resumed' : ''}`;
  const deliveries = `curl -H "authorization: Bearer ${admin.key}" \\`;

  return [
    '',
    `  ${paint('bold', `posthorn ${version}`)}  sandbox ready in ${readyMs} ms   ${paint('dim', `no account, no network, ${state}`)}`,
    '',
    head('API', `${api}/v1`),
    head('Docs', `${api}/docs`),
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
          `    npx posthorn send "hi"     ${paint('dim', 'sends a message as a contact, and shows the reply')}`,
          `    npx posthorn tail          ${paint('dim', 'prints events as they happen')}`,
          `    ${deliveries}`,
          `      ${admin.url}/deliveries`,
        ]),
    ...(!clock.isPaused
      ? []
      : [
          `  ${paint('dim', `The clock is stopped at ${clock.now().toISOString()}. Timers run when you move it:`)}`,
          `    npx posthorn clock next    ${paint('dim', 'to the next timer; also clock advance 17s, clock list, clock resume')}`,
        ]),
    `  ${paint('dim', 'Press Ctrl-C to stop.')}`,
    '',
  ];
}
