import { createHmac } from 'node:crypto';
import t from 'tap';
import {
  type CollectionType,
  definePlugin,
  messageReceived,
  type NumberRecord,
  on,
  type Platform,
  type Plugin,
  type Service,
  type Transaction,
} from '#core';
import { startPlatform } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { console as consolePlugin } from '../../plugins/console/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { startChannel } from '../plugins/channels/channel-under-test.js';
import { loadSample, sampleJson } from './samples.js';

t.test('the plugin on the page on plugins explains what happened to a message', async (t) => {
  const { openingHours } = (await loadSample('core/contract/README.md', 'ts', 'opening hours')) as { openingHours: () => Plugin };
  const { platform, admin, number } = await startPlatform(t, { plugins: [openingHours()] });
  const record = (await platform.numbers.get((await number('network')).uuid)) as NumberRecord;
  const { message } = await platform.store.transaction((tx) =>
    platform.messages.received(tx, record, {
      ...{ id: 'm1', contact: { id: 'ada', name: 'Ada' }, from: 'ada', timestamp: '1767600000' },
      ...{ type: 'text', content: { text: { body: 'hi' } } },
    }),
  );
  const hour = new Date(message.recorded_at).getUTCHours();
  const state = hour >= 8 && hour < 17 ? 'ok' : 'broken';
  t.match((await admin('GET', '/why?message=m1')).body.links[1], { name: 'opening-hours', state, evidence: { message: message.uuid } });
});

t.test('the plugin on the page on plugins lets searches find letters', async (t) => {
  const { foundLetters } = (await loadSample('core/contract/README.md', 'ts', 'found letters')) as { foundLetters: () => Plugin };
  const { admin } = await startPlatform(t, { plugins: [foundLetters()] });
  t.match((await admin('GET', '/search?q=ORDER')).body.results, [{ kind: 'letter', id: 'letter-1', title: 'Your order' }]);
  t.strictSame((await admin('GET', '/search?q=bill')).body.results, []);
});

t.test('the plugin on the page on plugins adds commands', async (t) => {
  const { callbacks } = (await loadSample('core/contract/README.md', 'ts', 'commands')) as { callbacks: () => Plugin };
  const { admin, number } = await startPlatform(t, { plugins: [network(), callbacks()] });
  const { uuid } = await number('network');
  for (const [from, body] of [
    ['27611111111', 'Please call me'],
    ['27622222222', 'call me!'],
    ['27633333333', 'hi'],
  ])
    await admin('POST', `/network/numbers/${uuid}/messages`, { from, type: 'text', text: { body } });
  const run = async (verb: string, payload: object) => (await admin('POST', `/commands/callbacks/${verb}`, payload)).body;
  t.match(await run('list', {}), { text: [/^27611111111 {2}since /, /^27622222222 /], data: { contacts: { length: 2 } }, exit_code: 0 });
  t.match(await run('list', { flags: { most: '1' } }), { data: { contacts: { length: 1 } } });
  t.match(await run('done', { args: ['+27611111111'] }), { text: ['+27611111111 is not on the list any more.'] });
  t.match((await admin('POST', '/commands/callbacks/done', { args: ['+27611111111'] })).headers['x-posthorn-cause'], 'contact_not_found');
  t.match(await run('list', {}), { data: { contacts: [{ contact: '27622222222' }] } });
});

