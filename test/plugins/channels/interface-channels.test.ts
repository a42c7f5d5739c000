import t from 'tap';
import { CONNECTOR, CONTACT, inboundText, startChannel } from './channel-under-test.js';

const file = { id: 'file-1', mime_type: 'application/x', link: 'https://files.test/1', sha256: 'ab12', filename: 'a.bin' };

t.test('captions and descriptions are text, if present', async (t) => {
  const { post } = await startChannel(t);
  const { contact, message } = inboundText('');
  const cases: [type: string, part: object, field: string][] = [
    ...['image', 'video', 'document', 'sticker'].map((type): [string, object, string] => [
      type,
      { ...file, caption: 7 },
      `${type}.caption`,
    ]),
    ['interactive', { type: 'list_reply', list_reply: { id: 'y', title: 'Yes', description: 7 } }, 'interactive.list_reply.description'],
  ];
  for (const [type, part, field] of cases) {
    const answer = await post({ contact, message: { type, from: CONTACT, id: type, timestamp: message.timestamp, [type]: part } });
    t.equal(answer.status, 400, field);
    t.strictSame(answer.body, { message: 'Bad Request', errors: { message: { [field]: ['is invalid'] } } });
  }
});

t.test('a channel is created exactly as requested, with a webhook at exactly its endpoint', async (t) => {
  const { admin, call, maker } = await startChannel(t);
  const payload = {
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'museum@chat.test',
    name: 'The Museum',
    endpoint: 'https://connector.test/museum?key=1',
  };
  const { body } = await call('POST', '/v1/numbers', { token: maker.token, payload });
  const { number } = (await admin('GET', `/numbers/${body.number.uuid}`)).body;
  t.strictSame(number, {
    uuid: body.number.uuid,
    kind: 'channel',
    type: 'channel_http_api',
    address: 'museum@chat.test',
    name: 'The Museum',
    account: null,
    created_at: number.created_at,
  });
  const { webhook } = (await admin('GET', `/webhooks/${body.webhook.uuid}`)).body;
  t.strictSame(webhook, {
    uuid: body.webhook.uuid,
    number: body.number.uuid,
    url: 'https://connector.test/museum?key=1',
    name: 'The Museum',
    subscriptions: ['channel'],
    hmac_digest: 'sha256',
    enabled: true,
    headers: {},
    lane: 'default',
    created_at: webhook.created_at,
  });
});

t.test('a message is delivered to the endpoint of its channel with a POST', async (t) => {
  const { say, send, settle, deliveries, http } = await startChannel(t);
  await say('hi');
  await send();
  await settle();
  t.strictSame(
    http.calls.map(({ method, url }) => [method, url]),
    [['POST', CONNECTOR]],
  );
  t.equal(deliveries().length, 1);
});
