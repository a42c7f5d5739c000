import t from 'tap';
import { outboundPayloadSchema } from '../../../plugins/channels/plugin.js';
import { CONNECTOR, CONTACT, startChannel } from '../channels/channel-under-test.js';
import { allPlugins } from './network-under-test.js';
import { buttons, flow, flowWith, text } from './posted-messages.js';

t.test('on a channel the connector receives a message in the shape of a turn', async (t) => {
  const { call, token, deliveries, settle, say, uuid, platform } = await startChannel(t, { plugins: allPlugins() });
  await say('hi');
  const { id } = await platform.media.put(uuid, Buffer.from('pdf'), { mimeType: 'application/pdf' });
  const send = (body: object) => call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...body } });
  const turns: [body: object, turn: object][] = [
    [{ text: { body: 'hello' } }, text],
    [buttons, buttons],
    [
      { type: 'image', image: { link: 'https://files.test/a.png', caption: 'look' } },
      { type: 'image', image: { link: 'https://files.test/a.png', mime_type: 'image/png', caption: 'look' } },
    ],
    [
      { type: 'audio', audio: { link: 'https://files.test/a' } },
      { type: 'audio', audio: { link: 'https://files.test/a', mime_type: 'audio/ogg' } },
    ],
    [
      { type: 'document', document: { id, filename: 'a.pdf' } },
      { type: 'document', document: { link: /^http:\/\/posthorn.test\/v1\/media/, mime_type: 'application/pdf', filename: 'a.pdf' } },
    ],
    [
      { type: 'hsm', hsm: { namespace: 'n', element_name: 'hi', language: { code: 'en' }, localizable_params: [{ default: 'Ann' }] } },
      {
        template: {
          name: 'hi',
          namespace: 'n',
          language: { code: 'en' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }],
        },
      },
    ],
    [
      { type: 'hsm', hsm: { element_name: 'hi', language: { code: 'en', policy: 'fallback' } } },
      { template: { name: 'hi', language: { code: 'en' }, components: [] } },
    ],
    [
      { type: 'template', template: { name: 'hi', language: { code: 'en' } } },
      { template: { name: 'hi', language: { code: 'en' }, components: [] } },
    ],
    [
      {
        type: 'template',
        template: {
          name: 'hi',
          namespace: 'n',
          language: { code: 'en', policy: 'deterministic' },
          components: [
            { type: 'BODY' },
            { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'p' }] },
          ],
        },
      },
      {
        template: {
          name: 'hi',
          namespace: 'n',
          language: { code: 'en' },
          components: [
            { type: 'body', parameters: [] },
            { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'p' }] },
          ],
        },
      },
    ],
    [flow, flow],
    [
      flowWith({ flow_action: undefined, mode: undefined, flow_token: undefined, flow_action_payload: undefined }),
      flowWith({ flow_token: 'unused', flow_action_payload: undefined }),
    ],
    [
      flowWith({ flow_action: 'data_exchange', flow_action_payload: {} }),
      flowWith({ flow_action: 'data_exchange', flow_action_payload: undefined }),
    ],
  ];
  for (const [body, turn] of turns) {
    const answer = await send(body);
    t.equal(answer.status, 200, JSON.stringify(answer.body));
    await settle();
    const { json } = deliveries().at(-1)!;
    t.match(json, { to: CONTACT, block: null, waiting_for_user_input: false });
    if ('link' in Object(json.turn[json.turn.type])) t.match(json.turn, turn);
    else t.strictSame(json.turn, JSON.parse(JSON.stringify(turn)));
    t.equal(outboundPayloadSchema.validate(json, { convert: false }).error, undefined, 'it matches the schema for connectors');
  }
  t.equal(deliveries().at(-1)!.url, CONNECTOR);
  t.match(await send({ type: 'location', location: { latitude: 1, longitude: 2 } }), {
    status: 400,
    body: { errors: [{ code: 131051, title: 'Message type is not supported', details: /'location'/ }] },
  });
});

t.test('a message on a channel may go to a recipient who has not written yet', async (t) => {
  const { call, token, deliveries, settle } = await startChannel(t, { plugins: allPlugins() });
  t.equal((await call('POST', '/v1/messages', { token, payload: { to: 'user-7', text: { body: 'hello' } } })).status, 200);
  await settle();
  t.match(deliveries().at(-1)!.json, { to: 'user-7' });
});

t.test("a reply can name the message's uuid in capitals, if the message has no other id", async (t) => {
  const { call, platform, say, token, uuid } = await startChannel(t, { plugins: allPlugins() });
  await say('hi');
  const write = async (headers?: Record<string, string>): Promise<string> => {
    const answer = await call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...text }, ...(headers && { headers }) });
    t.equal(answer.status, 200);
    return answer.body.messages[0].id;
  };
  const first = await write();
  const second = await write({ 'x-svc-in-reply-to': first.toUpperCase() });
  t.match(await platform.messages.find(await platform.numbers.require(uuid), second), { context: { id: first } });
});