t.test('the plugin on the page on plugins adds a subscription and a field to webhooks', async (t) => {
  const { ratings } = (await loadSample('core/contract/README.md', 'ts', 'webhook subscription')) as { ratings: () => Plugin };
  const { admin, clock, http, number } = await startPlatform(t, { plugins: [network(), webhooks(), ratings()] });
  const { uuid } = await number('network');
  const [url, other] = ['https://ratings.test/', 'https://messages.test/'] as const;
  for (const one of [url, other]) http.answer(one, {});
  t.equal((await admin('POST', '/webhooks', { number: uuid, url, subscriptions: ['ratings.given'] })).status, 201);
  t.equal((await admin('POST', '/webhooks', { number: uuid, url: other })).status, 201);
  const write = (body: string) => admin('POST', `/network/numbers/${uuid}/messages`, { from: '27611111111', type: 'text', text: { body } });
  const { uuid: message } = (await write('⭐⭐⭐⭐')).body.message;
  await write('thanks');
  await clock.advance(0);
  t.match(
    http.callsTo(url).map(({ json, headers }) => [json, headers['x-svc-hook-subscription']]),
    [[{ message, stars: 4 }, 'ratings.given']],
  );
  t.match(
    http
      .callsTo(other)
      .map(({ json }) => json)
      .at(-1),
    { messages: [{ text: { body: 'thanks' } }], ratings: { count: 1, mean: 4 } },
  );
});

t.test('the plugin on the page on plugins changes and refuses messages in both directions', async (t) => {
  const { courtesy } = (await loadSample('core/contract/README.md', 'ts', 'message hooks')) as { courtesy: () => Plugin };
  const { admin, call, number, platform } = await startPlatform(t, { plugins: [messages(), network(), courtesy()] });
  const { uuid, token } = await number('network');
  const write = (body: string) => admin('POST', `/network/numbers/${uuid}/messages`, { from: '27611111111', type: 'text', text: { body } });
  const send = (body: string) => call('POST', '/v1/messages', { token, payload: { to: '27611111111', type: 'text', text: { body } } });
  t.match((await write('my card is 4111111111111111')).body.message.content, { text: { body: 'my card is …1111' } });
  t.match(await write('a swindle'), { status: 403, headers: { 'x-posthorn-cause': 'word_blocked' } });
  const sent = await send('Good morning');
  t.match(await platform.messages.known(uuid, 'outbound', sent.body.messages[0].id), {
    content: { text: { body: 'Good morning\n-- The library' } },
    rewritten_by: ['courtesy'],
  });
  t.match(await send('no swindle'), { status: 403, headers: { 'x-posthorn-cause': 'word_blocked' } });
});

t.test('the plugin on the page on plugins that needs another one uses its service', async (t) => {
  const { raffle, pointsService } = (await loadSample('core/contract/README.md', 'ts', 'services')) as {
    raffle: () => Plugin;
    pointsService: Service<{ of(tx: Transaction, contact: string): Promise<number> }>;
  };
  let points: { of(tx: Transaction, contact: string): Promise<number> } | undefined;
  let writer = '';
  const watching = definePlugin({
    ...{ name: 'watching', version: '1.0.0', needs: ['loyalty'] },
    register(context) {
      points = context.service(pointsService);
      return {
        on: [
          on(messageReceived, ({ contact }) => {
            writer = contact.uuid;
          }),
        ],
      };
    },
  });
  const { platform, number } = await startPlatform(t, { plugins: [watching(), raffle()] });
  const record = (await platform.numbers.get((await number('network')).uuid)) as NumberRecord;
  for (const id of ['m1', 'm2'])
    await platform.store.transaction((tx) =>
      platform.messages.received(tx, record, {
        ...{ id, contact: { id: 'ada', name: 'Ada' }, from: 'ada', timestamp: '1767600000' },
        ...{ type: 'text', content: { text: { body: 'draw' } } },
      }),
    );
  t.equal(await platform.store.transaction((tx) => points!.of(tx, writer)), 20);
});

t.test('the plugin on the page on plugins adds a page to the console', async (t) => {
  const { nightPost } = (await loadSample('core/contract/README.md', 'ts', 'letters')) as { nightPost: () => Plugin };
  const { admin } = await startPlatform(t, { plugins: [consolePlugin(), nightPost()] });
  const [page] = (await admin('GET', '/console/pages')).body.pages;
  t.match(page, { plugin: 'night-post', name: 'letters', title: 'Letters', place: 'menu', events: ['message.'] });
  t.strictSame(page.calls, ['GET /night-post/counts']);
  t.strictSame((await admin('GET', '/night-post/counts')).body, { posted: [0] });
});

