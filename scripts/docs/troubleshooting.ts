import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { ADMIN_KEY } from '#core/testing';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { NoSandbox } from '../../sandbox/commands/command.js';
import { ANN, CONNECTOR, inShop, type Shop } from './recipes/shop.js';

/** A common mistake. Its text is what comes out when it is made. */
interface Mistake {
  readonly title: string;
  /** Where the text is seen. */
  readonly where: string;
  /** Makes the mistake. @returns what one sees */
  readonly make: (shop: Shop) => Promise<string>;
  readonly rateLimits?: true;
  readonly cause: string;
  readonly fix: string;
}

const EVENTS = 'this `advice` in `npx posthorn tail` and in the event stream';
const text = { type: 'text', text: { body: 'Hello Ann, your book is here.' } };
const contact = { id: ANN, profile: { name: 'Ann' } };
const inbound = (id: string, body: string, more = {}) => ({
  contact,
  message: { type: 'text', from: ANN, id, timestamp: '1767600000', text: { body }, ...more },
});
const send = ({ call, onChannel }: Shop, payload: object = { to: ANN, ...text }) =>
  call('POST', '/v1/messages', { token: onChannel.token, payload });

/** The mistakes of connectors, receivers and journeys, the most common first. */
export const mistakes: readonly Mistake[] = [
  {
    title: 'The token is refused',
    where: 'status 401',
    make: (shop) => refusal(401, shop.call('POST', '/v1/messages', { token: 'ph_of_yesterday', payload: { to: ANN, ...text } })),
    cause:
      'The token was mistyped, has expired, was revoked, or belongs to another platform. A sandbox without `--data` makes new tokens at each start.',
    fix: 'Make a token with `POST /admin/v1/numbers/{uuid}/tokens`. In tests, start the sandbox with `--seed-key`: tokens are then the same in every run.',
  },
  {
    title: 'The admin key is used as a token',
    where: 'status 401',
    make: (shop) => refusal(401, shop.call('POST', '/v1/messages', { token: ADMIN_KEY, payload: { to: ANN, ...text } })),
    cause: 'Calls of `/v1` act on the number of their token. The admin key belongs to no number.',
    fix: 'Use the admin key for `/admin/v1` only, and a token of the number for `/v1`.',
  },
  {
    title: 'The connector uses the token of the number that made the channel',
    where: 'status 403',
    make: (shop) =>
      refusal(
        403,
        shop.call('POST', `/v1/numbers/${shop.onChannel.uuid}/messages`, { token: shop.onNetwork.token, payload: inbound('in-1', 'hi') }),
      ),
    cause: 'A number of the network creates the channel, but only a token of the channel may post its messages and statuses.',
    fix: 'Make a token with the uuid of the channel: `POST /admin/v1/numbers/{uuid}/tokens`.',
  },
  {
    title: 'A field of an inbound message is missing',
    where: 'status 400',
    make: (shop) =>
      refusal(400, shop.connectorPosts('messages', { contact: { id: ANN }, message: { type: 'text', from: ANN, id: 'in-1' } })),
    cause:
      '`contact.profile.name`, and `type`, `from`, `id` and `timestamp` of the message are required, and so is the part that `type` names.',
    fix: 'Compare the body with [the recipe of its type](recipes/messages.md#bring-in-a-message-of-a-contact). `timestamp` is a string of Unix seconds.',
  },
  {
    title: 'The signature never verifies',
    where: EVENTS,
    async make(shop) {
      shop.http.answer('POST https://receiver.example/network/msgapp', { status: 401 });
      await shop.wanted(201, shop.phone({ from: ANN, type: 'text', text: { body: 'hi' } }));
      await shop.clock.advance(1_000);
      return theAdvice(shop, 'signature_never_verified');
    },
    cause:
      'The receiver uses the secret of another webhook, computes the HMAC over JSON that was parsed and written again, or compares hexadecimal with Base64.',
    fix: 'Use one of [the tested samples](recipes/signatures.md), over the raw bytes of the body. A lost secret cannot be shown again: rotate it.',
  },
  {
    title: 'The connector does not name the message',
    where: EVENTS,
    async make(shop) {
      shop.http.answer(`POST ${CONNECTOR}`, { status: 200, body: { ok: true } });
      await shop.wanted(200, send(shop));
      await shop.clock.advance(1_000);
      return theAdvice(shop, 'connector_response_invalid');
    },
    cause:
      'The connector answered a delivery with 2XX and without `messages[0].id`, so Posthorn cannot match statuses and replies with the message.',
    fix: 'Answer as [the recipe](recipes/messages.md#send-from-a-channel) does. With `deliveries: { strictAnswers: true }` such an answer is a failure and is retried.',
  },
  {
    title: 'The connector posts back what it was sent',
    where: EVENTS,
    async make(shop) {
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-1', 'Good morning')));
      await shop.wanted(200, send(shop));
      await shop.clock.advance(1_000);
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-2', text.text.body)));
      return theAdvice(shop, 'echo_loop');
    },
    cause:
      'The messaging service echoes messages of the business, and the connector posts them as messages of the contact. Journeys then answer themselves.',
    fix: 'Skip events that your messaging service marks as sent by you.',
  },
  {
    title: 'A status names a message that does not exist',
    where: 'status 400',
    make(shop) {
      const status = { id: 'out-99', recipient_id: ANN, status: 'delivered', timestamp: '1767600001' };
      return refusal(400, shop.connectorPosts('statuses', { status }));
    },
    cause:
      'The connector reports the id of its messaging service, after it had answered the delivery with another id, or names the uuid of Posthorn.',
    fix: 'Keep one id per message: the one in the answer to the delivery.',
  },
  {
    title: 'A late reply does not continue the journey',
    where: EVENTS,
    async make(shop) {
      const uuid = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f003';
      const put = { number: shop.onChannel.uuid, name: 'Café', definition: shop.journey, triggers: [{ on: 'message', words: ['hi'] }] };
      await shop.wanted(200, shop.admin('PUT', `/journeys/${uuid}`, put));
      await shop.wanted(200, shop.admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' }));
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-1', 'hi')));
      await shop.clock.advance(10 * 60_000);
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-2', 'A table')));
      await shop.clock.advance(1_000);
      return theAdvice(shop, 'reply_without_context');
    },
    cause:
      'The session of the journey expired (5 minutes unless `interaction_timeout` says otherwise), and the reply does not say which question it answers.',
    fix: 'Post `context.id` with taps and quoted replies ([recipe](recipes/messages.md#reply-to-a-question-with-contextid)), or raise `interaction_timeout`.',
  },
  {
    title: 'A webhook never receives anything',
    where: EVENTS,
    async make(shop) {
      const webhook = { number: shop.onChannel.uuid, url: 'https://receiver.example/svc', name: 'Warehouse', subscriptions: ['svc'] };
      await shop.wanted(201, shop.admin('POST', '/webhooks', webhook));
      return theAdvice(shop, 'subscription_never_fires');
    },
    cause: 'The subscription does not exist on this kind of number.',
    fix: 'Compare subscription and kind of number in [the table](../plugins/network/README.md).',
  },
  {
    title: 'Reactions do not arrive',
    where: EVENTS,
    async make(shop) {
      await shop.wanted(200, shop.admin('PATCH', `/numbers/${shop.onNetwork.uuid}`, { reactions: false }));
      await shop.wanted(201, shop.phone({ from: ANN, type: 'text', id: 'wamid.1', text: { body: 'hi' } }));
      await shop.wanted(201, shop.phone({ from: ANN, type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } }));
      return theAdvice(shop, 'reactions_not_enabled');
    },
    cause: 'Reactions are opt-in for each number.',
    fix: 'Switch them on for the number; earlier reactions are not delivered later.',
  },
  {
    title: 'A disabled webhook misses events',
    where: EVENTS,
    async make(shop) {
      const { webhooks } = await shop.wanted(200, shop.admin('GET', `/webhooks?number=${shop.onNetwork.uuid}`));
      const { uuid } = webhooks.find(({ name }: { name: string }) => name === 'msgapp');
      await shop.wanted(200, shop.admin('PATCH', `/webhooks/${uuid}`, { enabled: false }));
      await shop.wanted(201, shop.phone({ from: ANN, type: 'text', text: { body: 'hi' } }));
      await shop.clock.advance(1_000);
      return theAdvice(shop, 'webhook_muted');
    },
    cause: 'Deliveries to a webhook with `"enabled": false` are cancelled with the reason `webhook_disabled`.',
    fix: 'Enable it and redeliver ([recipe](recipes/admin.md#redeliver)). For maintenance use pause and resume: a paused webhook loses nothing.',
  },
  {
    title: 'Different messages have the same id',
    where: EVENTS,
    async make(shop) {
      await shop.wanted(200, shop.connectorPosts('messages', inbound('1', 'Is my book here?')));
      await shop.wanted(200, shop.connectorPosts('messages', inbound('1', 'Hello?')));
      return theAdvice(shop, 'inbound_id_repeated');
    },
    cause:
      'The connector counts messages from 1 after each restart, or per chat. Posthorn deduplicates by `id`, so the second message is lost.',
    fix: 'Post ids that are unique on the channel, for example `<chat>:<id>`.',
  },
  {
    title: 'A webhook on this machine is refused',
    where: 'status 400',
    make: refusedTarget,
    cause:
      'Requests to loopback and private addresses are refused, so that no webhook reaches a service of your house. A name that leads there fails at delivery with `blocked_address`.',
    fix: 'Name the host in the option `privateTargets` of `createPlatform`, or use the sandbox, which allows all of them.',
  },
  {
    title: 'A receiver takes too long',
    where: 'the `error` of an attempt in `npx posthorn deliveries show UUID`',
    async make(shop) {
      shop.http.answer('POST https://receiver.example/network/msgapp', 'hang');
      await shop.wanted(201, shop.phone({ from: ANN, type: 'text', text: { body: 'hi' } }));
      await shop.clock.advance(6_000);
      const { deliveries } = await shop.wanted(200, shop.admin('GET', '/deliveries'));
      const { attempts } = await shop.wanted(200, shop.admin('GET', `/deliveries/${deliveries[0].uuid}`));
      return `${attempts[0].status} ${attempts[0].error_code}: ${attempts[0].error}`;
    },
    cause:
      'The receiver works before it answers. The whole exchange has 5 seconds; then the attempt counts as failed and is retried, so the work is done again.',
    fix: 'Store the event, answer 2XX, and work afterwards. Skip duplicates by `id`.',
  },
  {
    title: 'Too many calls in a minute',
    where: 'status 429, with `Retry-After`',
    rateLimits: true,
    async make(shop) {
      for (let i = 0; i < 60; i++) await shop.wanted(200, send(shop));
      return refusal(429, send(shop));
    },
    cause: 'A number has 60 calls a minute in each rate-limit bucket.',
    fix: 'Wait for `Retry-After`, send `X-throttling: 1` to have calls queued until the next minute, or change the option `rateLimits`.',
  },
  {
    title: 'A simulation finds no journey',
    where: 'status 400',
    async make(shop) {
      const uuid = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f003';
      await shop.wanted(
        200,
        shop.admin('PUT', `/journeys/${uuid}`, { number: shop.onChannel.uuid, name: 'Café', definition: shop.journey }),
      );
      const payload = { simulation_id: 'order-42' };
      return refusal(400, shop.call('POST', `/v1/journeys/${uuid}/simulation`, { token: shop.onChannel.token, payload }));
    },
    cause: 'The journey has a draft only.',
    fix: 'Publish it ([recipe](recipes/admin.md#publish-it)), or simulate `"revision": "staging"` after publishing to staging.',
  },
  {
    title: 'Flows are refused for a number',
    where: 'status 400',
    async make(shop) {
      const { number } = await shop.wanted(201, shop.admin('POST', '/numbers', { kind: 'network', address: '+27600000009', name: 'Desk' }));
      const { text: token } = await shop.wanted(201, shop.admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'forms' }));
      return refusal(400, shop.call('GET', '/v1/flows', { token }));
    },
    cause: 'Flows belong to a business account, and the number has none.',
    fix: 'Give the number one: `PATCH /admin/v1/numbers/{uuid}` with `{"account": "shop"}`.',
  },
  {
    title: 'A template is not found',
    where: 'status 404',
    make: (shop) => {
      const payload = { to: ANN, type: 'template', template: { name: 'visit_reminder', language: { code: 'en' } } };
      return refusal(404, shop.call('POST', '/v1/messages', { token: shop.onNetwork.token, payload }));
    },
    cause: 'The number has no template of this name and language. `en` and `en_US` are two languages.',
    fix: '[Register it](recipes/admin.md#register-a-template).',
  },
  {
    title: 'A command finds no sandbox',
    where: 'this in the terminal, with exit code 3',
    make: async () => new NoSandbox().message,
    cause: 'The command runs in a folder from which no running sandbox is found: it looks in this folder and those above.',
    fix: 'Run it in the folder in which the sandbox was started.',
  },
];

