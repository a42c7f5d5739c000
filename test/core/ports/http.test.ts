import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { RealClock } from '../../../core/adapters/real-clock.js';
import { UndiciClient, type UndiciClientOptions } from '../../../core/adapters/undici-client.js';
import type { HttpOutcome, HttpRequest } from '../../../core/ports/http-client.js';
import { type EndpointAnswer, httpContract } from '../../../core/testing/http-contract.js';
import { ManualClock } from '../../../core/testing/manual-clock.js';
import { ScriptedHttp } from '../../../core/testing/scripted-http.js';
import type { Tap } from '../../../core/testing/tap.js';
import { authority, expiredCertificate, expiredKey, goodCertificate, goodKey } from './certificates.js';
import { headOf, type Receiver, receive, respond } from './receiver.js';

t.test('the undici client keeps the contract', (t) =>
  httpContract(t, (t) => {
    const receivers: Receiver[] = [];
    const client = clientOf(t, { lookup: () => Promise.reject(coded('ENOTFOUND')) });
    return {
      client,
      async endpoint(answer) {
        if (answer === 'unknown host') return 'http://nobody.test/hook';
        const receiver = await receive(t, (socket) => void play(socket, answer));
        receivers.push(receiver);
        return answer === 'refuse' ? `http://127.0.0.1:1/hook` : receiver.url;
      },
      received: () => receivers.flatMap(({ received }) => received),
      settle: (sent) => sent,
    };
  }),
);

t.test('the scripted client keeps the contract', (t) =>
  httpContract(t, () => {
    const clock = new ManualClock();
    const client = new ScriptedHttp({ clock });
    return {
      client,
      endpoint(answer) {
        client.answer('*', typeof answer === 'string' ? answer : { ...answer });
        return 'https://connector.test/hook';
      },
      received: () =>
        client.calls.map(({ method, url, headers, body }) => ({
          method,
          path: new URL(url).pathname + new URL(url).search,
          headers,
          body,
        })),
      async settle(sent) {
        await clock.advance(5000);
        return sent;
      },
    };
  }),
);

