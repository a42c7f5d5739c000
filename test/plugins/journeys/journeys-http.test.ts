import { gzipSync } from 'node:zlib';
import t from 'tap';
import { beforeCommit, definePlugin, messageQueued } from '#core';
import { RecordingLogger, type ScriptedAnswer, type Tap } from '#core/testing';
import { UndiciClient } from '../../../core/adapters/http/undici-client.js';
import { channels } from '../../../plugins/channels/plugin.js';
import type { HttpEffect } from '../../../plugins/journeys/engine/effect.js';
import { journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { sessions } from '../../../plugins/journeys/records.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { startChannel } from '../channels/channel-under-test.js';
import type { Draft, DraftBlock } from './engine/journey-under-test.js';

const SHOP = 'https://shop.test';
const asks = (config: object, more: Partial<Draft> = {}): Draft => ({
  texts: { r: '@order.status: @order.json.state @order.error' },
  blocks: [
    { name: 'order', type: 'Svc.Http', config: { method: 'GET', url: `${SHOP}/orders/7`, ...config } },
    { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
  ] as DraftBlock[],
  ...more,
});
const request = (about: Partial<HttpEffect> = {}): HttpEffect => ({
  kind: 'http',
  method: 'GET',
  url: `${SHOP}/orders/7`,
  query: [],
  headers: [],
  body: null,
  timeoutMs: 5000,
  cacheMs: 0,
  retry: { max: 0, on: [] },
  deferred: false,
  ...about,
});

/** A channel, and a function that performs requests for it. */
async function startShop(t: Tap, ...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]) {
  const channel = await startChannel(t);
  channel.http.answer(`${SHOP}/*`, ...answers);
  const perform = async (about: Partial<HttpEffect> = {}) => {
    const result = await channel.platform.service(journeysService).performer(channel.uuid)(request(about));
    if (result.kind !== 'http') throw new Error(`a result of kind ${result.kind}`);
    return result;
  };
  const sent = () => channel.http.callsTo(`${SHOP}/*`);
  return { ...channel, perform, sent };
}

t.test('a journey calls a service, and continues with its response', async (t) => {
  const { say, publish, received, sent } = await startShop(t, { body: { state: 'on its way' } });
  await publish(
    asks({
      method: 'POST',
      query: [['who', 'Ann & @contact.name']],
      headers: [['x-town', '@contact.town']],
      json: 'json("@event.message.text.body")',
    }),
  );
  await say('hi');
  t.strictSame(received(), ['200: on its way']);
  const [call] = sent();
  t.match(call, { method: 'POST', url: `${SHOP}/orders/7?who=Ann%20%26%20Ann`, headers: { 'content-type': 'application/json' } });
});

t.test('a call is recorded with all ten keys', async (t) => {
  const { perform } = await startShop(t, { status: 404, body: { no: 'such order' } });
  const result = await perform({
    method: 'POST',
    url: `${SHOP}/orders?a=1`,
    query: [['b', 'c d']],
    headers: [
      ['x-one', '1'],
      ['X-One', '2'],
    ],
    body: '{"n":7}',
  });
  t.strictSame(result.call, {
    method: 'POST',
    url: `${SHOP}/orders?a=1&b=c%20d`,
    headers: { 'User-Agent': 'Posthorn', 'x-one': '1, 2' },
    body: '{"n":7}',
    json: { n: 7 },
    query: { a: '1', b: 'c d' },
    params: {},
    status: 404,
    mocked: false,
    failures: [],
  });
  t.match(result.answer, { status: 404, body: '{"no":"such order"}', headers: { 'content-type': 'application/json' } });
});

t.test('a response of 50,000 levels is requested once, and its JSON is too large', async (t) => {
  const { say, publish, received, sent, told } = await startShop(t, { body: '['.repeat(50_000) + ']'.repeat(50_000) });
  await publish(asks({ method: 'POST' }));
  await say('hi');
  t.strictSame(received(), ['200:  too_large']);
  t.equal(sent().length, 1);
  t.match(told('journey.turn_taken'), [{ session: { state: 'ended' }, failure: null }]);
});

t.test('every failure has an error code and a description', async (t) => {
  const MANY = 'x'.repeat(262_145);
  const broken = { headers: { 'content-type': 'application/problem+json' }, body: '{"a":' };
  const latin = { headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: Uint8Array.of(0x7a, 0x6f, 0xeb) };
  const unknownCharset = { headers: { 'content-type': 'text/plain; charset=klingon' }, body: 'zoë' };
  const cases: [
    what: string,
    answer: ScriptedAnswer,
    status: number | null,
    error: string | undefined,
    failures: string[],
    body?: string,
  ][] = [
    ['no listener', 'refuse', null, 'unreachable', ['the connection was refused']],
    ['no such host', 'unknown host', null, 'unreachable', ['the host does not exist']],
    ['too much', { body: MANY }, null, 'too_large', ['response larger than 262144 bytes']],
    ['just enough', { body: MANY.slice(1) }, 200, undefined, []],
    [
      'packed',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}') },
      200,
      'encoded',
      ['the response has a content-encoding, although the request asked for none'],
    ],
    ['packed, and empty', { headers: { 'content-encoding': 'gzip' }, body: '' }, 200, undefined, []],
    ['broken JSON', broken, 200, undefined, ['invalid JSON body'], '{"a":'],
    ['JSON with too many levels', { body: `${'['.repeat(65)}${']'.repeat(65)}` }, 200, undefined, ['JSON nested more than 64 levels deep']],
    ['another character set', latin, 200, undefined, [], 'zoë'],
    ['an unknown character set', unknownCharset, 200, undefined, [], 'zoë'],
    ['a redirect, which is not followed', { status: 302, headers: { location: 'http://127.0.0.1/' } }, 302, undefined, []],
    ['a server that fails', { status: 500, body: 'oh no' }, 500, undefined, [], 'oh no'],
  ];
  for (const [what, answer, status, error, failures, body] of cases) {
    const { perform } = await startShop(t, answer);
    const result = await perform();
    t.match({ status: result.call.status, failures: result.call.failures, error: result.error }, { status, failures, error }, what);
    if (body !== undefined) t.equal(result.answer?.body, body, what);
  }
  const { perform, sent } = await startShop(t, {});
  t.match(await perform({ url: 'no URL at all' }), { error: 'invalid_request', answer: null, call: { status: null } });
  t.match(await perform({ method: 'POST', body: MANY }), { error: 'too_large', call: { failures: ['request larger than 262144 bytes'] } });
  t.match(await perform({ headers: [['host', 'a.test']] }), { error: 'invalid_request' });
  t.match(await perform({ headers: [['x-a', 'two\r\nlines: 1']] }), { error: 'invalid_request' });
  t.equal(sent().length, 0);
});

