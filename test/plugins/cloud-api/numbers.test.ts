import t from 'tap';
import { ANN, NUMBER, SECRETS, startCloud, WABA } from './cloud-under-test.js';

const credentials = {
  ...{ phone_number_id: '77', waba_id: WABA, access_token: SECRETS.accessToken },
  ...{ app_secret: SECRETS.appSecret, verify_token: SECRETS.verifyToken },
};
const text = { text: { body: 'hello' } };

t.test('a number without a connection stays on the local network', async (t) => {
  const { number, call, settle, standIn, told } = await startCloud(t);
  const local = await number('network');
  t.equal((await call('POST', '/v1/messages', { token: local.token, payload: { to: ANN, ...text } })).status, 200);
  await settle(500);
  t.equal(standIn.sent.length, 0);
  t.match(told('message.status').at(-1), { report: { status: 'delivered' } });
});

t.test('a local number is connected and disconnected in the admin API, and keeps its conversations', async (t) => {
  const { number, call, admin, settle, standIn, platform } = await startCloud(t);
  const { uuid, token } = await number('network', { address: '+27110000009' });
  const send = () => call('POST', '/v1/messages', { token, payload: { to: ANN, ...text } });
  await send();
  standIn.addTemplate({ name: 'welcome' });
  const { status, body } = await admin('PUT', `/cloud-api/numbers/${uuid}`, credentials);
  t.equal(status, 200);
  t.strictSame(body.connection, {
    ...{ number: uuid, phone_number_id: '77', waba_id: WABA, connected_at: body.connection.connected_at },
    ...{ webhook: 'http://posthorn.test/cloud-api/webhooks/77', stopped: null },
  });
  t.match(await platform.numbers.get(uuid), { type: 'cloud_api', kind: 'network', account: WABA });
  await settle();
  t.match((await admin('GET', `/numbers/${uuid}/templates`)).body.templates, [{ name: 'welcome' }], 'its templates are read immediately');
  await send();
  await settle(500);
  t.equal((await platform.conversations.list(uuid, 10))[0]!.length, 2, 'one conversation');
  t.equal((await admin('DELETE', `/cloud-api/numbers/${uuid}`)).status, 200);
  t.match(await platform.numbers.get(uuid), { type: 'network' });
  for (const id of [uuid, '77']) t.equal((await call('POST', `/cloud-api/webhooks/${id}`, { payload: '{}' })).status, 404, id);
  const before = standIn.requests.length;
  t.equal((await send()).status, 200);
  await settle(500);
  t.equal(standIn.requests.length, before, 'it is local again');
});

t.test('wrong connections are refused', async (t) => {
  const { number, admin } = await startCloud(t);
  const channel = await number('channel', { type: 'channel_http_api' });
  t.match(await admin('PUT', `/cloud-api/numbers/${channel.uuid}`, credentials), {
    status: 409,
    body: { errors: [{ details: /kind 'channel'/ }] },
  });
  const { uuid } = await number('network');
  const taken = { ...credentials, phone_number_id: NUMBER.phoneNumberId };
  t.match(await admin('PUT', `/cloud-api/numbers/${uuid}`, taken), { status: 409, body: { errors: [{ details: /phone_number_id/ }] } });
  t.match(await admin('PUT', `/cloud-api/numbers/${uuid}`, { ...credentials, access_token: 'x' }), { status: 400 });
  t.equal((await admin('PUT', '/cloud-api/numbers/00000000-0000-4000-8000-000000000000', credentials)).status, 404);
  t.equal((await admin('DELETE', `/cloud-api/numbers/${uuid}`)).status, 404);
  t.equal((await admin('POST', `/cloud-api/numbers/${uuid}/resume`)).status, 404);
});
