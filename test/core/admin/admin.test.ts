import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeysService } from '../../../plugins/journeys/plugin.js';
import { CONNECTOR, startChannel } from '../../plugins/channels/channel-under-test.js';
import { adminRoutes, asking, validBodies } from './valid-bodies.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const notFound = (details: RegExp) => ({ status: 404, body: { errors: [{ code: 1006, title: 'Resource not found', details }] } });

/** By route: paths after /admin/v1 with invalid input. */
const wrong: Readonly<Record<string, readonly (readonly [input: unknown, details: RegExp])[]>> = {
  'POST /numbers': [
    [{}, /^kind is required; address is required; name is required$/],
    [{ kind: 'fax', address: '1', name: 'n' }, /^kind must be one of \[network, sandbox, channel\]$/],
    [{ kind: 'network', address: '', name: 5 }, /^address is not allowed to be empty; name must be a string$/],
    [{ kind: 'network', address: 'a'.repeat(257), name: 'n' }, /^address length must be less than or equal to 256 characters long$/],
  ],
  'POST /commands/{plugin}/{verb}': [[{ args: 'x' }, /^args must be an array$/]],
  'POST /contacts/merge': [[{ into: 1 }, /^contact is required; into must be a string$/]],
  'POST /contacts/split': [[{}, /^contact is required$/]],
  'PATCH /store/losses/{id}': [[{ confirmed: false }, /^confirmed must be \[true\]$/]],
  'PATCH /numbers/{uuid}': [[{ name: '' }, /^name is not allowed to be empty$/]],
  'POST /numbers/{uuid}/tokens': [
    [{}, /^name is required$/],
    [{ name: 'n', expires_at: 'tomorrow' }, /^expires_at must be a date, or a date and time with Z or an offset: 2027-03-01T08:00:00Z$/],
  ],
  'PUT /numbers/{uuid}/secrets': [
    [{}, /^name is required; value is required$/],
    [{ name: 'a', value: '' }, /^value is not allowed to be empty$/],
    [{ name: 'a b', value: 'short' }, /^name with value a b .* letters, digits and _.*; value .* at least 8 characters long$/],
  ],
  'PATCH /contacts/{uuid}': [
    [{}, /^fields is required$/],
    [{ fields: [] }, /^fields must be of type object$/],
  ],
  'GET /numbers/{uuid}/conversations': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /numbers/{uuid}/contacts': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /conversations': [['?limit=501&before=yesterday', /^before must be a date.*; limit must be less than or equal to 500$/]],
  'GET /conversations/{uuid}': [
    ['?limit=501', /^limit must be less than or equal to 500$/],
    ['?refresh=perhaps', /^refresh must be a boolean$/],
  ],
  'GET /deliveries': [
    ['?before=yesterday', /^before must be a date/],
    ['?limit=ten', /^limit must be a number$/],
    ['?number=a&number=b', /^number must be a string$/],
    ['?state=lost', /^state must be one of \[queued, sending, retry_wait, delivered, cancelled, dropped\]$/],
  ],
  'POST /deliveries/redeliver': [
    [{ states: ['queued'] }, /^states\[0\] must be one of \[retry_wait, delivered, cancelled, dropped\]$/],
    [{ limit: 1_001 }, /^limit must be less than or equal to 1000$/],
    [{ from: 'yesterday' }, /^from must be a date/],
  ],
  'POST /deliveries/cancel': [
    [{ states: ['delivered'] }, /^states\[0\] must be one of \[queued, sending, retry_wait\]$/],
    [{ states: [] }, /^states must contain at least 1 items$/],
    [{ limit: 0 }, /^limit must be greater than or equal to 1$/],
  ],
  'POST /deliveries/{uuid}/redeliver': [
    ['?no_retry=perhaps', /^no_retry must be a boolean$/],
    [{ times: 0, keep_signature: 'yes' }, /^keep_signature must be a boolean; times must be greater than or equal to 1$/],
  ],
  'GET /advice': [['?since=yesterday', /^since is not known: /]],
  'GET /why': [
    ['', /^message, contact or since is required$/],
    ['?since=yesterday', /^since/],
    ['?message=a&contact=b', /^message must not be combined with contact or since$/],
  ],
  'GET /calls': [['?refused=perhaps&limit=0', /^refused must be a boolean; limit must be greater than or equal to 1$/]],
  'POST /signatures/explain': [
    [{}, /^signature is required$/],
    [{ signature: 's', body: 'a', body_base64: 'Yg==' }, /body/],
    [{ signature: 's', body_base64: '*' }, /^body_base64 must be a valid base64 string$/],
  ],
  'POST /webhooks/{uuid}/rotate-secret': [[{ overlap_hours: 169 }, /^overlap_hours must be less than or equal to 168$/]],
  'POST /channels': [
    [{}, /^from_addr is required; name is required; endpoint is required$/],
    [
      { from_addr: 'a', name: 'n', endpoint: 'ftp://a.test' },
      /^endpoint must be a valid uri with a scheme matching the http\|https pattern$/,
    ],
  ],
  // Problems of a body are reported as to the connector, once the channel is known.
  'POST /channels/{uuid}/messages': [[[], /^the body must be of type object$/]],
  'POST /channels/{uuid}/statuses': [[[], /^the body must be of type object$/]],
  'PATCH /channels/{uuid}': [[{ endpoint: 'nowhere' }, /^endpoint must be a valid uri/]],
  'POST /channels/{uuid}/samples': [
    [{}, /^turn is required$/],
    [{ turn: 'fax' }, /^turn must be one of \[text, template, buttons, list, flow, image, video, audio, document\]$/],
  ],
  'GET /attempts': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'GET /webhooks': [['?number=a&number=b', /^number must be a string$/]],
  'POST /webhooks': [
    [{}, /^number is required; url is required$/],
    [{ number: 'n', url: 'https://a.test', subscriptions: [] }, /^subscriptions must contain at least 1 items$/],
    [
      { number: 'n', url: 'https://a.test', subscriptions: ['all'] },
      /^subscriptions\[0\] must be one of \[msgapp, svc, journey_outbound, channel\]$/,
    ],
    [{ number: 'n', url: 'https://a.test', subscriptions: ['svc', 'svc'] }, /^subscriptions\[1\] contains a duplicate value$/],
    [{ number: 'n', url: 'https://a.test', subscriptions: ['svc'], hmac_digest: 'md5' }, /^hmac_digest must be \[sha256\]$/],
  ],
  'PATCH /webhooks/{uuid}': [
    [{ enabled: 'yes' }, /^enabled must be a boolean$/],
    [{ headers: { 'content-length': '5' } }, /^headers\.content-length cannot be set: it is reserved or not a valid header name$/],
  ],
  'GET /journeys': [['', /^number is required$/]],
  'PUT /journeys/{uuid}': [
    [{ name: 'n', definition: {} }, /^number is required$/],
    [{ number: 'n', name: 'n', definition: 'text' }, /^definition must be of type object$/],
    [
      { number: 'n', name: 'n', definition: {}, triggers: [{ on: 'full moon' }] },
      /^triggers\[0\]\.on must be one of \[message, first_message, catch_all\]$/,
    ],
  ],
  'GET /journeys/{uuid}': [['?revision=last', /^revision must be one of \[draft, production, staging\]$/]],
  'GET /journeys/{uuid}/notebook': [['?revision=last', /^revision must be one of \[draft, production, staging\]$/]],
  'PUT /journeys/{uuid}/notebook': [
    [{ notebook: 7 }, /^notebook must be a string$/],
    ['?revision=draft', /^revision must be one of \[production, staging\]$/],
  ],
  'POST /journeys/{uuid}/simulated-turns': [
    [
      { wait_ms: 0, revision: 'old' },
      /^wait_ms must be greater than or equal to 1; revision must be one of \[draft, production, staging\]$/,
    ],
    [
      { model_replies: [{ text: 'a' }], models: { main: { rules: 'none' } } },
      /^models\.main\.rules must be an array; model_replies\[0\]\.calls is required$/,
    ],
    [{ http_mocks: {}, fail_unmocked_http_calls: 'no' }, /^http_mocks must be an array; fail_unmocked_http_calls must be a boolean$/],
  ],
  'POST /notebooks/completions': [
    [{ notebook: '', offset: -1 }, /^offset must be greater than or equal to 0$/],
    [{ offset: 0 }, /^send either notebook or json$/],
    [{ notebook: '', json: '', offset: 0 }, /^send either notebook or json$/],
  ],
  'POST /journeys/{uuid}/problems': [
    [{}, /^send either notebook or json$/],
    [{ notebook: '', json: '{}' }, /^send either notebook or json$/],
    [{ json: 7 }, /^json must be a string$/],
  ],
  'POST /journeys/{uuid}/graph': [[{ notebook: {} }, /^notebook must be a string$/]],
  'GET /journeys/{uuid}/graph': [['?revision=', /^revision is not allowed to be empty$/]],
  'GET /journeys/{uuid}/revisions': [['?limit=0', /^limit must be greater than or equal to 1$/]],
  'POST /journeys/{uuid}/publish': [[{ revision: 'draft' }, /^revision must be one of \[production, staging\]$/]],
  'POST /journeys/{uuid}/start': [[{ contact: 'Ann' }, /^contact must be a valid GUID$/]],
  'GET /content-cards': [['', /^number is required$/]],
  'PUT /content-cards/{uuid}': [
    [{ name: 'n', text: 't' }, /^number is required$/],
    [{ number: 'n', name: 'n', text: 't', media: [{ type: 'smell', link: 'https://a.test' }] }, /^media\[0\]\.type must be one of/],
    [
      { number: 'n', name: 'n', text: 't', media: [{ type: 'image', link: 'file:///etc/passwd' }] },
      /^media\[0\]\.link must be a valid uri/,
    ],
  ],
  'GET /code-skills': [['', /^number is required$/]],
  'PUT /code-skills/{uuid}': [
    [{ number: 'n', name: 'n' }, /^source is required$/],
    [{ number: 'n', name: 'n', source: 'x'.repeat(300_000) }, /^source length must be less than or equal to 262144 characters long$/],
  ],
  'GET /ai-connections': [['', /^number is required$/]],
  'PUT /ai-connections/{uuid}': [
    [{ number: 'n', name: 'n', vendor: 'oracle' }, /^vendor must be one of \[openai-compatible, scripted, replay\]$/],
    [{ number: 'n', name: 'n', vendor: 'scripted', token: 'short' }, /^token length must be at least 8 characters long$/],
    [
      { number: 'n', name: 'n', vendor: 'scripted', rules: [{ when: { turn: 0 } }] },
      /^rules\[0\]\.when\.turn must be greater than or equal to 1$/,
    ],
  ],
  'GET /ai-calls': [
    ['', /^number is required$/],
    ['?number=n&limit=1001', /^limit must be less than or equal to 1000$/],
  ],
  'GET /journeys/{uuid}/sessions': [['?limit=-1', /^limit must be greater than or equal to 1$/]],
};