t.test('the plugin on the page on plugins counts greetings', async (t) => {
  const { greetings } = (await loadSample('core/contract/README.md', 'ts', 'greetings')) as { greetings: (options: object) => Plugin };
  const { post, call, token, settle, told, log } = await startChannel(t, {
    plugins: [channels(), webhooks(), journeys(), greetings({ word: 'hi' })],
  });
  t.match((await call('GET', '/v1/greetings', { token })).body, { greetings: 0 });
  await post(sampleJson('plugins/channels/README.md', 'message'));
  await settle();
  t.match((await call('GET', '/v1/greetings', { token })).body, { greetings: 1 });
  t.match(told('greetings.counted'), [{ greetings: 1 }]);
  t.ok(log.lines.some(({ message }) => message === 'hello'));
});

t.test('the plugin on the page on plugins sends deliveries with a sender of its own', async (t) => {
  const { pager } = (await loadSample('core/contract/README.md', 'ts', 'pager')) as { pager: (options: object) => Plugin };
  const url = 'https://pager.test/pages';
  const { admin, clock, http, number } = await startPlatform(t, { plugins: [messages(), network(), pager({ url })] });
  const { uuid } = await number('network');
  http.answer(url, { body: { accepted: false } }, { status: 503 }, { body: { accepted: true } });
  const write = (id: string, body: string) =>
    admin('POST', `/network/numbers/${uuid}/messages`, { from: '27820001001', name: 'Ann', id, type: 'text', text: { body } });
  await write('in-1', 'not so important');
  await write('in-2', 'this is urgent');
  await clock.advance(20_000);
  t.strictSame(
    http.callsTo(url).map(({ json }) => json),
    [{ page: 'this is urgent' }, { page: 'this is urgent' }, { page: 'this is urgent' }],
  );
  const { deliveries } = (await admin('GET', `/deliveries?number=${uuid}`)).body;
  t.match(deliveries, [{ sender: 'pager', webhook: uuid, state: 'delivered', attempts: 3 }]);
  const { attempts } = (await admin('GET', `/deliveries/${deliveries[0].uuid}`)).body;
  t.match(attempts, [
    { result: 'retry', status: 200, error_code: 'not_accepted' },
    { result: 'retry', status: 503 },
    { result: 'delivered', status: 200 },
  ]);
});

t.test('the plugin on the page on plugins connects numbers to a service and receives', async (t) => {
  const { telegraph } = (await loadSample('core/contract/README.md', 'ts', 'telegraph')) as { telegraph: (options: object) => Plugin };
  const { admin, clock, http, platform } = await startPlatform(t, { plugins: [telegraph({ url: 'https://office.test' })] });
  const telegram = { id: 't-1', from: 'ada', text: 'Arriving on Monday STOP' };
  http
    .answer('GET https://office.test/station', { status: 403, body: {} }, { body: { station: 'kgx', town: 'London' } })
    .answer('GET https://office.test/telegrams*', { body: { telegram }, afterMs: 20_000 }, { status: 401, body: {}, afterMs: 20_000 });
  const connect = () => admin('POST', '/connections', { type: 'telegraph', settings: { token: 'token-of-london' } });
  t.match(await connect(), { status: 400, headers: { 'x-posthorn-cause': 'connection_refused' } });
  const { number } = (await connect()).body.connection;
  t.match(number, { address: 'kgx', name: 'London', kind: 'channel' });
  await clock.advance(30_000);
  t.match(await platform.messages.known(number.uuid, 'inbound', 't-1'), { from: 'ada', content: { text: { body: /Monday/ } } });
  await clock.advance(30_000);
  t.match((await admin('GET', '/connections')).body.connections, [{ stopped: { code: 401 }, receiving: null }]);
  t.ok(http.callsTo('GET https://office.test/*').every(({ headers }) => headers.authorization === 'Bearer token-of-london'));
  t.equal(http.callsTo('GET https://office.test/telegrams*').length, 2, 'nothing is received while it is stopped');
});

