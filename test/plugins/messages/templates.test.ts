import t from 'tap';
import { CONNECTOR, CONTACT, startChannel } from '../channels/channel-under-test.js';
import { allPlugins, PHONE, startNetwork } from './network-under-test.js';

const INVALID = { code: 1009, title: 'Parameter value is not valid' };
const MISSING = { code: 1008, title: 'Required parameter is missing' };
const components = [
  { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW1hZ2U'] } },
  { type: 'BODY', text: 'Dear {{1}}', example: { body_text: [['Ann']] } },
  { type: 'FOOTER', text: 'Library' },
  { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'I come' }] },
];
const sent = (header: object, body: object = { type: 'text', text: 'Ann' }) => ({
  type: 'template',
  template: {
    name: 'visit',
    language: { code: 'en' },
    components: [
      { type: 'header', parameters: [header] },
      { type: 'body', parameters: [body] },
    ],
  },
});

t.test('a template is accepted in upper case, as the network writes it, and stored in lower case', async (t) => {
  const { admin, uuid } = await startNetwork(t);
  const { status, body } = await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components });
  t.equal(status, 200);
  t.strictSame(body.template.components, [
    { type: 'header', format: 'image' },
    { type: 'body', text: 'Dear {{1}}' },
    { type: 'footer', text: 'Library' },
    { type: 'buttons', buttons: [{ type: 'quick_reply', text: 'I come' }] },
  ]);
  t.strictSame((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [body.template]);
});

t.test('an error in a template names its place', async (t) => {
  const { admin, uuid } = await startNetwork(t);
  const refused: [component: object, details: string][] = [
    [{ type: 'body' }, 'components[0].text is required'],
    [{ type: 'BODY', text: '' }, 'components[0].text is not allowed to be empty'],
    [{ type: 'carousel' }, 'components[0].type must be one of [body, header, footer, buttons]'],
    [{ text: 'Dear' }, 'components[0].type is required'],
    [{ type: 'header', format: 'PRODUCT' }, 'components[0].format must be one of [text, image, video, document, location]'],
    [{ type: 'body', text: 'a', format: 'text' }, 'components[0].format is not known'],
    [
      { type: 'buttons', buttons: [{ type: 'FAX', text: 'a' }] },
      'components[0].buttons[0].type must be one of [quick_reply, url, phone_number]',
    ],
    [{ type: 'body', text: 'a', txt: 'b' }, 'components[0].txt is not known'],
  ];
  for (const [component, details] of refused) {
    t.match(
      await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components: [component] }),
      { status: 400, body: { errors: [{ ...INVALID, details }] } },
      details,
    );
  }
});

t.test('files in the parameters of a template are checked like other files', async (t) => {
  const { admin, number, call, send, upload, uuid } = await startNetwork(t);
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components });
  const image = await upload('image/png');
  const { token } = await number('network');
  const { body } = await call('POST', '/v1/media', { token, payload: 'theirs', headers: { 'content-type': 'image/png' } });
  const pdf = await upload('application/pdf');
  const header = 'template.components[0].parameters[0]';
  const refused: [message: object, error: object, details: string][] = [
    [sent({ type: 'image', image: { id: body.media[0].id } }), INVALID, `${header}.image.id is not the id of a media file of this number`],
    [
      sent({ type: 'image', image: { id: pdf } }),
      INVALID,
      `${header}.image.id is a media file of type application/pdf, which cannot be sent as image`,
    ],
    [sent({ type: 'image' }), MISSING, `${header}.image is required`],
    [
      sent({ type: 'image', image: { link: 'x' } }),
      INVALID,
      `${header}.image.link must be a valid uri with a scheme matching the http|https pattern`,
    ],
    [sent({ type: 'text', text: 'Ann' }), INVALID, `${header}.type must be image in the header of this template`],
    [sent({ type: 'image', image: { id: image } }, { type: 'text' }), MISSING, 'template.components[1].parameters[0].text is required'],
    [
      sent({ type: 'image', image: { id: image } }, { type: 'image', image: { id: image } }),
      INVALID,
      'template.components[1].parameters[0].type must be text or currency or date_time in the body of this template',
    ],
  ];
  for (const [message, error, details] of refused) {
    t.match(await send(message), { status: 400, body: { errors: [{ ...error, details }] } }, details);
  }
  const taken = await send(sent({ type: 'image', image: { id: image } }));
  t.equal(taken.status, 200);
  t.equal((await send(sent({ type: 'image', image: { link: 'https://a.test/a.png' } }))).status, 200);
});

