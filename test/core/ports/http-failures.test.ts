import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import type { HttpRequest } from '../../../core/ports/http-client.js';
import type { Tap } from '../../../core/testing/tap.js';
import { clientOf, deafServer, onTime, post, textOf, until } from './http-under-test.js';
import { headOf, receive, respond } from './receiver.js';

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
    await t.test(`ends ${what}, and closes the connection`, async (t) => {
      const receiver = await receive(t, answer);
      const outcome = await clientOf(t).send({ ...post, url: receiver.url, deadlineMs: 120 });
      t.equal(outcome.kind, 'timeout');
      onTime(t, outcome, 120);
      await until(() => receiver.open.size === 0);
    });
  }

  await t.test('ends a TLS handshake without an answer', async (t) => {
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

  await t.test('ends a name lookup without an answer', async (t) => {
    await receive(t, () => {}); // keeps the process alive, like a platform
    const outcome = await clientOf(t, { lookup: () => new Promise(() => {}) }).send({
      ...post,
      url: 'http://connector.test/',
      deadlineMs: 120,
    });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('ends a body that the server does not read', async (t) => {
    const receiver = await receive(t, () => {}, { onConnection: (socket) => socket.pause() });
    const outcome = await clientOf(t).send({ ...post, url: receiver.url, body: new Uint8Array(20_000_000), deadlineMs: 120 });
    t.equal(outcome.kind, 'timeout');
    onTime(t, outcome, 120);
  });

  await t.test('includes the wait for a free connection, and then the request is not sent', async (t) => {
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

  await t.test('cuts a body that does not matter', async (t) => {
    const receiver = await receive(t, (socket) => void socket.write(`${headOf(202, { 'content-length': '10' })}12345`));
    const outcome = await clientOf(t).send({ ...post, url: receiver.url, deadlineMs: 150, bodyMatters: false });
    t.match(outcome, { kind: 'response', status: 202, cut: true });
    t.equal(textOf(outcome), '12345');
    await until(() => receiver.open.size === 0);
  });

  await t.test('ends concurrent requests at the same time, and never early', async (t) => {
    const receiver = await receive(t, () => {});
    const client = clientOf(t, { connections: 200 });
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => client.send({ ...post, url: receiver.url, deadlineMs: 200 + (i % 5) * 20 })),
    );
    t.ok(outcomes.every((outcome, i) => outcome.kind === 'timeout' && outcome.elapsedMs >= 200 + (i % 5) * 20));
  });

  await t.test('uses the clock, so that five seconds take no real time', async (t) => {
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
    await t.test(`reused and ${how} without a byte is replaced, and the request is sent again`, async (t) => {
      const { outcome, receiver } = await twice(t, (socket, { nthOnConnection }) =>
        nthOnConnection === 1 ? respond(socket) : die(socket),
      );
      t.match(outcome, { kind: 'response', status: 200 });
      t.same(
        receiver.received.map(({ body, nthOnConnection }) => `${body} ${nthOnConnection}`),
        [' 1', 'second 2', 'second 1'],
      );
    });

    await t.test(`${how} again when it is new fails the request`, async (t) => {
      const { outcome, receiver } = await twice(t, die);
      t.match(outcome, {
        kind: 'unreachable',
        permanent: false,
        code: /UND_ERR_SOCKET|ECONNRESET/,
        reason: /^the connection was (closed|reset)/,
      });
      t.equal(receiver.received.length, 3);
    });

    await t.test(`${how} at its first request is not replaced`, async (t) => {
      const receiver = await receive(t, die);
      const outcome = await clientOf(t).send({ ...post, url: receiver.url });
      t.match(outcome, { kind: 'unreachable', permanent: false });
      t.equal(receiver.received.length, 1);
    });

    await t.test(`${how} after the first byte of a response is not replaced`, async (t) => {
      const { outcome, receiver } = await twice(t, (socket) => {
        socket.write('HTTP/1.1 200 O');
        setTimeout(die, 10, socket);
      });
      t.match(outcome, { kind: 'unreachable', permanent: false });
      t.equal(receiver.received.length, 2);
    });

    await t.test(`${how} after the head gives a response only when the body does not matter`, async (t) => {
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

  await t.test('is replaced without extending the deadline', async (t) => {
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
