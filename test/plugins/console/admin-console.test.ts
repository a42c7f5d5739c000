import t from 'tap';
import { startPlatform } from '#core/testing';
import { CONNECTOR, startChannel } from '../channels/channel-under-test.js';

const KINDS = ['text', 'template', 'buttons', 'list', 'flow', 'image', 'video', 'audio', 'document'];

t.test('a sample of each kind of turn reaches the connector as a message to the contact "sample"', async (t) => {
  const { admin, http, message, received, settle, uuid, maker } = await startChannel(t);
  for (const [i, turn] of KINDS.entries()) {
    http.answer(`POST ${CONNECTOR}`, { body: { messages: [{ id: `out-${i}` }] } });
    const sent = await admin('POST', `/channels/${uuid}/samples`, { turn });
    t.equal(sent.status, 201, turn);
    await settle();
    const { delivery, body } = (await admin('GET', `/deliveries/${sent.body.deliveries[0]}`)).body;
    t.match(delivery, { state: 'delivered', message: sent.body.message, recipient: 'sample' }, turn);
    const shown = JSON.parse(body).turn;
    t.ok(turn in shown || shown.type === turn || shown.interactive.type === turn.replace(/s$/, ''), `${turn}: ${body}`);
    t.match(await message(sent.body.message), { external_id: `out-${i}` }, turn);
  }
  t.equal(http.callsTo(CONNECTOR).length, KINDS.length);
  t.match(await admin('POST', `/channels/${uuid}/samples`, { turn: 'text', to: 'web-7' }), { status: 201 });
  await settle();
  t.equal(received().length, KINDS.length + 1);
  t.match((await admin('GET', '/deliveries?limit=1')).body.deliveries, [{ recipient: 'web-7' }]);
  t.equal((await admin('POST', `/channels/${maker.uuid}/samples`, { turn: 'text' })).status, 404, 'a number that is not a channel');
});

t.test('the newest attempts are listed by webhook and by number', async (t) => {
  const { admin, clock, http, say, send, settle, uuid: number, webhook } = await startChannel(t);
  const list = async (query = '') => (await admin('GET', `/attempts${query}`)).body.attempts;
  t.strictSame(await list(), []);
  await say('hi');
  http.answer(`POST ${CONNECTOR}`, { status: 503 }, { body: { messages: [{ id: 'a' }] } }, { body: { messages: [{ id: 'b' }] } });
  await send();
  await settle();
  await clock.advance(30_000);
  await settle();
  await send();
  await settle();
  const statuses = (await list(`?webhook=${webhook.uuid}`)).map(({ status }: { status: number }) => status);
  t.strictSame(statuses, [200, 200, 503]);
  t.equal((await list(`?number=${number}`)).length, 3);
  t.equal((await list('?limit=1')).length, 1);
  t.strictSame(await list(`?webhook=${number}`), []);
});

t.test('permissions name the kinds of number of every call, and the limits', async (t) => {
  const { admin, call, token, uuid } = await startChannel(t);
  const { calls, limits } = (await admin('GET', '/permissions')).body;
  const find = (path: string) => calls.find((one: { path: string }) => one.path === path);
  t.match(find('/v1/numbers'), { method: 'POST', numbers: ['network', 'sandbox'], bucket: 'general' });
  t.match(find('/v1/numbers/{number_uuid}/messages'), { numbers: ['channel'], bucket: 'none' });
  t.notOk(find('/openapi.json'), 'calls without a token are not listed');
  t.equal(limits, null);
  t.equal((await call('POST', '/v1/numbers', { token, payload: {} })).status, 403, `the token of channel ${uuid}`);
  const limited = await startPlatform(t, { plugins: [], rateLimits: { text: 7 } });
  const shown = await limited.admin('GET', '/permissions');
  t.strictSame(shown.body.limits, { general: 60, text: 7, media: 60 });
});

t.test('the list of tokens says when each was last used', async (t) => {
  const { admin, call, clock, uuid } = await startChannel(t);
  const made = (await admin('POST', `/numbers/${uuid}/tokens`, { name: 'CI' })).body;
  const find = async () =>
    (await admin('GET', `/numbers/${uuid}/tokens`)).body.tokens.find((one: { uuid: string }) => one.uuid === made.token.uuid);
  t.notOk('last_used_at' in (await find()));
  await clock.advance(5_000);
  const at = clock.now().toISOString();
  await call('POST', `/v1/numbers/${uuid}/messages`, { token: made.text, payload: {} });
  await clock.advance(5_000);
  t.equal((await find()).last_used_at, at);
});
