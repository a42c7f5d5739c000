import { ownCommand } from '../../core/own-command.js';
import type { Sandbox } from '../sandbox.js';
import { painter } from '../terminal/painter.js';
import { version } from '../version.js';

/** The parts of a sandbox that the banner shows. */
export type BannerSandbox = Pick<
  Sandbox,
  'api' | 'admin' | 'console' | 'numbers' | 'channels' | 'webhooks' | 'journeys' | 'phone' | 'isResumed' | 'withoutToken' | 'changedOptions'
> & { readonly clock: { readonly isPaused: boolean; now(): Date } };

export interface BannerOptions {
  readonly data: string | undefined;
  /** Milliseconds until the sandbox was ready; undefined when it was started earlier. */
  readonly readyMs?: number;
  readonly isColoured: boolean;
  /** A URL that signs a browser in to the console, once. */
  readonly signInUrl?: string | undefined;
  /** The keys of this terminal, and the action of each. */
  readonly keys?: string;
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The lines that a started sandbox prints: addresses, tokens, secrets, and commands to try. */
export function banner(
  { api, admin, console, numbers, channels, webhooks, journeys, phone, isResumed, withoutToken, clock, changedOptions }: BannerSandbox,
  { data, readyMs, isColoured, signInUrl, keys }: BannerOptions,
): string[] {
  const paint = painter(isColoured);
  const posthorn = ownCommand();
  const head = (label: string, ...cells: string[]): string => `  ${paint('dim', label.padEnd(9))} ${cells.join('   ')}`;
  const detail = (label: string, value: string): string => `            ${paint('dim', label.padEnd(8))} ${value}`;
  const state = data === undefined ? 'state in memory' : `state in ${data}${isResumed ? ', resumed' : ''}`;
  const addressOf = (uuid: string): string => numbers.find((number) => number.uuid === uuid)?.address ?? uuid;
  const ready = readyMs === undefined ? 'sandbox is running' : `sandbox ready in ${readyMs} ms`;
  const onNetwork = numbers.filter(({ webhook }) => webhook !== undefined).length;
  const reach = onNetwork === 0 ? 'no account, no network' : `${onNetwork} ${onNetwork === 1 ? 'number' : 'numbers'} on the Cloud API`;
  const deliveries = `curl -H "authorization: Bearer ${admin.key}" \\`;

  return [
    '',
    `  ${paint('bold', `posthorn ${version}`)}  ${ready}   ${paint('dim', `${reach}, ${state}`)}`,
    '',
    ...(console && signInUrl === undefined ? [head('Console', console.url, paint('dim', `sign in with ${posthorn} open`))] : []),
    ...(signInUrl === undefined
      ? []
      : [head('Console', signInUrl), `            ${paint('dim', `signs in once, within 10 minutes; later: ${posthorn} open`)}`]),
    head('API', `${api}/v1`),
    head('Docs', `${api}/docs`),
    head('Admin', admin.url),
    detail('key', admin.key),
    ...numbers.flatMap(({ uuid, kind, name, address, token, webhook }) => {
      const channel = channels.find((channel) => channel.uuid === uuid);
      return [
        head(channel ? 'Channel' : 'Number', paint('bold', name), address, ...(channel ? [] : [paint('dim', kind)])),
        detail('uuid', uuid),
        detail('token', withoutToken.includes(uuid) ? `${token}  ${paint('red', 'no longer valid')}` : token),
        ...(webhook === undefined ? [] : [detail('webhook', webhook)]),
        ...(channel ? [detail('secret', channel.webhook.hmac_secret), detail('endpoint', channel.endpoint)] : []),
      ];
    }),
    ...webhooks.flatMap(({ url, number, subscriptions, hmac_secret }) => [
      head('Webhook', paint('bold', url), `for ${addressOf(number)}`, subscriptions.join(', ')),
      detail('secret', hmac_secret),
    ]),
    ...journeys.map(({ name, number, uuid }) => head('Journey', paint('bold', name), `for ${addressOf(number)}`, paint('dim', uuid))),
    ...changedOptions.map(({ path, value, default: standard }) =>
      head('Option', `${path}=${plain(value)}`, ...(standard === null ? [] : [paint('dim', `default ${plain(standard)}`)])),
    ),
    '',
    ...(numbers.some(({ address }) => address.startsWith('webchat:')) ? [`  Chat in a page: ${paint('bold', `${api}/chat`)}`, ''] : []),
    ...(phone === undefined
      ? [`  ${paint('dim', 'Try')}  ${deliveries}`, `         ${admin.url}/numbers`]
      : [
          `  ${paint('dim', 'Try, in a second terminal in this folder:')}`,
          `    ${posthorn} send "hi"     ${paint('dim', 'sends a message as a contact, and shows the reply')}`,
          `    ${posthorn} tail          ${paint('dim', 'prints events as they happen')}`,
          `    ${posthorn} status        ${paint('dim', 'prints this again')}`,
          `    ${deliveries}`,
          `      ${admin.url}/deliveries`,
        ]),
    ...(!clock.isPaused
      ? []
      : [
          `  ${paint('dim', `The clock is stopped at ${clock.now().toISOString()}. Timers run when you move it:`)}`,
          `    ${posthorn} clock next    ${paint('dim', 'to the next timer; also clock advance 17s, clock list, clock resume')}`,
        ]),
    ...(keys === undefined ? [] : [`  ${paint('dim', keys)}`]),
    '',
  ];
}
