import t from 'tap';
import { verifySignature } from '#core';
import type { ScriptedAnswer } from '#core/testing';
import { handshake, SHOP, startIntegration } from './integration-under-test.js';

t.test('creating an integration makes a signed handshake by POST, in the query and in the body', async (t) => {
  const { http, made, admin } = await startIntegration(t);
  const [greeting] = http.callsTo(`${SHOP}?handshake=true`);
  t.equal(greeting?.method, 'POST');
  t.strictSame(greeting?.json, { handshake: true, name: 'Shop' });
  t.ok(verifySignature(made.secret, greeting!.body, greeting?.headers['x-svc-hook-signature']));
  t.notHas(greeting?.headers, { authorization: String });
  const { integration } = (await admin('GET', `/integrations/${made.uuid}`)).body;
  t.match(integration.handshake, { state: 'ready', version: '1.0.0-alpha', capabilities: handshake.capabilities, warnings: [] });
  t.notOk(JSON.stringify(integration).includes(made.secret), 'the secret is returned only once');
});

t.test('an API token is sent as Bearer or Token, and never returned', async (t) => {
  for (const authorization of ['Bearer', 'Token']) {
    const { http, made, admin, open, events, log, uuid } = await startIntegration(t, { about: { authorization, token: 'api-token-1' } });
    await open();
    for (const call of http.callsTo(`${SHOP}*`)) t.equal(call.headers.authorization, `${authorization} api-token-1`);
    const shown = [await admin('GET', `/integrations/${made.uuid}`), await admin('GET', `/integrations?number=${uuid}`), events, log.lines];
    t.notOk(JSON.stringify(shown).includes('api-token-1'));
  }
});

t.test('invalid integrations are refused', async (t) => {
  const { admin, uuid } = await startIntegration(t);
  const right = { number: uuid, name: 'Shop', url: SHOP };
  const cases: [what: string, change: object, status: number][] = [
    ['a number that does not exist', { number: 'unknown' }, 404],
    ['no name', { name: undefined }, 400],
    ['no address', { url: undefined }, 400],
    ['an address of another scheme', { url: 'ftp://shop.test' }, 400],
    ['a token without a scheme', { token: 'x' }, 400],
    ['a scheme without a token', { authorization: 'Bearer' }, 400],
    ['a scheme that does not exist', { authorization: 'Basic', token: 'x' }, 400],
    ['a token with a line break', { authorization: 'Bearer', token: 'a\r\nX-Other: b' }, 400],
  ];
  for (const [what, change, status] of cases) t.equal((await admin('POST', '/integrations', { ...right, ...change })).status, status, what);
  for (const [method, path, payload] of [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['POST', '/handshake'],
  ] as const) {
    t.equal((await admin(method, `/integrations/unknown${path}`, payload)).status, 404, `${method} ${path}`);
  }
  t.equal((await admin('GET', '/integrations?number=unknown')).status, 404);
});

t.test('a failed handshake is a state of the integration, and can be repeated', async (t) => {
  const { admin, made, http, clock } = await startIntegration(t);
  const cases: [what: string, answer: ScriptedAnswer, kind: string][] = [
    ['no listener', 'refuse', 'unreachable'],
    ['nothing comes back', 'hang', 'timeout'],
    ['a refusal', { status: 404, body: {} }, 'refused'],
    ['a failure', { status: 500, body: '<html>' }, 'refused'],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.test' } }, 'redirected'],
    ['a page', { body: '<html></html>' }, 'not_json'],
    ['nothing', { body: '' }, 'not_json'],
    ['bytes that are no text', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 'not_json'],
    ['a list', { body: [] }, 'bad_answer'],
    ['no capabilities', { body: { version: '1.0.0-alpha' } }, 'bad_answer'],
    ['too much', { body: { capabilities: { filler: 'x'.repeat(300_000) } } }, 'too_large'],
    ['too deep', { body: `{"capabilities":${'['.repeat(40)}${']'.repeat(40)}}` }, 'too_deep'],
    ['something packed', { body: 'bomb', headers: { 'content-encoding': 'gzip' } }, 'encoded'],
  ];
  for (const [what, answer, kind] of cases) {
    http.answer(`POST ${SHOP}?handshake=true`, answer);
    const asked = admin('POST', `/integrations/${made.uuid}/handshake`);
    await clock.advance(6_000);
    const { status, body } = await asked;
    t.equal(status, 200, what);
    t.match(body.integration.handshake, { state: 'failed', trouble: { kind, reason: /./ } }, what);
    t.notOk('capabilities' in body.integration.handshake, what);
  }
  http.answer(`POST ${SHOP}?handshake=true`, { body: handshake });
  t.match(await admin('POST', `/integrations/${made.uuid}/handshake`), { body: { integration: { handshake: { state: 'ready' } } } });
});

