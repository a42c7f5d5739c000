import t from 'tap';
import { PHONE_ID, SECRETS, startCloud, WABA } from './cloud-under-test.js';

const UPLOAD = { method: 'POST', path: '/*/media' } as const;
const SEND = { method: 'POST', path: '/*/messages' } as const;
const image = (id: string) => ({ type: 'image', image: { id } });

async function start(t: Parameters<typeof startCloud>[0]) {
  const test = await startCloud(t);
  const { call, token, standIn, platform, uuid } = test;
  const { body } = await call('POST', '/v1/media', { token, payload: 'bytes of a picture', headers: { 'content-type': 'image/png' } });
  return {
    ...test,
    id: body.media[0].id as string,
    uploads: () => standIn.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/media')).length,
    statusOf: async (id: string) => await platform.messages.known(uuid, 'outbound', id),
  };
}

t.test('a file is uploaded once; an upload that the network no longer has is made again, once', async (t) => {
  const { send, standIn, settle, uploads, id, told } = await start(t);
  for (let n = 1; n <= 2; n++) {
    t.equal((await send(image(id))).status, 200);
    await settle(300);
  }
  t.equal(uploads(), 1);
  t.equal(standIn.sent.length, 2);
  await settle(25 * 24 * 60 * 60 * 1000);
  await standIn.write('16505551234', 'still there');
  await settle();
  await send(image(id));
  await settle(300);
  t.equal(uploads(), 2, 'before the network deletes it after 30 days');
  const { body } = standIn.sent.at(-1) as unknown as { body: { image: { id: string } } };
  standIn.loseMedia(body.image.id);
  await send(image(id));
  await settle(300);
  t.equal(uploads(), 3);
  t.equal(standIn.sent.length, 4);
  t.equal(told('message.accepted').length, 4);
  t.equal(told('message.undeliverable').length, 0);
});

t.test('a message whose new upload is refused too fails with the error of the network, and the next one is sent', async (t) => {
  const { send, standIn, settle, uploads, id, statusOf } = await start(t);
  await send(image(id));
  await settle(300);
  standIn.rule({ on: { ...SEND, type: 'image' }, times: 2, error: { code: 100, details: 'Param image id is no medium' } });
  const failed = (await send(image(id))).body.messages[0].id;
  await send({ type: 'text', text: { body: 'next' } });
  await settle(300);
  t.equal(uploads(), 2);
  t.match(await statusOf(failed), { status: 'failed', statuses: [{ errors: [{ code: 100, details: 'Param image id is no medium' }] }] });
  t.match(standIn.sent.at(-1), { body: { text: { body: 'next' } } });
});

t.test('an expired token at an upload stops the number, and keeps the message until it is resumed', async (t) => {
  const { send, standIn, settle, told, admin, uuid, id, statusOf } = await start(t);
  const rule = standIn.rule({ on: UPLOAD, error: 190 });
  const sent = (await send(image(id))).body.messages[0].id;
  await send({ type: 'text', text: { body: 'after it' } });
  await settle(24 * 60 * 60 * 1000);
  t.match(
    told('advice').filter(({ name }) => name === 'cloud_api_stopped'),
    [{ number: uuid }],
  );
  t.not((await statusOf(sent))?.status, 'failed');
  t.equal(standIn.sent.length, 0);
  standIn.rules.remove(rule.id);
  await admin('PUT', `/cloud-api/numbers/${uuid}`, {
    ...{ phone_number_id: PHONE_ID, waba_id: WABA },
    ...{ access_token: SECRETS.accessToken, app_secret: SECRETS.appSecret, verify_token: SECRETS.verifyToken },
  });
  await settle(5_000);
  t.strictSame(
    standIn.sent.map(({ type }) => type),
    ['image', 'text'],
  );
});

