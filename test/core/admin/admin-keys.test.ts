import t from 'tap';
import { ADMIN_KEY } from '#core/testing';
import { CONNECTOR, inboundText, startChannel } from '../../plugins/channels/channel-under-test.js';
import { adminRoutes, validBodies } from './valid-bodies.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

t.test('a key that its schema does not name is refused by every route, in the body and in the query', async (t) => {
  const test = await startChannel(t);
  const bodies = validBodies(test.uuid);
  for (const { method, path, route } of adminRoutes(test)) {
    const name = `${method} ${path}`;
    const url = path.replace(/\{.*?\}/g, UNKNOWN);
    const refused = (where: string) => ({
      status: 400,
      body: { errors: [{ code: 1009, details: new RegExp(`^misspelt is not known: ${where} takes \\w`) }] },
    });
    t.match(
      await test.call(method, `${url}?misspelt=1`, { token: ADMIN_KEY, payload: bodies[name] }),
      {
        status: 400,
        body: { errors: [{ code: 1009, details: /misspelt is not known: the query takes \w+/ }] },
      },
      `${name}, query`,
    );
    if (route.body === 'bytes' || !route.request?.payload) continue;
    const payload = { ...bodies[name], misspelt: 1 };
    t.match(await test.call(method, url, { token: ADMIN_KEY, payload }), refused('the body'), `${name}, body`);
  }
});

t.test('a misspelt filter is refused, so that the call does not select everything', async (t) => {
  const { admin, call, http, send, settle, token, uuid, webhook } = await startChannel(t);
  await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: { ...inboundText('hi'), misspelt: 1 } });
  http.answer(`POST ${CONNECTOR}`, { status: 503 });
  await send();
  await settle();
  const refused = (details: string) => ({ status: 400, body: { errors: [{ details }] } });
  t.match(
    await admin('POST', '/deliveries/cancel', { webook: webhook.uuid }),
    refused('webook is not known: the body takes webhook, number, reason, from, to, limit, states'),
  );
  t.match((await admin('GET', '/deliveries')).body.deliveries, [{ state: 'retry_wait' }]);
  t.match(
    await admin('GET', '/deliveries?status=bogus'),
    refused('status is not known: the query takes webhook, number, message, state, reason, contact, text, from, before, after, limit'),
  );
  t.match(await admin('PATCH', `/webhooks/${webhook.uuid}`, { enable: false, nam: 'x' }), {
    status: 400,
    body: { errors: [{ details: /^enable is not known: .*; nam is not known: the body takes url, .*enabled/ }] },
  });
  t.match(
    await admin('PUT', `/content-cards/${UNKNOWN}`, {
      number: uuid,
      name: 'n',
      text: 't',
      media: [{ type: 'image', link: 'https://a.test', titel: 'x' }],
    }),
    refused('media[0].titel is not known: media[0] takes type, link'),
  );
});
