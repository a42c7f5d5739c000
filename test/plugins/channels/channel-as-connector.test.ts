import t from 'tap';
import { CONTACT, inboundText, startChannel, textTurn } from './channel-under-test.js';

t.test('a script posts what a contact writes as the connector does: same record, same deliveries', async (t) => {
  const { admin, say, settle, told, uuid } = await startChannel(t);
  await say('from the connector', { id: 'in-1' });
  t.strictSame(
    await admin('POST', `/channels/${uuid}/messages`, inboundText('from a script', { id: 'in-2' })).then(({ status, body }) => [
      status,
      body,
    ]),
    [200, { success: true }],
  );
  await settle();
  const [first, second] = told('message.received').map(({ message }) => message);
  const { uuid: _, position: _p, external_id: _e, content: _c, recorded_at: _r, ...shared } = first;
  t.match(second, { ...shared, external_id: 'in-2', content: { text: { body: 'from a script' } } });
  await admin('POST', `/channels/${uuid}/messages`, inboundText('from a script', { id: 'in-2' }));
  t.equal(told('message.received').length, 2, 'the same id is a duplicate');
});

t.test('an invalid message gets the response that the connector would get', async (t) => {
  const { admin, post, uuid, maker } = await startChannel(t);
  const bodies = [
    {},
    {
      contact: { id: CONTACT, profile: { name: 'Ann' } },
      message: { type: 'text', from: CONTACT, id: ' ', timestamp: 'now', context: {} },
    },
    inboundText(' '),
    { ...inboundText('unknown keys are ignored', { id: 'in-9' }), contact: { id: CONTACT, profile: { name: 'Ann' }, more: 1 } },
  ];
  for (const body of bodies) {
    const [asConnector, asScript] = [await post(body), await admin('POST', `/channels/${uuid}/messages`, body)];
    t.strictSame([asScript.status, asScript.body], [asConnector.status, asConnector.body], JSON.stringify(body));
  }
  t.match(
    await admin('POST', `/channels/${maker.uuid}/messages`, inboundText('hi')),
    { status: 404, body: { errors: [{}] } },
    'not a channel',
  );
});

t.test('the posted message is recorded among the calls of the API', async (t) => {
  const { admin, uuid } = await startChannel(t, { recording: { calls: true } });
  await admin('POST', `/channels/${uuid}/messages`, inboundText('hi'));
  await admin('POST', `/channels/${uuid}/messages`, inboundText(' '));
  t.match((await admin('GET', '/calls')).body.calls, [
    {
      status: 400,
      path: `/v1/numbers/${uuid}/messages`,
      request: { body: { text: /"body":" "/ } },
    },
    { status: 200 },
  ]);
});

t.test('a script reports statuses as the connector does', async (t) => {
  const { admin, say, send, settle, message, report, uuid } = await startChannel(t);
  await say('hi');
  const { uuid: sent } = await send(textTurn('hello'));
  await settle();
  const { external_id: id } = (await message(sent))!;
  const status = { id, recipient_id: CONTACT, status: 'delivered', timestamp: '1767600000' };
  t.match(await admin('POST', `/channels/${uuid}/statuses`, { status }), { status: 200, body: { success: true } });
  t.match(await message(sent), { status: 'delivered' });
  const refused = await admin('POST', `/channels/${uuid}/statuses`, { status: { ...status, id: 'unknown' } });
  t.strictSame([refused.status, refused.body], await report('unknown', 'delivered').then(({ status, body }) => [status, body]));
});

t.test('conversations of all numbers are listed with contact and newest message, page by page', async (t) => {
  const { admin, clock, say, uuid } = await startChannel(t);
  for (const [name, from] of [
    ['Ann', '+27820001001'],
    ['Ben', '+27820001002'],
    ['Cem', '+27820001003'],
  ] as const) {
    await say(`I am ${name}`, { name, from });
    await clock.advance(1_000);
  }
  const { conversations: first } = (await admin('GET', '/conversations?limit=2')).body;
  t.match(first, [
    {
      contact: { fields: { name: 'Cem' } },
      message: { content: { text: { body: 'I am Cem' } } },
      conversation: { number: uuid, length: 1 },
    },
    { contact: { fields: { name: 'Ben' } } },
  ]);
  const next = await admin('GET', `/conversations?limit=2&number=${uuid}&before=${first[1].conversation.updated_at}`);
  t.match(next.body.conversations, [{ contact: { fields: { name: 'Ann' } } }]);
  t.equal(next.body.conversations.length, 1);
});