t.test('every route of the admin API requires the key', async (t) => {
  const test = await startChannel(t);
  const routes = adminRoutes(test);
  t.ok(routes.length > 30);
  for (const { method, path } of routes) {
    const url = path.replace(/\{.*?\}/g, UNKNOWN);
    t.match(await test.call(method, url), {
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { errors: [{ code: 1005, details: 'This call needs the admin key: send the header Authorization: Bearer <admin key>' }] },
    });
    t.match(await test.call(method, url, { token: `${ADMIN_KEY}x` }), {
      status: 401,
      body: { errors: [{ code: 1005, title: 'Access denied', details: 'The admin key is not valid' }] },
    });
  }
});

t.test('every other key is refused', async (t) => {
  const { call, maker } = await startChannel(t);
  for (const key of ['x', 'x'.repeat(ADMIN_KEY.length), ADMIN_KEY.slice(1), ADMIN_KEY.toUpperCase(), 'x'.repeat(5_000), maker.token]) {
    t.equal((await call('GET', '/admin/v1/numbers', { token: key })).status, 401, key.slice(0, 50));
  }
  t.equal((await call('GET', '/admin/v1/numbers', { headers: { authorization: ADMIN_KEY } })).status, 401, 'without the scheme');
});

t.test('without a key the admin API does not exist', async (t) => {
  const { call, server } = await startPlatform(t, { plugins: [channels()], admin: undefined as never });
  t.strictSame(
    server.table().filter(({ path }) => path.startsWith('/admin')),
    [],
  );
  t.equal((await call('GET', '/admin/v1/numbers', { token: ADMIN_KEY })).status, 404);
  t.equal((await call('GET', '/admin/v1/numbers', { token: 'undefined' })).status, 404);
});

