import t from 'tap';
import { ManualClock } from '../../../core/adapters/clock/manual-clock.js';
import type { HttpOutcome, HttpRequest } from '../../../core/ports/http-client.js';
import { httpContract } from '../../../core/testing/http-contract.js';
import { ScriptedHttp } from '../../../core/testing/scripted-http.js';
import { post, textOf } from './http-under-test.js';

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

  await t.test('answers by method and pattern, the latest script first', async (t) => {
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

  await t.test('gives its answers in order and repeats the last one', async (t) => {
    const { http } = scripted();
    http.answer('*', { status: 503 }, 'refuse', { status: 200 });
    t.same(await statuses(http, 'https://a.test/', 'https://a.test/', 'https://a.test/', 'https://a.test/'), [
      503,
      'unreachable',
      200,
      200,
    ]);
  });

  await t.test('answers with a function of the request, as JSON', async (t) => {
    const { http } = scripted();
    http.answer('*', ({ json }) => ({ body: { messages: [{ id: json.id }] } }));
    const outcome = await http.send({ ...post, url: 'https://a.test/', body: '{"id":"m1"}' });
    t.match(outcome, { status: 200, headers: { 'content-type': 'application/json' } });
    t.equal(textOf(outcome), '{"messages":[{"id":"m1"}]}');
  });

  await t.test('records calls with their bodies at that time', async (t) => {
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

  await t.test('lists the calls for which no answer was scripted', async (t) => {
    const { http } = scripted();
    http.answer('POST https://a.test/hook', {});
    http.assertExpected();
    t.match(await http.send({ ...post, url: 'https://b.test/hook', body: '{"id":"m1"}' }), { kind: 'unreachable', code: 'UNEXPECTED' });
    t.throws(
      () => http.assertExpected(),
      /No answer was scripted for\n {2}POST https:\/\/b\.test\/hook \{"id":"m1"\}\nScripted:\n {2}POST https:\/\/a\.test\/hook/,
    );
  });

  await t.test('takes exactly the scripted time on the clock', async (t) => {
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
