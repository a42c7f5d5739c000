import { createHmac } from 'node:crypto';
import t from 'tap';
import { escapedJson, signatureOf } from '../../../../plugins/cloud-api/testing/webhooks.js';
import { ADA, startStandIn } from './stand-in-under-test.js';

t.test('webhooks are escaped and signed as the network does it', async (t) => {
  const body = escapedJson({
    object: 'whatsapp_business_account',
    entry: [{ id: '222', changes: [{ value: { t: 'äöå 😀 1/2' }, field: 'messages' }] }],
  });
  t.equal(body.length, 147);
  t.equal(signatureOf('posthorn-app-secret', body), 'sha256=5416c187c7dc2725df634c2bd0d44efecbd61f7c423a5b714eaad08fb8cc645b');
});

t.test('a text in an open window is accepted, then sent and delivered', async (t) => {
  const { standIn, clock, send, values, calls } = await startStandIn(t);
  const inbound = await standIn.write(ADA, 'hi ä😀');
  const secret = standIn.appSecret;
  t.equal(calls[0]!.headers['x-hub-signature-256'], `sha256=${createHmac('sha256', secret).update(calls[0]!.bytes).digest('hex')}`);
  t.match(values()[0], { contacts: [{ wa_id: ADA }], messages: [{ id: inbound, from: ADA, type: 'text', text: { body: 'hi ä😀' } }] });
  const answer = await send({ biz_opaque_callback_data: 'ours' });
  t.equal(answer.status, 200);
  const { id } = answer.body.messages[0];
  t.strictSame(answer.body.contacts, [{ input: ADA, wa_id: ADA }]);
  await clock.advance(1_000);
  t.match(values().slice(1), [
    { statuses: [{ id, status: 'sent', recipient_id: ADA, biz_opaque_callback_data: 'ours' }] },
    { statuses: [{ id, status: 'delivered' }] },
  ]);
  t.match(standIn.sent, [{ id, statuses: ['sent', 'delivered'] }]);
  await standIn.status(id, 'read');
  t.equal(values().at(-1).statuses[0].status, 'read');
});

t.test('media are uploaded, looked up, and downloaded with the token only, for five minutes', async (t) => {
  const { standIn, clock, call, phoneNumberId } = await startStandIn(t);
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' }));
  const authorization = { authorization: `Bearer ${standIn.accessToken}` };
  const uploaded = await fetch(`${standIn.url}/v25.0/${phoneNumberId}/media`, { method: 'POST', headers: authorization, body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const { body } = await call('GET', `/${id}`);
  t.match(body, { id, mime_type: 'image/png', file_size: 3, sha256: /^[0-9a-f]{64}$/ });
  t.equal((await fetch(body.url)).status, 401);
  const download = await fetch(body.url, { headers: authorization });
  t.strictSame([...new Uint8Array(await download.arrayBuffer())], [1, 2, 3]);
  await clock.advance(5 * 60_000);
  t.equal((await fetch(body.url, { headers: authorization })).status, 404);
});
