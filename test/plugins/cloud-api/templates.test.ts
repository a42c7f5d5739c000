import t from 'tap';
import { ANN, startCloud, WABA } from './cloud-under-test.js';

const components = [
  { type: 'header', format: 'text', text: 'Loan' },
  { type: 'body', text: 'Hello {{1}}', example: { body_text: [['Ann']] } },
];
const sent = (given: string[], name = 'due_date') => ({
  type: 'template',
  template: {
    ...{ name, namespace: 'x', language: { code: 'en_US' } },
    components: [{ type: 'body', parameters: given.map((text) => ({ type: 'text', text })) }],
  },
});

t.test('a template is submitted, approved by webhook, and then sent', async (t) => {
  const { admin, send, standIn, settle, uuid } = await startCloud(t);
  const path = `/cloud-api/numbers/${uuid}/templates`;
  const made = await admin('POST', path, { name: 'due_date', language: 'en_US', components });
  t.match(made, { status: 200, body: { id: /^\d+$/, status: 'PENDING', category: 'UTILITY' } });
  t.match(standIn.requests.find(({ url, method }) => method === 'POST' && url.endsWith('/message_templates'))!.json.components[1], {
    type: 'BODY',
    text: 'Hello {{1}}',
  });
  await settle();
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ name: 'due_date', status: 'PENDING' }]);
  t.equal((await send(sent(['Ann']))).status, 404, 'a pending template is refused without a call');
  await standIn.changeTemplateStatus(made.body.id, 'APPROVED');
  await settle();
  t.match((await admin('GET', path)).body.templates, [{ id: made.body.id, status: 'APPROVED' }]);
  t.equal((await send(sent(['Ann', 'Bob']))).status, 400, 'our check of the parameters runs first');
  const answer = send(sent(['Ann']));
  await settle(1_000);
  t.equal((await answer).status, 200);
  t.match(standIn.sent.at(-1), { type: 'template', contact: { waId: ANN } });
});

t.test('named placeholders are numbers for clients, and names for the network', async (t) => {
  const { admin, send, standIn, settle, uuid, listen, received } = await startCloud(t);
  await listen(['svc']);
  standIn.addTemplate({
    name: 'due_date',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Loan of {{title}}' },
      { type: 'BODY', text: 'Hello {{first_name}}, it is due on {{day}}. Bye {{first_name}}' },
    ],
  });
  await admin('POST', `/cloud-api/numbers/${uuid}/templates/read`);
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates[0].components, [
    { text: 'Loan of {{1}}' },
    { text: 'Hello {{1}}, it is due on {{2}}. Bye {{1}}' },
  ]);
  const value = (text: string) => ({ type: 'text', text });
  const template = (body: object[]) => {
    const components = [
      { type: 'header', parameters: [value('Emma')] },
      { type: 'body', parameters: body },
    ];
    return { type: 'template', template: { name: 'due_date', language: { code: 'en_US' }, components } };
  };
  const named = [
    { ...value('5 March'), parameter_name: 'day' },
    { ...value('Ann'), parameter_name: 'first_name' },
  ];
  for (const body of [[value('Ann'), value('5 March')], named]) {
    t.equal((await send(template(body))).status, 200);
    await settle(300);
  }
  const sent = standIn.sent.map(({ body }) => (body as { template: { components: unknown } }).template.components);
  const header = { type: 'header', parameters: [{ ...value('Emma'), parameter_name: 'title' }] };
  t.strictSame(sent, [
    [header, { type: 'body', parameters: [named[1], named[0]] }],
    [header, { type: 'body', parameters: named }],
  ]);
  t.notMatch(
    received()[0]!.json,
    { template: { components: [{ parameters: [{ parameter_name: String }] }] } },
    'clients get what they sent',
  );
});