t.test('of a compressed response only the body is unreadable; content-encodings that name no compression are ignored', async (t) => {
  for (const coding of ['gzip', 'x-gzip', 'Deflate', 'br', 'zstd', 'compress', 'identity, gzip', 'utf-8,br']) {
    const { perform, sent } = await startShop(t, {
      status: 201,
      headers: { 'content-encoding': coding, 'x-id': '7' },
      body: gzipSync('{}'),
    });
    const packed = { error: 'encoded', answer: { status: 201, headers: { 'x-id': '7' }, body: null }, call: { status: 201 } };
    t.match(await perform({ cacheMs: 1000 }), packed, coding);
    t.match(await perform({ cacheMs: 1000 }), packed, coding);
    t.equal(sent().length, 2, 'it is not cached');
  }
  for (const coding of ['utf-8', 'UTF8', 'none', 'binary', 'identity', '']) {
    const { perform } = await startShop(t, { headers: { 'content-encoding': coding }, body: '{"a":1}' });
    const result = await perform();
    t.match(result, { answer: { status: 200, body: '{"a":1}' }, call: { failures: [] } }, coding);
    t.equal(result.error, undefined, coding);
  }
  const body = gzipSync('{}');
  const packed = { headers: { 'content-encoding': 'gzip' }, body };
  const { say, publish, received, clock, sent } = await startShop(t, { status: 503, ...packed }, { status: 201, ...packed });
  await publish(asks({ retry: { max: 1 } }, { texts: { r: '@order.status @order.error @(order = 201)' } }));
  await say('hi');
  await clock.advance(500);
  t.strictSame(received(), ['201 encoded true']);
  t.equal(sent().length, 2, 'an unavailable service is retried');
});

t.test('a slow service delays a journey no longer than its timeout', async (t) => {
  const { say, publish, received, clock } = await startShop(t, 'hang');
  await publish(asks({ timeout_ms: 1500 }, { texts: { r: '@order.status @order.error' } }));
  await say('hi');
  t.strictSame(received(), []);
  await clock.advance(1499);
  t.strictSame(received(), []);
  await clock.advance(1);
  t.strictSame(received(), ['408 timeout']);
});