t.test('a number that is disconnected while messages wait fails them', async (t) => {
  const { send, standIn, settle, admin, uuid, id, statusOf } = await start(t);
  standIn.rule({ on: UPLOAD, error: 190 });
  const sent = (await send(image(id))).body.messages[0].id;
  await settle();
  t.equal((await admin('DELETE', `/cloud-api/numbers/${uuid}`)).status, 200);
  await settle(1_000);
  t.match(await statusOf(sent), { status: 'failed', statuses: [{ errors: [{ code: 133010 }] }] });
});

t.test('an answer to an upload or a look-up that is not of the API of the network is a clear error', async (t) => {
  const { send, standIn, settle, id, statusOf, told } = await start(t);
  for (const body of ['{}', '[]', '{"id":7}', '{"id":null}', '"x"', '{"id":""}']) {
    standIn.rule({ on: UPLOAD, times: 1, respond: { status: 200, body } });
    const sent = (await send(image(id))).body.messages[0].id;
    await settle(1_000);
    t.match(await statusOf(sent), { status: 'failed', statuses: [{ errors: [{ code: 131000, details: /not one of its API/ }] }] }, body);
  }
  for (const body of ['{}', '{"url":7}', '{"url":"nonsense"}', '{"url":"file:///etc/passwd"}', '{"url":null}', '[1]']) {
    standIn.rule({ on: { method: 'GET', path: '/77' }, times: 1, respond: { status: 200, body } });
    const before = told('message.received').length;
    await standIn.write('16505551234', { type: 'image', image: { id: '77', mime_type: 'image/png', url: 'no address' } });
    await settle();
    t.match(
      told('message.received').slice(before),
      [{ message: { type: 'image', errors: [{ code: 131052, details: /not one of its API/ }] } }],
      body,
    );
  }
});

t.test('an answer to a send without an id of the message waits for a status, and sends nothing again', async (t) => {
  const { send, standIn, settle, statusOf, told } = await start(t);
  const calls = () => standIn.requests.filter(({ url }) => url.endsWith('/messages')).length;
  for (const body of [
    '{}',
    '[]',
    '{"messages":{}}',
    '{"messages":[]}',
    '{"messages":[{"id":7}]}',
    '{"messages":[{"id":"w"}],"contacts":7}',
  ]) {
    const before = { calls: calls(), accepted: told('message.accepted').length };
    standIn.rule({ on: SEND, times: 1, respond: { status: 200, body } });
    const sent = (await send({ type: 'text', text: { body: 'hello' } })).body.messages[0].id;
    await send({ type: 'text', text: { body: 'next' } });
    await settle(10_000);
    t.equal(calls() - before.calls, 1, body);
    await settle(400_000);
    t.match(await statusOf(sent), { status: 'failed', statuses: [{ errors: [{ code: 131000 }] }] }, body);
    t.equal(told('message.accepted').length - before.accepted, 1, 'the next message is sent');
  }
});

t.test('refusals of any form become errors of the platform', async (t) => {
  const { send, standIn, settle, statusOf } = await start(t);
  for (const body of [
    '{"error":7}',
    '{"error":null}',
    '{"error":{"code":"131026","message":7,"title":{},"error_data":null}}',
    '{"error":{"code":131026,"message":null,"error_data":{"details":7}}}',
    '{"error":{"code":131026,"error_data":"not there"}}',
    '{"error":[]}',
    '[]',
    '<html>',
  ]) {
    standIn.rule({ on: SEND, times: 1, respond: { status: 400, body } });
    const sent = (await send({ type: 'text', text: { body: 'hello' } })).body.messages[0].id;
    await settle(1_000);
    const message = await statusOf(sent);
    t.equal(message?.status, 'failed', body);
    const [{ errors }] = message!.statuses as unknown as [{ errors: [{ code: unknown; title: unknown; details: unknown }] }];
    t.equal(typeof errors[0].code, 'number', body);
    t.equal(typeof errors[0].title, 'string', body);
    t.equal(typeof errors[0].details, 'string', body);
  }
});
