import t from 'tap';
import { verifySignature } from '#core';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { startNetwork } from '../messages/network-under-test.js';

t.test('deliveries of every subscription are signed with the secret of their own webhook', async (t) => {
  const { listen, received, send, say, settle, admin, platform, uuid } = await startNetwork(t);
  const kinds = ['msgapp', 'svc', 'journey_outbound'];
  const hooks = await Promise.all(kinds.map((kind, i) => listen([kind], `https://hook-${i}.test/`)));
  const journey = platform.ids.uuid();
  const definition = containerOf({
    texts: { hi: 'Welcome' },
    blocks: [{ name: 'hi', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } }],
  });
  await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Greeting', definition, triggers: [{ on: 'message' }] });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  await say('hi');
  await send({ text: { body: 'hello' } });
  await settle();
  for (const [i, { secret }] of hooks.entries()) {
    const deliveries = received(`https://hook-${i}.test/`);
    t.ok(deliveries.length > 0, `${kinds[i]} has deliveries`);
    for (const { body, headers } of deliveries) {
      t.equal(headers['x-svc-hook-subscription'], kinds[i]);
      for (const [other, hook] of hooks.entries())
        t.equal(verifySignature(hook.secret, body, headers['x-svc-hook-signature']), other === i);
    }
    t.ok(secret);
  }
});
