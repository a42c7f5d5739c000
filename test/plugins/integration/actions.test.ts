import t from 'tap';
import { verifySignature } from '#core';
import { CONTACT } from '../channels/channel-under-test.js';
import { handshake, SHOP, startIntegration, update } from './integration-under-test.js';

t.test('a click posts the contact, the message, the option and the payload that the integration offered', async (t) => {
  const { open, click, http, made } = await startIntegration(t);
  await open();
  http.answer('POST https://shop.test/actions/extend', { status: 201, body: { done: true } });
  const { status, body } = await click('extend', { option: 'week' });
  t.equal(status, 200);
  const [call] = http.callsTo('POST https://shop.test/actions/extend');
  const { message, ...rest } = call!.json;
  t.strictSame(rest, {
    address: CONTACT,
    integration_uuid: made.uuid,
    integration_action_uuid: body.click.uuid,
    option: 'week',
    payload: { loan: 7 },
  });
  t.match(message, { type: 'text', text: { body: 'hi' }, from: CONTACT, id: 'in-1', _vnd: { v1: { direction: 'inbound' } } });
  t.ok(verifySignature(made.secret, call!.body, call?.headers['x-svc-hook-signature']));
  t.match(body, { refreshed: false, click: { state: 'accepted', status: 201, integration: made.uuid } });
});

t.test(
  'the URL of an action may be relative or absolute; every call is signed, but only the configured origin gets the API token',
  async (t) => {
    const { open, click, http, made } = await startIntegration(t, { about: { authorization: 'Bearer', token: 'api-token-1' } });
    const urls: [url: string, called: string, isOwn: boolean][] = [
      ['act/0/0', 'https://shop.test/act/0/0', true],
      ['/act', 'https://shop.test/act', true],
      ['https://shop.test/whole', 'https://shop.test/whole', true],
      ['https://elsewhere.test/act', 'https://elsewhere.test/act', false],
      ['//elsewhere.test/act2', 'https://elsewhere.test/act2', false],
      ['https://shop.test:8443/act', 'https://shop.test:8443/act', false],
      ['http://shop.test/act', 'http://shop.test/act', false],
    ];
    http.answer(`POST ${SHOP}`, { body: { actions: Object.fromEntries(urls.map(([url], i) => [`a${i}`, { url }])) } });
    await open();
    for (const [i, [url, called, isOwn]] of urls.entries()) {
      http.answer(`POST ${called}`, {});
      t.match(await click(`a${i}`), { body: { click: { state: 'accepted' } } }, url);
      const call = http.calls.at(-1)!;
      t.equal(call.url, called, url);
      t.equal(call.headers.authorization, isOwn ? 'Bearer api-token-1' : undefined, url);
      t.ok(verifySignature(made.secret, call.body, call.headers['x-svc-hook-signature']), url);
      t.notOk('option' in call.json);
    }
  },
);

t.test('an invalid URL and a failing integration are states of the click, and nothing is retried', async (t) => {
  const { open, click, http, clock } = await startIntegration(t);
  http.answer(`POST ${SHOP}`, {
    body: { actions: { script: { url: 'javascript:alert(1)' }, user: { url: 'https://a:b@shop.test' }, fine: { url: 'fine' } } },
  });
  await open();
  for (const action of ['script', 'user']) {
    t.match(await click(action), { status: 200, body: { click: { state: 'failed', trouble: { kind: 'bad_answer' } } } }, action);
  }
  const failures = [
    ['hang', 'timeout'],
    [{ status: 500 }, 'refused'],
    [{ status: 302, headers: { location: '/' } }, 'redirected'],
  ] as const;
  for (const [answer, kind] of failures) {
    http.answer('POST https://shop.test/fine', answer);
    const before = http.callsTo('POST https://shop.test/fine').length;
    const clicked = click('fine');
    await clock.advance(600_000);
    t.match(await clicked, { status: 200, body: { refreshed: false, click: { state: 'failed', trouble: { kind } } } });
    t.equal(http.callsTo('POST https://shop.test/fine').length, before + 1);
    await open();
  }
  http.answer('POST https://shop.test/fine', { body: 'anything at all' });
  t.match(await click('fine'), { body: { click: { state: 'accepted' } } }, 'the body of the response is ignored');
});

