import t from 'tap';
import { PHONE, startNetwork } from './network-under-test.js';
import { buttons, flow, flowWith, listOf, rows, text } from './posted-messages.js';

const card = {
  name: { formatted_name: 'Bee Cee', first_name: 'Bee', last_name: 'Cee' },
  phones: [{ phone: '+27820000002', type: 'CELL' }],
};

t.test('a title is counted in displayed characters: an emoji is one', async (t) => {
  const { send } = await startNetwork(t);
  const titled = (title: string) => ({
    ...buttons,
    interactive: { ...buttons.interactive, action: { buttons: [{ type: 'reply', reply: { id: 'a', title } }] } },
  });
  t.equal((await send(titled('🐘'.repeat(20)))).status, 200);
  t.equal((await send(titled('🐘'.repeat(21)))).status, 400);
  t.equal((await send(titled('x'.repeat(21)))).status, 400);
  t.equal((await send({ ...text, text: { body: '🐘'.repeat(4096) } })).status, 200);
  t.equal((await send({ ...text, text: { body: '🐘'.repeat(4097) } })).status, 400);
});

t.test('sending a message returns the id that the network gave it', async (t) => {
  const { send, platform } = await startNetwork(t);
  const answer = await send(text);
  t.equal(answer.status, 200);
  t.match(answer.body.messages, [{ id: /^wamid\.[\w-]{52}$/ }]);
  t.strictSame(answer.body, {
    messages: [{ id: answer.body.messages[0].id }],
    meta: { version: '0.1.0', backend: { name: 'msgapp', version: 'latest' }, api_status: 'stable' },
  });
  const known = await platform.messages.known((await platform.numbers.list())[0]!.uuid, 'outbound', answer.body.messages[0].id);
  t.match(known?.author, { request_id: answer.headers['x-request-id'] }, 'the request has the id that the client received');
  t.match(known, { type: 'text', content: { text: { body: 'hello' } }, to: PHONE, author: { type: 'SYSTEM', name: 'test' } });
});

t.test('every type of message is sent, with the content as it was posted', async (t) => {
  const { send, upload, platform, admin, uuid } = await startNetwork(t);
  const [image, audio, video, document, sticker] = [
    await upload('image/png'),
    await upload('audio/ogg'),
    await upload('video/mp4'),
    await upload('application/pdf'),
    await upload('image/webp'),
  ];
  await admin('PUT', `/numbers/${uuid}/templates`, { name: 'hi', language: 'en', components: [{ type: 'body', text: 'Dear {{1}}' }] });
  const first = (await send(text)).body.messages[0].id;
  const link = 'https://files.test/a';
  const bodies: { type: string; [part: string]: unknown }[] = [
    text,
    { type: 'image', image: { id: image, caption: 'look' } },
    { type: 'image', image: { link } },
    { type: 'audio', audio: { id: audio } },
    { type: 'video', video: { id: video, caption: 'look' } },
    { type: 'document', document: { id: document, caption: 'read', filename: 'a.pdf' } },
    { type: 'sticker', sticker: { id: sticker } },
    { type: 'location', location: { latitude: -33.9, longitude: 18.4, name: 'Library', address: '1 Long Street' } },
    { type: 'contacts', contacts: [card] },
    { type: 'reaction', reaction: { message_id: first, emoji: '👍' } },
    { type: 'reaction', reaction: { message_id: first, emoji: '' } },
    {
      type: 'template',
      template: { name: 'hi', language: { code: 'en' }, components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }] },
    },
    {
      type: 'hsm',
      hsm: {
        namespace: 'n',
        element_name: 'hi',
        language: { policy: 'deterministic', code: 'en' },
        localizable_params: [{ default: 'Ann' }],
      },
    },
    buttons,
    listOf([{ title: 'One', rows: rows(2) }]),
    flow,
  ];
  for (const body of bodies) {
    const answer = await send(body);
    t.equal(answer.status, 200, `${body.type} ${JSON.stringify(answer.body.errors)}`);
    const sent = await platform.messages.known(uuid, 'outbound', answer.body.messages[0].id);
    t.equal(sent?.type, body.type);
    t.strictSame(sent?.content, { [body.type]: body[body.type] });
  }
});