t.test('templates are read at start, daily, and after webhooks; deleted ones disappear', async (t) => {
  const { admin, standIn, settle, uuid, told } = await startCloud(t);
  const listed = async () => (await admin('GET', `/numbers/${uuid}/templates`)).body.templates;
  const added = standIn.addTemplate({
    name: 'greeting',
    language: 'pt_BR',
    components: [{ type: 'BODY', text: 'Oi {{first_name}} {{2}}' }],
  });
  standIn.addTemplate({
    name: 'offer',
    components: [{ type: 'CAROUSEL' }, { type: 'HEADER', format: 'IMAGE' }, { type: 'BODY', text: 'Look' }],
  });
  await settle(24 * 60 * 60 * 1000);
  t.match(await listed(), [
    { name: 'greeting', language: 'pt_BR', status: 'APPROVED', components: [{ type: 'body', text: 'Oi {{1}} {{2}}' }] },
    { name: 'offer', components: [{ type: 'header', format: 'image' }, { type: 'body' }] },
  ]);
  await standIn.changeTemplateStatus(added.id, 'PAUSED', 'QUALITY');
  await settle();
  t.match(await listed(), [{ name: 'greeting', status: 'PAUSED' }, {}]);
  t.match(told('advice'), [{ name: 'cloud_api_template', message: /PAUSED for template greeting .*QUALITY/ }]);
  t.equal((await admin('DELETE', `/cloud-api/numbers/${uuid}/templates?name=offer`)).status, 200);
  await settle();
  t.match(await listed(), [{ name: 'greeting' }]);
  t.equal((await listed()).length, 1);
});

t.test('responses that are not of the API of the network are 503', async (t) => {
  const { admin, standIn, uuid, settle } = await startCloud(t);
  const path = `/cloud-api/numbers/${uuid}/templates`;
  const template = { name: 'due_date', language: 'en_US', components };
  standIn.addTemplate({ name: 'first' });
  await admin('POST', `${path}/read`);
  for (const body of ['{}', '[]', '{"data":null}', '{"data":[{"name":"no id"}]}']) {
    standIn.rule({ on: { path: `/${WABA}/message_templates` }, times: 3, respond: { status: 200, body } });
    for (const [method, at, payload] of [
      ['GET', path],
      ['POST', path, template],
      ['POST', `${path}/read`],
    ] as const) {
      t.match(
        await admin(method, at, payload),
        { status: 503, body: { errors: [{ details: /not one of its API/ }] } },
        `${method} ${body}`,
      );
    }
  }
  standIn.rule({ on: { path: `/${WABA}/message_templates` }, times: 1, respond: { status: 200, body: '{}' } });
  await settle(25 * 60 * 60 * 1000);
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ name: 'first' }], 'known templates are kept');
});

