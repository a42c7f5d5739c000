import t from 'tap';
import { ANN, BOB, startNumber } from './number-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });

t.test('what mail servers answer decides: again, failed, the address blocked, or the number stopped', async (t) => {
  const { send, settle, standIn, message, told, admin } = await startNumber(t);
  standIn.fault({ times: 1, reply: { status: 451, text: '4.3.0 Try later' } });
  const again = await send(text('again'));
  await settle();
  t.match(await message(again), { pending_for: ANN, status: undefined });
  await settle(2 * 60_000);
  t.match(await message(again), { status: 'sent' });
  standIn.fault({ times: 1, reply: { status: 554, text: '5.7.1 Rejected by policy' } });
  const policy = await send(text('policy'));
  await settle();
  t.match(await message(policy), { status: 'failed', statuses: [{ errors: [{ code: 154_403, details: /5\.7\.1 Rejected/ }] }] });
  t.match(told('advice').at(-1), { name: 'email_policy_refuses' });
  standIn.fault({ times: 1, reply: { status: 550, text: '5.1.1 No such user' } });
  const gone = await send(text('gone'), BOB);
  await settle();
  t.match(await message(gone), { status: 'failed', statuses: [{ errors: [{ code: 154_404 }] }] });
  await t.rejects(send(text('once more'), BOB), { message: /No such user/ });
  const { body } = await admin('GET', `/deliveries?message=${again}`);
  t.match(body.deliveries[0], { state: 'delivered', attempts: 2 });
});

t.test('a refused login stops the number, and a new password sends what waited', async (t) => {
  const { send, settle, standIn, message, told, admin, uuid } = await startNumber(t);
  // Connections are kept for later mails, so the first one of the number makes the login.
  const rule = standIn.fault({ login: 'refused' });
  const waiting = await send(text('waits'));
  await settle();
  t.match(await message(waiting), { pending_for: ANN, status: undefined });
  t.match(told('advice').at(-1), { name: 'connection_stopped', severity: 'critical' });
  t.match((await admin('GET', '/connections?type=email')).body.connections[0].stopped, { code: 535 });
  standIn.faults.remove(rule.id);
  t.equal((await admin('POST', `/numbers/${uuid}/connection/check`)).status, 200);
  await settle(1_000);
  t.match(await message(waiting), { status: 'sent' });
});

t.test('a check of a wrong password, and of a host that does not answer, says why', async (t) => {
  const { standIn, admin, sockets } = await startNumber(t);
  const settings = { ...standIn.settings, address: 'other@shop.example' };
  t.match(await admin('POST', '/connections', { type: 'email', settings }), {
    status: 400,
    body: { errors: [{ details: /refuses the login: .*not accepted/ }] },
  });
  sockets.answer('down.example:587', 'refuse');
  t.match(await admin('POST', '/connections', { type: 'email', settings: { ...settings, smtp_host: 'down.example', smtp_port: 587 } }), {
    status: 502,
    body: { errors: [{ details: /refused/ }] },
  });
});

t.test('a bounce fails its message and blocks the address until the contact writes', async (t) => {
  const { send, settle, until, standIn, message, received } = await startNumber(t);
  const uuid = await send(text('hello'));
  await settle();
  await standIn.bounce(standIn.sent[0]!, { status: '4.4.7', action: 'delayed' });
  await settle();
  t.equal((await message(uuid)).status, 'sent');
  await settle(1_000);
  await standIn.bounce(standIn.sent[0]!);
  await until(async () => (await message(uuid)).status === 'failed');
  t.match(await message(uuid), { statuses: [{}, { errors: [{ code: 154_404, details: /5\.1\.1/ }] }] });
  await t.rejects(send(text('again')), { message: /user unknown/ });
  t.same(received(), [], 'a bounce is no message');
  await standIn.write(ANN, 'I am here');
  await until(() => received().length === 1);
  await send(text('welcome back'));
});

t.test('a forged bounce changes nothing, and people see it', async (t) => {
  const { send, settle, until, standIn, message, received } = await startNumber(t);
  const uuid = await send(text('hello'));
  await settle();
  const mail = standIn.sent[0]!;
  await standIn.bounce({ ...mail, id: 'guess@x', raw: mail.raw.replaceAll(uuid, '00000000-0000-0000-0000-000000000000') });
  await until(() => received().length === 1);
  t.equal((await message(uuid)).status, 'sent');
});