t.test('the deadline', async (t) => {
  const drip = (socket: Socket) => {
    const dripping = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(dripping));
  };
  const ways: Record<string, Parameters<typeof receive>[1]> = {
    'a head that does not come': () => {},
    'a head that drips in': (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      drip(socket);
    },
    'a body that drips in': (socket) => {
      socket.write(headOf(200, { 'content-length': '1000' }));
      drip(socket);
    },
    'a body that never ends': (socket) => {
      socket.write(headOf(200, { 'transfer-encoding': 'chunked' }));
      const chunks = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.on('close', () => clearInterval(chunks));
    },
    'a body that stops halfway': (socket) => void socket.write(`${headOf(200, { 'content-length': '10' })}12345`),
    'an announcement without an answer': (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  };
  for (const [what, answer] of Object.entries(ways)) {
    await t.test(`ends ${what}, and the connection with it`, async (t) => {
      const receiver = await receive(t, answer);
      const outcome = await clientOf(t).send({ ...post, url: receiver.url, deadlineMs: 120 });
      t.equal(outcome.kind, 'timeout');
      onTime(t, outcome, 120);
      await until(() => receiver.open.size === 0);
    });
  }

  await t.test('ends a TLS handshake that is not answered', async (t) => {
    const receiver = await receive(t, () => {}, { onConnection: () => {} });
    const outcome = await clientOf(t).send({ ...post, url: `https://127.0.0.1:${receiver.port}/`, deadlineMs: 120 });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('ends a connection that is never accepted', async (t) => {
    const { port } = await deafServer(t);
    const outcome = await clientOf(t).send({ ...post, url: `http://127.0.0.1:${port}/`, deadlineMs: 120 });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('ends a look-up that is not answered', async (t) => {
    await receive(t, () => {}); // keeps the process alive, as a platform does
    const outcome = await clientOf(t, { lookup: () => new Promise(() => {}) }).send({
      ...post,
      url: 'http://connector.test/',
      deadlineMs: 120,
    });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('ends a body that the other side does not take', async (t) => {
    const receiver = await receive(t, () => {}, { onConnection: (socket) => socket.pause() });
    const outcome = await clientOf(t).send({ ...post, url: receiver.url, body: new Uint8Array(20_000_000), deadlineMs: 120 });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('counts while a request waits for a free connection, and it is then not sent at all', async (t) => {
    const receiver = await receive(t, (socket) => void setTimeout(respond, 300, socket));
    const client = clientOf(t, { connections: 1 });
    const [first, second] = await Promise.all([
      client.send({ ...post, url: receiver.url }),
      client.send({ ...post, url: receiver.url, deadlineMs: 100 }),
    ]);
    t.match([first, second], [{ kind: 'response' }, { kind: 'timeout' }]);
    await sleep(50);
    t.equal(receiver.received.length, 1);
    t.match(await client.send({ ...post, url: receiver.url }), { kind: 'response' });
  });

  await t.test('leaves a body that does not matter as it is by then', async (t) => {
    const receiver = await receive(t, (socket) => void socket.write(`${headOf(202, { 'content-length': '10' })}12345`));
    const outcome = await clientOf(t).send({ ...post, url: receiver.url, deadlineMs: 150, bodyMatters: false });
    t.match(outcome, { kind: 'response', status: 202, cut: true });
    t.equal(textOf(outcome), '12345');
    await until(() => receiver.open.size === 0);
  });

  await t.test('comes at the same moment for each of many, and never early', async (t) => {
    const receiver = await receive(t, () => {});
    const client = clientOf(t, { connections: 200 });
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => client.send({ ...post, url: receiver.url, deadlineMs: 200 + (i % 5) * 20 })),
    );
    t.ok(outcomes.every((outcome, i) => outcome.kind === 'timeout' && outcome.elapsedMs >= 200 + (i % 5) * 20));
  });

  await t.test('is the clock’s, so that five seconds of it need no seconds', async (t) => {
    const receiver = await receive(t, () => {});
    const clock = new ManualClock({ patienceMs: 100 });
    const client = clientOf(t, { clock });
    const sent = client.send({ ...post, url: receiver.url, deadlineMs: 5000 }).then((outcome) => ({ outcome, at: clock.monotonic() }));
    await clock.advance(138_000);
    t.same(await sent, { outcome: { kind: 'timeout', elapsedMs: 5000 }, at: 5000 });
    t.same(clock.pending(), []);
  });

  await t.test('leaves no timer of the clock behind after a response', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const clock = new ManualClock();
    await clientOf(t, { clock }).send({ ...post, url: receiver.url });
    t.same(clock.pending(), []);
  });
});

t.test('a connection that dies', async (t) => {
  const twice = async (t: Tap, die: Parameters<typeof receive>[1], request: Partial<HttpRequest> = {}) => {
    const receiver = await receive(t, (socket, received) => (received.nth === 1 ? respond(socket) : die(socket, received)));
    const client = clientOf(t);
    await client.send({ ...post, url: receiver.url });
    await sleep(5);
    const outcome = await client.send({ ...post, url: receiver.url, body: 'second', ...request });
    return { outcome, receiver };
  };
  const hangUp = { closed: (socket: Socket) => void socket.end(), reset: (socket: Socket) => void socket.resetAndDestroy() };

  for (const [how, die] of Object.entries(hangUp)) {
    await t.test(`having served before, ${how} without a byte, is replaced and the request sent once more`, async (t) => {
      const { outcome, receiver } = await twice(t, (socket, { nthOnConnection }) =>
        nthOnConnection === 1 ? respond(socket) : die(socket),
      );
      t.match(outcome, { kind: 'response', status: 200 });
      t.same(
        receiver.received.map(({ body, nthOnConnection }) => `${body} ${nthOnConnection}`),
        [' 1', 'second 2', 'second 1'],
      );
    });

    await t.test(`${how} again when it is new gives up`, async (t) => {
      const { outcome, receiver } = await twice(t, die);
      t.match(outcome, {
        kind: 'unreachable',
        permanent: false,
        code: /UND_ERR_SOCKET|ECONNRESET/,
        reason: /^the connection was (closed|reset)/,
      });
      t.equal(receiver.received.length, 3);
    });

    await t.test(`${how} at its first request is not tried again`, async (t) => {
      const receiver = await receive(t, die);
      const outcome = await clientOf(t).send({ ...post, url: receiver.url });
      t.match(outcome, { kind: 'unreachable', permanent: false });
      t.equal(receiver.received.length, 1);
    });

    await t.test(`${how} after the first byte of an answer is not tried again`, async (t) => {
      const { outcome, receiver } = await twice(t, (socket) => {
        socket.write('HTTP/1.1 200 O');
        setTimeout(die, 10, socket);
      });
      t.match(outcome, { kind: 'unreachable', permanent: false });
      t.equal(receiver.received.length, 2);
    });

    await t.test(`${how} after the head is a response only when the body does not matter`, async (t) => {
      const receiver = await receive(t, (socket) => {
        socket.write(`${headOf(201, { 'content-length': '100' })}some`);
        setTimeout(die, 10, socket);
      });
      const client = clientOf(t);
      const record = await client.send({ ...post, url: receiver.url, bodyMatters: false });
      t.match(record, { kind: 'response', status: 201, cut: true });
      t.equal(textOf(record), 'some');
      t.match(await client.send({ ...post, url: receiver.url }), { kind: 'unreachable', permanent: false, reason: /^the connection was/ });
    });
  }

  for (const [afterMs, requests] of [
    [999, 2],
    [1_000, 1],
  ] as const) {
    const becomes = requests === 2 ? 'is tried again' : 'had a second, so that the receiver may have done its work, and is not tried again';
    await t.test(`lost at its first request after ${afterMs} ms, what may be repeated ${becomes}`, async (t) => {
      const open: Socket[] = [];
      const receiver = await receive(t, (socket, { nth }) => (nth === 1 ? void open.push(socket) : respond(socket)));
      const clock = new ManualClock();
      const sent = clientOf(t, { clock }).send({ ...post, url: receiver.url, repeatable: true });
      await until(() => open.length === 1);
      await clock.advance(afterMs);
      open[0]!.resetAndDestroy();
      t.match(await sent, { kind: requests === 2 ? 'response' : 'unreachable', elapsedMs: afterMs });
      t.equal(receiver.received.length, requests);
    });
  }

  await t.test('does not make the deadline longer by being replaced', async (t) => {
    const { outcome, receiver } = await twice(
      t,
      (socket, { nthOnConnection }) => {
        if (nthOnConnection === 2) setTimeout(() => socket.end(), 60);
      },
      { deadlineMs: 600 },
    );
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 600);
    t.equal(receiver.received.length, 3);
    await until(() => receiver.open.size === 0);
  });
});

t.test('an answer', async (t) => {
  await t.test('longer than the limit is cut off where it is, and the connection closed', async (t) => {
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

  await t.test('that is packed is neither asked for nor unpacked', async (t) => {
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

  await t.test('may be announced', async (t) => {
    const receiver = await receive(t, (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      respond(socket, { status: 200, body: 'then' });
    });
    const outcome = await clientOf(t).send({ ...post, url: receiver.url });
    t.match(outcome, { kind: 'response', status: 200 });
    t.equal(textOf(outcome), 'then');
  });

  await t.test('has repeated headers as one', async (t) => {
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
    'has a head that is too large': [`HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, /head of the answer is too large/],
    'has chunks that are none': [`${headOf(200, { 'transfer-encoding': 'chunked' })}zzz\r\n`, /not valid HTTP/],
    'continues what was not begun': ['HTTP/1.1 100 Continue\r\n\r\n', /connection was closed/],
    'switches to what was not asked for': [
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n',
      /connection was closed/,
    ],
    'says two lengths': ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n12', /not as long as the answer says/],
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
  await t.test('are used again', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const client = clientOf(t);
    for (let i = 0; i < 20; i++) t.match(await client.send({ ...post, url: receiver.url, body: 'x' }), { kind: 'response' });
    // undici frees a connection one turn after its response, so a caller that is quicker gets a second one.
    t.ok(receiver.connections <= 2, `${receiver.connections} connections`);
  });

  await t.test('are as many as are needed, and no more than allowed', async (t) => {
    const receiver = await receive(t, (socket) => void setTimeout(respond, 20, socket));
    const client = clientOf(t, { connections: 5 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => client.send({ ...post, url: receiver.url })));
    t.ok(outcomes.every(({ kind }) => kind === 'response'));
    t.equal(receiver.connections, 5);
  });

  await t.test('of origins that were not used for longest are closed when there are too many', async (t) => {
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

  await t.test('are not used up by requests that cannot be sent', async (t) => {
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

t.test('what a look-up fails with', async (t) => {
  const outcomes: Record<string, { permanent: boolean; reason: RegExp }> = {
    ENOTFOUND: { permanent: true, reason: /the host connector\.test does not exist/ },
    ENODATA: { permanent: true, reason: /does not exist/ },
    EAI_AGAIN: { permanent: false, reason: /could not be looked up now/ },
    ESERVFAIL: { permanent: false, reason: /name server failed/ },
    ETIMEOUT: { permanent: false, reason: /name server did not answer/ },
    EREFUSED: { permanent: false, reason: /name server refused/ },
  };
  for (const [code, expected] of Object.entries(outcomes)) {
    await t.test(`${code} is ${expected.permanent ? '' : 'not '}for good`, async (t) => {
      const client = clientOf(t, { lookup: () => Promise.reject(coded(code)) });
      t.match(await client.send({ ...post, url: 'http://connector.test/' }), { kind: 'unreachable', code, ...expected });
    });
  }

  await t.test('no address at all is a host that does not exist', async (t) => {
    const client = clientOf(t, { lookup: async () => [] });
    t.match(await client.send({ ...post, url: 'http://connector.test/' }), { kind: 'unreachable', code: 'ENOTFOUND', permanent: true });
  });
});

t.test('TLS', async (t) => {
  const good = { key: goodKey, cert: goodCertificate };
  const toLoopback = async () => [{ address: '127.0.0.1', family: 4 as const }];

  await t.test('works with an authority that is trusted', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket), { tls: good });
    const client = clientOf(t, { lookup: toLoopback, ca: authority });
    t.match(await client.send({ ...post, url: `https://connector.test:${receiver.port}/` }), { kind: 'response', status: 200 });
  });

  const failures: Record<string, { tls: typeof good; host: string; ca?: string; reason: RegExp }> = {
    'signed by nobody known': { tls: good, host: 'connector.test', reason: /^TLS: the certificate is not signed by an authority/ },
    'for another name': { tls: good, host: 'elsewhere.test', ca: authority, reason: /^TLS: the certificate is for another name/ },
    'that has expired': {
      tls: { key: expiredKey, cert: expiredCertificate },
      host: 'connector.test',
      ca: authority,
      reason: /^TLS: the certificate has expired/,
    },
  };
  for (const [what, { tls, host, ca, reason }] of Object.entries(failures)) {
    await t.test(`refuses a certificate ${what}, and nothing is sent`, async (t) => {
      const receiver = await receive(t, (socket) => respond(socket), { tls });
      const client = clientOf(t, { lookup: toLoopback, ...(ca && { ca }) });
      t.match(await client.send({ ...post, url: `https://${host}:${receiver.port}/` }), { kind: 'unreachable', permanent: false, reason });
      t.equal(receiver.received.length, 0);
    });
  }

  await t.test('says so when the other side does not speak it', async (t) => {
    const receiver = await receive(t, (socket) => respond(socket), {
      onConnection: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    });
    const outcome = await clientOf(t).send({ ...post, url: `https://127.0.0.1:${receiver.port}/` });
    t.match(outcome, { kind: 'unreachable', permanent: false, reason: /^TLS: the handshake failed/ });
  });

  await t.test('replaces a connection that died as plain HTTP does, and only one that had served', async (t) => {
    const receiver = await receive(
      t,
      (socket, { nth, nthOnConnection }) => (nth < 4 && nthOnConnection === 1 ? respond(socket) : socket.destroy()),
      { tls: good },
    );
    const client = clientOf(t, { lookup: toLoopback, ca: authority });
    const url = `https://connector.test:${receiver.port}/`;
    t.match(await client.send({ ...post, url }), { kind: 'response' });
    await sleep(20);
    t.match(await client.send({ ...post, url }), { kind: 'response' });
    t.equal(receiver.received.length, 3);
    t.match(await client.send({ ...post, url }), { kind: 'unreachable' });
    t.equal(receiver.received.length, 4);
  });
});

t.test('the scripted client', async (t) => {
  const scripted = () => {
    const clock = new ManualClock();
    return { clock, http: new ScriptedHttp({ clock }) };
  };
  const statuses = async (http: ScriptedHttp, ...urls: string[]) => {
    const outcomes: HttpOutcome[] = [];
    for (const url of urls) outcomes.push(await http.send({ ...post, url }));
    return outcomes.map((outcome) => (outcome.kind === 'response' ? outcome.status : outcome.kind));
  };

  await t.test('answers by method and by pattern, the latest script first', async (t) => {
    const { http } = scripted();
    http
      .answer('https://a.test/*', { status: 201 })
      .answer('GET https://a.test/*', { status: 202 })
      .answer('* https://a.test/x/*/y', { status: 203 });
    t.same(await statuses(http, 'https://a.test/hook', 'https://a.test/x/1/2/y', 'https://a.test/x/y'), [201, 203, 201]);
    t.match(await http.send({ ...post, method: 'GET', url: 'https://a.test/hook' }), { status: 202 });
    http.answer('POST https://a.test/hook', { status: 204 });
    t.same(await statuses(http, 'https://a.test/hook'), [204]);
    http.assertExpected();
  });

  await t.test('answers one after the other, the last again and again', async (t) => {
    const { http } = scripted();
    http.answer('*', { status: 503 }, 'refuse', { status: 200 });
    t.same(await statuses(http, 'https://a.test/', 'https://a.test/', 'https://a.test/', 'https://a.test/'), [
      503,
      'unreachable',
      200,
      200,
    ]);
  });

  await t.test('answers by what it was asked, with JSON', async (t) => {
    const { http } = scripted();
    http.answer('*', ({ json }) => ({ body: { messages: [{ id: json.id }] } }));
    const outcome = await http.send({ ...post, url: 'https://a.test/', body: '{"id":"m1"}' });
    t.match(outcome, { status: 200, headers: { 'content-type': 'application/json' } });
    t.equal(textOf(outcome), '{"messages":[{"id":"m1"}]}');
  });

  await t.test('records calls with their bodies as they were then', async (t) => {
    const { clock, http } = scripted();
    http.answer('*', {});
    const body = new TextEncoder().encode('{"n":1}');
    await http.send({ ...post, url: 'https://a.test/hook', headers: { 'X-Id': '1' }, body });
    body.fill(0);
    await clock.advance(1000);
    await http.send({ ...post, url: 'https://b.test/hook', body: '{"n":2}' });
    t.same(http.bodies(), [{ n: 1 }, { n: 2 }]);
    t.same(http.bodies('https://b.test/*'), [{ n: 2 }]);
    t.match(http.callsTo('POST https://a.test/hook'), [{ headers: { 'x-id': '1' }, text: '{"n":1}' }]);
    t.same(
      http.calls.map(({ at }) => at.getTime() - (http.calls[0]?.at.getTime() ?? 0)),
      [0, 1000],
    );
  });

  await t.test('says clearly what came that nobody expected', async (t) => {
    const { http } = scripted();
    http.answer('POST https://a.test/hook', {});
    http.assertExpected();
    t.match(await http.send({ ...post, url: 'https://b.test/hook', body: '{"id":"m1"}' }), { kind: 'unreachable', code: 'UNEXPECTED' });
    t.throws(
      () => http.assertExpected(),
      /No answer was scripted for\n {2}POST https:\/\/b\.test\/hook \{"id":"m1"\}\nbut for\n {2}POST https:\/\/a\.test\/hook/,
    );
  });

  await t.test('takes exactly its time on the clock', async (t) => {
    const { clock, http } = scripted();
    const ended: string[] = [];
    const send = (name: string, request: Partial<HttpRequest> = {}) =>
      http
        .send({ ...post, url: `https://${name}.test/`, deadlineMs: 5000, ...request })
        .then(({ kind, elapsedMs }) => ended.push(`${name} ${kind} ${elapsedMs} at ${clock.monotonic()}`));
    http
      .answer('https://slow.test/', { afterMs: 700, bodyAfterMs: 200 })
      .answer('https://dead.test/', 'hang')
      .answer('https://record.test/', { afterMs: 10, bodyAfterMs: 9000 });
    void send('slow');
    void send('dead');
    void send('record', { bodyMatters: false });
    await clock.advance(10_000);
    t.same(ended.sort(), ['dead timeout 5000 at 5000', 'record response 10 at 5000', 'slow response 700 at 900']);
  });
});

t.test('sixty rounds under load are all alike', async (t) => {
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

const post: Omit<HttpRequest, 'url'> = { method: 'POST', deadlineMs: 5000, maxResponseBytes: 10_000 };

/** On the real clock, and let through everywhere. */
function clientOf(t: Tap, options: Partial<UndiciClientOptions> = {}): UndiciClient {
  const clock = new RealClock({ onError: (error) => t.fail(String(error)) });
  const client = new UndiciClient({ clock, guard: false, ...options });
  t.teardown(() => client.stop());
  return client;
}

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

/** A process that listens and then does nothing, with so many connections waiting that the system takes no more. */
async function deafServer(t: Tap): Promise<{ port: number }> {
  const child = fork(new URL('./deaf-server.js', import.meta.url));
  const fillers: Socket[] = [];
  t.teardown(() => {
    child.kill('SIGKILL');
    for (const socket of fillers) socket.destroy();
  });
  const [port] = (await once(child, 'message')) as [number];
  for (let i = 0; i < 8; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    fillers.push(socket);
  }
  await sleep(100);
  return { port };
}

/** Never early; how late, depends on how busy the machine is. */
function onTime(t: Tap, { elapsedMs }: HttpOutcome, deadlineMs: number): void {
  t.ok(elapsedMs >= deadlineMs && elapsedMs < deadlineMs + 500, `after ${elapsedMs} ms`);
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !condition(); i++) await sleep(10);
  if (!condition()) throw new Error('it did not come to pass');
}

const textOf = (outcome: HttpOutcome): string => (outcome.kind === 'response' ? new TextDecoder().decode(outcome.body) : outcome.kind);

const coded = (code: string): Error => Object.assign(new Error(code), { code });
