import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { ADMIN_KEY } from '#core/testing';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { NoSandbox } from '../../sandbox/commands/command.js';
import { ANN, CONNECTOR, inShop, type Shop } from './recipes/shop.js';

/** A common mistake. The page shows the text that making the mistake produces. */
interface Mistake {
  readonly title: string;
  /** Where the reader sees the text. */
  readonly where: string;
  /** Makes the mistake. @returns the text that the reader sees */
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
      'The token was mistyped, has expired, was revoked, or belongs to another platform. A sandbox without `--data` creates new tokens at each start.',
    fix: 'Create a token with `POST /admin/v1/numbers/{uuid}/tokens`. In tests, start the sandbox with `--seed-key`: tokens are then the same in every run.',
  },
  {
    title: 'The admin key is used as a token',
    where: 'status 401',
    make: (shop) => refusal(401, shop.call('POST', '/v1/messages', { token: ADMIN_KEY, payload: { to: ANN, ...text } })),
    cause: 'A call to `/v1` acts on the number that its token belongs to. The admin key belongs to no number.',
    fix: 'Use the admin key for `/admin/v1` only, and a token of the number for `/v1`.',
  },
  {
    title: 'The connector uses the token of the number that created the channel',
    where: 'status 403',
    make: (shop) =>
      refusal(
        403,
        shop.call('POST', `/v1/numbers/${shop.onChannel.uuid}/messages`, { token: shop.onNetwork.token, payload: inbound('in-1', 'hi') }),
      ),
    cause: 'A token of a network number can create the channel, but only a token of the channel itself can post its messages and statuses.',
    fix: 'Create a token with the uuid of the channel: `POST /admin/v1/numbers/{uuid}/tokens`.',
  },
  {
    title: 'A field of an inbound message is missing',
    where: 'status 400',
    make: (shop) =>
      refusal(400, shop.connectorPosts('messages', { contact: { id: ANN }, message: { type: 'text', from: ANN, id: 'in-1' } })),
    cause:
      'Required are `contact.profile.name`, the message’s `type`, `from`, `id` and `timestamp`, and the field that `type` names, such as `text`.',
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
      'The receiver uses the secret of another webhook, computes the HMAC over JSON that it has parsed and serialized again, or compares hexadecimal with Base64.',
    fix: 'Use one of [the tested samples](recipes/signatures.md), over the raw bytes of the body. A sandbox prints its secrets; elsewhere, a lost one cannot be shown again: rotate it.',
  },
  {
    title: 'The connector does not return the id of a message',
    where: EVENTS,
    async make(shop) {
      shop.http.answer(`POST ${CONNECTOR}`, { status: 200, body: { ok: true } });
      await shop.wanted(200, send(shop));
      await shop.clock.advance(1_000);
      return theAdvice(shop, 'connector_response_invalid');
    },
    cause:
      'The connector responded to a delivery with 2XX but without `messages[0].id`, so Posthorn cannot match statuses and replies with the message.',
    fix: 'Respond as in [the recipe](recipes/messages.md#send-from-a-channel). With `deliveries: { strictAnswers: true }`, Posthorn treats a response without an id as a failure and retries the delivery.',
  },
  {
    title: 'The connector posts outbound messages back',
    where: EVENTS,
    async make(shop) {
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-1', 'Good morning')));
      await shop.wanted(200, send(shop));
      await shop.clock.advance(1_000);
      await shop.wanted(200, shop.connectorPosts('messages', inbound('in-2', text.text.body)));
      return theAdvice(shop, 'echo_loop');
    },
    cause:
      'The messaging service echoes your own messages to the connector, which posts them as messages of the contact. Journeys then reply to themselves.',
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
      'A status must have the id that the connector returned when it accepted the message. This one has another: often the id of the messaging service, or the uuid that Posthorn gave the message.',
    fix: 'Report each status with the id that the connector returned in its response to the delivery.',
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
      'The session of the journey expired (after 5 minutes, unless the journey sets `interaction_timeout`), and the reply does not say which question it answers.',
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
    cause: 'Numbers of this kind never emit the events of this subscription.',
    fix: 'Look up the subscriptions of this kind of number in [the table](../plugins/network/README.md#what-webhooks-receive).',
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
    cause: 'Webhooks receive reactions only if you enable them for the number.',
    fix: 'Enable reactions for the number. Earlier reactions are not delivered afterwards.',
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
    fix: 'Enable the webhook and redeliver ([recipe](recipes/admin.md#redeliver)). For maintenance, pause and resume it instead: a paused webhook loses no events.',
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
      'The connector counts messages from 1 after each restart, or separately in each chat. Posthorn deduplicates by `id`, so the second message is lost.',
    fix: 'Post ids that are unique on the channel, for example `<chat>:<count>`.',
  },
  {
    title: 'A webhook on this machine is refused',
    where: 'status 400',
    make: refusedTarget,
    cause:
      'Posthorn refuses requests to loopback and private addresses, so that no webhook can reach your internal network (SSRF). A host name that resolves to such an address is refused when the delivery is sent, with `blocked_address`.',
    fix: 'List the host in the option `privateTargets` of `createPlatform`, or use the sandbox, which allows all private addresses.',
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
      'The receiver does its processing before it responds. If the response is not complete within 5 seconds, the attempt fails and is retried, so the receiver processes the event again.',
    fix: 'Store the event, respond with 2XX, and process it afterwards. Skip duplicates by `id`.',
  },
  {
    title: 'Too many calls in a minute',
    where: 'status 429, with `Retry-After`',
    rateLimits: true,
    async make(shop) {
      for (let i = 0; i < 60; i++) await shop.wanted(200, send(shop));
      return refusal(429, send(shop));
    },
    cause: 'A number may make 60 calls a minute in each rate-limit bucket.',
    fix: 'Wait as many seconds as `Retry-After` says, send `X-throttling: 1` to have calls queued until the next minute, or change the option `rateLimits`.',
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
    cause: 'The journey has only a draft.',
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
    cause: 'Flows belong to a business account, and the number has no account.',
    fix: 'Set the account of the number: `PATCH /admin/v1/numbers/{uuid}` with `{"account": "shop"}`.',
  },
  {
    title: 'A template is not found',
    where: 'status 404',
    make: (shop) => {
      const payload = { to: ANN, type: 'template', template: { name: 'visit_reminder', language: { code: 'en' } } };
      return refusal(404, shop.call('POST', '/v1/messages', { token: shop.onNetwork.token, payload }));
    },
    cause: 'The number has no template with this name and language. `en` and `en_US` are different languages.',
    fix: '[Register the template](recipes/admin.md#register-a-template) for this number in this language.',
  },
  {
    title: 'A command finds no sandbox',
    where: 'this in the terminal, with exit code 3',
    make: async () => new NoSandbox().message,
    cause: 'Commands look for a running sandbox in the current folder and the folders above it, and there is none.',
    fix: 'Run the command in the folder in which you started the sandbox.',
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