t.test('only actions offered in an open conversation can be clicked, about a message of its contact', async (t) => {
  const { open, click, admin, send, settle, http, say, platform, uuid } = await startIntegration(t);
  t.equal((await click('extend', { option: 'week' })).status, 404, 'the conversation is not open');
  await open();
  http.answer('POST https://shop.test/*', {});
  t.match(await click('unknown'), { status: 404 });
  t.match(await click('extend'), { status: 400, body: { errors: [{ details: /option must be one of week, month/ }] } });
  t.match(await click('extend', { option: 'year' }), { status: 400 });
  t.match(await click('close', { option: 'week' }), { status: 400 });
  t.match(await click('close', { integration: 'unknown' }), { status: 404 });
  t.equal((await admin('POST', '/conversations/unknown/actions', { integration: 'x', action: 'y' })).status, 404);

  const sent = await send();
  await settle();
  t.equal((await click('close', { message: sent.uuid })).status, 404, 'an outbound message');
  await say('later', { from: '+27820009999' });
  const [other] = await platform.conversations.list(uuid, 1);
  const [foreign] = await platform.conversations.newest(other!.uuid, 1);
  t.equal((await click('close', { message: foreign!.uuid })).status, 404, 'a message of another conversation');
  const calls = http.callsTo('POST https://shop.test/*').length;
  await say('second');
  const conversation = (await platform.conversations.list(uuid, 10)).find(({ owner }) => owner === CONTACT);
  const history = await platform.conversations.newest(conversation!.uuid, 10);
  const first = history.find(({ external_id }) => external_id === 'in-1');
  await click('close', { message: first!.uuid });
  t.equal(http.calls.at(-1)?.json.message.id, 'in-1');
  await click('close');
  t.equal(http.calls.at(-1)?.json.message.id, 'in-3', 'the last message of the contact');
  t.equal(http.callsTo('POST https://shop.test/*').length, calls + 2);
});

t.test('a response with the refresh header reloads the panels immediately', async (t) => {
  const { open, click, http } = await startIntegration(t);
  await open();
  for (const [value, refreshed] of [
    ['true', true],
    ['TRUE', true],
    ['false', false],
    ['1', false],
  ] as const) {
    const before = http.callsTo(SHOP).length;
    http.answer('POST https://shop.test/close', { headers: { 'X-Svc-Integration-Refresh': value } });
    t.match(await click('close'), { body: { refreshed } }, value);
    t.equal(http.callsTo(SHOP).length, before + (refreshed ? 1 : 0), value);
  }
  http.answer('POST https://shop.test/close', { status: 500, headers: { 'X-Svc-Integration-Refresh': 'true' } });
  t.match(await click('close'), { body: { refreshed: false } }, 'a failed click refreshes nothing');
});

t.test('the body of the response to a click may be long, compressed or broken', async (t) => {
  const { open, click, http } = await startIntegration(t);
  await open();
  const refresh = { 'X-Svc-Integration-Refresh': 'true' };
  for (const answer of [
    { body: 'x'.repeat(300_000), headers: refresh },
    { body: 'packed', headers: { 'content-encoding': 'gzip', ...refresh } },
    { status: 204, headers: refresh },
  ]) {
    http.answer('POST https://shop.test/close', answer);
    t.match(await click('close'), { body: { refreshed: true, click: { state: 'accepted', status: answer.status ?? 200 } } });
  }
});

t.test('a disabled integration has no panel and gets no calls, even for open conversations', async (t) => {
  const { open, click, http, admin, made } = await startIntegration(t);
  await open();
  await admin('PATCH', `/integrations/${made.uuid}`, { enabled: false });
  const calls = http.calls.length;
  t.match(await click('close'), { status: 409, body: { errors: [{ details: "The integration 'Shop' is disabled; enable it first" }] } });
  t.strictSame((await open()).panels, []);
  t.equal(http.calls.length, calls);
  await admin('PATCH', `/integrations/${made.uuid}`, { enabled: true });
  t.equal((await click('close')).status, 404, 'earlier actions are no longer offered');
  t.match(await open(), { panels: [{ state: 'loaded' }] });
  t.equal(http.calls.length, calls + 1, 'it is polled again, without a handshake');
});

t.test('the response of an integration that was disabled during the call is ignored', async (t) => {
  const { open, click, http, admin, made, clock } = await startIntegration(t);
  http.answer(`POST ${SHOP}`, { body: update, afterMs: 2_000 });
  const opened = open();
  await clock.advance(1_000);
  await admin('PATCH', `/integrations/${made.uuid}`, { enabled: false });
  await clock.advance(1_000);
  t.strictSame((await opened).panels, []);
  await admin('PATCH', `/integrations/${made.uuid}`, { enabled: true });
  t.equal((await click('close')).status, 404);
});