t.test('a text may be sent without its type, and a recipient with or without a plus', async (t) => {
  const { send, platform, uuid } = await startNetwork(t);
  t.equal((await send({ text: { body: 'no type' } })).status, 200);
  t.equal((await send({ to: PHONE, ...text })).status, 200);
  t.equal((await send({ to: '+27 82 000-1001', ...text })).status, 200);
  t.match(await platform.contacts.list(uuid), [{ id: PHONE, address: PHONE }], 'it is one contact');
});

t.test('an invalid message is refused with the errors of the network, and nothing is recorded', async (t) => {
  const { send, platform, uuid } = await startNetwork(t);
  const long = (length: number) => 'x'.repeat(length);
  const withButtons = (count: number, title = 'T') => ({
    ...buttons,
    interactive: {
      ...buttons.interactive,
      action: { buttons: Array.from({ length: count }, (_, n) => ({ type: 'reply', reply: { id: `b${n}`, title: `${title}${n}` } })) },
    },
  });
  const interactive = (change: object) => ({ ...buttons, interactive: { ...buttons.interactive, ...change } });
  const flowAction = (change: object) => ({
    ...flow,
    interactive: { ...flow.interactive, action: { ...flow.interactive.action, ...change } },
  });
  type Bad = [what: string, body: object, code: number, details: RegExp];
  const bad: Bad[] = [
    ['no text', { type: 'text' }, 1008, /text is required/],
    ['an empty text', { text: { body: '' } }, 1008, /text.body/],
    ['a blank text', { text: { body: ' \n' } }, 1009, /text.body/],
    ['a text too long', { text: { body: long(4097) } }, 1009, /4096/],
    ['an unknown type', { type: 'telepathy' }, 1009, /type must be one of/],
    ['a picture without source', { type: 'image', image: {} }, 1008, /image/],
    ['a picture with two sources', { type: 'image', image: { id: '1', link: 'https://files.test/a' } }, 1009, /image/],
    ['an image that was not uploaded', { type: 'image', image: { id: '123' } }, 1009, /image.id is not the id of a media file/],
    ['a caption too long', { type: 'image', image: { link: 'https://files.test/a', caption: long(1025) } }, 1009, /caption/],
    ['a link that is none', { type: 'image', image: { link: 'file:///etc/passwd' } }, 1009, /image.link/],
    ['a link with a port that is none', { type: 'image', image: { link: 'http://files.test:99999/a' } }, 1009, /image.link/],
    ['a link without a host', { type: 'document', document: { link: 'https://' } }, 1009, /document.link/],
    [
      'a header with a link that is none',
      interactive({ header: { type: 'image', image: { link: 'http://a:99999' } } }),
      1009,
      /image.link/,
    ],
    ['four buttons', withButtons(4), 1009, /buttons/],
    ['no button', withButtons(0), 1009, /buttons/],
    ['a button title too long', withButtons(1, long(20)), 1009, /title/],
    ['a header too long', interactive({ header: { type: 'text', text: long(61) } }), 1009, /header.text/],
    ['a body too long', interactive({ body: { text: long(1025) } }), 1009, /body.text/],
    ['a footer too long', interactive({ footer: { text: long(61) } }), 1009, /footer.text/],
    ['no body', interactive({ body: undefined }), 1008, /interactive.body/],
    ['eleven rows', listOf([{ rows: rows(11) }]), 1009, /at most 10 rows/],
    ['rows of one id', listOf([{ rows: [...rows(1), ...rows(1)] }]), 1009, /unique ids/],
    ['sections without titles', listOf([{ rows: rows(1) }, { rows: [{ id: 'z', title: 'Z' }] }]), 1009, /each have a title/],
    ['a row title too long', listOf([{ rows: [{ id: 'a', title: long(25) }] }]), 1009, /title/],
    ['a row described too long', listOf([{ rows: [{ id: 'a', title: 'A', description: long(73) }] }]), 1009, /description/],
    ['a section title too long', listOf([{ title: long(25), rows: rows(1) }]), 1009, /title/],
    [
      'two buttons of one title',
      interactive({ action: { buttons: ['a', 'b'].map((id) => ({ type: 'reply', reply: { id, title: 'Same' } })) } }),
      1009,
      /duplicate/,
    ],
    ['a name of a file too long', { type: 'document', document: { link: 'https://files.test/a', filename: long(241) } }, 1009, /filename/],
    ['a word on a flow too long', flowWith({ flow_cta: long(31) }), 1009, /flow_cta/],
    ['a flow without an id', flowWith({ flow_id: undefined }), 1008, /flow_id/],
    ['a flow that opens nowhere', flowWith({ flow_action: undefined, flow_action_payload: {} }), 1008, /screen/],
    ['a flow without a screen', flowWith({ flow_action_payload: undefined }), 1008, /flow_action_payload/],
    ['a flow without a name', flowAction({ name: undefined }), 1008, /action\.name is required/],
    ['a flow of another name', flowAction({ name: 'form' }), 1009, /action\.name must be/],
    ['a flow without parameters', flowAction({ parameters: undefined }), 1008, /action\.parameters is required/],
    ['a flow without a version', flowWith({ flow_message_version: undefined }), 1008, /flow_message_version is required/],
    ...[3, 3.5, true, { major: 3 }, ['3'], 'x'.repeat(17), ' '].map(
      (version): Bad => [`version ${JSON.stringify(version)}`, flowWith({ flow_message_version: version }), 1009, /flow_message_version/],
    ),
    ...['jump', 'NAVIGATE', 1, {}].map(
      (action): Bad => [`flow action ${JSON.stringify(action)}`, flowWith({ flow_action: action }), 1009, /flow_action must be/],
    ),
    ...[1, true, {}, ['FIRST'], ' ', 'x'.repeat(257)].flatMap((screen): Bad[] =>
      [{ flow_action: undefined }, {}].map((action) => [
        `screen ${JSON.stringify(screen)}`,
        flowWith({ ...action, flow_action_payload: { screen } }),
        1009,
        /flow_action_payload\.screen/,
      ]),
    ),
    ['a flow that opens a text', flowWith({ flow_action_payload: 'FIRST' }), 1009, /flow_action_payload must be/],
    ['a flow in an unknown mode', flowWith({ mode: 'secret' }), 1009, /mode/],
    ['a place that is nowhere', { type: 'location', location: { latitude: 91, longitude: 0 } }, 1009, /latitude/],
    ['no card', { type: 'contacts', contacts: [] }, 1009, /contacts/],
    ['a group', { ...text, recipient_type: 'group' }, 1009, /recipient_type/],
    ['a recipient that is no number', { ...text, to: 'ann' }, 1013, /not an international phone number/],
    ['no recipient', { ...text, to: undefined }, 1008, /to is required/],
  ];
  for (const [what, body, code, details] of bad) {
    const answer = await send(body);
    t.equal(answer.status, 400, what);
    t.match(answer.body, { errors: [{ code, title: /./, details }], meta: { api_status: 'stable' } }, what);
  }
  t.strictSame(await platform.contacts.list(uuid), []);
});

