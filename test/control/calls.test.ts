import t from 'tap';
import { calls } from '../../sandbox/commands/calls.js';
import { summaryOf } from '../../sandbox/reports/summary.js';
import { startControlled } from './sandbox-with-receiver.js';

t.test('calls are recorded with what was sent and answered, and refused ones with the reason', async (t) => {
  const { call, write, admin, number, token, run, events, sandbox } = await startControlled(t);
  await write('hello');
  await call('GET', '/v1/numbers', { token: 'ph_wrong_token_0123456789' });
  await call('POST', `/v1/numbers/${number}/messages`, { payload: '{"contact":' });
  await call('GET', '/v1/nothing?token=ph_in_the_query', { token: '' });
  const recorded = (await admin('GET', '/calls')).body.calls;
  t.match(recorded, [
    { method: 'GET', path: '/v1/nothing?token=…', status: 404, route: null, number: null },
    {
      ...{ method: 'POST', status: 400, route: 'POST /v1/numbers/{number_uuid}/messages', number: { uuid: number, address: 'web:shop' } },
      ...{ error: /JSON/, request: { body: { text: '{"contact":', bytes: 11, cut: false } } },
    },
    { method: 'GET', status: 405, error: /GET is not allowed/ },
    { status: 200, error: null, request: { body: { text: /"body":"hello"/ } }, number: { name: 'Shop' } },
  ]);
  t.equal(recorded.length, 4);
  const [, , , posted] = recorded;
  const sent = Object.fromEntries(posted.request.headers);
  t.equal(sent.authorization, `Bearer …${token.slice(-4)}`);
  t.notMatch(JSON.stringify(recorded), token, 'no token in any field');
  t.notMatch(JSON.stringify(recorded), 'ph_wrong_token');
  t.notMatch(JSON.stringify(recorded), 'ph_in_the_query');
  t.equal(posted.response.headers.find(([name]: [string]) => name === 'x-request-id')[1], posted.id);
  t.type(JSON.parse(posted.response.body.text), 'object');

  t.strictSame(
    (await admin('GET', '/calls?refused=true')).body.calls.map(({ status }: { status: number }) => status),
    [404, 400, 405],
  );
  t.match(await admin('GET', `/calls?number=${number}&limit=1`), { body: { calls: [{ status: 400 }] } });
  const listed = (await admin('GET', '/calls?contents=false')).body.calls;
  t.strictSame(
    listed,
    recorded.map(({ request: _request, response: _response, ...about }: Record<string, unknown>) => about),
    'without headers and bodies',
  );

  const announced = events('call.answered');
  t.match(
    announced.map(({ status }) => status),
    [200, 405, 400, 404],
  );
  t.notOk('request' in announced[0], 'the event has no bodies');
  t.match(
    summaryOf({ id: '', at: '', name: 'call.answered', data: announced[2] }),
    /^POST \S+ 400 in \d+ ms, number web:shop: .*JSON/,
    'as tail shows it',
  );

  const { out } = await run(calls, '--refused');
  t.equal(out.length, 3);
  t.match(out[1], /POST \S+ 400 in \d+ ms, number web:shop {2}.*JSON/);
  t.match((await run(calls, posted.id)).out.join('\n'), /> content-type: application\/json.*> \{"contact".*< x-request-id: /s);
  t.match(JSON.parse((await run(calls, '--json')).out[0]!), { v: 1, calls: [{ status: 404 }, {}, {}, {}] });
  await t.rejects(run(calls, 'unknown'), /call unknown not found/);
  await sandbox.stop();
});

t.test('neither admin calls, pages, health checks nor media contents are recorded', async (t) => {
  const { call, admin, token, sandbox, number } = await startControlled(t);
  const upload = await fetch(`${sandbox.api}/v1/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: Buffer.from('89504e470d0a1a0a', 'hex'),
  });
  for (const path of ['/health', '/ready', '/openapi.json', '/docs', '/admin/v1/numbers', '/admin/v1/nothing', '/v1/media/1/content'])
    await call('GET', path);
  const recorded = (await admin('GET', '/calls')).body.calls;
  t.match(recorded, [{ method: 'POST', path: '/v1/media', status: upload.status, request: { body: { text: null } } }]);
  t.equal(recorded.length, 1);
  t.ok(number);
});

t.test('a refused call has the place of each mistake in its body, and is shown by its id', async (t) => {
  const { call, admin, number } = await startControlled(t);
  const refused = await call('POST', '/v1/messages', {
    payload: {
      ...{ to: '+27820001001', type: 'interactive' },
      interactive: { type: 'button', body: { text: 'x' }, action: { buttons: [{ type: 'reply', reply: { id: '1' } }] } },
    },
  });
  const id = refused.headers.get('x-request-id');
  const shown = await admin('GET', `/calls/${id}`);
  t.match(shown, { status: 200, body: { call: { id, status: 400 } } });
  t.strictSame(shown.body.call.request.problems, [
    {
      path: ['interactive', 'action', 'buttons', 0, 'reply', 'title'],
      message: 'interactive.action.buttons[0].reply.title is required',
    },
  ]);
  await call('POST', `/v1/numbers/${number}/messages`, { payload: { contact: {}, message: { type: 'text', text: {} } } });
  const [{ request }] = (await admin('GET', '/calls?limit=1')).body.calls;
  t.ok(request.problems.some(({ path }: { path: string[] }) => path.join('.') === 'contact.id'));
  await call('POST', '/v1/messages', { payload: '{' });
  t.strictSame((await admin('GET', '/calls?limit=1')).body.calls[0].request.problems, [], 'text that is not JSON has no fields');
  t.match(await admin('GET', '/calls/unknown'), { status: 404 });
});

t.test('a call that is refused before its body is read has the size of its body', async (t) => {
  const { call, admin } = await startControlled(t);
  await call('POST', '/v1/messages', { token: 'ph_wrong_token_0123456789', payload: { text: 'hi' } });
  t.match((await admin('GET', '/calls')).body.calls, [{ status: 401, request: { body: { bytes: 13, text: null } } }]);
});
