import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { type EndpointAnswer, httpContract } from '../../../core/testing/http-contract.js';
import { clientOf, coded, post, textOf, until } from './http-under-test.js';
import { headOf, type Receiver, receive, respond } from './receiver.js';

t.test('the undici client keeps the contract', (t) =>
  httpContract(t, (t) => {
    const receivers: Receiver[] = [];
    const client = clientOf(t, { lookup: () => Promise.reject(coded('ENOTFOUND')) });
    return {
      client,
      async endpoint(answer) {
        if (answer === 'unknown host') return 'http://absent.test/hook';
        const receiver = await receive(t, (socket) => void play(socket, answer));
        receivers.push(receiver);
        return answer === 'refuse' ? `http://127.0.0.1:1/hook` : receiver.url;
      },
      received: () => receivers.flatMap(({ received }) => received),
      settle: (sent) => sent,
    };
  }),
);

t.test('header names arrive in the letters of the request, each once, and with a user agent', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const client = clientOf(t);
  await client.send({ ...post, url: receiver.url, headers: { 'X-WhatsApp-Id': '1', 'x-lower': '2', 'X-LOWER': '3' } });
  await client.send({ ...post, url: receiver.url, headers: { 'user-agent': 'Mine/1' } });
  const [added, own] = receiver.received;
  t.match(added, { headers: { 'user-agent': 'Posthorn', 'x-lower': '3' } });
  const written = added!.headerNames.filter((name) => /^(x-|user-agent|accept-encoding)/i.test(name));
  t.strictSame(written, ['Accept-Encoding', 'User-Agent', 'X-WhatsApp-Id', 'X-LOWER']);
  t.match(own, { headers: { 'user-agent': 'Mine/1' } });
  t.equal(own!.headerNames.filter((name) => /^user-agent$/i.test(name)).length, 1);
});

t.test('a response', async (t) => {
  await t.test('longer than the limit is cut off, and the connection closed', async (t) => {
    let sent = 0;
    const receiver = await receive(t, (socket) => {
      socket.write(headOf(200, { 'content-length': '100000000' }));
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(10_000))) sent += 10_000;
      };
      socket.on('drain', more);
      more();
    });
    const outcome = await clientOf(t).send({ ...post, url: receiver.url, maxResponseBytes: 65_536 });
    t.match(outcome, { kind: 'response', status: 200, cut: true });
    t.equal(textOf(outcome).length, 65_536);
    await until(() => receiver.open.size === 0);
    t.ok(sent < 20_000_000, `${sent} bytes were sent`);
  });

  await t.test('that is compressed is neither requested nor decompressed', async (t) => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const receiver = await receive(t, (socket) => respond(socket, { headers: { 'content-encoding': 'gzip' }, body: bomb }));
    const outcome = await clientOf(t).send({
      ...post,
      url: receiver.url,
      headers: { 'Accept-Encoding': 'gzip, br' },
      maxResponseBytes: 65_536,
    });
    t.equal(receiver.received[0]?.headers['accept-encoding'], 'identity');
    t.ok(outcome.kind === 'response' && bomb.equals(outcome.body));
  });

  await t.test('may follow informational responses', async (t) => {
    const receiver = await receive(t, (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      respond(socket, { status: 200, body: 'then' });
    });
    const outcome = await clientOf(t).send({ ...post, url: receiver.url });
    t.match(outcome, { kind: 'response', status: 200 });
    t.equal(textOf(outcome), 'then');
  });

  await t.test('has repeated headers joined', async (t) => {
    const receiver = await receive(
      t,
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n__proto__: 3\r\ncontent-length: 0\r\n\r\n'),
    );
    const outcome = await clientOf(t).send({ ...post, url: receiver.url });
    t.equal(outcome.kind === 'response' && outcome.headers.a, '1, 2');
    t.ok(outcome.kind === 'response' && Object.hasOwn(outcome.headers, '__proto__'));
  });

  const wrong: Record<string, readonly [string, RegExp]> = {
    'is not HTTP': ['SSH-2.0-OpenSSH_9.2\r\n\r\n', /not valid HTTP/],
    'has a head that is too large': [`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(200_000)}\r\n\r\n`, /headers of the response are larger/],
    'has invalid chunks': [`${headOf(200, { 'transfer-encoding': 'chunked' })}zzz\r\n`, /not valid HTTP/],
    'switches protocols without a request': [
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n',
      /connection was closed/,
    ],
    'has two lengths': ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n12', /does not match its content-length/],
  };
  for (const [what, [bytes, reason]] of Object.entries(wrong)) {
    await t.test(`that ${what} is an outcome with a plain reason`, async (t) => {
      const receiver = await receive(t, (socket) => void socket.write(bytes));
      t.match(await clientOf(t).send({ ...post, url: receiver.url }), { kind: 'unreachable', permanent: false, reason });
      t.equal(receiver.received.length, 1);
    });
  }
});

