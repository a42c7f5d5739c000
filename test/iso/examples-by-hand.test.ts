import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { run } from './posthorn-process.js';

const SECRET = 'the secret of the webhook';
const examples = join(import.meta.dirname, '..', '..', 'sandbox', 'examples');

/** Runs an example by itself, with its environment variables. */
async function runExample(t: Tap, name: string, env: Record<string, string>) {
  const { printed, err } = run(t, [join(examples, `${name}.js`)], import.meta.dirname, env);
  const [url] = /http:\/\/\S+/.exec(await printed(/http:\S+\n/))!;
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body, headers });
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  };
  return {
    printed,
    err,
    post,
    deliver: (payload: object, signature?: string) => {
      const body = JSON.stringify(payload);
      const right = createHmac('sha256', SECRET).update(body).digest('base64');
      return post('/', body, { 'x-svc-hook-signature': signature ?? right, 'content-type': 'application/json' });
    },
  };
}

/** Receives what a connector posts, like the platform. */
async function startPlatformSide(t: Tap) {
  const got: { path: string; token: string | undefined; body: { message?: object; status?: object; contact?: object } }[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (failures-- > 0) return response.writeHead(503).end();
    got.push({ path: request.url!, token: request.headers.authorization, body: JSON.parse(body) });
    return response.writeHead(200).end('{"success":true}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    got,
    fail: (times: number) => (failures = times),
    environment: {
      POSTHORN_API: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      POSTHORN_NUMBER: 'the-channel',
      POSTHORN_TOKEN: 'ph_token',
      POSTHORN_SECRET: SECRET,
    },
    async received(count: number) {
      while (got.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return got;
    },
  };
}

const options = [
  { id: 'b', title: 'Book a visit' },
  { id: 'h', title: 'Opening hours' },
];
const buttons = {
  to: '+1',
  turn: {
    type: 'interactive',
    interactive: { type: 'button', body: { text: '?' }, action: { buttons: options.map((reply) => ({ type: 'reply', reply })) } },
  },
};
const list = {
  to: '+2',
  turn: {
    type: 'interactive',
    interactive: { type: 'list', body: { text: '?' }, action: { button: 'Rooms', sections: [{ rows: options }] } },
  },
};

t.test('the connector assigns ids to messages, and reports them as sent and delivered with its token', async (t) => {
  const platform = await startPlatformSide(t);
  const { deliver } = await runExample(t, 'connector', platform.environment);
  const { status, body } = await deliver({ to: '+1', turn: { type: 'text', text: { body: 'good day' } } });
  t.match({ status, body }, { status: 200, body: { messages: [{ id: /./ }], signature: 'ok' } });
  const [{ id }] = body.messages;
  t.match(await platform.received(2), [
    {
      path: '/v1/numbers/the-channel/statuses',
      token: 'Bearer ph_token',
      body: { status: { id, recipient_id: '+1', status: 'sent', timestamp: /^\d{10}$/ } },
    },
    { body: { status: { id, recipient_id: '+1', status: 'delivered' } } },
  ]);
});

t.test('the connector posts messages of contacts; a text equal to the title of an option becomes a tap', async (t) => {
  const platform = await startPlatformSide(t);
  const { deliver, post } = await runExample(t, 'connector', platform.environment);
  t.match(await post('/phone', '{"from":"+1","text":"hi"}'), { status: 200, body: { id: /./ } });
  t.match(await platform.received(1), [
    {
      path: '/v1/numbers/the-channel/messages',
      body: { contact: { id: '+1', profile: { name: 'Sam' } }, message: { type: 'text', from: '+1', id: /./, text: { body: 'hi' } } },
    },
  ]);
  const ids = [];
  for (const question of [buttons, list]) ids.push((await deliver(question)).body.messages[0].id);
  await platform.received(5);
  for (const from of ['+1', '+2']) await post('/phone', JSON.stringify({ from, text: 'Opening hours', name: 'Ada' }));
  const hours = { id: 'h', title: 'Opening hours' };
  t.match((await platform.received(7)).slice(5), [
    {
      body: {
        contact: { profile: { name: 'Ada' } },
        message: { type: 'interactive', context: { id: ids[0] }, interactive: { type: 'button_reply', button_reply: hours } },
      },
    },
    { body: { message: { type: 'interactive', context: { id: ids[1] }, interactive: { type: 'list_reply', list_reply: hours } } } },
  ]);
});

t.test('the connector retries while the platform does not respond', async (t) => {
  const platform = await startPlatformSide(t);
  const { post } = await runExample(t, 'connector', platform.environment);
  platform.fail(1);
  t.match(await post('/phone', '{"from":"+1","text":"hi"}'), { status: 200, body: { id: /./ } });
  t.equal(platform.got.length, 1);
});

t.test('the webhook receiver handles an event once, even if it is delivered again', async (t) => {
  const { deliver, printed } = await runExample(t, 'webhook-receiver', { POSTHORN_SECRET: SECRET });
  const event = { messages: [{ id: 'm1', from: '+1', type: 'text' }] };
  t.match(await deliver(event), { status: 200, body: { signature: 'ok' } });
  t.match(await deliver(event), { status: 200 });
  await deliver({ statuses: [{ id: 'm1', status: 'read' }] });
  const said = await printed(/read\n/);
  t.strictSame(said.split('\n').slice(1), ['+1 sent m1, of type text', 'm1 is read', '']);
});

for (const name of ['connector', 'webhook-receiver']) {
  t.test(`the ${name} refuses requests that are not signed with its secret, and keeps running without a secret`, async (t) => {
    const { deliver } = await runExample(t, name, { POSTHORN_SECRET: SECRET });
    const other = createHmac('sha256', 'another').update('{}').digest('base64');
    for (const signature of [other, '', 'short']) {
      t.match(await deliver({ messages: [] }, signature), { status: 401, body: { signature: 'rejected' } }, signature);
    }
    const unset = await runExample(t, name, {});
    t.equal((await unset.deliver({})).status, 500, 'so that the platform retries, perhaps with a secret by then');
    await unset.printed(/POSTHORN_SECRET is not set/);
    t.match(unset.err(), /^[\w ]+: Error: POSTHORN_SECRET is not set\n$/);
    t.equal((await unset.deliver({})).status, 500);
  });
}
