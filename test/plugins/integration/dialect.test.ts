import t from 'tap';
import { verifySignature } from '#core';
import { SHOP, startIntegration } from './integration-under-test.js';

t.test('another dialect changes the names of headers and nothing else', async (t) => {
  const { open, click, http, made } = await startIntegration(t, { dialect: { service: 'turn', network: 'chat' } });
  await open();
  http.answer('POST https://shop.test/close', { headers: { 'X-Svc-Integration-Refresh': 'true' } });
  t.match(await click('close'), { body: { refreshed: false } });
  http.answer('POST https://shop.test/close', { headers: { 'X-Turn-Integration-Refresh': 'true' } });
  t.match(await click('close'), { body: { refreshed: true } });
  t.equal(http.callsTo(`${SHOP}*`).length, 3);
  for (const { headers, body } of [...http.callsTo(`${SHOP}*`), ...http.callsTo('POST https://shop.test/close')]) {
    t.ok(verifySignature(made.secret, body, headers['x-turn-hook-signature']));
    t.notOk('x-svc-hook-signature' in headers);
  }
});