/** The body of a refused call. @throws when it has another status */
async function refusal(status: number, answer: ReturnType<Shop['call']>): Promise<string> {
  const { status: found, body } = await answer;
  if (found !== status) throw new Error(`the mistake gets ${found} instead of ${status}: ${JSON.stringify(body)}`);
  const { meta: _, ...said } = body;
  return JSON.stringify(said);
}

/** The delivery of a platform that blocks requests to this machine. Other platforms of this page use scripted HTTP. */
async function refusedTarget(): Promise<string> {
  const platform = createPlatform({ plugins: [webhooks()], admin: { key: ADMIN_KEY } });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  try {
    const { uuid: number } = await platform.store.transaction((tx) =>
      platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27600000001', name: 'Shop' }),
    );
    const payload = { number, url: 'http://127.0.0.1:3001/hook' };
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const { statusCode, payload: body } = await server.inject({ method: 'POST', url: '/admin/v1/webhooks', headers, payload });
    return refusal(400, Promise.resolve({ status: statusCode, body: JSON.parse(body), headers: {} }));
  } finally {
    await server.stop();
  }
}

/** The advice of a name. @throws unless it was issued once */
function theAdvice({ events }: Shop, name: string): string {
  const issued = events
    .filter((event) => event.name === 'advice')
    .map(({ data }) => data as { readonly name: string; readonly message: string; readonly fix: string })
    .filter((advice) => advice.name === name);
  if (issued.length !== 1) throw new Error(`${name} was issued ${issued.length} times and not once`);
  return `${name}: ${issued[0]!.message} ${issued[0]!.fix}`;
}

/** Every mistake with its text, by making it on a platform. */
export async function mistakeList(): Promise<string> {
  const parts: string[] = [];
  for (const { title, where, make, rateLimits = false, cause, fix } of mistakes) {
    const seen = await inShop(title, make, { rateLimits });
    parts.push(`## ${title}`, `You see ${where}:`, `> \`${seen}\``, `**Cause.** ${cause}`, `**Fix.** ${fix}`);
  }
  return parts.join('\n\n');
}