t.test('private addresses are blocked', async (t) => {
  const channel = await startChannel(t);
  const http = new UndiciClient({ clock: channel.clock, guard: { allow: [] } });
  t.teardown(() => http.stop());
  const guarded = await startChannel(t, { ports: { http: http as never } });
  const result = await guarded.platform.service(journeysService).performer(guarded.uuid)(request({ url: 'http://127.0.0.1:1/' }));
  t.match(result, { kind: 'http', error: 'blocked_address', answer: null, call: { status: null, failures: ['blocked address'] } });
});

t.test('failing requests are retried as often as the block says, with increasing delays', async (t) => {
  const { say, publish, received, clock, sent } = await startShop(t, { status: 503 }, 'refuse', { body: { state: 'ready' } });
  await publish(asks({ retry: { max: 2, on: [503, 'unreachable'] } }));
  await say('hi');
  t.equal(sent().length, 1);
  await clock.advance(500);
  t.equal(sent().length, 2);
  await clock.advance(999);
  t.equal(sent().length, 2);
  await clock.advance(1);
  t.strictSame(received(), ['200: ready']);

  const { perform, ...once } = await startShop(t, { status: 500 });
  t.match(await perform({ retry: { max: 3, on: [503] } }), { call: { status: 500 } });
  t.equal(once.sent().length, 1, 'other failures are not retried');
});

t.test('a successful response to a GET is cached as long as the block says', async (t) => {
  let served = 0;
  const { perform, clock, sent, number, platform, http } = await startShop(t, () => ({ body: `answer ${++served}` }));
  const bodyOf = async (about: Partial<HttpEffect> = {}) => (await perform({ cacheMs: 60_000, ...about })).answer?.body;
  t.equal(await bodyOf(), 'answer 1');
  await clock.advance(59_999);
  t.equal(await bodyOf(), 'answer 1');
  await clock.advance(1);
  t.equal(await bodyOf(), 'answer 2');
  t.equal(await bodyOf({ headers: [['accept', 'text/plain']] }), 'answer 3', 'not for other headers');
  t.equal(await bodyOf({ query: [['a', '1']] }), 'answer 4', 'not for another query');
  t.equal(await bodyOf({ method: 'POST' }), 'answer 5', 'not for a POST');
  t.equal(await bodyOf({ cacheMs: 0 }), 'answer 6', 'not without a cache time');
  const { uuid } = await number('network');
  await platform.service(journeysService).performer(uuid)(request({ cacheMs: 60_000 }));
  t.equal(sent().length, 7, 'not for another number');
  http.answer(`${SHOP}/*`, { status: 500 }, { body: 'well again' });
  await clock.advance(60_000);
  t.equal(await bodyOf(), '');
  t.equal(await bodyOf(), 'well again', 'failed responses are not cached');
});

