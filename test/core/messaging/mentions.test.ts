import t from 'tap';
import { mentionsOf } from '../../../core/messaging/personal-data.js';

t.test('a text names a person with a phone number or uuid anywhere, and with another id in quotes only', async (t) => {
  const contact = '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90';
  const isNamed = mentionsOf({ contacts: [contact], conversations: [], ids: ['+27820007771', 'number', 'a"b', '7'] });
  for (const text of [
    `/contacts/${contact}`,
    'call +27820007771 now',
    '{"to":"27820007771"}',
    '{"from":"number"}',
    JSON.stringify({ body: JSON.stringify({ from: 'number' }) }),
    "a message from 'number' was not stored",
    JSON.stringify({ id: 'a"b' }),
    '["7"]',
  ])
    t.ok(isNamed(text), text);
  for (const text of ['{"number":"other"}', '{"number" :1}', 'a number', '278200077712', '{"n":7}', '{"id":"a"}'])
    t.notOk(isNamed(text), text);
});