/** Routes that create the resource if it does not exist. */
const PUT_MAKES = /\/(journeys|content-cards|code-skills|ai-connections)\/\{uuid\}$/;

t.test('every route that names a resource gets 404 if it does not exist', async (t) => {
  const test = await startChannel(t);
  const bodies = validBodies(test.uuid);
  for (const { method, path } of adminRoutes(test)) {
    if (!path.includes('{') || (method === 'PUT' && PUT_MAKES.test(path))) continue;
    const answer = await test.call(method, path.replace(/\{.*?\}/g, UNKNOWN), { token: ADMIN_KEY, payload: bodies[`${method} ${path}`] });
    // The name of a command has two words.
    t.match(answer, notFound(new RegExp(`^There is no [\\w ]+ "(?:${UNKNOWN} )?${UNKNOWN}"$`)), `${method} ${path}`);
  }
  for (const path of ['/webhooks', '/journeys'])
    t.match(await test.admin('GET', `${path}?number=${UNKNOWN}`), notFound(/^There is no number/), path);
  for (const path of ['POST /admin/v1/webhooks', 'PUT /admin/v1/journeys/{uuid}']) {
    const [method, url] = path.replace('{uuid}', UNKNOWN).split(' ') as [string, string];
    t.match(
      await test.call(method, url, { token: ADMIN_KEY, payload: { ...bodies[path], number: UNKNOWN } }),
      notFound(/^There is no number/),
      path,
    );
  }
  t.match(
    await test.admin('PATCH', `/channels/${test.maker.uuid}`, { endpoint: 'https://a.test' }),
    notFound(/^There is no channel/),
    'a number that is not a channel',
  );
});

