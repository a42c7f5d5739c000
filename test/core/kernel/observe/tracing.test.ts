import t from 'tap';
import { createPlatform, definePlugin, object, openTelemetry, route, string } from '#core';
import { ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import { OpenTelemetry } from '../../../../core/adapters/open-telemetry.js';
import { channels } from '../../../../plugins/channels/plugin.js';
import { journeys, journeysService } from '../../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../../plugins/webhooks/plugin.js';
import { CONNECTOR, channelOver, inboundText, startChannel } from '../../../plugins/channels/channel-under-test.js';
import { startIntegration } from '../../../plugins/integration/integration-under-test.js';
import type { Draft } from '../../../plugins/journeys/engine/journey-under-test.js';
import { freshFolder } from '../../adapters/store/folders.js';
import { CALLER, setUpTraces, TRACE, traceparent } from './traced.js';

const says: Draft = {
  texts: { text: 'Hello' },
  blocks: [{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } }],
};
const plugins = [channels(), webhooks(), journeys()];

t.test('the trace of an inbound message continues to the deliveries of its reply, across the queue, a failure and a restart', async (t) => {
  const spans = setUpTraces();
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { plugins, dataDir, ports: { tracing: openTelemetry() } });
  await before.publish(says);
  before.http.answer(`POST ${CONNECTOR}`, { status: 503 });
  await before.settle();
  spans();

  const { call, uuid, token } = before;
  const answer = await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: inboundText('hi'), headers: { traceparent } });
  t.equal(answer.status, 200);
  await before.settle();
  const [sent] = before.deliveries();
  const [delivery] = (await before.admin('GET', '/deliveries')).body.deliveries;
  t.match(delivery, { state: 'retry_wait', attempts: 1, trace: new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`) });
  await before.server.stop();
  const first = spans().filter(({ trace }) => trace === TRACE);

  const clock = new ManualClock({ start: new Date(before.clock.now().getTime() + 10_000) });
  const http = new ScriptedHttp({ clock }).answer(`POST ${CONNECTOR}`, { body: { messages: [{ id: 'out-1' }] } });
  const after = channelOver(await startPlatform(t, { plugins, dataDir, ports: { clock, http, tracing: openTelemetry() } }), before);
  await after.clock.advance(20_000);
  const second = spans().filter(({ trace }) => trace === TRACE);
  t.match((await after.admin('GET', `/deliveries/${delivery.uuid}`)).body.delivery, { state: 'delivered', attempts: 2 });

  const request = first.find(({ kind }) => kind === 'server')!;
  t.match(request, {
    name: 'POST /v1/numbers/{number_uuid}/messages',
    parent: CALLER,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'posthorn.request.id': answer.headers['x-request-id'],
    },
  });
  const job = first.find(({ kind }) => kind === 'consumer')!;
  t.match(job, { name: /^process journeys\./, parent: request.id });
  t.match(
    first.find(({ name }) => name === 'journey.step'),
    { kind: 'internal', parent: job.id },
  );
  const about = { 'posthorn.delivery.id': delivery.uuid, 'posthorn.webhook.id': delivery.webhook, 'posthorn.event.id': delivery.event };
  t.match(
    [...first, ...second].filter(({ kind }) => kind === 'client'),
    [
      {
        name: 'POST webhook',
        parent: job.id,
        failed: '503',
        attributes: { ...about, 'http.response.status_code': 503, 'server.address': 'connector.test', 'error.type': '503' },
      },
      {
        name: 'POST webhook',
        parent: job.id,
        failed: undefined,
        attributes: { ...about, 'http.response.status_code': 200, 'http.request.resend_count': 1 },
      },
    ],
    'the first try and the one after the restart have the same parent',
  );
  const attempts = [...first, ...second].filter(({ kind }) => kind === 'client');
  t.equal(sent?.headers.traceparent, `00-${TRACE}-${attempts[0]?.id}-01`, 'the receiver gets the span of the attempt');
  t.equal(after.deliveries()[0]?.headers.traceparent, `00-${TRACE}-${attempts[1]?.id}-01`);
});

t.test('a webhook receives an event in the trace of the request that caused it', async (t) => {
  const spans = setUpTraces();
  const channel = await startChannel(t, { plugins, ports: { tracing: openTelemetry() } });
  const hook = 'https://crm.test/hook';
  channel.http.answer(`POST ${hook}`, {});
  const headers = { traceparent: '00-00000000000000000000000000000001-0000000000000002-00' };
  await channel.admin('POST', '/webhooks', { number: channel.uuid, url: hook, subscriptions: ['msgapp'], headers });
  spans();
  const { call, uuid, token } = channel;
  await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: inboundText('hi'), headers: { traceparent } });
  await channel.settle();
  const seen = spans();
  const request = seen.find(({ kind }) => kind === 'server');
  t.match(
    seen.find(({ name }) => name === 'POST webhook'),
    { trace: TRACE, parent: request?.id },
  );
  t.equal(channel.http.callsTo(hook)[0]?.headers.traceparent, headers.traceparent, 'a header that the webhook sets itself is not replaced');
});

t.test('without tracing no trace is sent or stored', async (t) => {
  const spans = setUpTraces();
  const channel = await startChannel(t, { plugins });
  await channel.publish(says);
  const { call, uuid, token } = channel;
  await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: inboundText('hi'), headers: { traceparent } });
  await channel.settle();
  t.strictSame(channel.received(), ['Hello']);
  t.notOk('traceparent' in channel.deliveries()[0]!.headers);
  const { body } = await channel.admin('GET', '/deliveries');
  t.ok(body.deliveries.length > 0);
  t.ok(body.deliveries.every((delivery: object) => !('trace' in delivery)));
  t.strictSame(spans(), []);
});

const asking = definePlugin({
  name: 'asking',
  version: '1.0.0',
  register: ({ http, log: own }) => ({
    routes: [
      route({
        method: 'POST',
        path: '/v1/ask/{secret}',
        auth: 'none',
        summary: 'Calls another service.',
        request: { params: object({ secret: string() }) },
        responses: { 200: object({}) },
        async handler({ log }) {
          const limits = { deadlineMs: 1000, maxResponseBytes: 10 };
          await http.send({ method: 'GET', url: 'https://other.test/path?key=hidden', ...limits });
          own.info('of the plugin');
          log.info('of the request');
          throw new Error('no');
        },
      }),
    ],
  }),
});

t.test('requests of a plugin are spans without paths and queries, and log lines name their span', async (t) => {
  const spans = setUpTraces();
  const { call, http, log } = await startPlatform(t, { plugins: [asking()], ports: { tracing: openTelemetry() } });
  http.answer('*', 'refuse');
  const { headers } = await call('POST', '/v1/ask/hidden', { headers: { traceparent } });
  await call('POST', '/v1/ask/hidden', { headers: { traceparent: 'ff-not-one' } });
  await call('GET', '/v1/nowhere/hidden');
  const seen = spans();
  t.match(
    seen.map(({ name, kind, trace, failed }) => ({ name, kind, isSame: trace === TRACE, failed })),
    [
      { name: 'GET', kind: 'client', isSame: true, failed: 'ECONNREFUSED' },
      { name: 'POST /v1/ask/{secret}', kind: 'server', isSame: true, failed: '500' },
      { name: 'GET', kind: 'client', isSame: false },
      { name: 'POST /v1/ask/{secret}', kind: 'server', isSame: false },
      { name: 'GET /v1/{path*}', kind: 'server', isSame: false, failed: undefined },
    ],
  );
  t.notMatch(JSON.stringify(seen), /hidden/);
  const request = headers['x-request-id'];
  const place = { request_id: request, trace_id: TRACE, span_id: seen[1]?.id };
  t.match(log.lines.slice(0, 3), [
    { message: 'of the plugin', fields: { plugin: 'asking', ...place } },
    { message: 'of the request', fields: { plugin: 'asking', ...place } },
    { message: 'a request failed', fields: { plugin: 'asking', ...place, path: '/v1/ask/{secret}' } },
  ]);
});

t.test('a refused request has a span, and a span of the host is the parent', async (t) => {
  const spans = setUpTraces();
  const tracing = openTelemetry();
  const channel = await startChannel(t, { plugins, ports: { tracing } });
  spans();
  await channel.call('POST', '/v1/numbers', { token: 'wrong' });
  t.match(spans(), [{ kind: 'server', attributes: { 'http.response.status_code': 401 }, failed: undefined }]);
  const host = tracing.begin({ name: 'host', kind: 'server', parent: traceparent });
  await tracing.within(host, () => channel.call('POST', '/v1/numbers', { token: 'wrong', headers: { traceparent } }));
  host.end();
  const [ours, theirs] = spans();
  t.match(ours, { kind: 'internal', trace: TRACE, parent: theirs?.id });
});

t.test('requests of journeys, models and integrations belong to the trace of their cause', async (t) => {
  const spans = setUpTraces();
  const tracing = openTelemetry();
  const shop = await startIntegration(t, { ports: { tracing } });
  const { admin, platform, uuid, http, conversation } = shop;
  http.answer('POST https://models.test/*', { status: 401, body: {} }).answer('GET https://orders.test/*', { body: {} });
  const connection = {
    number: uuid,
    name: 'main',
    vendor: 'openai-compatible',
    base_url: 'https://models.test',
    model: 'm',
    token: 'a-token-of-models',
  };
  t.equal((await admin('PUT', `/ai-connections/${platform.ids.uuid()}`, connection)).status, 200);
  spans();
  const root = tracing.begin({ name: 'root', kind: 'internal', parent: traceparent });
  await tracing.within(root, async () => {
    const perform = platform.service(journeysService).performer(uuid);
    await perform({ kind: 'model', connection: 'main', model: '', messages: [{ role: 'user', content: 'hi' }], tools: [] });
    const about = { query: [], headers: [], body: null, timeoutMs: 1000, cacheMs: 0, retry: { max: 0, on: [] }, deferred: false };
    await perform({ kind: 'http', method: 'GET', url: 'https://orders.test/7', ...about });
    await admin('GET', `/conversations/${conversation}?refresh=true`);
  });
  const asked = spans().filter(({ kind }) => kind === 'client');
  t.match(
    asked.map(({ name, trace, attributes }) => [name, trace, attributes['server.address']]),
    [
      ['POST', TRACE, 'models.test'],
      ['GET', TRACE, 'orders.test'],
      ['POST', TRACE, 'shop.test'],
    ],
  );
  t.ok(
    ['models.test', 'orders.test'].every((host) => http.callsTo(`https://${host}/*`)[0]?.headers.traceparent?.startsWith(`00-${TRACE}-`)),
  );
});

