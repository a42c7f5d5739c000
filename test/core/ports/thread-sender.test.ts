import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { build } from 'esbuild';
import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import type { ThreadSender } from '../../../core/adapters/outbound/thread-sender.js';
import { TracedSender } from '../../../core/adapters/outbound/traced-sender.js';
import type { OutboundRequest } from '../../../core/ports/outbound.js';
import type { Tracing } from '../../../core/ports/tracing.js';
import { verifySignature } from '../../../core/signature.js';
import { patient } from '../../../core/testing/slowness.js';
import type { Tap } from '../../../core/testing/tap.js';
import { authority, goodCertificate, goodKey } from './certificates.js';
import { until } from './http-under-test.js';
import { receive, respond } from './receiver.js';
import { delivery, startedWorkers, threadSenderOf } from './sender-under-test.js';

/** Counts the messages between the main thread and sender threads, and the fields in them. */
function countMessages(t: Tap): { sent: number; received: number } {
  const counted = { sent: 0, received: 0 };
  const { postMessage, on } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: never[]) {
    if (Array.isArray(message)) counted.sent++;
    return postMessage.call(this, message, ...rest);
  };
  MessagePort.prototype.on = function (this: MessagePort, name: string, listener: (message: unknown) => void) {
    return on.call(this, name as 'message', (message: unknown) => {
      if (Array.isArray(message)) counted.received++;
      listener(message);
    });
  } as typeof on;
  t.teardown(() => Object.assign(MessagePort.prototype, { postMessage, on }));
  return counted;
}

t.test('the requests of one turn are one message to the thread, and outcomes return in batches', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const sender = threadSenderOf(t);
  const messages = countMessages(t);
  await sender.send(delivery(receiver.url));
  t.strictSame({ ...messages }, { sent: 1, received: 1 });
  await Promise.all(Array.from({ length: 200 }, () => sender.send(delivery(receiver.url))));
  t.equal(messages.sent, 2);
  t.ok(messages.received <= 1 + 100, `${messages.received} messages with 201 outcomes`);
});

t.test('large bodies of one turn are several messages', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const sender = threadSenderOf(t);
  const messages = countMessages(t);
  await Promise.all(Array.from({ length: 10 }, () => sender.send(delivery(receiver.url, { body: 'x'.repeat(200_000) }))));
  t.equal(messages.sent, 5);
  t.equal(receiver.received.length, 10);
});

t.test('the thread starts with the first request', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const workers = startedWorkers(t);
  const sender = threadSenderOf(t);
  t.equal(workers.length, 0);
  for (let n = 0; n < 3; n++) await sender.send(delivery(receiver.url));
  t.equal(workers.length, 1);
});

t.test('when the thread dies, the requests in flight reject, and the next request starts another thread', async (t) => {
  let hangs = true;
  const receiver = await receive(t, (socket) => void (hangs || respond(socket)));
  const workers = startedWorkers(t);
  const errors: Error[] = [];
  const sender = threadSenderOf(t, { onError: (error) => errors.push(error) });
  const sent = Promise.allSettled([sender.send(delivery(receiver.url)), sender.send(delivery(receiver.url))]);
  await until(() => receiver.received.length === 2);
  await workers[0]!.terminate();
  for (const result of await sent) {
    t.match(result, {
      status: 'rejected',
      reason: { name: 'Error', message: /^the sender thread died: .+; whether the endpoint received the request is unknown$/ },
    });
  }
  t.equal(errors.length, 1);
  hangs = false;
  t.match(await sender.send(delivery(receiver.url)), { kind: 'response', status: 200 });
  t.ok(workers.length > 1);
});

t.test('a request that was not handed over when the thread died rejects as not sent', async (t) => {
  const receiver = await receive(t, () => {});
  const workers = startedWorkers(t);
  const sender = threadSenderOf(t);
  const first = sender.send(delivery(receiver.url)).catch((error) => error);
  await until(() => receiver.received.length === 1);
  // The sender learns of the death in the same turn in which this request is added.
  let second: Promise<unknown> | undefined;
  workers[0]!.prependListener('exit', () => {
    second = sender.send(delivery(receiver.url)).catch((error) => error);
  });
  await workers[0]!.terminate();
  t.match(await first, { name: 'Error' });
  t.match(await second, { name: 'RequestNotSent', message: /^the sender thread died: [^;]+$/ });
  t.equal(receiver.received.length, 1);
});

t.test('a thread that cannot start, because a bundle left out its file, rejects each request with the reason', async (t) => {
  // Below the project, so that piscina is found, as in an application with installed packages.
  const folder = mkdtempSync(fileURLToPath(new URL('./bundled-', import.meta.url)));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const outfile = join(folder, 'sender.js');
  const file = fileURLToPath(new URL('../../../core/adapters/outbound/thread-sender.js', import.meta.url));
  await build({ entryPoints: [file], bundle: true, platform: 'node', format: 'esm', outfile });
  const { ThreadSender: Bundled } = (await import(outfile)) as { ThreadSender: typeof ThreadSender };
  const sender = new Bundled({ clock: new RealClock({ onError: (error) => t.fail(String(error)) }), targets: { guard: false } });
  for (let n = 0; n < 2; n++) await t.rejects(sender.send(delivery('http://127.0.0.1:1/')), /the sender thread died: .*sender-entry\.js/);
  await sender.stop();
});

