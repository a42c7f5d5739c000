import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import t from 'tap';
import { type Call, definePlugin, type RequestSchemas, type RouteAuth, route } from '#core';
import { startPlatform, type Tap } from '#core/testing';

type AnyCall = Call<RequestSchemas, RouteAuth>;

/** Whether V8 stores an object in fast mode: without a dictionary, and without accessors that it tenures. */
function hasFastProperties(): (object: object) => boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const isFast = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
    // The first call compiles it.
    isFast({});
    return isFast;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** A platform with one route that records the arguments of its handler. */
async function greeter(t: Tap) {
  const given: AnyCall[] = [];
  const greeting = definePlugin({
    name: 'greeting',
    version: '1.0.0',
    register: () => ({
      routes: [
        route({
          method: 'GET',
          path: '/v1/greeting',
          summary: 'Greets.',
          auth: 'none',
          responses: { 200: { contentType: 'text/plain' } },
          handler(call, h) {
            given.push(call as AnyCall);
            call.log.info('a caller was greeted');
            return h.response('hello').type('text/plain');
          },
        }),
      ],
    }),
  });
  return { given, ...(await startPlatform(t, { plugins: [greeting()] })) };
}

async function calls(t: Tap, times: number) {
  const { given, call, log } = await greeter(t);
  const ids: string[] = [];
  for (let n = 0; n < times; n++) ids.push(String((await call('GET', '/v1/greeting')).headers['x-request-id']));
  return { given, ids, log };
}

t.test('a call has no getter, which V8 would tenure with the whole request', async (t) => {
  const isFast = hasFastProperties();
  const literal = {
    get log() {
      return 'made when it is asked for';
    },
  };
  t.notOk(isFast(literal), 'a literal with a getter is slow');
  const { given } = await calls(t, 1);
  t.ok(isFast(given[0]!));
});

t.test('the log of a call names the request, also when it is destructured or copied', async (t) => {
  const { given, ids, log } = await calls(t, 2);
  t.strictSame(
    log.lines.filter(({ message }) => message === 'a caller was greeted').map(({ fields }) => fields.request_id),
    ids,
  );
  const { log: taken } = given[0]!;
  for (const one of [taken, { ...given[0]! }.log]) {
    one.info('later');
    t.match(log.lines.at(-1), { message: 'later', fields: { request_id: ids[0] } });
  }
});

t.test("the request id is hapi's without the machine name, or the id that the host has set", async (t) => {
  const { server, call } = await greeter(t);
  t.match((await call('GET', '/v1/greeting')).headers['x-request-id'], /^\d+-\w+$/);
  server.ext('onRequest', (request, h) => {
    request.info.id = String(request.headers['x-given']);
    return h.continue;
  });
  for (const given of ['abc-123', 'trace:7', '', 'a'.repeat(100)]) {
    t.equal((await call('GET', '/v1/greeting', { headers: { 'x-given': given } })).headers['x-request-id'], given);
  }
});
