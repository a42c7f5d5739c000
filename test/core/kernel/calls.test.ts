import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import t from 'tap';
import { type Call, definePlugin, type Logger, type RequestSchemas, type RouteAuth, route } from '#core';
import { startPlatform, type Tap } from '#core/testing';

type AnyCall = Call<RequestSchemas, RouteAuth>;

/** Whether V8 has an object's properties in fixed places, and not in a table of their own with accessors that live long. */
function hasFastProperties(): (object: object) => boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const isFast = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
    // It is compiled when it is first called.
    isFast({});
    return isFast;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** What the handler of a route was given, call by call. */
async function calls(t: Tap, times: number) {
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
            call.log.info('somebody was greeted');
            return h.response('hello').type('text/plain');
          },
        }),
      ],
    }),
  });
  const { call, log } = await startPlatform(t, { plugins: [greeting()] });
  const ids: string[] = [];
  for (let n = 0; n < times; n++) ids.push(String((await call('GET', '/v1/greeting')).headers['x-request-id']));
  return { given, ids, log };
}

t.test('a call has no accessor of its own: V8 would keep all it reaches until its next full collection', async (t) => {
  const isFast = hasFastProperties();
  const literal = {
    get log() {
      return 'made when it is asked for';
    },
  };
  t.notOk(isFast(literal), 'which is what a literal with a getter has');
  const { given } = await calls(t, 1);
  t.ok(isFast(given[0]!));
});

t.test('the log of a call says which request it was, also to who takes it out of the call', async (t) => {
  const { given, ids, log } = await calls(t, 2);
  t.strictSame(
    log.lines.filter(({ message }) => message === 'somebody was greeted').map(({ fields }) => fields.request_id),
    ids,
  );
  const { log: taken }: { log: Logger } = given[0]!;
  taken.info('later');
  t.match(log.lines.at(-1), { message: 'later', fields: { request_id: ids[0] } });
});
