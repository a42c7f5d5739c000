import t from 'tap';
import { boolean, definePlugin, object, route } from '#core';
import { failureOf, fuzz } from '../../scripts/fuzz/fuzz.js';
import { stride } from '../forms.js';

t.test("requests that fit or nearly fit a route's schemas get a declared response and no 5xx", async (t) => {
  const { sent, routes, byStatus, complaints } = await fuzz(t, { requests: 1_500 / stride(5), seed: 20260105, limitMs: 60_000 });
  t.strictSame(complaints, []);
  t.ok(routes > 80, 'every route gets requests');
  t.ok(sent >= (routes * 5) / stride(5), `${sent} requests to ${routes} routes`);
  t.ok((byStatus[200] ?? 0) + (byStatus[201] ?? 0) > sent / 5, `enough of them are accepted: ${JSON.stringify(byStatus)}`);
  t.ok((byStatus[400] ?? 0) > sent / 20, 'enough of them are refused');
});

t.test('the fuzzer finds a route that fails, returns an undeclared response, or logs a failure', async (t) => {
  const planted = definePlugin({
    name: 'planted',
    version: '1.0.0',
    register({ log }) {
      const get = (path: `/${string}`, handler: () => object) =>
        route({ method: 'GET', path, auth: 'none', summary: 'Goes wrong.', responses: { 200: object({ done: boolean() }) }, handler });
      const fail = (): never => {
        throw new Error('thrown on purpose');
      };
      return {
        routes: [
          get('/v1/planted/thrown', fail),
          get('/v1/planted/undeclared', () => ({ done: 'no' })),
          get('/v1/planted/logged', () => {
            log.error('logged on purpose');
            return { done: true };
          }),
        ],
      };
    },
  });
  const requests = 250;
  const { routes, complaints } = await fuzz(t, { requests, seed: 1, limitMs: 60_000, also: [planted()] });
  t.ok(routes <= requests, `a request to each of ${routes} routes`);
  const found = (what: RegExp): boolean => complaints.some((complaint) => what.test(complaint));
  t.ok(found(/planted\/thrown.*status 500:/), 'a handler that throws');
  t.ok(found(/planted\/undeclared.*status 500:/), 'an undeclared response');
  t.notOk(found(/without Retry-After/), 'every 5xx has Retry-After');
  t.ok(found(/logged on purpose/), 'a logged failure');
});

t.test('the fuzzer reports a 5xx without Retry-After', async (t) => {
  t.equal(failureOf({ statusCode: 500, headers: {}, payload: 'broken' }), 'status 500 without Retry-After: broken');
  t.equal(failureOf({ statusCode: 503, headers: { 'retry-after': '5' }, payload: 'busy' }), 'status 503: busy');
  t.equal(failureOf({ statusCode: 499, headers: {}, payload: '' }), undefined);
});