t.test('connections', async (t) => {
  await t.test('are reused', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const client = clientOf(t);
    for (let i = 0; i < 20; i++) t.match(await client.send({ ...post, url: receiver.url, body: 'x' }), { kind: 'response' });
    // undici frees a connection one turn after its response, so a faster caller gets a second one.
    t.ok(receiver.connections <= 2, `${receiver.connections} connections`);
  });

  await t.test('are opened as needed, up to the limit', async (t) => {
    const receiver = await receive(t, (socket) => void setTimeout(respond, 20, socket));
    const client = clientOf(t, { connections: 5 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => client.send({ ...post, url: receiver.url })));
    t.ok(outcomes.every(({ kind }) => kind === 'response'));
    t.equal(receiver.connections, 5);
  });

  await t.test('of the origins idle longest are closed when there are too many', async (t) => {
    const receivers = await Promise.all(Array.from({ length: 5 }, () => receive(t, (socket) => respond(socket))));
    const client = clientOf(t, { maxOrigins: 2 });
    for (const { url } of receivers) {
      await client.send({ ...post, url });
      await sleep(2);
    }
    await until(() => receivers.filter(({ open }) => open.size > 0).length === 2);
    t.same(
      receivers.map(({ open }) => open.size),
      [0, 0, 0, 1, 1],
    );
    t.match(await client.send({ ...post, url: receivers[0]?.url ?? '' }), { kind: 'response' });
  });

  await t.test('are not used by requests that cannot be sent', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const client = clientOf(t, { connections: 2 });
    for (let i = 0; i < 10; i++) await client.send({ ...post, url: receiver.url, headers: { 'x-id': 'a\nb' } });
    t.match(await client.send({ ...post, url: receiver.url }), { kind: 'response' });
  });

  await t.test('are closed by stopping', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const client = clientOf(t);
    await client.send({ ...post, url: receiver.url });
    t.equal(receiver.open.size, 1);
    await client.stop();
    await until(() => receiver.open.size === 0);
  });

  await t.test('go to IPv6 addresses too', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket), { host: '::1' }).catch(() => undefined);
    if (!receiver) return t.comment('this machine has no IPv6');
    t.match(await clientOf(t).send({ ...post, url: receiver.url }), { kind: 'response' });
    const named = clientOf(t, { lookup: async () => [{ address: '::1', family: 6 }] });
    t.match(await named.send({ ...post, url: `http://connector.test:${receiver.port}/` }), { kind: 'response' });
  });
});

t.test('a failed name lookup', async (t) => {
  const outcomes: Record<string, { permanent: boolean; reason: RegExp }> = {
    ENOTFOUND: { permanent: true, reason: /the host connector\.test does not exist/ },
    ENODATA: { permanent: true, reason: /does not exist/ },
    EAI_AGAIN: { permanent: false, reason: /could not be resolved; the name server may be/ },
    ESERVFAIL: { permanent: false, reason: /name server failed/ },
    ETIMEOUT: { permanent: false, reason: /name server did not respond/ },
    EREFUSED: { permanent: false, reason: /name server refused/ },
  };
  for (const [code, expected] of Object.entries(outcomes)) {
    await t.test(`with ${code} is ${expected.permanent ? '' : 'not '}permanent`, async (t) => {
      const client = clientOf(t, { lookup: () => Promise.reject(coded(code)) });
      t.match(await client.send({ ...post, url: 'http://connector.test/' }), { kind: 'unreachable', code, ...expected });
    });
  }

  await t.test('without any address is an unknown host', async (t) => {
    const client = clientOf(t, { lookup: async () => [] });
    t.match(await client.send({ ...post, url: 'http://connector.test/' }), { kind: 'unreachable', code: 'ENOTFOUND', permanent: true });
  });
});

t.test('sixty rounds under load give the same outcomes', async (t) => {
  const receiver = await receive(t, (socket, { path }) => {
    if (path === '/hang') return;
    if (path === '/reset') return void socket.resetAndDestroy();
    if (path === '/slow') return void setTimeout(respond, 10, socket);
    respond(socket, { body: path });
  });
  const client = clientOf(t);
  const paths = ['/hang', '/reset', '/slow', '/a', '/b', '/c'];
  const expected = ['timeout', 'unreachable', 'ok', '/a', '/b', '/c'];
  for (let round = 0; round < 60; round++) {
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        client.send({ ...post, url: `http://127.0.0.1:${receiver.port}${paths[i % 6]}`, deadlineMs: i % 6 === 0 ? 15 : 20_000 }),
      ),
    );
    const said = outcomes.map((outcome) => (outcome.kind === 'response' ? textOf(outcome) : outcome.kind));
    const odd = said.findIndex((text, i) => text !== expected[i % 6]);
    t.equal(odd, -1, odd === -1 ? 'as expected' : JSON.stringify(outcomes[odd]));
  }
});

async function play(socket: Socket, answer: EndpointAnswer): Promise<void> {
  if (answer === 'hang') return;
  if (typeof answer === 'string') return void socket.resetAndDestroy();
  const { status, headers = {}, body = '', afterMs = 0, bodyAfterMs = 0 } = answer;
  await sleep(afterMs);
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  socket.write(headOf(status, { ...headers, ...length }));
  if (bodyAfterMs > 0) await sleep(bodyAfterMs);
  if (!socket.destroyed) socket.write(body);
}
