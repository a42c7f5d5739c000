import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { ResponseHeads } from '../../../core/adapters/http/response-heads.js';
import { clientOf, post, textOf } from './http-under-test.js';
import { receive } from './receiver.js';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Writes a text in pieces of `size` bytes, each in a segment of its own. */
async function inPieces(socket: Socket, text: string, size: number): Promise<void> {
  for (let at = 0; at < text.length; at += size) {
    socket.write(text.slice(at, at + size));
    await sleep(1);
  }
}

t.test('informational responses are skipped, and a line may end with a bare LF', async (t) => {
  const heads: Record<string, string> = {
    '100 Continue': `HTTP/1.1 100 Continue\r\n\r\n${ok}`,
    '100 with headers': `HTTP/1.1 100 Continue\r\nx-a: 1\r\nx-b: 2\r\n\r\n${ok}`,
    '102, 103 and 100 twice': `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2)}${ok}`,
    'an unknown one': `HTTP/1.1 199 Other\r\n\r\n${ok}`,
    '100 of HTTP/1.0 without a reason': `HTTP/1.0 100\r\n\r\n${ok}`,
    '100 with bare LF': `HTTP/1.1 100 Continue\n\n${ok}`,
    'bare LF': 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok',
    'bare LF and CRLF mixed': 'HTTP/1.1 200 OK\r\nx-a: 1\ncontent-length: 2\r\nx-b: 2\n\r\nok',
    'an empty line before the status line': `\r\n${ok}`,
    'bare LF, and a body with line ends': 'HTTP/1.1 200 OK\ncontent-length: 5\n\n\n\r\n\n\n',
  };
  for (const [what, text] of Object.entries(heads)) {
    for (const size of [1_000, 3, 1]) {
      const receiver = await receive(t, (socket) => void inPieces(socket, text, size));
      const client = clientOf(t);
      const body = text.endsWith('ok') ? 'ok' : '\n\r\n\n\n';
      // The second request reuses the connection.
      for (const nth of [1, 2]) {
        const outcome = await client.send({ ...post, url: receiver.url });
        t.match(outcome, { kind: 'response', status: 200, cut: false }, `${what}, ${size} bytes at a time, request ${nth}`);
        t.equal(textOf(outcome), body, what);
        // undici frees a connection one turn after its response.
        await sleep(2);
      }
      t.equal(receiver.received.length, 2, `${what}: sent once each`);
      t.equal(receiver.connections, 1, `${what}: on one connection`);
    }
  }
});

t.test('headers of 64 KB are read, and larger ones fail with the reason', async (t) => {
  const client = clientOf(t);
  const headed = async (bytes: number) => {
    const receiver = await receive(
      t,
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(bytes)}\r\ncontent-length: 2\r\n\r\nok`),
    );
    return client.send({ ...post, url: receiver.url });
  };
  t.match(await headed(64 * 1024), { kind: 'response', status: 200 });
  t.match(await headed(200 * 1024), {
    kind: 'unreachable',
    permanent: false,
    reason: 'the headers of the response are larger than 128 KB',
  });
});

t.test('a response that is not HTTP fails with the reason of the parser', async (t) => {
  const client = clientOf(t);
  const wrong: Record<string, RegExp> = {
    'SSH-2.0-OpenSSH_9.2\r\n': /^the response is not valid HTTP: Expected HTTP/,
    'HTTP/1.1 200 OK\r\ncontent length: 2\r\n\r\nok': /^the response is not valid HTTP: Invalid header token/,
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n': /^the response is not valid HTTP: Invalid character in chunk size/,
  };
  for (const [text, reason] of Object.entries(wrong)) {
    const receiver = await receive(t, (socket) => void socket.end(text));
    t.match(
      await client.send({ ...post, url: receiver.url }),
      { kind: 'unreachable', permanent: false, code: 'BAD_RESPONSE', reason },
      text,
    );
    t.equal(receiver.received.length, 1);
  }
});

t.test('a reused connection that is lost after a byte of an informational response is not replaced', async (t) => {
  for (const first of ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 1', 'H']) {
    const receiver = await receive(t, (socket, { nth }) => {
      if (nth === 1) socket.write(ok);
      else socket.end(first);
    });
    const client = clientOf(t);
    await client.send({ ...post, url: receiver.url });
    await sleep(5);
    const outcome = await client.send({ ...post, url: receiver.url });
    t.match(outcome, { kind: 'unreachable', permanent: false, resent: undefined }, JSON.stringify(first));
    t.equal(receiver.received.length, 2, JSON.stringify(first));
  }
});

t.test('a response that arrives after the deadline is passed on, and its connection is used again', async (t) => {
  const receiver = await receive(t, (socket, { nth }) => void setTimeout(() => socket.write(ok), nth === 1 ? 150 : 0));
  const client = clientOf(t);
  const late = new Promise((settle) => {
    void client.send({ ...post, url: receiver.url, deadlineMs: 50, late: { ms: 5_000, settle } }).then((outcome) => {
      t.match(outcome, { kind: 'timeout', late: true });
    });
  });
  t.match(await late, { status: 200, cut: false });
  await sleep(2);
  t.match(await client.send({ ...post, url: receiver.url }), { kind: 'response', status: 200 });
  t.equal(receiver.connections, 1);
});

t.test('nothing is passed on when no response arrives, the connection is lost, or the client stops', async (t) => {
  const lateOf = (url: string, ms: number, client = clientOf(t)) =>
    new Promise((settle) => void client.send({ ...post, url, deadlineMs: 30, late: { ms, settle } }));
  const silent = await receive(t, () => {});
  t.equal(await lateOf(silent.url, 50), undefined);
  const lost = await receive(t, (socket) => void setTimeout(() => socket.destroy(), 80));
  t.equal(await lateOf(lost.url, 5_000), undefined);
  const client = clientOf(t);
  const stopped = lateOf(silent.url, 5_000, client);
  await sleep(80);
  await client.stop();
  t.equal(await stopped, undefined);
});

t.test('heads are corrected the same in whatever pieces they arrive', (t) => {
  const text = 'HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\r\nlink: </a>\n\r\nHTTP/1.1 200 OK\nx: y\r\n\nbody\nbody';
  const expected = 'HTTP/1.1 200 OK\r\nx: y\r\n\r\nbody\nbody';
  for (let first = 1; first < text.length; first++) {
    for (let second = first; second <= text.length; second += 7) {
      const heads = new ResponseHeads();
      heads.begin(undefined);
      const passed = [text.slice(0, first), text.slice(first, second), text.slice(second)]
        .filter((piece) => piece !== '')
        .map((piece) => heads.pass(Buffer.from(piece)) ?? '')
        .join('');
      if (passed !== expected) t.fail(`${first}, ${second}: ${JSON.stringify(passed)}`);
    }
  }
  t.end();
});
