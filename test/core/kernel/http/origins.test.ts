import Joi from 'joi';
import t from 'tap';
import { definePlugin, object, PlatformError, route, string } from '#core';
import { startPlatform } from '#core/testing';

const SHOP = 'https://shop.example';
let fails = false;

/** A plugin whose routes pages of a shop may call. */
const shop = definePlugin({
  name: 'shop',
  version: '1.0.0',
  options: Joi.object({}),
  register({ callLimit, clientAddress }) {
    const limit = callLimit({ name: 'visits', calls: 2 });
    const of = { auth: 'none', bucket: 'none', errors: [429], origins: (origin: string) => origin === SHOP } as const;
    return {
      routes: [
        route({
          ...of,
          method: 'GET',
          path: '/shop/{item}',
          summary: 'Shows an item.',
          request: { params: object({ item: string() }) },
          responses: { 200: object({ item: string() }) },
          handler({ params: { item } }) {
            if (fails) throw new Error('unexpected');
            return { item };
          },
        }),
        route({
          ...of,
          method: 'POST',
          path: '/shop/{item}',
          summary: 'Buys an item.',
          admit: ({ request }) => limit.count(clientAddress(request)),
          request: { params: object({ item: string() }), payload: object({ note: string() }) },
          responses: { 200: object({}) },
          handler({ payload: { note } }) {
            if (note === 'tea') throw new PlatformError(409, 'teapot', 'no coffee');
            return {};
          },
        }),
      ],
    };
  },
});

const test = await startPlatform(t, { plugins: [shop()], trustedHosts: ['posthorn.test'] });
const from = (origin: string, headers = {}) => ({ headers: { host: 'posthorn.test', origin, ...headers } });

t.test('a preflight names the methods and headers of a path, for allowed origins', async (t) => {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' };
  const allowed = await test.call('OPTIONS', '/shop/cup', from(SHOP, asked));
  t.match(allowed, {
    status: 204,
    headers: {
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '7200',
      vary: /origin/,
    },
  });
  t.notOk('access-control-allow-credentials' in allowed.headers);
  const refused = await test.call('OPTIONS', '/shop/cup', from('https://shop.example.evil', asked));
  t.equal(refused.status, 403);
  t.notOk('access-control-allow-origin' in refused.headers);
});

t.test('responses can be read by allowed pages, errors too; other pages are refused', async (t) => {
  const readable = { 'access-control-allow-origin': SHOP, 'access-control-expose-headers': /retry-after/, vary: /origin/ };
  t.match(await test.call('GET', '/shop/cup', from(SHOP)), { status: 200, headers: readable });
  t.match(await test.call('POST', '/shop/cup', { ...from(SHOP), payload: {} }), { status: 400, headers: readable });
  t.match(await test.call('POST', '/shop/cup', { ...from(SHOP), payload: { note: 'tea' } }), { status: 409, headers: readable });
  t.match(await test.call('POST', '/shop/cup', { ...from(SHOP), payload: { note: 'x' } }), {
    status: 429,
    headers: { ...readable, 'retry-after': /^\d+$/ },
    body: { errors: [{ cause: 'rate_limited' }] },
  });
  fails = true;
  t.match(await test.call('GET', '/shop/cup', from(SHOP)), { status: 500, headers: readable });
  fails = false;
  const evil = await test.call('GET', '/shop/cup', from('https://evil.example'));
  t.equal(evil.status, 403);
  t.notOk('access-control-allow-origin' in evil.headers);
  t.match(evil.headers.vary, /origin/);
  t.equal((await test.call('GET', '/shop/cup', from('null'))).status, 403);
  t.equal((await test.call('GET', '/shop/cup', from('http://posthorn.test'))).status, 200, 'a page of the platform itself');
  t.match(await test.call('GET', '/shop/cup', { headers: { host: 'posthorn.test' } }), { status: 200, headers: { vary: /origin/ } });
  t.equal(
    (await test.call('GET', '/shop/cup', { headers: { host: 'evil.example', origin: SHOP } })).status,
    403,
    'another host: DNS rebinding',
  );
  t.equal((await test.call('GET', '/health', from(SHOP))).headers['access-control-allow-origin'], undefined, 'a route without origins');
});

t.test('a limit counts in windows of a minute', async (t) => {
  await test.clock.advance(60_000);
  const buy = async () => (await test.call('POST', '/shop/cup', { ...from(SHOP), payload: { note: 'x' } })).status;
  t.strictSame([await buy(), await buy(), await buy()], [200, 200, 429]);
  await test.clock.advance(60_000);
  t.equal(await buy(), 200);
});