t.test('a header with a location needs one, with numbers or text as the network takes them', async (t) => {
  const { admin, send, uuid } = await startNetwork(t);
  const [, ...others] = components;
  const located = { name: 'visit', language: 'en', components: [{ type: 'HEADER', format: 'LOCATION' }, ...others] };
  t.match(await admin('PUT', `/numbers/${uuid}/templates`, located), {
    status: 200,
    body: { template: { components: [{ type: 'header', format: 'location' }] } },
  });
  for (const location of [
    { latitude: -33.9, longitude: 18.4 },
    { latitude: '-33.9', longitude: '18.4', name: 'Library', address: '1 Main Road' },
  ])
    t.equal((await send(sent({ type: 'LOCATION', location }))).status, 200);
  const header = 'template.components[0].parameters[0]';
  const refused: [parameter: object, details: string][] = [
    [{ type: 'location' }, `${header}.location is required`],
    [{ type: 'location', location: { latitude: 1 } }, `${header}.location.longitude is required`],
    [{ type: 'text', text: 'Paarl' }, `${header}.type must be location in the header of this template`],
  ];
  for (const [parameter, details] of refused)
    t.match(await send(sent(parameter)), { status: 400, body: { errors: [{ details }] } }, details);
});

t.test('the types in a template may be in upper or lower case, and are checked alike', async (t) => {
  const { admin, send, upload, uuid } = await startNetwork(t);
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components });
  const pdf = await upload('application/pdf');
  const link = 'https://a.test/a.png';
  t.equal((await send(sent({ type: 'IMAGE', image: { link } }, { type: 'TEXT', text: 'Ann' }))).status, 200);
  const header = 'template.components[0].parameters[0]';
  const refused: [message: object, details: string][] = [
    [sent({ type: 'IMAGE' }), `${header}.image is required`],
    [
      sent({ type: 'IMAGE', image: { id: pdf } }),
      `${header}.image.id is a media file of type application/pdf, which cannot be sent as image`,
    ],
    [sent({ type: 'VIDEO', video: { link } }), `${header}.type must be image in the header of this template`],
    [sent({ type: 'image', image: { link } }, { type: 'Text', text: 7 }), 'template.components[1].parameters[0].text must be a string'],
  ];
  for (const [message, details] of refused) t.match(await send(message), { status: 400, body: { errors: [{ details }] } }, details);
});

t.test("other keys of a template's parameters are passed on unchanged", async (t) => {
  const posted = sent(
    { type: 'IMAGE', image: { link: 'https://a.test/a.png', caption: 'A plan', provider: { name: 'shelf' } } },
    { type: 'currency', text: '$1', image: null, currency: { fallback_value: '$1', code: 'USD', amount_1000: 1000 } },
  );
  posted.template.components.push({
    type: 'button',
    parameters: [{ type: 'payload', payload: 'P', text: 'yes', image: { link: 'of no checked kind', alt: '' } }],
  } as never);
  const { admin, received, listen, send, settle, uuid } = await startNetwork(t);
  await listen(['svc']);
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'visit', language: 'en', components });
  t.equal((await send(posted)).status, 200);
  await settle();
  t.strictSame(
    received().flatMap(({ json }) => (json.type === 'template' ? [json.template] : [])),
    [posted.template],
  );

  const channel = await startChannel(t, { plugins: allPlugins() });
  await channel.say('hi');
  const { token } = channel;
  t.equal((await channel.call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...posted } })).status, 200);
  const audio = {
    type: 'template',
    template: { name: 'visit', language: { code: 'en' }, components: [{ type: 'body', parameters: [{ type: 'audio', audio: null }] }] },
  };
  t.equal((await channel.call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...audio } })).status, 200);
  await channel.settle();
  t.strictSame(channel.deliveries()[0]?.json.turn.template, posted.template);
});

t.test('the index of a button in a template is an integer, or one as text', async (t) => {
  const { call, token, settle, deliveries } = await startChannel(t, { plugins: allPlugins() });
  const send = (index: unknown) => {
    const template = { name: 'visit', language: { code: 'en' }, components: [{ type: 'button', sub_type: 'url', index }] };
    return call('POST', '/v1/messages', { token, payload: { to: CONTACT, type: 'template', template } });
  };
  t.equal((await send(null)).status, 200, 'null is not an index');
  for (const index of [{ toString: 1 }, { a: 1 }, -1, 1.5, 1e300, [1, [2]], '', 'one', true]) {
    const { status, body } = await send(index);
    t.match(
      { status, body },
      { status: 400, body: { errors: [{ code: Number, details: /components\[0\]\.index/ }] } },
      JSON.stringify(index),
    );
  }
  for (const index of [0, '2']) {
    t.equal((await send(index)).status, 200);
    await settle();
    t.strictSame(deliveries().at(-1)?.json.turn.template.components, [
      { type: 'button', sub_type: 'url', index: String(index), parameters: [] },
    ]);
  }
});