t.test('notify/finish refreshes a conversation that is still open, once', async (t) => {
  const { open, click, finish, http, settle, told } = await startIntegration(t);
  await open();
  http.answer('POST https://shop.test/close', {});
  const { click: done } = (await click('close')).body;
  http.answer(`POST ${SHOP}`, { body: { ...update, actions: {} } });
  const before = http.callsTo(SHOP).length;
  t.match(await finish(done.uuid), { status: 201, body: {} });
  await settle();
  t.equal(http.callsTo(SHOP).length, before + 1);
  t.match(await open(), { panels: [{ actions: [] }] });
  t.match(await finish(done.uuid), { status: 201, body: {} }, 'a repeated call');
  await settle();
  t.equal(http.callsTo(SHOP).length, before + 1);
  t.equal(told('integration.finished').length, 1);
});

t.test('notify/finish does not extend the expiry of a panel', async (t) => {
  const { open, click, finish, http, clock, settle } = await startIntegration(t);
  await open();
  http.answer('POST https://shop.test/close', {});
  const { click: done } = (await click('close')).body;
  await clock.advance(10 * 60_000);
  await finish(done.uuid);
  await settle();
  t.equal((await click('close')).status, 200);
  await clock.advance(5 * 60_000);
  t.equal((await click('close')).status, 404);
});

t.test('a refresh after a click polls again, even if an earlier poll is in flight', async (t) => {
  const { open, click, http, clock } = await startIntegration(t);
  await open();
  http.answer(`POST ${SHOP}`, { body: update, afterMs: 3_000 }, { body: { ...update, actions: {} } });
  const slow = open('?refresh=true');
  await clock.advance(1_000);
  http.answer('POST https://shop.test/close', { headers: { 'x-svc-integration-refresh': 'true' } });
  const clicked = click('close');
  await clock.advance(3_000);
  await Promise.all([slow, clicked]);
  t.match(await open(), { panels: [{ actions: [] }] });
});

t.test('notify/finish requires both uuids; a token, if sent, must be valid and belong to the number', async (t) => {
  const { open, click, finish, http, number, token, call, made } = await startIntegration(t);
  await open();
  http.answer('POST https://shop.test/close', {});
  const { click: done } = (await click('close')).body;
  t.equal((await finish('unknown')).status, 404);
  t.equal((await finish(done.uuid, { integration: 'unknown' })).status, 404);
  const other = await number('network');
  t.match(await finish(done.uuid, { token: other.token }), { status: 401, body: { errors: [{ code: 1005 }] } });
  t.equal((await finish(done.uuid, { token: 'garbage' })).status, 401);
  for (const payload of [undefined, {}, { integration_action_uuid: 7 }, [], 'x']) {
    t.equal((await call('POST', `/api/integrations/${made.uuid}/notify/finish`, { payload })).status, 400, JSON.stringify(payload));
  }
  t.equal((await finish(done.uuid, { token })).status, 201);
});

t.test('notify/finish refuses clicks of other integrations and clicks older than a day', async (t) => {
  const { open, click, finish, http, clock, admin, uuid } = await startIntegration(t);
  http.answer('POST https://other.test/?handshake=true', { body: handshake });
  const other = (await admin('POST', '/integrations', { number: uuid, name: 'Other', url: 'https://other.test/' })).body.integration;
  await open();
  http.answer('POST https://shop.test/close', {});
  const { click: done } = (await click('close')).body;
  t.equal((await finish(done.uuid, { integration: other.uuid })).status, 404);
  await clock.advance(24 * 3_600_000 + 1);
  t.equal((await finish(done.uuid)).status, 404);
});

t.test('an integration may call notify/finish 60 times a minute', async (t) => {
  const { finish, clock } = await startIntegration(t);
  for (let i = 0; i < 60; i++) t.equal((await finish(`unknown-${i}`)).status, 404);
  const refused = await finish('unknown');
  t.equal(refused.status, 429);
  t.match(refused.headers, { 'retry-after': '60' });
  await clock.advance(60_000);
  t.equal((await finish('unknown')).status, 404);
});

t.test('every step emits an event', async (t) => {
  const { open, click, finish, http, settle, events, made, conversation } = await startIntegration(t);
  await open();
  http.answer('POST https://shop.test/close', { headers: { 'x-svc-integration-refresh': 'true' } });
  const { click: done } = (await click('close')).body;
  await finish(done.uuid);
  await settle();
  const about = { integration: made.uuid, conversation };
  t.match(
    events.filter(({ name }) => name.startsWith('integration.')),
    [
      { name: 'integration.shaken', data: { integration: made.uuid, state: 'ready' } },
      { name: 'integration.polled', data: { ...about, state: 'loaded', status: 200, bytes: Number } },
      { name: 'integration.clicked', data: { ...about, click: done.uuid, state: 'accepted', refresh: true } },
      { name: 'integration.polled', data: about },
      { name: 'integration.finished', data: { ...about, click: done.uuid } },
      { name: 'integration.polled', data: about },
    ],
  );
});