t.test('routes refuse numbers that are unknown or not connected', async (t) => {
  const { admin, number } = await startCloud(t);
  const { uuid: local } = await number('network');
  const template = { name: 'due_date', language: 'en_US', components };
  for (const uuid of ['26afc9ae-2311-4bfd-b1e6-1ddf7676c163', local, 'no-uuid']) {
    const path = `/cloud-api/numbers/${uuid}`;
    for (const [method, at, payload] of [
      ['GET', '/templates'],
      ['POST', '/templates', template],
      ['DELETE', '/templates?name=due_date'],
      ['POST', '/templates/read'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ] as const) {
      t.equal((await admin(method, `${path}${at}`, payload)).status, 404, `${method} ${at} of ${uuid}`);
    }
  }
});

t.test('refusals of the network keep their texts; a failed read is repeated', async (t) => {
  const { admin, standIn, settle, uuid } = await startCloud(t);
  const path = `/cloud-api/numbers/${uuid}/templates`;
  standIn.addTemplate({ name: 'due_date' });
  t.match(await admin('POST', path, { name: 'due_date', language: 'en_US', components }), {
    status: 400,
    body: { errors: [{ details: /already en_US content/ }] },
  });
  standIn.rule({ on: { method: 'GET', path: `/${WABA}/message_templates` }, times: 1, error: 190 });
  t.equal((await admin('POST', `${path}/read`)).status, 503);
  t.match(await admin('POST', `${path}/read`), { status: 200, body: { templates: 1 } });
  standIn.addTemplate({ name: 'second' });
  standIn.rule({ on: { method: 'GET', path: `/${WABA}/message_templates` }, times: 1, error: 10 });
  await settle(25 * 60 * 60 * 1000);
  t.equal((await admin('GET', `/numbers/${uuid}/templates`)).body.templates.length, 2);
});

t.test('a template is submitted whole: with its examples, and with components that messages cannot have', async (t) => {
  const { admin, standIn, uuid } = await startCloud(t);
  const whole = [
    { type: 'header', format: 'location' },
    { type: 'body', text: 'Hello {{1}}', example: { body_text: [['Ann']] } },
    {
      type: 'buttons',
      buttons: [{ type: 'copy_code', example: 'A1' }, { type: 'flow', text: 'Open', flow_id: '7', navigate_screen: 'A' }, null],
    },
    { type: 'carousel', cards: [{ components: [{ type: 'header', format: 'image', example: { header_handle: ['4:x'] } }] }, 7] },
  ];
  const { status } = await admin('POST', `/cloud-api/numbers/${uuid}/templates`, { name: 'all', language: 'en', components: whole });
  t.equal(status, 200);
  t.strictSame(standIn.requests.find(({ method, url }) => method === 'POST' && url.endsWith('/message_templates'))!.json.components, [
    { type: 'HEADER', format: 'LOCATION' },
    { type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ann']] } },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'COPY_CODE', example: 'A1' }, { type: 'FLOW', text: 'Open', flow_id: '7', navigate_screen: 'A' }, {}],
    },
    { type: 'CAROUSEL', cards: [{ components: [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4:x'] } }] }, {}] },
  ]);
});

t.test('every part of a message with a template reaches the network, or the message is refused before it is sent', async (t) => {
  const { admin, send, standIn, settle, uuid } = await startCloud(t);
  standIn.addTemplate({
    name: 'meet',
    components: [{ type: 'HEADER', format: 'LOCATION' }, { type: 'BODY', text: 'At {{1}}' }, { type: 'BUTTONS' }],
  });
  standIn.addTemplate({ name: 'offers', components: [{ type: 'BODY', text: 'Look' }, { type: 'CAROUSEL', cards: [] } as never] });
  standIn.addTemplate({ name: 'only_cards', components: [{ type: 'CAROUSEL' }] });
  standIn.addTemplate({
    name: 'product',
    components: [
      { type: 'HEADER', format: 'PRODUCT' },
      { type: 'BODY', text: 'Buy' },
    ],
  });
  t.equal((await admin('POST', `/cloud-api/numbers/${uuid}/templates/read`)).status, 200);
  const template = (name: string, components: object[]) => ({
    type: 'template',
    template: { name, language: { code: 'en_US' }, components },
  });
  const location = { latitude: '-33.9', longitude: '18.4', name: 'Library', address: '1 Main Road' };
  const sent = [
    { type: 'HEADER', parameters: [{ type: 'LOCATION', location }] },
    { type: 'body', parameters: [{ type: 'text', text: 'noon' }] },
    {
      type: 'button',
      sub_type: 'FLOW',
      index: 0,
      parameters: [{ type: 'action', action: { flow_token: 'x', flow_action_data: { a: 1 } } }],
    },
    { type: 'button', sub_type: 'copy_code', index: '1', parameters: [{ type: 'coupon_code', coupon_code: 'A1' }] },
    { type: 'button', sub_type: 'quick_reply', index: '2', parameters: [{ type: 'payload', payload: 'p' }] },
  ];
  const answer = await send(template('meet', sent));
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  await settle();
  t.strictSame((standIn.sent.at(-1)!.body as { template: { components: unknown } }).template.components, [
    { type: 'header', parameters: [{ type: 'location', location }] },
    sent[1],
    { ...sent[2], sub_type: 'flow', index: '0' },
    sent[3],
    sent[4],
  ]);
  const calls = standIn.requests.length;
  for (const [name, part] of [
    ['offers', /has a component of type CAROUSEL/],
    ['only_cards', /has a component of type CAROUSEL/],
    ['product', /has a header of format PRODUCT/],
  ] as const)
    t.match(await send(template(name, [])), { status: 400, body: { errors: [{ code: 131051, details: part }] } }, name);
  t.match(await send(template('offers', [{ type: 'carousel', cards: [] }])), { status: 400, body: { errors: [{ details: /type/ }] } });
  await settle();
  t.equal(standIn.requests.length, calls, 'without a call of the network');
});