t.test('content of the maximum length is sent', async (t) => {
  const { send } = await startNetwork(t);
  const long = (length: number) => 'x'.repeat(length);
  const row = { id: long(200), title: long(24), description: long(72) };
  const section = { title: long(24), rows: [row] };
  for (const body of [
    { text: { body: long(4096) } },
    { type: 'document', document: { link: 'https://files.test/a', filename: long(240), caption: long(1024) } },
    { type: 'interactive', interactive: { type: 'list', body: { text: long(4096) }, action: { button: long(20), sections: [section] } } },
  ]) {
    t.equal((await send(body)).status, 200);
  }
});

t.test('a number sends its own files only, as what they are', async (t) => {
  const { send, upload, number, call } = await startNetwork(t);
  const id = await upload('image/png');
  const other = await number('network');
  const refused = (details: RegExp) => ({ status: 400, body: { errors: [{ code: 1009, details }] } });
  const payload = { to: PHONE, type: 'image', image: { id } };
  t.match(
    await call('POST', '/v1/messages', { token: other.token, payload }),
    refused(/image.id is not the id of a media file of this number/),
  );
  t.match(await send({ type: 'audio', audio: { id } }), refused(/of type image\/png, which cannot be sent as audio/));
  t.equal((await send({ type: 'document', document: { id } })).status, 200, 'every file can be a document');
});

