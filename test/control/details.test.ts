import { createHash } from 'node:crypto';
import t from 'tap';
import { signatureOf } from '#core';
import { verifySignature } from '../../core/signature.js';
import { headerOf, startControlled, textOf } from './sandbox-with-receiver.js';

t.test('details show what the receiver got, byte by byte and header by header, and what it responded', async (t) => {
  const { write, settled, receiver, webhook, admin } = await startControlled(t);
  await admin('POST', `/faults`, { where: 'deliveries', effect: { kind: 'status', status: 503 }, match: { webhook: 'no-such' } });
  const uuid = await write('Grüße 👋');
  const { details, attempts } = await settled(uuid);
  const [request] = await receiver.requests('/hook');
  t.equal(details.length, 1);
  const [detail] = details;
  t.equal(detail.attempt, attempts[0].uuid);
  t.equal(detail.url, `${receiver.url}/hook`);
  t.strictSame(detail.request.headers.flat(), request!.rawHeaders, 'every header, in the order of the wire');
  t.equal(detail.request.body.content, textOf(request!));
  t.equal(detail.request.body.bytes, Buffer.from(request!.body, 'base64').length);

  const [signature] = detail.signatures;
  t.match(signature, { header: 'X-Svc-Hook-Signature', signature: headerOf(request!, 'X-Svc-Hook-Signature') });
  t.ok(verifySignature(webhook.secret, textOf(request!), signature.signature));
  const value = (step: string) => signature.steps.find((one: { step: string }) => one.step === step).value;
  t.equal(value('body'), createHash('sha256').update(textOf(request!)).digest('hex'));
  t.equal(value('hmac'), Buffer.from(signatureOf(webhook.secret, textOf(request!)), 'base64').toString('hex'));
  t.notMatch(JSON.stringify(details), webhook.secret, 'no step contains the key');

  t.match(detail.response, { status: 200, body: { content: '{"messages":[{"id":"out-1"}]}', encoding: 'utf8', bytes: 29, cut: false } });
  t.match(Object.fromEntries(detail.response.headers), { 'content-type': 'application/json', 'x-receiver': 'shop' });
  const { queue, dns, connect, tls, wait, read } = detail.timing;
  for (const phase of [queue, connect, wait, read]) t.ok(phase >= 0 && phase < 5_000, `${phase} ms`);
  t.strictSame([dns, tls], [null, null], 'an address needs no lookup, and http: no TLS');
  t.equal(detail.fault, null);
});

t.test('a reused connection has no times of its own', async (t) => {
  const { write, settled } = await startControlled(t);
  await settled(await write('one'));
  const { details } = await settled(await write('two'));
  t.match(details[0].timing, { dns: null, connect: null, tls: null });
  t.ok(details[0].timing.wait >= 0);
});