t.test('the plugin on the page on plugins moves its records when contacts are merged', async (t) => {
  const { bonus, points } = (await loadSample('core/contract/README.md', 'ts', 'points')) as {
    bonus: () => Plugin;
    points: CollectionType<{ contact: string; points: number }>;
  };
  const { admin, number, platform } = await startPlatform(t, { plugins: [network(), bonus()] });
  const { uuid } = await number('network');
  const write = async (from: string) =>
    (await admin('POST', `/network/numbers/${uuid}/messages`, { from, type: 'text', text: { body: 'hi' } })).body.message.contact as string;
  const [into, contact] = [await write('27820001001'), await write('27820001002')];
  await write('27820001002');
  t.equal((await admin('POST', '/contacts/merge', { contact, into })).status, 200);
  t.match(await platform.store.open(points).list(), [{ contact: into, points: 3 }]);
});

t.test('the plugin on the page on plugins has metrics, and the host creates its numbers', async (t) => {
  const { nightMail, open } = (await loadSample('core/contract/README.md', 'ts', 'night mail')) as {
    nightMail: () => Plugin;
    open: (platform: Platform, received: (text: string) => void) => Promise<{ number: NumberRecord; token: string; stop: () => void }>;
  };
  const { platform, admin, clock } = await startPlatform(t, { plugins: [messages(), nightMail()] });
  const received: string[] = [];
  const { number, token, stop } = await open(platform, (from) => received.push(from));
  t.match((await platform.tokens.caller(token))?.number, { uuid: number.uuid, type: 'night-mail' });
  const inbound = { id: 'in-1', contact: { id: '27820001001', name: 'Ann' }, from: '27820001001', timestamp: '1767600000' };
  const content = { type: 'text', content: { body: 'hi' } };
  await platform.store.transaction((tx) => platform.messages.received(tx, number, { ...inbound, ...content }));
  await clock.advance(0);
  t.strictSame(received, ['27820001001']);
  stop();
  const metrics = (await admin('GET', '/metrics')).body as string;
  t.match(metrics, /# TYPE night_mail_letters_total counter/);
});

t.test('the plugin on the page on plugins receives signed calls of a service', async (t) => {
  const { letterbox } = (await loadSample('core/contract/README.md', 'ts', 'letterbox')) as { letterbox: () => Plugin };
  const { admin, call, clock, number, events } = await startPlatform(t, { plugins: [letterbox()] });
  const { uuid } = await number('channel', { type: 'letterbox', address: 'letterbox:one' });
  const secret = 'a secret of the service';
  t.equal((await admin('PUT', `/numbers/${uuid}/connection`, { settings: { box: 'one', secret } })).status, 200);
  const at = String(clock.now().getTime() / 1_000);
  const post = (body: string, signed = body, time = at) =>
    call('POST', `/letterbox/${uuid}/calls`, {
      payload: Buffer.from(body),
      headers: {
        'content-type': 'application/json',
        'x-letter-time': time,
        'x-letter-signature': createHmac('sha256', secret).update(`${time}:${signed}`).digest('hex'),
      },
    });
  const letter = JSON.stringify({ letter: { id: 'l1', from: 'ann', text: 'hi' } });
  t.strictSame((await post('{"challenge":"c"}')).body, { challenge: 'c' });
  t.equal((await post(letter, 'another')).status, 401);
  t.equal((await post(letter, letter, '1')).status, 401);
  for (const body of [letter, letter, 'no JSON']) t.strictSame((await post(body)).body, {});
  await clock.advance(0);
  t.match(
    events.filter(({ name }) => name === 'message.received').map(({ data }) => data),
    [{ contact: { id: 'ann' }, message: { external_id: 'l1', content: { text: { body: 'hi' } } } }],
  );
  t.equal(events.filter(({ name }) => name === 'message.received').length, 1);
});