t.test('an invalid traceparent is ignored, and nothing is traced before the start', async (t) => {
  const spans = setUpTraces();
  const tracing = openTelemetry();
  const early = tracing.begin({ name: 'early', kind: 'internal' });
  t.equal(early.traceparent, undefined);
  t.equal(
    tracing.within(early, () => tracing.current()),
    undefined,
  );
  early.end();
  await tracing.start?.();
  for (const parent of [
    '',
    'x',
    `ff-${TRACE}-${CALLER}-01`,
    `00-${'0'.repeat(32)}-${CALLER}-01`,
    `00-${TRACE.toUpperCase()}-${CALLER}-01`,
  ]) {
    const span = tracing.begin({ name: 'one', kind: 'internal', parent });
    span.end();
    span.end();
    t.notMatch(span.traceparent, TRACE, parent);
  }
  const later = tracing.begin({ name: 'one', kind: 'internal', parent: `01-${TRACE}-${CALLER}-01-more` });
  later.end();
  t.match(later.traceparent, `00-${TRACE}-`, 'a later version of traceparent is read as far as known');
  t.equal(spans().length, 6);
});

t.test('a platform with tracing does not start without the package that it needs, and names it', async (t) => {
  const tracing = new OpenTelemetry({}, async () => {
    throw new Error('Cannot find package');
  });
  const platform = createPlatform({ plugins: [], ports: { tracing } });
  await t.rejects(platform.start(), { message: /npm install @opentelemetry\/api/ });
});
