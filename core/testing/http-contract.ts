import type { HttpClient, HttpOutcome, HttpRequest } from '../ports/http-client.js';
import type { Tap } from './tap.js';

/** How an endpoint responds to a request. */
export type EndpointAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      readonly afterMs?: number;
      /** Milliseconds from the response head to the end of the body. */
      readonly bodyAfterMs?: number;
    }
  | 'hang'
  | 'refuse'
  | 'unknown host'
  | 'reset';

/** An HTTP client, and the endpoints that it calls. */
export interface HttpUnderTest {
  readonly client: HttpClient;
  /** Starts an endpoint that responds with `answer`. @returns its URL, ending in `/hook` */
  endpoint(answer: EndpointAnswer): Promise<string> | string;
  /** The requests that endpoints received. */
  received(): readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: Uint8Array;
  }[];
  /** Waits for an outcome. With a manual clock, advances the clock until the request has an outcome. */
  settle(sent: Promise<HttpOutcome>): Promise<HttpOutcome>;
}

const post: Omit<HttpRequest, 'url'> = { method: 'POST', deadlineMs: 2000, maxResponseBytes: 1000 };

/** The contract of every HTTP client. */
export async function httpContract(t: Tap, make: (t: Tap) => Promise<HttpUnderTest> | HttpUnderTest): Promise<void> {
  const ask = async (t: Tap, answer: EndpointAnswer, request: Partial<HttpRequest> = {}) => {
    const { client, endpoint, settle } = await make(t);
    return settle(client.send({ ...post, url: await endpoint(answer), ...request }));
  };

  await t.test('a response has its status, its headers with names in lower case, its bytes and the time to its head', async (t) => {
    const outcome = await ask(t, { status: 201, headers: { 'X-Id': 'm1', 'content-type': 'text/plain' }, body: 'é' });
    t.match(outcome, {
      kind: 'response',
      status: 201,
      headers: { 'x-id': 'm1', 'content-type': 'text/plain' },
      cut: false,
      elapsedMs: Number,
    });
    t.equal(outcome.kind === 'response' && new TextDecoder().decode(outcome.body), 'é');
  });

  await t.test('method, path, headers and body arrive byte by byte as they were sent', async (t) => {
    const { client, endpoint, received, settle } = await make(t);
    const url = await endpoint({ status: 200 });
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await settle(
      client.send({ ...post, url: `${url}?a=1&b=%20`, headers: { 'X-Signature': 'abc=', 'content-type': 'a/b' }, body: '{"é":1}' }),
    );
    await settle(client.send({ ...post, method: 'PUT', url, body: bytes }));
    await settle(client.send({ ...post, method: 'GET', url }));
    const [first, second, third] = received();
    t.match(first, { method: 'POST', path: '/hook?a=1&b=%20', headers: { 'x-signature': 'abc=', 'content-type': 'a/b' } });
    t.equal(new TextDecoder().decode(first?.body), '{"é":1}');
    t.equal(second?.method, 'PUT');
    t.same([...(second?.body ?? [])], [...bytes]);
    t.match(third, { method: 'GET' });
    t.equal(third?.body.length, 0);
  });

  await t.test('a header is sent once, whatever the case of its name, and the last value wins', async (t) => {
    const { client, endpoint, received, settle } = await make(t);
    const url = await endpoint({ status: 200 });
    await settle(
      client.send({
        ...post,
        url,
        headers: { 'X-A': 'x-b', 'x-b': 'first', 'Content-Type': 'a/b', 'content-type': 'c/d', 'X-B': 'second' },
      }),
    );
    t.match(received()[0]?.headers, { 'x-a': 'x-b', 'x-b': 'second', 'content-type': 'c/d' });
  });

  await t.test('every status is a response, and redirects are not followed', async (t) => {
    for (const status of [200, 204, 301, 302, 307, 400, 404, 429, 500, 502, 503]) {
      const { client, endpoint, received, settle } = await make(t);
      const url = await endpoint({ status, headers: { location: 'http://127.0.0.1:1/elsewhere' } });
      t.match(await settle(client.send({ ...post, url })), { kind: 'response', status });
      t.equal(received().length, 1);
    }
  });

  await t.test('a response head that does not arrive within the deadline is a timeout, not earlier', async (t) => {
    for (const answer of ['hang', { status: 200, afterMs: 3000 }] as const) {
      const outcome = await ask(t, answer, { deadlineMs: 150 });
      t.equal(outcome.kind, 'timeout');
      t.ok(outcome.elapsedMs >= 150, `${outcome.elapsedMs} ms`);
    }
  });

  await t.test('a body that matters and arrives too late is a timeout', async (t) => {
    t.match(await ask(t, { status: 200, body: 'x', bodyAfterMs: 3000 }, { deadlineMs: 150, bodyMatters: true }), { kind: 'timeout' });
    t.match(await ask(t, { status: 200, body: 'x', bodyAfterMs: 3000 }, { deadlineMs: 150 }), { kind: 'timeout' });
  });

  await t.test('a body that does not matter and arrives too late is cut', async (t) => {
    const outcome = await ask(t, { status: 202, body: 'x', bodyAfterMs: 3000 }, { deadlineMs: 150, bodyMatters: false });
    t.match(outcome, { kind: 'response', status: 202, cut: true });
    t.ok(outcome.elapsedMs < 150);
  });

  await t.test('the client reads a body up to the limit and cuts off the rest', async (t) => {
    for (const bodyMatters of [true, false]) {
      const exact = await ask(t, { status: 200, body: 'x'.repeat(1000) }, { bodyMatters });
      t.match(exact, { kind: 'response', cut: false });
      t.equal(exact.kind === 'response' && exact.body.length, 1000);
      const longer = await ask(t, { status: 200, body: 'x'.repeat(1001) }, { bodyMatters });
      t.match(longer, { kind: 'response', status: 200, cut: true });
      t.equal(longer.kind === 'response' && longer.body.length, 1000);
    }
  });

  await t.test('a network failure is an outcome with a code and a plain reason', async (t) => {
    t.match(await ask(t, 'refuse'), { kind: 'unreachable', permanent: false, code: 'ECONNREFUSED', reason: /refused/ });
    t.match(await ask(t, 'unknown host'), { kind: 'unreachable', permanent: true, code: 'ENOTFOUND', reason: /does not exist/ });
    t.match(await ask(t, 'reset'), { kind: 'unreachable', permanent: false, code: /ECONNRESET|UND_ERR_SOCKET/, reason: /connection/ });
  });

  await t.test('a request that cannot be sent is an outcome, and nothing is sent', async (t) => {
    const { client, endpoint, received } = await make(t);
    const url = await endpoint({ status: 200 });
    for (const bad of [
      '',
      'connector.test/hook',
      '/hook',
      'ftp://connector.test/hook',
      'http://',
      'http://a:b@connector.test/',
      'javascript:alert(1)',
    ]) {
      t.match(await client.send({ ...post, url: bad }), { kind: 'unreachable', permanent: true, code: 'BAD_URL' }, JSON.stringify(bad));
    }
    const headers: Record<string, string>[] = [
      { 'x-id': 'a\r\nx-forged: 1' },
      { 'x-id': 'a\u0000' },
      { 'x-id': '😀' },
      { 'x id': 'a' },
      { 'x-id\r\n': 'a' },
      { '': 'a' },
      { Host: 'elsewhere.test' },
      { 'Content-Length': '3' },
      { 'transfer-encoding': 'chunked' },
      { connection: 'close' },
      { expect: '100-continue' },
      { 'x-id': undefined as unknown as string },
    ];
    for (const bad of headers) {
      t.match(
        await client.send({ ...post, url, headers: bad }),
        { kind: 'unreachable', permanent: true, code: 'BAD_REQUEST' },
        JSON.stringify(bad),
      );
    }
    for (const method of ['', 'PO ST', 'CONNECT', 'GET\r\n']) {
      t.match(
        await client.send({ ...post, url, method }),
        { kind: 'unreachable', permanent: true, code: 'BAD_REQUEST' },
        JSON.stringify(method),
      );
    }
    t.equal(received().length, 0);
  });

  await t.test('a signal ends a request immediately: unsent, before the head, within the body', async (t) => {
    const { client, endpoint, received, settle } = await make(t);
    const aborted = { kind: 'unreachable', permanent: false, code: 'ABORTED', reason: /aborted/ };
    t.match(await client.send({ ...post, url: await endpoint({ status: 200 }), signal: AbortSignal.abort() }), aborted);
    t.equal(received().length, 0);
    for (const answer of ['hang', { status: 200, body: 'x', bodyAfterMs: 1500 }] as const) {
      const { signal, abort } = abortable();
      const sent = client.send({ ...post, url: await endpoint(answer), signal });
      await new Promise((resolve) => setTimeout(resolve, 50));
      abort();
      t.match(await sent, aborted, JSON.stringify(answer));
    }
    const { signal, abort } = abortable();
    t.match(await settle(client.send({ ...post, url: await endpoint({ status: 200 }), signal })), { kind: 'response', status: 200 });
    abort();
  });

  await t.test('stopping aborts requests in flight, and later requests are not sent', async (t) => {
    const { client, endpoint, received, settle } = await make(t);
    const url = await endpoint('hang');
    const sent = client.send({ ...post, url });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await client.stop();
    t.match(await settle(sent), { kind: 'unreachable', permanent: false, code: 'STOPPED' });
    t.match(await client.send({ ...post, url }), { kind: 'unreachable', permanent: false, code: 'STOPPED' });
    t.equal(received().length, 1);
    await client.stop();
  });
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
