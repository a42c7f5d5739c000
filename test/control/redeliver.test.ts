import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { verifySignature } from '../../core/signature.js';
import { deliveries } from '../../sandbox/commands/deliveries.js';
import { headerOf, newFolder, startControlled, startReceiver, textOf } from './sandbox-with-receiver.js';

const SIGNATURE = 'x-svc-hook-signature';
const namesOf = ({ rawHeaders }: { rawHeaders: readonly string[] }) => rawHeaders.filter((_, at) => at % 2 === 0);

t.test('an edited redelivery is sent byte by byte and signed, and only our record marks it', async (t) => {
  const box = await startControlled(t);
  const { write, settled, receiver, webhook, run, admin } = box;
  const original = await write('original');
  await settled(original);
  const file = join(newFolder(t), 'body.json');
  const body = '{\n  "edited": "ü",\t"spaces": [1,  2]\n}\n';
  writeFileSync(file, body);
  const { out, code } = await run(deliveries, 'redeliver', original, '--edit', file);
  t.equal(code, 0);
  const [, copy = ''] = /^queued (\S+)$/.exec(out[0]!) ?? [];
  t.match(await settled(copy), { delivery: { state: 'delivered', replay_of: original, run: 1 }, body });
  const [first, second] = await receiver.requests('/hook');
  t.equal(textOf(second!), body);
  t.ok(verifySignature(webhook.secret, body, headerOf(second!, SIGNATURE)));
  t.strictSame(namesOf(second!), namesOf(first!), 'no header tells the receiver');
  const shown = (await run(deliveries, 'show', copy)).out.join('\n');
  t.match(shown, `replay   of ${original}`);
  t.match(shown, /how X-Svc-Hook-Signature was made\n.*1 body/);
  t.match(
    (await admin('GET', `/deliveries/${original}`)).body,
    { delivery: { run: 1, attempts: 1 }, attempts: [{}] },
    'the original is as it was',
  );
});

t.test('a delivery goes to another URL, several times, or with the signature of the original body', async (t) => {
  const box = await startControlled(t);
  const { write, settled, webhook, run, admin } = box;
  const other = await startReceiver(t);
  const original = await write('original');
  const { body } = await settled(original);
  const { out } = await run(deliveries, 'redeliver', original, '--to', `${other.url}/elsewhere`, '--times', '3');
  for (const line of out) await settled(line.replace('queued ', ''));
  const elsewhere = await other.requests('/elsewhere');
  t.equal(elsewhere.length, 3);
  t.strictSame(elsewhere.map(textOf), [body, body, body]);
  t.ok(elsewhere.every((request) => verifySignature(webhook.secret, body, headerOf(request, SIGNATURE))));

  const edited = await admin('POST', `/deliveries/${original}/redeliver`, { body: '{"tampered":true}', keep_signature: true });
  t.equal(edited.status, 200);
  await settled(edited.body.delivery.uuid);
  const tampered = (await box.receiver.requests('/hook')).at(-1)!;
  t.equal(textOf(tampered), '{"tampered":true}');
  t.notOk(verifySignature(webhook.secret, textOf(tampered), headerOf(tampered, SIGNATURE)));
  t.ok(verifySignature(webhook.secret, body, headerOf(tampered, SIGNATURE)), 'the signature of the original body');

  t.match(await admin('POST', `/deliveries/${original}/redeliver`, { url: 'ftp://x' }), { status: 400 });
  await t.rejects(run(deliveries, 'redeliver', '--state', 'delivered', '--times', '2'), /--times needs the uuid of a delivery/);
  await t.rejects(run(deliveries, 'cancel', original, '--edit', 'x'), /--edit is a flag of redeliver/);
  await t.rejects(run(deliveries, 'list', '--to', 'http://x'), /--to takes a time here/);
});

t.test('copies with an edited body survive a restart', async (t) => {
  const data = `${newFolder(t)}/data`;
  const receiver = await startReceiver(t);
  const first = await startControlled(t, { data }, receiver);
  const original = await first.write('original');
  await first.settled(original);
  await first.admin('POST', `/webhooks/${first.webhook.uuid}/pause`);
  const { body } = await first.admin('POST', `/deliveries/${original}/redeliver`, { body: '{"kept": 1 }' });
  await first.sandbox.stop();
  const second = await startControlled(t, { data }, receiver);
  await second.admin('POST', `/webhooks/${second.webhook.uuid}/resume`);
  t.match(await second.settled(body.delivery.uuid), { delivery: { state: 'delivered', replay_of: original } });
  t.equal(textOf((await receiver.requests('/hook')).at(-1)!), '{"kept": 1 }');
});

t.test('a copy does not change the status of its message', async (t) => {
  const box = await startControlled(t);
  await box.write('open the conversation');
  await box.admin('POST', '/faults', { where: 'deliveries', match: { subscription: 'channel' }, effect: { kind: 'status', status: 404 } });
  await box.call('POST', '/v1/messages', { payload: { to: '+27820001001', type: 'text', text: { body: 'hi' } } });
  const { deliveries: all } = (await box.admin('GET', '/deliveries')).body;
  const original = await box.settled(all.find(({ kind }: { kind: string }) => kind === 'channel').uuid);
  t.match(original.delivery, { state: 'cancelled', message: /./ });
  t.equal(box.events('message.undeliverable').length, 1);
  const { body } = await box.admin('POST', `/deliveries/${original.delivery.uuid}/redeliver`, { times: 1 });
  t.match(await box.settled(body.delivery.uuid), { delivery: { state: 'delivered' } });
  t.strictSame(box.events('message.accepted'), [], 'only a redelivery of the delivery itself makes the message accepted');
});
