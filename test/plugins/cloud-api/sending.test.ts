import t from 'tap';
import { ANN, startCloud } from './cloud-under-test.js';

const text = (body = 'hello') => ({ type: 'text', text: { body } });

t.test('a message has one id: in the response, the header, the statuses and the quote', async (t) => {
  const { send, standIn, settle, listen, received, told, problems } = await startCloud(t);
  await listen(['svc', 'msgapp']);
  const { status, body } = await send(text());
  t.equal(status, 200);
  const { id } = body.messages[0];
  t.match(id, /^wamid\.[\w-]{52}$/);
  await settle(300);
  const [sent] = standIn.sent;
  t.not(sent!.id, id, 'the network has an id of its own');
  t.match(sent, { contact: {}, body: { text: { body: 'hello', preview_url: false } } });
  const service = received().filter(({ headers }) => headers['x-svc-hook-subscription'] === 'svc');
  t.equal(service.length, 1);
  t.equal(service[0]!.headers['x-msgapp-id'], id);
  t.equal(service[0]!.json.id, id);
  const statuses = received().flatMap(({ json }) => json.statuses ?? []);
  t.match(statuses, [
    { id, status: 'sent', recipient_id: ANN },
    { id, status: 'delivered' },
  ]);
  await standIn.write(ANN, 'thanks', { replyTo: sent!.id });
  await settle();
  const reply = received()
    .flatMap(({ json }) => json.messages ?? [])
    .at(-1);
  t.match(reply, { text: { body: 'thanks' }, context: { id } });
  t.equal(told('message.accepted').length, 1);
  t.strictSame(problems(), []);
});

t.test('svc fires only after the network has accepted the message', async (t) => {
  const { send, standIn, settle, listen, received } = await startCloud(t);
  await listen(['svc']);
  standIn.rule({ on: { method: 'POST', path: '/*/messages' }, times: 1, holdMs: 5_000 });
  t.equal((await send(text())).status, 200);
  await settle();
  t.equal(received().length, 0);
  await settle(5_000);
  t.equal(received().length, 1);
});
