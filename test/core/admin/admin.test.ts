import t from 'tap';
import { ADMIN_KEY, startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeysService } from '../../../plugins/journeys/plugin.js';
import { CONNECTOR, startChannel } from '../../plugins/channels/channel-under-test.js';
import { adminRoutes, asking, validBodies } from './valid-bodies.js';
import { wrong } from './wrong-inputs.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const notFound = (details: RegExp) => ({ status: 404, body: { errors: [{ code: 1006, title: 'Resource not found', details }] } });

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