t.test('a thread that dies while it is idle is replaced', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const workers = startedWorkers(t);
  const errors: Error[] = [];
  const sender = threadSenderOf(t, { onError: (error) => errors.push(error) });
  await sender.send(delivery(receiver.url));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await workers[0]!.terminate();
  await until(() => errors.length === 1);
  t.match(await sender.send(delivery(receiver.url)), { kind: 'response', status: 200 });
});

t.test('a request that cannot be cloned fails alone', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const sender = threadSenderOf(t);
  const outcomes = await Promise.all([
    sender.send(delivery(receiver.url)),
    sender.send(delivery(receiver.url, { headers: { 'x-id': Symbol('id') as unknown as string } })),
    sender.send(delivery(receiver.url)),
  ]);
  t.match(outcomes, [{ kind: 'response' }, { kind: 'unreachable', permanent: true, code: 'BAD_REQUEST' }, { kind: 'response' }]);
});

t.test('the thread trusts the given authority, and checks the name in the certificate', async (t) => {
  const { port } = await receive(t, (socket) => respond(socket), { tls: { cert: goodCertificate, key: goodKey } });
  const reasonWith = async (ca?: string[]) => {
    const outcome = await threadSenderOf(t, ca && { ca }).send(delivery(`https://127.0.0.1:${port}/`));
    return outcome.kind === 'unreachable' && outcome.code === 'TLS' && outcome.reason;
  };
  t.match(await reasonWith(), 'not signed by an authority that this machine trusts');
  t.match(await reasonWith([authority]), 'the certificate is for another name');
});

t.test('connections stay open while the thread is idle, and close when the sender stops', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket, { headers: { 'keep-alive': 'timeout=60' } }));
  const sender = threadSenderOf(t);
  await sender.send(delivery(receiver.url));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.match(await sender.send(delivery(receiver.url)), { kind: 'response', status: 200 });
  t.equal(receiver.connections, 1);
  await sender.stop();
  await until(() => receiver.open.size === 0);
});

t.test('a process that does not stop its idle sender ends by itself', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const file = fileURLToPath(new URL('./idle-sender.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, receiver.url], { timeout: patient(10_000) });
  t.equal(stdout, '200');
});

t.test('a manual clock does not pass a request in flight', async (t) => {
  const receiver = await receive(t, (socket) => void setTimeout(respond, 50, socket));
  const clock = new ManualClock({ patienceMs: patient(5_000) });
  const sender = threadSenderOf(t, { clock });
  const order: string[] = [];
  const sent = sender.send(delivery(receiver.url)).then(({ kind }) => order.push(kind));
  clock.after(1_000, () => void order.push('timer'));
  await clock.advance(1_000);
  await sent;
  t.strictSame(order, ['response', 'timer']);
});

t.test('with tracing the request has the trace context of its span, which records the outcome', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket, { status: 503 }));
  const seen: unknown[] = [];
  const tracing: Tracing = {
    begin: ({ name, kind, parent }) => {
      seen.push({ name, kind, parent });
      const end = () => void seen.push('end');
      return { traceparent: '00-trace', set: (attributes) => void seen.push(attributes), fail: (reason) => void seen.push(reason), end };
    },
    within: (_, work) => work(),
    current: () => undefined,
  };
  const span: OutboundRequest['span'] = { name: 'POST webhook', parent: null };
  await new TracedSender(threadSenderOf(t), tracing).send(delivery(receiver.url, { span }));
  t.match(receiver.received[0]!.headers, { traceparent: '00-trace', 'x-hook-signature': /=$/ });
  t.strictSame(seen, [
    { name: 'POST webhook', kind: 'client', parent: null },
    { 'http.response.status_code': 503 },
    { 'error.type': '503' },
    '503',
    'end',
  ]);
});

t.test('a batch of another request, and a stop, while secrets are read, send no request without its secret', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const died: Error[] = [];
  const sender = threadSenderOf(t, { onError: (error) => died.push(error) });
  let read = (_secret: string) => {};
  const slow = (id: string) => ({ id, read: () => new Promise<string>((resolve) => (read = resolve)) });
  const signatures = [
    { header: 'x-one', key: { id: 'one', read: async () => 'first' } },
    { header: 'x-two', key: slow('two') },
  ];
  const waiting = sender.send(delivery(receiver.url, { signatures }));
  await sender.send(delivery(receiver.url));
  read('second');
  t.match(await waiting, { kind: 'response' });
  t.ok(verifySignature('first', receiver.received.at(-1)!.body, receiver.received.at(-1)!.headers['x-one']));
  t.ok(verifySignature('second', receiver.received.at(-1)!.body, receiver.received.at(-1)!.headers['x-two']));
  t.strictSame(died, []);

  const late = sender.send(delivery(receiver.url, { signatures: [{ header: 'x-three', key: slow('three') }] }));
  await sender.stop();
  t.match(await late, { kind: 'unreachable', code: 'STOPPED' });
  read('third');
  await new Promise(setImmediate);
  t.equal(receiver.received.length, 2);
});

t.test('a secret that is missing or cannot be read fails its request as not sent', async (t) => {
  const receiver = await receive(t, (socket) => respond(socket));
  const sender = threadSenderOf(t);
  const failing = [async () => undefined, () => Promise.reject(new Error('the vault is away'))];
  for (const read of failing) {
    const signatures = [{ header: 'x-hook-signature', key: { id: 'k', read } }];
    await t.rejects(sender.send(delivery(receiver.url, { signatures })), { name: 'RequestNotSent', message: /signing key k/ });
  }
  t.match(await sender.send(delivery(receiver.url)), { kind: 'response' });
  t.equal(receiver.received.length, 1);
});