t.test('a template is sent if the number has it, it is approved, and all its parameters are given', async (t) => {
  const { send, admin, uuid, platform } = await startNetwork(t);
  const template = (...texts: string[]) => ({
    type: 'template',
    template: {
      name: 'visit',
      language: { code: 'en', policy: 'deterministic' },
      components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
    },
  });
  t.match(await send(template('Ann')), { status: 404, body: { errors: [{ code: -1, title: 'Template not found', details: /"visit"/ }] } });
  const put = await admin('PUT', `/numbers/${uuid}/templates`, {
    name: 'visit',
    language: 'en',
    components: [{ type: 'body', text: 'Dear {{1}}, till {{2}}' }],
  });
  t.equal(put.status, 200);
  t.match(await send(template('Ann')), { status: 400, body: { errors: [{ code: 2000, details: /2 parameters, but the message has 1/ }] } });
  const sent = await send(template('Ann', 'Monday'));
  t.equal(sent.status, 200);
  t.match(await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id), { rendered: 'Dear Ann, till Monday' });
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ name: 'visit', status: 'APPROVED' }]);
  await admin('DELETE', `/templates/${put.body.template.uuid}`);
  t.equal((await send(template('Ann', 'Monday'))).status, 404);
});

t.test('a header names the message that a message replies to', async (t) => {
  const { send, say, platform, uuid } = await startNetwork(t);
  const { external_id } = await say('a question');
  const sent = await send(text, { 'x-svc-in-reply-to': external_id! });
  t.match(await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id), { context: { id: external_id, from: PHONE } });
  t.match(await send(text, { 'x-svc-in-reply-to': external_id!.toLowerCase() }), { status: 400 }, 'an id of the network is case-sensitive');
  t.match(await send(text, { 'x-svc-in-reply-to': 'nothing' }), { status: 400, body: { errors: [{ details: /no message "nothing"/ }] } });
});

t.test('context.message_id quotes as the header does, and comes before it', async (t) => {
  const { send, say, platform, uuid, listen, received, settle } = await startNetwork(t);
  await listen(['svc']);
  const [first, second] = [await say('a question'), await say('another one')];
  const context = { message_id: first.external_id! };
  const sent = await send({ ...text, context }, { 'x-svc-in-reply-to': second.external_id! });
  t.match(await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id), { context: { id: first.external_id, from: PHONE } });
  await settle();
  t.match(received().at(-1)!.json, { context, _vnd: { v1: { in_reply_to: first.external_id } } });
  const byHeader = await send({ ...text, context: {} }, { 'x-svc-in-reply-to': second.external_id! });
  t.match(await platform.messages.known(uuid, 'outbound', byHeader.body.messages[0].id), { context: { id: second.external_id } });
  t.equal((await send({ ...text, context: null })).status, 200);
  for (const [wrong, code] of [
    [{ message_id: 'nothing' }, /no message "nothing"/],
    [{ message_id: '' }, /context.message_id/],
    [{ message_id: 7 }, /context.message_id/],
    ['nothing', /context/],
  ] as const)
    t.match(await send({ ...text, context: wrong }), { status: 400, body: { errors: [{ details: code }] } }, JSON.stringify(wrong));
});

t.test('posted fields that are not used stay in the event, except those of the service, and reach no driver', async (t) => {
  const { send, listen, received, settle, told } = await startNetwork(t);
  await listen(['svc']);
  const unused = { messaging_product: 'whatsapp', biz_opaque_callback_data: 'order-7', custom: { a: [1, null] }, context: {} };
  const colliding = { from: 'x', id: 'x', timestamp: 'x', _vnd: 'x', image: { link: 7 }, absent: null };
  const { body } = await send({ type: 'text', text: { body: 'hello', preview: { large: true }, absent: null }, ...unused, ...colliding });
  await settle();
  const { json } = received().at(-1)!;
  t.match(json, { ...unused, text: { body: 'hello', preview: { large: true } }, to: PHONE, id: body.messages[0].id, from: '+27110000000' });
  t.notOk('image' in json || 'absent' in json || 'absent' in json.text);
  t.strictSame(told('message.queued')[0].message.content, { text: { body: 'hello' } });
  await send(text);
  await settle();
  t.strictSame(Object.keys(received().at(-1)!.json).sort(), [
    ...['_vnd', 'from', 'id', 'preview_url', 'recipient_type', 'text', 'timestamp', 'to', 'type'],
  ]);
  const large = { custom: 'x'.repeat(70_000) };
  t.match(await send({ ...text, ...large }), { status: 400, body: { errors: [{ details: /at most 65536 characters/ }] } });
});