t.test('every route names the invalid fields of its input', async (t) => {
  const test = await startChannel(t);
  for (const { method, path, route } of adminRoutes(test)) {
    const name = `${method} ${path.replace('/admin/v1', '')}`;
    if (!route.request?.payload && !route.request?.query) continue;
    t.ok(wrong[name], `there is a case for ${name}`);
    for (const [input, details] of wrong[name] ?? []) {
      const query = typeof input === 'string' ? input : '';
      const answer = await test.call(method, `${path.replace(/\{.*?\}/g, UNKNOWN)}${query}`, {
        token: ADMIN_KEY,
        ...(typeof input !== 'string' && { payload: input }),
      });
      t.match(
        answer,
        { status: 400, body: { errors: [{ code: 1009, title: 'Parameter value is not valid', details }] } },
        `${name} ${JSON.stringify(input)}`,
      );
    }
  }
});

t.test('channels: created without a token, listed with their webhooks, given another endpoint', async (t) => {
  const { admin, clock, platform, uuid } = await startChannel(t);
  await clock.advance(1);
  const made = await admin('POST', '/channels', { from_addr: 'desk', name: 'Desk', endpoint: 'https://desk.test/hook', account: 'acme' });
  t.match(made, {
    status: 201,
    body: { number: { kind: 'channel', type: 'channel_http_api', address: 'desk', account: 'acme' }, webhook: { hmac_secret: /^\S{43}$/ } },
  });
  const desk = made.body.number.uuid;
  t.match((await admin('GET', '/channels')).body.channels, [
    { number: { uuid }, webhooks: [{ url: CONNECTOR }] },
    { number: { uuid: desk }, webhooks: [{ uuid: made.body.webhook.uuid, url: 'https://desk.test/hook' }] },
  ]);
  t.match((await admin('PATCH', `/channels/${desk}`, { endpoint: 'https://new.test/hook' })).body, {
    number: { uuid: desk },
    webhooks: [{ uuid: made.body.webhook.uuid, url: 'https://new.test/hook' }],
  });
  t.equal((await platform.webhooks.ofNumber(desk))[0]?.url, 'https://new.test/hook');
});

