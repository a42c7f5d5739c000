import t from 'tap';
import { CONTACT, startChannel } from '../../plugins/channels/channel-under-test.js';

t.test('contacts and conversations: listed, shown with their messages, changed', async (t) => {
  const { admin, say, settle, clock, publish, uuid: number } = await startChannel(t);
  await publish({ texts: { a: 'Hello' }, blocks: [{ name: 'a', type: 'MobilePrimitives.Message', config: { prompt: 'a' } }] });
  await say('hi', { name: 'Ada' });
  await settle();
  const [contact] = (await admin('GET', `/numbers/${number}/contacts`)).body.contacts;
  t.match(contact, { number, id: CONTACT, fields: { name: 'Ada', surname: null } });
  const { conversation: talk, ...known } = (await admin('GET', `/contacts/${contact.uuid}`)).body;
  t.strictSame(known, { contact, ids: [CONTACT], merges: [] });

  const changed = await admin('PATCH', `/contacts/${contact.uuid}`, { fields: { surname: 'Lovelace', name: null, points: 5 } });
  t.match(changed.body.contact.fields, { surname: 'Lovelace', name: null, points: 5 });

  const [conversation] = (await admin('GET', `/numbers/${number}/conversations?limit=1`)).body.conversations;
  t.match(conversation, { number, contact: contact.uuid, owner: CONTACT, state: 'OPEN', length: 2 });
  t.strictSame(talk, conversation);
  const viewsOf = async (names: string) => Object.keys((await admin('GET', `/conversations/${conversation.uuid}${names}`)).body.views);
  t.ok((await viewsOf('')).includes('journey'));
  t.strictSame(await viewsOf('?views=journey,absent'), ['journey']);
  const opened = await admin('GET', `/conversations/${conversation.uuid}`);
  t.match(opened.body, {
    conversation,
    contact: { uuid: contact.uuid, fields: { points: 5 } },
    messages: [
      { direction: 'outbound', content: { text: { body: 'Hello' } } },
      { direction: 'inbound', content: { text: { body: 'hi' } } },
    ],
  });
  t.equal((await admin('GET', `/conversations/${conversation.uuid}?limit=1`)).body.messages.length, 1);

  const { messages } = (await admin('GET', '/messages')).body;
  t.match(messages, [{ message: { direction: 'inbound', content: { text: { body: 'hi' } } }, contact: { uuid: contact.uuid } }]);
  t.equal(messages.length, 1, 'without those of journeys');
  await clock.advance(1);
  await say('again');
  await settle();
  const textsOf = (body: { messages: { message: { content: { text: { body: string } } } }[] }) =>
    body.messages.map(({ message }) => message.content.text.body);
  t.strictSame(textsOf((await admin('GET', `/messages?number=${number}`)).body), ['again', 'hi'], 'newest first');
  t.strictSame(textsOf((await admin('GET', '/messages?limit=1')).body), ['again']);
});

t.test('contacts are listed in pages, oldest first, and found by their id with or without its plus', async (t) => {
  const { admin, say, clock, uuid: number } = await startChannel(t);
  const ids = ['+27611111101', '27611111102', '+27611111103'];
  for (const from of ids) {
    await say('hi', { from });
    await clock.advance(1);
  }
  const list = async (query = '') => (await admin('GET', `/numbers/${number}/contacts${query}`)).body.contacts;
  const idsOf = (contacts: { id: string }[]) => contacts.map(({ id }) => id);
  t.strictSame(idsOf(await list()), ids);
  const first = await list('?limit=2');
  t.strictSame(idsOf(first), ids.slice(0, 2));
  t.strictSame(idsOf(await list(`?limit=2&after=${first[1].uuid}`)), ids.slice(2));
  t.strictSame(idsOf(await list('?id=27611111103')), [ids[2]]);
  t.strictSame(idsOf(await list('?id=%2B27611111102')), [ids[1]]);
  t.strictSame(idsOf(await list('?id=+27611111101')), [ids[0]], 'a plus that is not encoded is a space');
  t.strictSame(await list('?id=absent'), []);
  t.equal((await admin('GET', `/numbers/${number}/contacts?after=absent`)).status, 404);
  t.equal((await admin('GET', `/numbers/${number}/contacts?limit=501`)).status, 400);
});
