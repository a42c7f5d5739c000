import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startSandbox } from '../../sandbox/compose.js';
import { type Received, receive, respond } from '../core/ports/receiver.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';

// Some receivers compare header names letter by letter. HTTP clients and servers of Node change letters, so these receivers read sockets.

const JSON_TYPE = { 'content-type': 'application/json' };

t.test('every kind of outgoing request has the header names of the dialect in their exact letters, and a user agent', async (t) => {
  const connector = await receive(t, (socket) => respond(socket, { headers: JSON_TYPE, body: '{"messages":[{"id":"out-1"}]}' }));
  const hook = await receive(t, (socket) => respond(socket));
  const shop = await receive(t, (socket) => respond(socket, { headers: JSON_TYPE, body: '{"state":"sent"}' }));
  const desk = await receive(t, (socket) => respond(socket, { headers: JSON_TYPE, body: '{}' }));
  const definition = containerOf({
    texts: { r: '@order.json.state' },
    blocks: [
      { name: 'order', type: 'Svc.Http', config: { method: 'POST', url: shop.url, headers: [['X-Shop-ID', '7']] } },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
    ],
  });
  const sandbox = await startSandbox({
    logLevel: 'error',
    network: 'whatsapp',
    options: { dialect: { headers: { networkId: 'X-WhatsApp-Id' } } },
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }],
      channels: [{ from_addr: 'web:1', name: 'Web', endpoint: connector.url }],
      webhooks: [
        { number: 'web:1', url: hook.url, subscriptions: ['whatsapp'] },
        { number: '+27600000001', url: hook.url, subscriptions: ['svc'] },
      ],
      journeys: [{ number: 'web:1', name: 'Orders', definition }],
    },
  });
  t.teardown(() => sandbox.stop());
  const [shopNumber, web] = sandbox.numbers;
  const post = async (url: string, token: string, body: object) => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    t.ok(response.ok, `${url}: ${response.status} ${await response.text()}`);
  };
  const { url, key } = sandbox.admin;

  await post(`${sandbox.api}/v1/numbers/${web!.uuid}/messages`, web!.token, {
    contact: { id: '+27611111111', profile: { name: 'Ann' } },
    message: { type: 'text', from: '+27611111111', id: 'in-1', timestamp: '1700000000', text: { body: 'hi' } },
  });
  await post(`${sandbox.api}/v1/messages`, shopNumber!.token, { to: '+27611111111', text: { body: 'hello' } });
  await post(`${url}/integrations`, key, { number: web!.uuid, name: 'Desk', url: desk.url });

  const ofHooks = ['Attempt', 'Delivery', 'Run', 'Signature', 'Subscription', 'Time'].map((name) => `X-Svc-Hook-${name}`);
  t.strictSame(await namesOf(connector.received), ofHooks, 'the delivery to the connector');
  const sent = hook.received.filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc');
  t.strictSame(
    await namesOf(sent, () => hook.received.filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc')),
    [...ofHooks, 'X-WhatsApp-Id'],
    'the webhook for a sent message',
  );
  t.strictSame(await namesOf(shop.received), ['X-Shop-ID'], 'the HTTP request of the journey');
  t.strictSame(await namesOf(desk.received), ['X-Svc-Hook-Signature'], 'the handshake of the integration');
  for (const { headers } of [connector, hook, shop, desk].flatMap(({ received }) => received)) t.equal(headers['user-agent'], 'Posthorn');

  /** Waits for the first request. @returns the names of its `X-` headers, sorted */
  async function namesOf(first: readonly Received[], again = () => first): Promise<string[]> {
    for (let tries = 0; tries < 300; tries++) {
      const [request] = again();
      if (request) return request.headerNames.filter((name) => /^x-/i.test(name)).sort();
      await sleep(10);
    }
    return [`no request among ${first.length}`];
  }
});