t.test('webhooks: created, listed, shown without their secret, changed and deleted', async (t) => {
  const { admin, maker } = await startChannel(t);
  const number = maker.uuid;
  const made = await admin('POST', '/webhooks', { number, url: 'https://hook.test/', subscriptions: ['msgapp', 'svc'] });
  t.match(made, {
    status: 201,
    body: {
      hmac_secret: /^\S{43}$/,
      webhook: { number, url: 'https://hook.test/', subscriptions: ['msgapp', 'svc'], hmac_digest: 'sha256', enabled: true, headers: {} },
    },
  });
  const { uuid } = made.body.webhook;
  const shown = await admin('GET', `/webhooks/${uuid}`);
  t.strictSame(shown.body, { webhook: made.body.webhook });
  t.strictSame((await admin('GET', `/webhooks?number=${number}`)).body, {
    webhooks: [made.body.webhook],
    subscriptions: [
      { kind: 'network', name: 'msgapp' },
      { kind: 'service', name: 'svc' },
      { kind: 'journey_outbound', name: 'journey_outbound' },
      { kind: 'channel', name: 'channel' },
    ],
  });
  t.notOk(JSON.stringify(shown.body).includes(made.body.hmac_secret));

  const changed = await admin('PATCH', `/webhooks/${uuid}`, { subscriptions: ['svc'], enabled: false, headers: { 'X-Team': 'care' } });
  t.match(changed.body.webhook, { uuid, url: 'https://hook.test/', subscriptions: ['svc'], enabled: false, headers: { 'X-Team': '…' } });
  t.match(await admin('DELETE', `/webhooks/${uuid}`), { status: 200, body: { success: true } });
  t.equal((await admin('GET', `/webhooks/${uuid}`)).status, 404);
  t.equal((await admin('DELETE', `/webhooks/${uuid}`)).status, 404);
});

t.test('the connector webhook of a channel cannot be deleted', async (t) => {
  const { admin, webhook } = await startChannel(t);
  t.match(await admin('DELETE', `/webhooks/${webhook.uuid}`), { status: 409, body: { errors: [{ title: 'Conflict' }] } });
});

t.test('journeys: put, shown, published, disabled and enabled, deleted', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  const put = await admin('PUT', `/journeys/${uuid}`, { number, name: 'Names', definition: asking, triggers: [{ on: 'message' }] });
  t.match(put, { status: 200, body: { problems: [{ severity: 'warning' }], journey: { uuid, number, name: 'Names', enabled: true } } });
  t.strictSame(put.body.journey.revisions, { staging: null, production: null });
  t.strictSame((await admin('GET', `/journeys/${uuid}`)).body, {
    journey: put.body.journey,
    definition: JSON.parse(JSON.stringify(asking)),
  });

  const publish = async (revision: string) => (await admin('POST', `/journeys/${uuid}/publish`, { revision })).body.journey.revisions;
  t.strictSame(await publish('staging'), { staging: put.body.journey.draft, production: null });
  t.strictSame(await publish('production'), { staging: put.body.journey.draft, production: put.body.journey.draft });

  t.equal((await admin('POST', `/journeys/${uuid}/disable`)).body.journey.enabled, false);
  t.equal((await admin('POST', `/journeys/${uuid}/enable`)).body.journey.enabled, true);
  t.match((await admin('GET', `/journeys?number=${number}`)).body.journeys, [{ uuid }]);
  t.match(await admin('DELETE', `/journeys/${uuid}`), { status: 200, body: { success: true } });
  t.strictSame((await admin('GET', `/journeys?number=${number}`)).body.journeys, []);
  for (const verb of ['enable', 'disable'])
    t.equal((await admin('POST', `/journeys/${uuid}/${verb}`)).status, 404, `${verb} after deletion`);
});