t.test('secrets are inserted into outgoing requests, and appear nowhere else', async (t) => {
  const log = new RecordingLogger();
  const channel = await startChannel(t, { ports: { log } });
  const { admin, uuid, http, publish, say, received, platform, events, deliveries } = channel;
  const secret = 'hush "hush"/0123';
  // A service that echoes its requests.
  http.answer(`${SHOP}/*`, ({ url, headers, text }) => ({
    headers: { 'x-echo': headers.authorization ?? '' },
    body: { state: 'ok', url, text, authorization: headers.authorization },
  }));
  t.match(await admin('PUT', `/numbers/${uuid}/secrets`, { name: 'TOKEN', value: secret }), {
    status: 200,
    body: { secret: { name: 'TOKEN' } },
  });
  const listed = await admin('GET', `/numbers/${uuid}/secrets`);
  t.match(listed.body, { secrets: [{ name: 'TOKEN' }] });

  await publish({
    texts: { q: 'And?', r: '@order.json.authorization @order.body @order.headers @event.message.text.body' },
    blocks: [
      {
        name: 'order',
        type: 'Svc.Http',
        config: {
          method: 'POST',
          url: `${SHOP}/@secrets.TOKEN`,
          headers: [['authorization', 'Bearer @secrets.TOKEN']],
          query: [['key', '@secrets.TOKEN']],
          body: '{"token":"@secrets.TOKEN","said":"@event.message.text.body"}',
        },
      },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
      { name: 'q', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
    ],
  });
  await say('@secrets.TOKEN');
  const [call] = http.callsTo(`${SHOP}/*`);
  t.equal(call?.headers.authorization, `Bearer ${secret}`, 'the request contains the secret');
  t.match(call?.text, '"said":"@secrets.TOKEN"', 'but a text of a contact cannot refer to it');
  t.match(received()[0], /‹redacted:TOKEN›/);

  const stored = await platform.store.open(sessions).list();
  const everything = JSON.stringify([stored, events, log.lines, deliveries().map(({ json }) => json), listed.body]);
  t.match(everything, 'redacted:TOKEN');
  for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
    t.notOk(everything.includes(form), form);
    t.notOk(everything.includes(JSON.stringify(form).slice(1, -1)), form);
  }

  t.match(await admin('DELETE', `/numbers/${uuid}/secrets/TOKEN`), { status: 200 });
  t.match(await admin('DELETE', `/numbers/${uuid}/secrets/TOKEN`), { status: 404 });
  t.match(await platform.service(journeysService).performer(uuid)(request({ headers: [['a', [{ secret: 'TOKEN' }]]] })), {
    error: 'unknown_secret',
    call: { failures: ['secret TOKEN not found'], headers: { a: '' } },
  });
  t.equal(http.callsTo(`${SHOP}/*`).length, 1, 'a request with an unknown secret is not sent');
});

t.test('a secret has a valid name and length, and belongs to a number', async (t) => {
  const { admin, uuid, number, platform } = await startShop(t, {});
  t.match(await admin('PUT', `/numbers/${uuid}/secrets`, { name: 'a b', value: 'long enough' }), { status: 400 });
  t.match(await admin('PUT', `/numbers/${uuid}/secrets`, { name: 'A', value: 'short' }), { status: 400 });
  t.match(await admin('PUT', `/numbers/${platform.ids.uuid()}/secrets`, { name: 'A', value: 'long enough' }), { status: 404 });
  await admin('PUT', `/numbers/${uuid}/secrets`, { name: 'A', value: 'long enough' });
  const other = await number('network');
  t.match((await admin('GET', `/numbers/${other.uuid}/secrets`)).body, { secrets: [] });
  t.match(await platform.service(journeysService).performer(other.uuid)(request({ url: [`${SHOP}/`, { secret: 'A' }] })), {
    error: 'unknown_secret',
  });
});

t.test('a deferred request is sent when the turn is committed', async (t) => {
  const { say, publish, received, clock, sent, log } = await startShop(t, { afterMs: 3000, status: 500 });
  await publish(asks({ mode: 'async', method: 'POST' }, { texts: { r: '@order.status' } }));
  await say('hi');
  t.strictSame(received(), ['202']);
  t.equal(sent().length, 1);
  await clock.advance(3000);
  t.equal(sent().length, 1);
  t.notOk(log.lines.some(({ level }) => level === 'error'));
});

t.test('a deferred request is sent once, and not before the turn is committed', async (t) => {
  let failures = 1;
  const failing = definePlugin({
    name: 'failing',
    version: '1.0.0',
    register: () => ({
      on: [
        beforeCommit(messageQueued, () => {
          if (failures-- > 0) throw new Error('the disk is full');
        }),
      ],
    }),
  });
  const { say, publish, received, clock, http } = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), failing()] });
  http.answer(`${SHOP}/*`, {});
  await publish(asks({ mode: 'async', method: 'POST' }, { texts: { r: '@order.status' } }));
  await say('hi');
  t.strictSame([received(), http.callsTo(`${SHOP}/*`).length], [[], 0]);
  await clock.advance(60_000);
  t.strictSame([received(), http.callsTo(`${SHOP}/*`).length], [['202'], 1]);
});

t.test('the event of a turn has its HTTP calls and warnings', async (t) => {
  const { say, publish, told } = await startShop(t, { status: 404 });
  await publish(asks({ headers: [['x-town', '@contact.town']] }, { texts: { r: '@order.status' } }));
  await say('hi');
  const [turn] = told('journey.turn_taken');
  t.strictSame(turn.http_calls, [{ block: 'order', method: 'GET', url: `${SHOP}/orders/7`, status: 404, failures: [] }]);
  t.strictSame(turn.warnings, [{ block: 'order', expression: '@contact.town', reason: 'contact.town is not set' }]);
});
