import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { verifySignature } from '../../../core/signature.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';
import { onTime, textOf, until } from './http-under-test.js';
import { headOf, type Receiver, receive, respond } from './receiver.js';
import { delivery, SECRET, senders, signingKey } from './sender-under-test.js';

const hanging = (t: Tap): Promise<Receiver> => receive(t, () => {});
const stopped = { kind: 'unreachable', permanent: false, code: 'STOPPED', elapsedMs: Number };

for (const [name, make] of Object.entries(senders)) {
  t.test(`${name} signs`, async (t) => {
    const receiver = await receive(t, (socket) => respond(socket));
    const sender = make(t);
    const sent = async (fields: Parameters<typeof delivery>[1]) => {
      t.match(await sender.send(delivery(receiver.url, fields)), { kind: 'response', status: 200 });
      return receiver.received.at(-1)!;
    };

    await t.test('the bytes of the body as they arrive, with the UTF-8 of the secret', async (t) => {
      for (const body of ['{"a":1}', '{"text":"héllo 👋"}', '"a lone surrogate \ud83d"', '']) {
        const { body: bytes, headers } = await sent({ body });
        t.ok(bytes.equals(Buffer.from(body)));
        t.ok(verifySignature(SECRET, bytes, headers['x-hook-signature']), body);
        t.notOk(verifySignature('another', bytes, headers['x-hook-signature']));
      }
    });

    await t.test('with the previous secret too, in its own header', async (t) => {
      const signatures = [
        { header: 'x-hook-signature', key: signingKey('new') },
        { header: 'x-hook-signature-previous', key: signingKey('old') },
      ];
      const { body, headers } = await sent({ signatures });
      t.ok(verifySignature('new', body, headers['x-hook-signature']));
      t.ok(verifySignature('old', body, headers['x-hook-signature-previous']));
    });

    await t.test('in place of a header of the request, and nothing if no signature is asked for', async (t) => {
      const { body, headers } = await sent({ headers: { 'X-Id': '7', 'x-hook-signature': 'forged' } });
      t.ok(verifySignature(SECRET, body, headers['x-hook-signature']));
      t.equal(headers['x-id'], '7');
      const plain = await sent({ signatures: [] });
      t.notOk('x-hook-signature' in plain.headers);
    });

    await t.test('a body of bytes, also a part of a larger buffer, which remains usable', async (t) => {
      const whole = Uint8Array.from({ length: 1_000 }, (_, i) => i % 256);
      const pooled = Buffer.from('from the pool of Node.js');
      for (const given of [whole, whole.subarray(200, 300), pooled, new Uint8Array()]) {
        const copy = Buffer.from(given);
        for (const signatures of [undefined, []]) {
          const { body, headers } = await sent({ body: given, ...(signatures && { signatures }) });
          t.ok(body.equals(copy));
          if (!signatures) t.ok(verifySignature(SECRET, body, headers['x-hook-signature']));
        }
        t.ok(copy.equals(given), 'a retry can send it again');
      }
    });

    await t.test('a body of 5 MB', async (t) => {
      const text = 'ä'.repeat(2.5 * 2 ** 20);
      const { body, headers } = await sent({ body: text });
      t.ok(body.equals(Buffer.from(text)));
      t.ok(verifySignature(SECRET, body, headers['x-hook-signature']));
    });
  });

  t.test(`${name} returns the outcome`, async (t) => {
    await t.test('of a response: status, headers, bytes and the time to its head', async (t) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const receiver = await receive(t, (socket) => respond(socket, { status: 202, headers: { 'X-Id': 'm1' }, body: bytes }));
      const outcome = await make(t).send(delivery(receiver.url));
      t.match(outcome, {
        kind: 'response',
        status: 202,
        headers: { 'x-id': 'm1', 'content-length': '256' },
        cut: false,
        elapsedMs: Number,
      });
      t.ok(outcome.kind === 'response' && outcome.body instanceof Uint8Array);
      t.strictSame(outcome.kind === 'response' && [...outcome.body], [...bytes]);
      t.strictSame(Object.keys(outcome).sort(), ['body', 'cut', 'elapsedMs', 'headers', 'kind', 'status']);
    });

    await t.test('of a response without a body', async (t) => {
      const receiver = await receive(t, (socket) => respond(socket, { status: 204, body: '' }));
      const outcome = await make(t).send(delivery(receiver.url));
      t.match(outcome, { kind: 'response', status: 204, cut: false });
      t.equal(outcome.kind === 'response' && outcome.body.length, 0);
    });

    await t.test('of a response longer than the limit, cut there', async (t) => {
      const receiver = await receive(t, (socket) => respond(socket, { body: 'x'.repeat(100_000) }));
      const outcome = await make(t).send(delivery(receiver.url, { maxResponseBytes: 65_536 }));
      t.match(outcome, { kind: 'response', status: 200, cut: true });
      t.equal(textOf(outcome), 'x'.repeat(65_536));
    });

    await t.test('of a deadline', async (t) => {
      const { url } = await hanging(t);
      const outcome = await make(t).send(delivery(url, { deadlineMs: 150 }));
      t.equal(outcome.kind, 'timeout');
      onTime(t, outcome, 150);
    });

    await t.test('of a body that is late: cut if it does not matter, else a timeout', async (t) => {
      const receiver = await receive(t, (socket) => void socket.write(`${headOf(200, { 'content-length': '5' })}x`));
      const sender = make(t);
      t.match(await sender.send(delivery(receiver.url, { deadlineMs: 150 })), { kind: 'response', status: 200, cut: true });
      t.match(await sender.send(delivery(receiver.url, { deadlineMs: 150, bodyMatters: true })), { kind: 'timeout' });
    });

    await t.test('of a refused connection', async (t) => {
      t.match(await make(t).send(delivery('http://127.0.0.1:1/hook')), {
        kind: 'unreachable',
        permanent: false,
        code: 'ECONNREFUSED',
        reason: 'the connection was refused',
        elapsedMs: Number,
      });
    });

    await t.test('of a private address, a forbidden port and scheme, and an invalid URL or header', async (t) => {
      const receiver = await receive(t, (socket) => respond(socket));
      const refused = async (targets: Parameters<typeof make>[1], code: string, ...args: Parameters<typeof delivery>) =>
        t.match(await make(t, targets).send(delivery(...args)), { kind: 'unreachable', permanent: true, code });
      await refused({ guard: { allow: [] } }, 'BLOCKED_ADDRESS', receiver.url);
      await refused({ guard: { allow: ['10.0.0.0/8'] } }, 'BLOCKED_ADDRESS', `http://localhost:${receiver.port}/`);
      await refused({ guard: false, ports: [443] }, 'BAD_URL', receiver.url);
      await refused({ guard: false, httpsOnly: true }, 'BAD_URL', receiver.url);
      await refused({ guard: false }, 'BAD_URL', 'nonsense');
      await refused({ guard: false }, 'BAD_REQUEST', receiver.url, { headers: { 'x-id': 'a\r\nx-forged: 1' } });
      await refused({ guard: false }, 'BAD_REQUEST', receiver.url, { headers: { 'x-id': undefined as unknown as string } });
      await refused({ guard: false }, 'BAD_REQUEST', receiver.url, { headers: { host: 'elsewhere.test' } });
      t.equal(receiver.connections, 0);
      const allowed = make(t, { guard: { allow: ['localhost'] } });
      t.match(await allowed.send(delivery(`http://localhost:${receiver.port}/`)), { kind: 'response' });
    });

    await t.test('of each of 200 concurrent requests', async (t) => {
      const receiver = await receive(t, (socket, { body }) => respond(socket, { status: 200 + (Number(body) % 3), body: `to ${body}` }));
      const sender = make(t);
      const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => sender.send(delivery(receiver.url, { body: String(n) }))));
      t.strictSame(
        outcomes.map((outcome) => outcome.kind === 'response' && [outcome.status, textOf(outcome)]),
        outcomes.map((_, n) => [200 + (n % 3), `to ${n}`]),
      );
      t.ok(receiver.received.every(({ body, headers }) => verifySignature(SECRET, body, headers['x-hook-signature'])));
    });

    await t.test('of a repetition on a new connection, when the server has closed the reused one', async (t) => {
      const receiver = await receive(t, (socket, { nthOnConnection }) => (nthOnConnection === 1 ? respond(socket) : socket.destroy()));
      const sender = make(t);
      t.match(await sender.send(delivery(receiver.url)), { kind: 'response', status: 200 });
      // The response ends before the connection is free for the next request.
      await sleep(50);
      t.match(await sender.send(delivery(receiver.url)), { kind: 'response', status: 200 });
      t.equal(receiver.received.length, 3);
    });
  });

  t.test(`${name} stops`, async (t) => {
    await t.test('after the requests in flight, if they end within the limit', async (t) => {
      const receiver = await receive(t, (socket) => void setTimeout(respond, 100, socket));
      const sender = make(t);
      const sent = sender.send(delivery(receiver.url));
      await until(() => receiver.received.length === 1);
      await sender.stop(patient(4_000));
      t.match(await sent, { kind: 'response', status: 200 });
      t.match(await sender.send(delivery(receiver.url)), stopped);
      t.equal(receiver.received.length, 1);
    });

    await t.test('at the limit, and aborts what is then in flight', async (t) => {
      const { url, received } = await hanging(t);
      const sender = make(t);
      const sent = sender.send(delivery(url));
      await until(() => received.length === 1);
      const began = performance.now();
      await sender.stop(100);
      const outcome = await Promise.race([sent, sleep(patient(1_000), 'no outcome')]);
      t.match(outcome, stopped);
      t.ok(typeof outcome === 'object' && outcome.elapsedMs >= 99, 'milliseconds since the request');
      t.ok(performance.now() - began >= 99);
      await sender.stop();
    });

    await t.test('before it has sent anything', async (t) => {
      const receiver = await receive(t, (socket) => respond(socket));
      const unused = make(t);
      await unused.stop();
      t.match(await unused.send(delivery(receiver.url)), stopped);
      const sender = make(t);
      const sent = sender.send(delivery(receiver.url));
      await sender.stop();
      t.match(await sent, { kind: /response|unreachable/ }, 'a request of this turn has an outcome');
    });
  });
}
