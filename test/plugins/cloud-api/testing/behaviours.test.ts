import t from 'tap';
import { ADA, BOB, startStandIn } from './stand-in-under-test.js';

const statusesIn = (values: readonly { statuses?: { id: string; status: string }[] }[]) =>
  values.flatMap(({ statuses = [] }) => statuses.map(({ status }) => status));

t.test('3, 4, 5, 6: token, unknown objects, messaging_product, missing parts', async (t) => {
  const { call, send, phoneNumberId, standIn } = await startStandIn(t);
  await standIn.write(ADA, 'hi');
  const path = `/${phoneNumberId}/messages`;
  t.match(await call('POST', path, {}, { authorization: 'Bearer wrong' }), {
    status: 401,
    body: { error: { code: 190, type: 'OAuthException' } },
  });
  t.match(await call('GET', '/999'), { status: 400, body: { error: { code: 100, error_subcode: 33, type: 'GraphMethodException' } } });
  t.match(await call('GET', '/%zz'), { status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  t.match(await send({ messaging_product: undefined }), { status: 400, body: { error: { code: 100, message: /messaging_product/ } } });
  t.match(await send({ to: undefined }), { body: { error: { code: 131008 } } });
  t.match(await send({ type: 'hologram' }), { body: { error: { code: 131009 } } });
  t.match(await send({ type: 'image' }), { body: { error: { code: 131008 } } });
  t.match(await send({ to: '+1 (555) 078-3881' }), { body: { error: { code: 131021 } } }, '8: the own number');
});

t.test('7: every limit names the field', async (t) => {
  const { send, standIn } = await startStandIn(t);
  await standIn.write(ADA, 'hi');
  const interactive = (fields: object) => ({ type: 'interactive', interactive: { body: { text: 'Choose' }, ...fields } });
  const reply = (id: string, title = 'Yes') => ({ type: 'reply', reply: { id, title } });
  const rows = (n: number) => Array.from({ length: n }, (_, i) => ({ id: String(i), title: 'Row' }));
  const cases: [object, RegExp][] = [
    [{ text: { body: 'a'.repeat(4097) } }, /text\.body has 4097 characters; the maximum is 4096/],
    [{ type: 'image', image: { link: 'https://a.test/1.png', caption: 'a'.repeat(1025) } }, /image\.caption/],
    [{ type: 'image', image: { id: '1', link: 'https://a.test/1.png' } }, /image\.id excludes link/],
    [interactive({ type: 'button', action: { buttons: [1, 2, 3, 4].map((n) => reply(String(n))) } }), /buttons has 4 items/],
    [interactive({ type: 'button', action: { buttons: [reply('1', 'a'.repeat(21))] } }), /buttons\[0\]\.reply\.title has 21/],
    [interactive({ type: 'button', action: { buttons: [reply('1'), reply('1')] } }), /id must be unique/],
    [
      interactive({
        type: 'list',
        action: {
          button: 'Pick',
          sections: [
            { title: 'A', rows: rows(6) },
            { title: 'B', rows: rows(6) },
          ],
        },
      }),
      /12 rows in all/,
    ],
    [interactive({ type: 'button', footer: { text: 'a'.repeat(61) }, action: { buttons: [reply('1')] } }), /footer\.text has 61/],
    [{ biz_opaque_callback_data: 'a'.repeat(513) }, /biz_opaque_callback_data has 513/],
  ];
  for (const [message, details] of cases) {
    const { status, body } = await send(message as Record<string, unknown>);
    t.match({ status, error: body.error }, { status: 400, error: { code: 131009, error_data: { details } } });
  }
  t.strictSame(standIn.sent, []);
});

t.test('9, 10: closed window, by status or immediately; not on the network', async (t) => {
  const { send, standIn, clock, values } = await startStandIn(t);
  t.equal((await send()).status, 200);
  await clock.advance(1_000);
  t.match(values().at(-1).statuses, [{ status: 'failed', errors: [{ code: 131047, title: 'Re-engagement message' }] }]);
  standIn.change({ closedWindow: 'refuse' });
  t.match(await send(), { status: 400, body: { error: { code: 131047 } } });
  await standIn.write(ADA, 'hi');
  t.equal((await send()).status, 200);
  await clock.advance(24 * 60 * 60 * 1000);
  t.equal((await send()).status, 400);
  standIn.contact(ADA, { isOnNetwork: false });
  standIn.change({ closedWindow: 'open' });
  await send();
  await clock.advance(1_000);
  t.match(values().at(-1).statuses, [{ status: 'failed', errors: [{ code: 131026 }] }]);
});

t.test('11, 12: throughput of the number, and rate of the pair', async (t) => {
  const { send, standIn, clock } = await startStandIn(t, { switches: { closedWindow: 'open', messagesPerSecond: 3, pairBurst: 2 } });
  for (const to of ['1650555001', '1650555002', '1650555003']) t.equal((await send({ to })).status, 200);
  t.match(await send({ to: '1650555004' }), { status: 429, body: { error: { code: 130429, message: '(#130429) Rate limit hit' } } });
  standIn.change({ throttledStatus: 400 });
  t.equal((await send({ to: '1650555004' })).status, 400);
  t.equal(standIn.sent.length, 3);
  await clock.advance(1_000);
  t.equal((await send()).status, 200);
  t.equal((await send()).status, 200);
  t.match(await send(), { body: { error: { code: 131056 } } });
  t.equal((await send({ to: BOB })).status, 200, 'others go on');
  await clock.advance(6_000);
  t.equal((await send()).status, 200);
  t.equal((await send()).status, 400);
});

t.test('13, 14: errors once, HTML, resets before and after, silence, and a status before the answer', async (t) => {
  const { send, standIn, clock, values } = await startStandIn(t, { switches: { closedWindow: 'open' } });
  standIn.rule({ on: { path: '/*/messages' }, times: 1, error: 131000 });
  t.match(await send(), { status: 500, body: { error: { code: 131000 } } });
  standIn.rule({ times: 1, respond: { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>busy</html>' } });
  t.match(await send(), { status: 503, text: '<html>busy</html>' });
  standIn.rule({ times: 1, connection: 'reset' });
  await t.rejects(send());
  t.equal(standIn.sent.length, 0);
  standIn.rule({ times: 1, connection: 'reset after' });
  await t.rejects(send());
  t.equal(standIn.sent.length, 1, 'the message exists');
  await clock.advance(1_000);
  t.strictSame(statusesIn(values()), ['sent', 'delivered'], 'and its statuses follow');
  standIn.rule({ times: 1, connection: 'silent' });
  const silent = send();
  while (standIn.sent.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = { message: 'fetch failed', cause: { code: 'UND_ERR_SOCKET' } };
  await Promise.all([t.rejects(silent, closed, 'the network closes a silent connection'), clock.advance(30_000)]);
  standIn.rule({ times: 1, holdMs: 500, statuses: [{ status: 'sent' }] });
  const held = send({ to: BOB });
  while (standIn.sent.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  await clock.advance(400);
  t.strictSame(statusesIn(values()).slice(4), ['sent']);
  await clock.advance(200);
  t.equal((await held).status, 200);
});

t.test('15, 16: statuses reversed, doubled, left out, and failures after sent', async (t) => {
  const { send, standIn, clock, values } = await startStandIn(t, { switches: { closedWindow: 'open' } });
  const statuses = [
    { status: 'read', afterMs: 10, happenedMs: 3_000 },
    { status: 'delivered', afterMs: 20, happenedMs: 2_000, copies: 2 },
    { status: 'sent', afterMs: 30, happenedMs: 1_000 },
    { status: 'played', afterMs: 40 },
    { status: 'failed', afterMs: 50, error: 131053 },
  ] as const;
  standIn.rule({ times: 1, statuses });
  await send({ biz_opaque_callback_data: 'ours' });
  await clock.advance(1_000);
  t.strictSame(statusesIn(values()), ['read', 'delivered', 'delivered', 'sent', 'played', 'failed']);
  const [read, , , sent] = values().map(({ statuses }) => Number(statuses[0].timestamp));
  t.equal(read! - sent!, 2);
  const failed = values().at(-1);
  t.match(failed.statuses, [{ biz_opaque_callback_data: 'ours', errors: [{ code: 131053, error_data: { details: String } }] }]);
  t.notMatch(failed, { contacts: Array });
  t.notOk('conversation' in values()[0].statuses[0]);
});

t.test('17, 18, 19, 20: batches, the same webhook twice, retries for seven days, bad signatures', async (t) => {
  const other = { phoneNumberId: '2', wabaId: '22', address: '+15550783882' };
  const first = { phoneNumberId: '1', wabaId: '11', address: '+15550783881' };
  const { standIn, calls, clock, answer } = await startStandIn(t, { numbers: [first, other] });
  await standIn.inOneCall(async () => {
    for (const to of ['1', '2'])
      for (const n of [1, 2, 3]) await standIn.write(ADA, n === 3 ? { type: 'hologram', hologram: {} } : `${n}`, { to });
    await standIn.emit({ wabaId: '11', phoneNumberId: '999', field: 'messages', value: { messaging_product: 'whatsapp', messages: [] } });
  });
  t.equal(calls.length, 1);
  const { entry } = JSON.parse(calls[0]!.bytes.toString());
  t.match(entry, [
    { id: '11', changes: [{ value: { messages: { length: 3 }, contacts: { length: 1 } } }, {}] },
    { id: '22', changes: { length: 1 } },
  ]);

  await standIn.resend(standIn.webhooks[0]!, 2);
  t.equal(calls.length, 3);
  t.ok(calls[1]!.bytes.equals(calls[0]!.bytes) && calls[2]!.bytes.equals(calls[0]!.bytes));

  answer.status = 500;
  const before = calls.length;
  await standIn.write(ADA, 'again', { to: '1' });
  await clock.advance(15_000);
  t.equal(calls.length - before, 5, 'attempts after 0, 1, 3, 7 and 15 s');
  answer.status = 200;
  await clock.advance(7 * 24 * 60 * 60 * 1000);
  t.equal(calls.length - before, 6);
  t.ok(standIn.webhooks.at(-1)!.isAcknowledged);

  const signatures = [];
  for (const signature of ['wrong', 'missing', 'of the unescaped body'] as const) {
    await standIn.write(ADA, 'ä/', { to: '1', signature });
    signatures.push(calls.at(-1)!.headers['x-hub-signature-256']);
  }
  t.equal(signatures[1], undefined);
  t.equal(new Set(signatures).size, 3);
});

t.test('21, 22: media of contacts, with and without url, lost, redirected, of a wrong type', async (t) => {
  const { standIn, values, call, phoneNumberId } = await startStandIn(t);
  const headers = { authorization: `Bearer ${standIn.accessToken}` };
  const file = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' };
  await standIn.write(ADA, { type: 'image', image: { caption: 'Look' } }, { file });
  const { image } = values().at(-1).messages[0];
  t.match(image, { caption: 'Look', mime_type: 'image/png', sha256: 'A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=', url: /^http/ });
  standIn.change({ mediaUrls: false, mediaRedirects: true });
  const redirect = await fetch(image.url, { headers, redirect: 'manual' });
  t.equal(redirect.status, 302);
  t.equal((await fetch(redirect.headers.get('location')!, { headers })).status, 200);
  await standIn.write(ADA, { type: 'image', image: {} }, { file });
  t.notOk('url' in values().at(-1).messages[0].image);
  standIn.loseMedia(image.id);
  t.equal((await fetch(image.url, { headers })).status, 404);
  t.match(await call('GET', `/${image.id}`), { status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File(['x'], 'a.exe', { type: 'application/x-msdownload' }));
  const upload = await fetch(`${standIn.url}/v25.0/${phoneNumberId}/media`, { method: 'POST', headers, body: form });
  t.match(await upload.json(), { error: { code: 100 } });
});

t.test('23: templates are counted, paused, kept, and reported with a numeric id', async (t) => {
  const { call, send, standIn, values } = await startStandIn(t);
  const submitted = { name: 'bad', language: 'en', category: 'UTILITY', components: [null] };
  t.match(await call('POST', `/${standIn.numbers[0]!.wabaId}/message_templates`, submitted), {
    status: 400,
    body: { error: { code: 100 } },
  });
  const template = standIn.addTemplate({ name: 'loan', components: [{ type: 'BODY', text: 'Hi {{1}}' }] });
  const of = (name: string, given: number) => ({
    type: 'template',
    template: {
      name,
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: Array(given).fill({ type: 'text', text: 'x' }) }],
    },
  });
  const malformed = { ...of('loan', 0), template: { name: 'loan', language: { code: 'en_US' }, components: [null] } };
  t.match(await send(malformed), {
    status: 400,
    body: { error: { code: 131009, error_data: { details: /components\[0\] must be an object/ } } },
  });
  t.match(await send(of('loan', 2)), { status: 400, body: { error: { code: 132000 } } });
  t.match(await send(of('other', 1)), { status: 404, body: { error: { code: 132001 } } });
  standIn.rule({ times: 1, messageStatus: 'held_for_quality_assessment' });
  t.match((await send(of('loan', 1))).body.messages, [{ message_status: 'held_for_quality_assessment' }]);
  await standIn.changeTemplateStatus(template.id, 'PAUSED', 'QUALITY');
  t.strictSame(values().at(-1).message_template_id, Number(template.id));
  t.match(await send(of('loan', 1)), { body: { error: { code: 132015 } } });
});

t.test('24: a throttled flow is refused, and its webhook names both statuses', async (t) => {
  const { send, call, standIn, values } = await startStandIn(t, { switches: { closedWindow: 'open' } });
  const { wabaId } = standIn.numbers[0]!;
  const flow = { name: 'survey', categories: ['OTHER'], flow_json: '{"version":"7.3","screens":[{}]}', publish: true };
  const { id } = (await call('POST', `/${wabaId}/flows`, flow)).body;
  t.match(await call('POST', `/${wabaId}/flows`, flow), { status: 400, body: { error: { error_user_title: 'Flow name is not unique' } } });
  const message = {
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'Open' },
      action: { name: 'flow', parameters: { flow_message_version: '3', flow_id: id, flow_cta: 'Open' } },
    },
  };
  t.equal((await send(message)).status, 200);
  await standIn.changeFlowStatus(id, 'THROTTLED');
  t.match(values().at(-1), { event: 'FLOW_STATUS_CHANGE', flow_id: id, old_status: 'PUBLISHED', new_status: 'THROTTLED' });
  t.match(await send(message), { body: { error: { code: 132069 } } });
});

t.test('25: contacts known by user id only, and changes of numbers', async (t) => {
  const { send, standIn, values, clock } = await startStandIn(t);
  const { userId } = standIn.contact(ADA, { hidesNumber: true, username: '@ada' });
  await standIn.write(ADA, 'hi');
  t.match(values().at(-1), { contacts: [{ user_id: userId }], messages: [{ from_user_id: userId }] });
  t.notOk('from' in values().at(-1).messages[0] || 'wa_id' in values().at(-1).contacts[0]);
  t.match((await send({ to: undefined, recipient: userId })).body.contacts, [{ input: userId, wa_id: '', user_id: userId }]);
  await clock.advance(1_000);
  t.notOk('recipient_id' in values().at(-1).statuses[0]);
  t.equal(values().at(-1).statuses[0].recipient_user_id, userId);
  await standIn.changeNumber(BOB, '16505550000');
  t.match(values().at(-1).messages, [{ from: BOB, type: 'system', system: { type: 'user_changed_number', wa_id: '16505550000' } }]);
  t.notOk('contacts' in values().at(-1));
});

t.test('read marks need a message of a contact; reactions to unknown messages fail; old versions have conversations', async (t) => {
  const { call, send, standIn, phoneNumberId, values, clock } = await startStandIn(t);
  const id = await standIn.write(ADA, 'hi');
  const mark = (message_id: string) =>
    call('POST', `/${phoneNumberId}/messages`, {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id,
      typing_indicator: { type: 'text' },
    });
  t.strictSame((await mark(id)).body, { success: true });
  t.match(await mark('wamid.unknown'), { body: { error: { code: 131009 } } });
  t.match(standIn.readMarks, [{ id, isTyping: true }]);
  await send({ type: 'reaction', reaction: { message_id: 'wamid.unknown', emoji: '👍' } });
  await clock.advance(1_000);
  t.match(values().at(-1).statuses, [{ status: 'failed', errors: [{ code: 131009 }] }]);
  const old = await fetch(`${standIn.url}/v23.0/${phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${standIn.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: ADA, text: { body: 'hi' } }),
  });
  t.equal(old.status, 200);
  await clock.advance(1_000);
  t.match(values().at(-1).statuses, [{ status: 'delivered', conversation: { origin: { type: 'service' } } }]);
});

t.test('the control surface scripts a stand-in from outside', async (t) => {
  const { standIn } = await startStandIn(t);
  const control = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${standIn.url}/control/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
    return { status: response.status, body: (await response.json()) as any };
  };
  t.match(await control('POST', 'messages', { from: ADA, text: 'hi' }), { status: 200, body: { id: /^wamid\./ } });
  const rule = await control('POST', 'rules', { times: 1, error: 131056 });
  t.match((await control('GET', 'rules')).body.rules, [{ id: rule.body.id, rule: { error: 131056 } }]);
  t.strictSame((await control('DELETE', `rules/${rule.body.id}`)).body, { success: true });
  t.match(await control('POST', 'statuses', { id: 'none', status: 'read' }), { status: 400, body: { error: /no message none/ } });
  const misspelt: [path: string, body: object, reason: RegExp][] = [
    ['rules', { conection: 'silent' }, /"conection" is not allowed/],
    ['rules', { on: { pth: '/*' } }, /"on.pth" is not allowed/],
    ['rules', { error: 1, connection: 'reset' }, /conflict/],
    ['switches', { closedWindow: 'ajar' }, /"closedWindow" must be one of/],
    ['messages', {}, /"from" is required/],
    ['messages', { from: ADA }, /must contain at least one of \[text, message\]/],
    ['statuses', { id: 'x', status: 'flying' }, /"status" must be one of/],
    ['webhook', { url: 'here' }, /"url" must be a valid uri/],
    ['templates', { name: 'a', components: [null] }, /"components\[0\]" must be of type object/],
  ];
  for (const [path, body, error] of misspelt)
    t.match(await control('POST', path, body), { status: 400, body: { error } }, JSON.stringify(body));
  t.match((await control('GET', 'rules')).body.rules, []);
  t.match(await control('GET', 'nothing'), { status: 404, body: { routes: Array } });
});