t.test('unknown, missing and duplicate parts of a handshake are ignored with warnings', async (t) => {
  const { admin, made, http } = await startIntegration(t);
  http.answer(`POST ${SHOP}?handshake=true`, {
    body: {
      version: '2.0.0',
      extra: 1,
      capabilities: {
        icon: 'book',
        actions: 'yes',
        context_objects: [
          { code: 'a', type: 'table', icon: 'x' },
          { code: 'a', title: 'Again', type: 'table' },
          { code: 'b', title: 'Chart', type: 'chart' },
          { title: 'Nameless', type: 'table' },
          7,
        ],
      },
    },
  });
  const { handshake: state } = (await admin('POST', `/integrations/${made.uuid}/handshake`)).body.integration;
  t.strictSame(state.capabilities, {
    actions: true,
    suggested_responses: true,
    context_objects: [{ code: 'a', title: 'a', type: 'table' }],
  });
  t.strictSame(
    state.warnings.map(({ code, path }: { code: string; path: string }) => [code, path]),
    [
      ['unknown_version', 'version'],
      ['wrong_type', 'capabilities.actions'],
      ['duplicate_code', 'capabilities.context_objects[1]'],
      ['unknown_type', 'capabilities.context_objects[2]'],
      ['wrong_type', 'capabilities.context_objects[3]'],
      ['wrong_type', 'capabilities.context_objects[4]'],
    ],
  );
});

t.test('only a new URL or new credentials repeat the handshake', async (t) => {
  const { admin, made, http } = await startIntegration(t);
  const greetings = () => http.calls.filter(({ url }) => url.includes('handshake=true')).length;
  const before = greetings();
  await admin('PATCH', `/integrations/${made.uuid}`, { name: 'Bookshop', order: 3 });
  t.equal(greetings(), before);
  http.answer('POST https://new.test/?handshake=true', { body: handshake });
  const moved = await admin('PATCH', `/integrations/${made.uuid}`, { url: 'https://new.test' });
  t.match(moved.body.integration, { url: 'https://new.test', name: 'Bookshop', handshake: { state: 'ready' } });
  t.equal(greetings(), before + 1);
  t.equal((await admin('PATCH', `/integrations/${made.uuid}`, { authorization: 'Token' })).status, 400, 'a scheme without a token');
  await admin('PATCH', `/integrations/${made.uuid}`, { authorization: 'Token', token: 'one' });
  t.equal(http.calls.at(-1)?.headers.authorization, 'Token one');
  await admin('PATCH', `/integrations/${made.uuid}`, { authorization: 'Bearer' });
  t.equal(http.calls.at(-1)?.headers.authorization, 'Bearer one', 'the token does not change');
  await admin('PATCH', `/integrations/${made.uuid}`, { authorization: null });
  t.notOk('authorization' in http.calls.at(-1)!.headers);
  t.equal(greetings(), before + 4);
});

t.test('enabling a disabled integration makes its handshake', async (t) => {
  const { admin, uuid, http } = await startIntegration(t);
  http.answer('POST https://later.test/?handshake=true', { body: handshake });
  const { body } = await admin('POST', '/integrations', { number: uuid, name: 'Later', url: 'https://later.test/', enabled: false });
  t.match(body.integration.handshake, { state: 'pending' });
  t.equal(http.callsTo('POST https://later.test/*').length, 0);
  const on = await admin('PATCH', `/integrations/${body.integration.uuid}`, { enabled: true });
  t.match(on.body.integration.handshake, { state: 'ready' });
  await admin('PATCH', `/integrations/${body.integration.uuid}`, { enabled: true });
  t.equal(http.callsTo('POST https://later.test/*').length, 1);
});

t.test('a handshake response from a previous URL is ignored', async (t) => {
  const { admin, made, http, clock } = await startIntegration(t);
  http.answer(`POST ${SHOP}?handshake=true`, { body: {}, afterMs: 2_000 });
  http.answer('POST https://new.test/?handshake=true', { body: handshake });
  const slow = admin('POST', `/integrations/${made.uuid}/handshake`);
  await clock.advance(1_000);
  await admin('PATCH', `/integrations/${made.uuid}`, { url: 'https://new.test/' });
  await clock.advance(2_000);
  t.match(await slow, { body: { integration: { url: 'https://new.test/', handshake: { state: 'ready' } } } });
});

t.test('deleting an integration deletes its secrets and clicks', async (t) => {
  const { admin, made, open, click, finish, uuid } = await startIntegration(t);
  await open();
  const { click: done } = (await click('close')).body;
  t.equal((await admin('DELETE', `/integrations/${made.uuid}`)).status, 200);
  t.strictSame((await admin('GET', `/integrations?number=${uuid}`)).body.integrations, []);
  t.equal((await finish(done.uuid)).status, 404);
  t.strictSame(await open('?refresh=true'), { panels: [], suggested_responses: [] });
});