t.test('a journey with errors may be a draft, but cannot be published', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  const put = await admin('PUT', `/journeys/${uuid}`, { number, name: 'Names', definition: { flows: [] } });
  t.match(put.body.problems[0], { severity: 'error' });
  const refused = await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  t.match(refused, { status: 409, body: { errors: [{ title: 'Conflict', details: /\w/ }] } });
  t.equal((await platform.service(journeysService).require(uuid)).revisions.production, null);
});

t.test('a journey belongs to one number', async (t) => {
  const { admin, uuid: number, maker, publish } = await startChannel(t);
  const uuid = await publish({ texts: { a: 'Hello' }, blocks: [{ name: 'a', type: 'MobilePrimitives.Message', config: { prompt: 'a' } }] });
  t.match(await admin('PUT', `/journeys/${uuid}`, { number: maker.uuid, name: 'Mine', definition: asking }), { status: 409 });
  t.match((await admin('GET', `/journeys/${uuid}`)).body.journey, { number });
});

t.test('deliveries: listed by number, webhook and message, shown with every attempt, redelivered, cancelled', async (t) => {
  const { admin, call, clock, http, say, send, settle, token, uuid: number, webhook } = await startChannel(t);
  await say('hi');
  http.answer(
    `POST ${CONNECTOR}`,
    { status: 503, body: 'closed' },
    { status: 503, body: 'closed' },
    { body: { messages: [{ id: 'out-9' }] } },
  );
  const message = await send();
  await settle();
  const find = async (query: string) => (await admin('GET', `/deliveries${query}`)).body.deliveries;
  const [delivery] = await find('');
  t.match(delivery, { number, webhook: webhook.uuid, message: message.uuid, attempts: 1 });
  for (const query of [`?webhook=${webhook.uuid}`, `?number=${number}`, `?message=${message.uuid}`, '?limit=1']) {
    t.match(await find(query), [{ uuid: delivery.uuid }], query);
  }
  for (const query of [`?webhook=${UNKNOWN}`, `?number=${UNKNOWN}`, `?message=${UNKNOWN}`, `?before=${delivery.created_at}`]) {
    t.strictSame(await find(query), [], query);
  }
  t.match(await find('?before=2099-01-01'), [{ uuid: delivery.uuid }]);

  const shown = await admin('GET', `/deliveries/${delivery.uuid}`);
  t.type(delivery.duration_ms, 'number');
  t.strictSame(shown.body.delivery, delivery);
  t.match(JSON.parse(shown.body.body), { turn: { text: { body: 'hello' } } });
  t.match(shown.body.attempts, [{ status: 503, response: 'closed' }]);

  t.match((await admin('POST', `/deliveries/${delivery.uuid}/redeliver`)).body.delivery, { state: 'queued', run: 2, attempts: 0 });
  await settle();
  const given = await admin('POST', `/deliveries/${delivery.uuid}/cancel`);
  t.match(given.body.delivery, { state: 'cancelled', reason: 'by_hand' });
  t.match(await admin('POST', `/deliveries/${delivery.uuid}/cancel`), {
    status: 409,
    body: { errors: [{ details: 'The delivery is already cancelled' }] },
  });
  await clock.advance(140_000);
  t.equal(http.callsTo(CONNECTOR).length, 2, 'a cancelled delivery is not retried');
  await admin('POST', `/deliveries/${delivery.uuid}/redeliver`);
  await settle();
  t.match((await admin('GET', `/deliveries/${delivery.uuid}`)).body.delivery, { state: 'delivered', run: 3 });
  t.equal((await call('POST', `/v1/numbers/${number}/statuses`, { token, payload: {} })).status, 400);
});
