import t from 'tap';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { startNetwork } from './network-under-test.js';

const operator = { id: 'desk', name: 'Desk' };

t.test('messages of a conversation are listed page by page', async (t) => {
  const { admin, say } = await startNetwork(t);
  let conversation = '';
  for (const text of ['one', 'two', 'three', 'four', 'five']) ({ conversation } = await say(text));
  const page = async (query: string) => {
    const { body } = await admin('GET', `/conversations/${conversation}/messages?${query}`);
    return body.messages.map(({ position, content }: { position: number; content: { text: { body: string } } }) => [
      position,
      content.text.body,
    ]);
  };
  t.strictSame(await page('limit=2'), [
    [5, 'five'],
    [4, 'four'],
  ]);
  t.strictSame(await page('limit=2&before=4'), [
    [3, 'three'],
    [2, 'two'],
  ]);
  t.strictSame(await page('before=2'), [[1, 'one']]);
  t.strictSame(await page('before=1'), []);
  t.match(await admin('GET', `/conversations/${conversation}/messages?before=0&limit=501`), {
    status: 400,
    body: { errors: [{ details: /before must be greater .*limit must be less/ }] },
  });
  t.equal((await admin('GET', '/conversations/unknown/messages')).status, 404);
});

t.test('an operator marks a message as read with a typing indicator, which the conversation shows until its end', async (t) => {
  const { admin, say, clock, events } = await startNetwork(t);
  const { uuid, conversation } = await say('hi');
  const typing = async () => (await admin('GET', `/conversations/${conversation}`)).body.views.typing;
  t.strictSame(await typing(), { state: 'loaded', data: null });
  const marked = await admin('PUT', `/messages/${uuid}`, { status: 'read', typing_indicator: { type: 'text' } });
  t.match(marked, { status: 200, body: { message: { uuid, read_at: '2026-01-05T08:00:00.000Z' } } });
  t.match(events.find(({ name }) => name === 'message.seen')?.data, { message: { uuid }, typing: true }, 'channels show it');
  t.strictSame(await typing(), { state: 'loaded', data: { until: '2026-01-05T08:00:25.000Z' } });
  await clock.advance(25_000);
  t.strictSame(await typing(), { state: 'loaded', data: null });
  const { body } = await admin('POST', `/conversations/${conversation}/messages`, { operator, text: { body: 'hello' } });
  t.equal((await admin('PUT', `/messages/${body.message.uuid}`, { status: 'read' })).status, 404, 'a message to the contact');
  t.match(await admin('PUT', `/messages/${uuid}`, { status: 'unread' }), { status: 400 });
});

t.test('an operator replies to a message of the conversation', async (t) => {
  const { admin, say } = await startNetwork(t);
  const { conversation, external_id } = await say('When do you open?');
  const reply = (in_reply_to: string) =>
    admin('POST', `/conversations/${conversation}/messages`, { operator, text: { body: 'At nine' }, in_reply_to });
  t.match(await reply(external_id!), { status: 201, body: { message: { context: { id: external_id } } } });
  t.match(await reply('unknown'), { status: 400, body: { errors: [{ details: /no message "unknown"/ }] } });
});

t.test('a conversation shows the journey that waits for the contact; an operator ends the wait', async (t) => {
  const { admin, say, settle, platform, uuid } = await startNetwork(t);
  const definition = containerOf({
    texts: { who: 'What is your name?' },
    blocks: [{ name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } }],
  });
  const journey = platform.ids.uuid();
  await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Names', definition, triggers: [{ on: 'message' }] });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  const { conversation, contact } = await say('hi');
  await settle();
  const view = async () => (await admin('GET', `/conversations/${conversation}`)).body.views.journey;
  t.match(await view(), {
    state: 'loaded',
    data: { name: 'Names', session: { journey, state: 'waiting', expires_at: '2026-01-05T08:05:00.000Z' } },
  });
  t.match(await admin('DELETE', `/contacts/${contact}/claim`), {
    status: 200,
    body: { session: { journey, state: 'expired', expires_at: null } },
  });
  t.strictSame(await view(), { state: 'loaded', data: null });
  t.match(await admin('DELETE', `/contacts/${contact}/claim`), { status: 409, body: { errors: [{ details: /No journey waits/ }] } });
});
