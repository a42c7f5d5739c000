import t from 'tap';
import { ANN, BOB, startNumber } from './number-under-test.js';

const text = (body: string) => ({ type: 'text', text: { body } });

t.test('a message is a mail with an id of the platform, and is sent when the server has it', async (t) => {
  const { send, settle, standIn, message, problems, admin } = await startNumber(t);
  const uuid = await send(text('Hello **Ann**, see [us](https://example.org/a)'));
  await settle();
  const [mail] = standIn.sent;
  t.match(mail, { to: ANN, from: standIn.address, subject: 'The library', text: 'Hello Ann, see us (https://example.org/a)' });
  t.equal(mail!.id, `m.${uuid}@shop.example`);
  t.match(mail!.html, '<strong>Ann</strong>');
  t.match(await message(uuid), { status: 'sent', external_id: mail!.id, pending_for: undefined });
  t.same(standIn.logins.at(-1), standIn.address);
  t.same(problems(), []);
  const { body } = await admin('GET', `/deliveries?message=${uuid}`);
  t.comment(JSON.stringify(body).slice(0, 300));
  t.equal(BOB.length > 0, true);
});
