import t from 'tap';
import { boolean, definePlugin, object, route } from '#core';
import { inboundText, startChannel } from '../../plugins/channels/channel-under-test.js';
import { freshFolder } from '../adapters/store/folders.js';
import { BODY, ENDPOINT, startWithWebhook } from './webhook-platform.js';

const OWNER = 'https://owner.test/hook';

t.test(
  'while too many deliveries are pending, requests that would create more are refused before anything is recorded, and none is dropped',
  async (t) => {
    const { post, admin, platform, http, clock, uuid, call, token, log, deliveries } = await startChannel(t, {
      deliveries: { maxWaiting: 3 },
    });
    await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
    http.answer(OWNER, 'refuse', 'refuse', 'refuse', {});
    for (const id of ['in-1', 'in-2', 'in-3']) t.equal((await post(inboundText('hi', { id }))).status, 200);
    await clock.advance(0);

    const before = await platform.store.transaction(async () => platform.deliveries.list({ limit: 100 }));
    const refused = await post(inboundText('hi', { id: 'in-4' }));
    t.match(refused, {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { errors: [{ details: /nothing was recorded, try again later/ }] },
    });
    t.equal((await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload: { bad: true } })).status, 503, 'before the body is read');
    t.equal((await admin('GET', '/webhooks?number=x')).status, 404, 'requests without deliveries are served as always');
    t.equal(await platform.messages.known(uuid, 'inbound', 'in-4'), undefined);
    t.equal((await platform.deliveries.list({ limit: 100 })).length, before.length);
    t.equal(log.lines.filter(({ message }) => /too many deliveries are pending/.test(message)).length, 1, 'logged once');

    await clock.advance(20_000);
    t.equal((await post(inboundText('hi', { id: 'in-4' }))).status, 200, 'below the limit again');
    await clock.advance(0);
    const states = (await platform.deliveries.list({ limit: 100 })).map(({ state }) => state);
    t.strictSame(states, ['delivered', 'delivered', 'delivered', 'delivered']);
    t.strictSame(deliveries(), []);
  },
);

t.test(
  'the limit counts the bytes of bodies and deliveries of the previous process, and never refuses work of the platform itself',
  async (t) => {
    const size = JSON.stringify(BODY).length;
    const dataDir = freshFolder(t);
    const first = await startWithWebhook(t, { dataDir });
    const { token } = await first.number('network');
    first.http.answer(ENDPOINT, {});
    await first.post();
    await first.clock.advance(0);
    first.http.answer(ENDPOINT, 'refuse');
    for (let i = 0; i < 3; i++) t.match(await first.post(), { body_bytes: size });
    await first.clock.advance(0);
    await first.server.stop();

    for (const [maxWaitingBytes, status] of [
      [3 * size + 1, 200],
      [3 * size, 503],
    ] as const) {
      const again = await startWithWebhook(t, {
        dataDir,
        seed: `again ${status}`,
        webhook: first.webhook,
        answers: ['refuse'],
        plugins: [door()],
        deliveries: { maxWaitingBytes },
      });
      t.equal((await again.call('POST', '/v1/door', { token })).status, status);
      t.match(await again.post(), { state: 'queued' }, 'inside the platform it continues');
      await again.cancel((await again.platform.deliveries.list({ limit: 1 }))[0]!.uuid);
      await again.server.stop();
    }
  },
);

t.test('deliveries of a paused webhook count towards the limit, and the log shows how many they are', async (t) => {
  const { post, admin, http, clock, uuid, log } = await startChannel(t, { deliveries: { maxWaiting: 2 } });
  const { body } = await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
  http.answer(OWNER, {});
  await admin('POST', `/webhooks/${body.webhook.uuid}/pause`);
  for (const id of ['in-1', 'in-2']) t.equal((await post(inboundText('hi', { id }))).status, 200);
  await clock.advance(0);
  t.equal((await post(inboundText('hi', { id: 'in-3' }))).status, 503);
  t.match(
    log.lines.filter(({ message }) => /too many deliveries are pending/.test(message)),
    [{ fields: { waiting: 2, heldByPauses: 2 } }],
  );
  await admin('POST', `/webhooks/${body.webhook.uuid}/resume`);
  await clock.advance(0);
  t.equal((await post(inboundText('hi', { id: 'in-3' }))).status, 200);
});

/** A plugin with a route that creates deliveries. */
const door = definePlugin({
  name: 'door',
  version: '1.0.0',
  register: () => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/door',
        summary: 'Opens.',
        makesDeliveries: true,
        responses: { 200: object({ success: boolean() }) },
        handler: () => ({ success: true }),
      }),
    ],
  }),
});
