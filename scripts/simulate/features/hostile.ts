import { ADMIN_KEY, type Call } from '../machine.js';
import { Receiver } from '../receiver.js';
import { type Feature, HOUR_MS } from '../run.js';
import { createChannel, createNetworkNumber, storedMessages } from '../set-up.js';

const LONG = 'x'.repeat(5_000);
const MISSING = '00000000-0000-4000-8000-000000000000';

/** Calls that must be refused, as made by mistaken and hostile clients. */
export const hostile: Feature = {
  name: 'hostile',
  weight: 0.5,
  async setUp(run, { random, operations }) {
    const connector = new Receiver(run, 'connector.open.test', () => ({ messages: [{ id: 'never' }] }));
    const { uuid, token } = await createChannel(run, 'web:open', connector);
    const network = await createNetworkNumber(run, '+27600000009');
    const sent = { to: '+27860000099', type: 'text', text: { body: 'of the network' } };
    await run.decided({ method: 'POST', path: '/v1/messages', token: network.token, body: sent });
    const [foreign] = await storedMessages(run, network.uuid);
    const json = { 'content-type': 'application/json' };
    const inbound = (change: object, contact: object = {}) => ({
      contact: { id: '+27', profile: { name: 'N' }, ...contact },
      message: { type: 'text', from: '+27', id: 'a', timestamp: '1767600000', text: { body: 'hi' }, ...change },
    });
    const messages = `/v1/numbers/${uuid}/messages`;
    const statuses = `/v1/numbers/${uuid}/statuses`;
    const post = (path: string, body: object | string, by = token): Call => ({ method: 'POST', path, token: by, body, headers: json });
    const calls: readonly Call[] = [
      post(messages, '{'),
      post(messages, '[]'),
      post(messages, 'null'),
      post(messages, {}),
      post(messages, '{"contact":{"__proto__":{"id":"a"}},"message":{}}'),
      post(messages, `{"a":${'['.repeat(200)}${']'.repeat(200)}}`),
      post(messages, inbound({ type: 'nothing' })),
      post(messages, inbound({ text: { body: 7 } })),
      post(messages, inbound({ timestamp: 'yesterday' })),
      post(messages, inbound({ id: LONG })),
      post(messages, inbound({ id: '' })),
      post(messages, inbound({}, { profile: null })),
      post(messages, inbound({ id: 'with another number' }), network.token),
      post(messages, inbound({}), 'wrong'),
      post(messages, inbound({}), ''),
      post(`/v1/numbers/${MISSING}/messages`, inbound({})),
      post(`/v1/numbers/${LONG}/messages`, inbound({})),
      post(`/v1/numbers/${network.uuid}/statuses`, { status: {} }),
      post(statuses, { status: { id: 'unknown', recipient_id: '+27', status: 'read', timestamp: '1' } }),
      post(statuses, { status: { id: 'unknown', recipient_id: '+27', status: 'eaten', timestamp: '1' } }),
      post('/v1/messages', { to: '+27', type: 'text' }),
      post('/v1/messages', { type: 'text', text: { body: 'hi' } }),
      post('/v1/messages', { to: LONG, type: 'text', text: { body: 'hi' } }, network.token),
      post('/v1/messages', { to: '+27', type: 'template', template: {} }, network.token),
      { method: 'POST', path: '/v1/media', token, headers: { 'content-type': 'image/png' }, body: '' },
      { method: 'POST', path: '/v1/media', token, headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' }, body: 'x' },
      post('/v1/flows', { name: 'of a channel', flow_json: {} }),
      post('/v1/flows', { name: '', flow_json: {} }, network.token),
      post(`/v1/journeys/${MISSING}/simulation`, { simulation_id: 'abcdef' }, network.token),
      post(`/v1/journeys/none/simulation`, { simulation_id: 'abcdef' }, network.token),
      { method: 'GET', path: '/v1/media/../../etc/passwd', token },
      { method: 'GET', path: '/v1/media/%2e%2e%2f%00', token },
      { method: 'GET', path: '/v1/media/1/content?expires=99999999999&signature=aa' },
      { method: 'GET', path: '/v1/flows/1/preview', token: network.token },
      { method: 'DELETE', path: messages, token },
      // The message is of another number.
      { method: 'PUT', path: `/v1/messages/${foreign.uuid}`, token, body: { status: 'read' } },
      post(`/v1/messages/${foreign.uuid}/labels`, { labels: ['of another number'] }),
      post(`/v1/messages/${foreign.uuid}/automation`, {}),
      { method: 'PUT', path: '/v1/messages/none', token, body: { status: 'read' } },
      { method: 'GET', path: '/v1/nothing', token },
      { method: 'GET', path: '/%', token },
      { method: 'GET', path: '/admin/v1/numbers', token },
      { method: 'GET', path: '/admin/v1/deliveries?limit=-1', token: ADMIN_KEY },
      { method: 'GET', path: '/admin/v1/deliveries?state=lost', token: ADMIN_KEY },
      { method: 'GET', path: `/admin/v1/conversations/${LONG}`, token: ADMIN_KEY },
      { method: 'POST', path: `/admin/v1/webhooks`, token: ADMIN_KEY, body: { number: MISSING, url: 'http://a.test' } },
      { method: 'POST', path: `/admin/v1/webhooks`, token: ADMIN_KEY, body: { number: uuid, url: 'file:///etc/passwd' } },
      { method: 'POST', path: `/admin/v1/deliveries/${MISSING}/redeliver`, token: ADMIN_KEY },
    ];
    return {
      begin: () =>
        run.actor(async () => {
          for (;;) {
            await run.world.sleep(random.exponential(HOUR_MS / operations));
            if (run.isOver) return;
            const call = random.pick(calls);
            const response = await run.call(call);
            if (!response || response.status >= 500) continue;
            const { status, body } = response;
            const isShaped = typeof body === 'object' && body !== null && (body.errors ?? body.error ?? body.message) !== undefined;
            if (status < 400 || !isShaped)
              run.violated(
                `hostile ${call.method} ${call.path.slice(0, 80)} ${JSON.stringify(call.body)?.slice(0, 80)} got ${status}: ${JSON.stringify(body)}`,
              );
          }
        }),
      async check() {
        const { conversations } = await run.admin('GET', `/conversations?number=${uuid}`);
        if (conversations.length > 0) run.violated('a refused message is stored');
      },
    };
  },
};
