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

t.test('every part of a message reaches the network', async (t) => {
  const { send, standIn, settle, call, token, problems } = await startCloud(t);
  const { body } = await call('POST', '/v1/media', { token, payload: 'OggS', headers: { 'content-type': 'audio/ogg' } });
  const link = 'https://library.example/a.png';
  const messages: [sent: Record<string, unknown>, part?: unknown][] = [
    [
      { type: 'text', text: { body: 'See https://library.example' }, preview_url: true },
      { body: 'See https://library.example', preview_url: true },
    ],
    [
      { type: 'audio', audio: { id: body.media[0].id, voice: true } },
      { id: /^\d+$/, voice: true },
    ],
    [{ type: 'image', image: { link, caption: 'A' } }],
    [{ type: 'document', document: { link, caption: 'A', filename: 'a.pdf' } }],
    [{ type: 'sticker', sticker: { link } }],
    [{ type: 'location', location: { latitude: 1, longitude: 2, name: 'A', address: 'B' } }],
    [
      {
        type: 'contacts',
        contacts: [
          { name: { formatted_name: 'A', first_name: 'A' }, phones: [{ phone: '+1', type: 'HOME', wa_id: '1' }], urls: [{ url: link }] },
        ],
      },
    ],
    [
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          header: { type: 'document', document: { link, filename: 'a.pdf' } },
          body: { text: 'A' },
          footer: { text: 'B' },
          action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
        },
      },
    ],
    [
      {
        type: 'interactive',
        interactive: {
          type: 'list',
          header: { type: 'text', text: 'A' },
          body: { text: 'B' },
          action: { button: 'C', sections: [{ title: 'D', rows: [{ id: 'a', title: 'A', description: 'E' }] }] },
        },
      },
    ],
  ];
  for (const [message, part] of messages) {
    const type = String(message.type);
    t.equal((await send(message)).status, 200, type);
    await settle(300);
    const sent = standIn.sent.at(-1)!.body as Record<string, unknown>;
    if (part) t.match(sent[type], part, type);
    else t.strictSame(sent[type], message[type], type);
  }
  t.strictSame(problems(), []);
});

t.test('a quote of a message that the network does not have, and a fallback of languages, are left out with advice', async (t) => {
  const { send, standIn, settle, told, admin, uuid } = await startCloud(t);
  standIn.rule({ on: { method: 'POST', path: '/*/messages' }, times: 1, error: 131026 });
  const { id } = (await send(text('not delivered'))).body.messages[0];
  await settle();
  t.equal((await send(text('about that'), { 'x-svc-in-reply-to': id })).status, 200);
  standIn.addTemplate({ name: 'greeting' });
  await admin('POST', `/cloud-api/numbers/${uuid}/templates/read`);
  await send({ type: 'template', template: { name: 'greeting', language: { code: 'en_US', policy: 'fallback' } } });
  await send(text('about that, again'), { 'x-svc-in-reply-to': id });
  await settle(1_000);
  t.equal(standIn.sent.length, 3);
  t.notOk('context' in (standIn.sent[0]!.body as object));
  t.match(
    told('advice').filter(({ name }) => name === 'cloud_api_part_left_out'),
    [{ message: /without the quoted message/ }, { message: /without the language policy fallback/ }],
    'once each',
  );
});