t.test("other keys beside the link of a template's medium are passed on, whatever they are", async (t) => {
  const { call, token, settle, deliveries } = await startChannel(t, { plugins: allPlugins() });
  for (const type of ['image', 'document', 'audio']) {
    for (const filename of type === 'document' ? ['a.pdf'] : [5, {}, null]) {
      const parameter = { type, [type]: { link: 'https://files.test/a.bin', filename } };
      const template = { name: 'visit', language: { code: 'en' }, components: [{ type: 'header', parameters: [parameter] }] };
      const answer = await call('POST', '/v1/messages', { token, payload: { to: CONTACT, type: 'template', template } });
      t.equal(answer.status, 200, `${type} ${JSON.stringify(filename)}: ${JSON.stringify(answer.body)}`);
      await settle();
      t.strictSame(deliveries().at(-1)?.json.turn.template.components[0].parameters, [parameter]);
    }
  }
});

t.test('placeholders are filled with text, or the fallback of currency and dates, up to a maximum length', async (t) => {
  const { admin, call, send, token, uuid } = await startNetwork(t);
  const template = (text: string) =>
    admin('PUT', `/numbers/${uuid}/templates`, { name: 'bill', language: 'en', components: [{ type: 'body', text }] });
  const filled = (...parameters: object[]) => ({
    type: 'template',
    template: { name: 'bill', language: { code: 'en' }, components: [{ type: 'body', parameters }] },
  });
  const shown = async () => (await call('GET', `/v1/contacts/${PHONE}/messages`, { token })).body.messages[0]._vnd.v1.rendered_content;
  await template('You owe {{1}} by {{2}}.');
  const money = { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1000 } };
  t.equal((await send(filled(money, { type: 'DATE_TIME', date_time: { fallback_value: 'Monday' } }))).status, 200);
  t.equal(await shown(), 'You owe $1 by Monday.');

  await template('{{1}}'.repeat(800));
  t.equal((await send(filled({ type: 'text', text: 'x'.repeat(4096) }))).status, 200);
  t.equal((await shown()).length, 16_384);
  await template(`a${'{{1}}'.repeat(5)}`);
  t.equal((await send(filled({ type: 'text', text: '😀'.repeat(2048) }))).status, 200);
  t.equal(await shown(), `a${'😀'.repeat(8191)}`, 'no character is cut in two');
  await template('{{1}}');
  for (const text of ['x'.repeat(4097), 7, ['x'], { toString: 1 }])
    t.match(await send(filled({ type: 'currency', text })), {
      status: 400,
      body: { errors: [{ code: 1009, details: /parameters\[0\]\.text/ }] },
    });
});

t.test('a connector receives a link to the medium of a template', async (t) => {
  const { call, deliveries, http, settle, say, token } = await startChannel(t, { plugins: allPlugins() });
  await say('hi');
  const { body } = await call('POST', '/v1/media', { token, payload: 'ours', headers: { 'content-type': 'image/png' } });
  const { id } = body.media[0];
  const answer = await call('POST', '/v1/messages', { token, payload: { to: CONTACT, ...sent({ type: 'image', image: { id } }) } });
  t.equal(answer.status, 200);
  await settle();
  t.equal(http.callsTo(CONNECTOR).length, 1);
  t.match(deliveries()[0]?.json.turn.template.components[0].parameters, [
    { type: 'image', image: { link: new RegExp(`^http://posthorn\\.test/v1/media/${id}/content\\?expires=`), id: undefined } },
  ]);
});

t.test('a reply must name a message of the same conversation', async (t) => {
  const { phone, say, send } = await startNetwork(t);
  const { external_id: ours } = await say('hi');
  const theirs = await phone({ from: '27820009999', name: 'Bo', type: 'text', text: { body: 'hi' } });
  const replying = (id: string, to?: string) =>
    send({ type: 'text', text: { body: 'yes' }, ...(to && { to }) }, { 'x-svc-in-reply-to': id });
  t.equal((await replying(ours!)).status, 200);
  const details = (id: string) => `This conversation has no message "${id}"; reply to the id of one of its messages`;
  const { external_id: other } = theirs.body.message;
  t.match(await replying(other), { status: 400, body: { errors: [{ details: details(other) }] } });
  t.match(await replying(ours!, '27820008888'), { status: 400, body: { errors: [{ details: details(ours!) }] } }, 'a new recipient');
  t.equal((await replying(other, '+27 82 000 9999')).status, 200);
});