t.test('labels are added to a message of either direction, each once, and webhooks and history show them', async (t) => {
  const { send, say, call, token, number } = await startNetwork(t);
  const { external_id } = await say('a question');
  const sent = (await send(text)).body.messages[0].id;
  const label = (id: string, labels: unknown, as = token) => call('POST', `/v1/messages/${id}/labels`, { token: as, payload: { labels } });
  t.match(await label(external_id!, ['question', 'urgent', 'question']), { status: 200, body: { labels: ['question', 'urgent'] } });
  t.match(await label(external_id!, ['done']), { status: 200, body: { labels: ['question', 'urgent', 'done'] } });
  t.match(await label(sent, ['answer']), { status: 200, body: { labels: ['answer'] } });
  const { messages } = (await call('GET', `/v1/contacts/${PHONE}/messages`, { token })).body;
  t.strictSame(
    messages.map(({ _vnd }: { _vnd: { v1: { labels: object[] } } }) => _vnd.v1.labels),
    [[{ value: 'answer' }], [{ value: 'question' }, { value: 'urgent' }, { value: 'done' }]],
  );
  t.match(await label('nothing', ['x']), { status: 404, body: { errors: [{ code: 1006 }] } });
  t.equal((await label(external_id!, ['x'], (await number('network')).token)).status, 404);
  for (const wrong of [undefined, 'question', [], [''], [1], Array(21).fill('x')]) t.equal((await label(sent, wrong)).status, 400);
});

t.test('texts, media and other calls have separate rate limits', async (t) => {
  const { send } = await startNetwork(t, { rateLimits: { text: 1, media: 1, general: 2 } });
  const link = 'https://files.test/a';
  t.match(await send(text), { status: 200, headers: { 'x-ratelimit-bucket': 'text' } });
  t.match(await send({ type: 'image', image: { link } }), { status: 200, headers: { 'x-ratelimit-bucket': 'media' } });
  t.match(await send(buttons), { status: 200, headers: { 'x-ratelimit-bucket': 'general', 'x-ratelimit-remaining': '1' } });
  t.match(await send(text), { status: 429, body: { errors: [{ code: 429 }] }, headers: { 'retry-after': /\d/ } });
  t.equal((await send({ type: 'image', image: { link } })).status, 429);
  t.equal((await send(buttons)).status, 200);
});

t.test('a path with a trailing slash is the same endpoint', async (t) => {
  const { call, token } = await startNetwork(t);
  const answer = await call('POST', '/v1/messages/', { token, payload: { to: PHONE, ...text } });
  t.match(answer, { status: 200, body: { messages: [{ id: /^wamid/ }] }, headers: { 'x-request-id': /./ } });
});

t.test('a number of the sandbox sends like one of the network', async (t) => {
  const { send } = await startNetwork(t, { kind: 'sandbox' });
  t.match(await send(text), { status: 200, body: { messages: [{ id: /^wamid/ }] } });
});

t.test('calls without a valid token are refused in the error shape of messages', async (t) => {
  const { call } = await startNetwork(t);
  t.match(await call('POST', '/v1/messages', { token: 'absent', payload: { to: PHONE, ...text } }), {
    status: 401,
    body: { errors: [{ code: 1005, title: 'Access denied', details: /./ }], meta: { api_status: 'stable' } },
  });
  t.match(await call('GET', '/v1/messages/unknown/route'), { status: 404, body: { errors: [{ code: 1006 }], meta: { version: /./ } } });
});
