import t from 'tap';
import { ManualClock, ScriptedHttp, startPlatform } from '#core/testing';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { type ChannelUnderTest, CONNECTOR, channelOver, startChannel } from '../channels/channel-under-test.js';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { allPlugins, type NetworkUnderTest, OWNER, startNetwork } from '../messages/network-under-test.js';

interface Advice {
  readonly name: string;
  readonly message: string;
  readonly fix: string;
  readonly number?: string;
}
const given = (test: { told(name: string): Advice[] }, name?: string): Advice[] =>
  test.told('advice').filter((one) => name === undefined || one.name === name);
const plugins = allPlugins();
const asks = {
  texts: { who: 'What is your name?', bye: 'Goodbye @who' },
  blocks: [
    { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
  ],
};

t.test('a connector that posts back what it received causes advice, once', async (t) => {
  const test = await startChannel(t, { plugins });
  await test.say('hi');
  await test.send();
  await test.settle();
  await test.say('hello');
  t.strictSame(given(test), [], 'a short text may be repeated');
  await test.send({ type: 'text', text: { body: 'Welcome to the library' } });
  await test.settle();
  await test.say('Welcome to the library');
  t.match(given(test), [
    {
      name: 'echo_loop',
      number: test.uuid,
      message: /outbound messages back as an inbound message/,
      fix: /\.$/,
      about: { sent: /./, received: /./ },
    },
  ]);
  await test.say('Welcome to the library');
  t.equal(given(test).length, 1);
});

t.test('a message with the id of a sent one is an echo, whatever its text; a later repetition of a text is not', async (t) => {
  const test = await startChannel(t, { plugins });
  await test.say('hi');
  await test.send({ type: 'text', text: { body: 'Welcome to the library' } });
  await test.settle();
  await test.clock.advance(60_001);
  await test.say('Welcome to the library');
  t.strictSame(given(test), []);
  await test.send();
  await test.settle();
  await test.say('x', { id: 'out-2' });
  t.match(given(test), [{ name: 'echo_loop' }]);
});

t.test('a connector that refuses every delivery from the start causes advice that names its channel', async (t) => {
  const test = await startChannel(t, { plugins });
  test.http.answer(`POST ${CONNECTOR}`, { status: 401 });
  await test.say('hi');
  await test.send();
  await test.settle();
  t.match(given(test), [
    { name: 'signature_never_verified', message: /^The connector of channel '.+' responded with 401 and has never accepted/ },
  ]);
});

t.test('a webhook that refuses every delivery from the start causes advice about its secret', async (t) => {
  const test = await startNetwork(t);
  const { uuid } = await test.listen(['msgapp']);
  test.http.answer(OWNER, { status: 401 });
  await test.say('hi');
  await test.settle();
  t.match(given(test), [
    {
      name: 'signature_never_verified',
      number: test.uuid,
      message: /responded with 401/,
      fix: /raw body/,
      about: { webhook: uuid, delivery: /./ },
    },
  ]);
  await test.say('hi');
  await test.settle();
  t.equal(given(test).length, 1, 'issued once');
});

t.test('a webhook that refuses deliveries after it accepted some causes other advice, again after it was fixed', async (t) => {
  const test = await startNetwork(t);
  const { uuid } = await test.listen(['msgapp']);
  const kept = async () => (await test.admin('GET', '/advice')).body.advice;
  const hear = async (status: number) => {
    test.http.answer(OWNER, { status });
    await test.say('hi');
    await test.settle();
  };
  await hear(200);
  await hear(401);
  await hear(401);
  t.match(given(test), [{ name: 'signature_no_longer_verified', message: /responded with 401, although it accepted a delivery at 20/ }]);
  t.equal(given(test).length, 1, 'issued once');
  t.match(await kept(), [{ name: 'signature_no_longer_verified', times: 1, about: { webhook: uuid } }]);
  await hear(200);
  t.strictSame(await kept(), [], 'a delivery that was accepted shows that the cause was fixed');
  await hear(403);
  t.equal(given(test).length, 2, 'the cause recurred');
  t.match(await kept(), [{ name: 'signature_no_longer_verified', times: 1 }]);
});

t.test('kept advice can be listed by delivery and webhook, and dismissed; it is issued again when the cause recurs', async (t) => {
  const test = await startNetwork(t);
  const { uuid } = await test.listen(['msgapp']);
  test.http.answer(OWNER, { status: 401 });
  await test.say('hi');
  await test.settle();
  const [{ id, about }] = (await test.admin('GET', `/advice?webhook=${uuid}`)).body.advice;
  t.match((await test.admin('GET', `/advice?delivery=${about.delivery}`)).body.advice, [{ id }]);
  t.strictSame((await test.admin('GET', '/advice?delivery=other')).body.advice, []);
  t.match(await test.admin('DELETE', `/advice/${id}`), { status: 200, body: { advice: { id } } });
  t.match(await test.admin('DELETE', `/advice/${id}`), { status: 404 });
  t.strictSame((await test.admin('GET', '/advice')).body.advice, []);
  await test.say('hi');
  await test.settle();
  t.equal(given(test).length, 2);
  t.match(test.told('advice.issued').at(-1), { advice: { id } });
});

t.test(
  'a webhook that accepted a delivery and refuses one body with 400, or refuses with another status, causes no such advice',
  async (t) => {
    const test = await startNetwork(t);
    await test.listen(['msgapp']);
    await test.say('hi');
    await test.settle();
    test.http.answer(OWNER, { status: 400 });
    await test.say('hi');
    await test.settle();
    await test.listen(['msgapp'], 'https://gone.test/hook');
    test.http.answer('https://gone.test/hook', { status: 404 });
    await test.say('hi');
    await test.settle();
    t.strictSame(given(test), []);
  },
);

t.test('a disabled webhook causes advice once, and again after it was enabled', async (t) => {
  const test = await startNetwork(t);
  const { uuid } = await test.listen(['msgapp']);
  const turn = (enabled: boolean) => test.admin('PATCH', `/webhooks/${uuid}`, { enabled });
  await turn(false);
  await test.say('hi');
  await test.say('hi');
  await test.settle();
  t.match(given(test), [{ name: 'webhook_muted', message: /is disabled/, fix: /"enabled": true/, about: { webhook: uuid } }]);
  t.equal(given(test).length, 1);
  await turn(true);
  await turn(false);
  await test.say('hi');
  await test.settle();
  t.equal(given(test).length, 2);
});

t.test('a reply without context.id after the time-out causes advice; one with context.id continues the journey', async (t) => {
  const test = await startChannel(t, { plugins });
  await test.publish(asks, { words: ['hi'] });
  await test.say('hi');
  await test.clock.advance(300_000);
  t.equal(test.told('journey.session_expired').length, 1);
  await test.say('Ann', { context: 'out-1' });
  t.strictSame(test.received(), ['What is your name?', 'Goodbye Ann']);
  t.strictSame(given(test), []);
  await test.say('hi');
  await test.clock.advance(300_000);
  await test.say('Ann');
  t.match(given(test), [
    { name: 'reply_without_context', number: test.uuid, message: /has no context\.id/, fix: /context.id/, about: { message: /./ } },
  ]);
});

t.test('a reaction that is not enabled causes no advice if no webhook would receive it', async (t) => {
  const test = await startNetwork(t);
  const { body } = await test.send({ text: { body: 'hello' } });
  const reaction = { type: 'reaction', reaction: { message_id: body.messages[0].id, emoji: '👍' } };
  await test.phone(reaction);
  t.strictSame(given(test), []);
  await test.listen(['msgapp']);
  await test.phone(reaction);
  t.match(given(test), [{ name: 'reactions_not_enabled' }]);
});

/** Publishes a journey that asks for a name. */
async function publishFor({ platform, admin, uuid: number }: NetworkUnderTest, triggers: readonly object[]): Promise<void> {
  const journey = platform.ids.uuid();
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Any', definition: containerOf(asks), triggers });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
}

t.test('a forwarded message is not a reply to a message', async (t) => {
  const test = await startNetwork(t);
  await publishFor(test, [{ on: 'message', words: ['hi'] }]);
  await test.say('hi');
  await test.settle();
  await test.clock.advance(300_000);
  t.equal(test.told('journey.session_expired').length, 1);
  await test.phone({ type: 'text', text: { body: 'Ann' }, context: { forwarded: true } });
  await test.settle();
  t.match(given(test), [{ name: 'reply_without_context', number: test.uuid }]);
});

t.test('reactions and system messages start no journey', async (t) => {
  const test = await startNetwork(t);
  await publishFor(test, [{ on: 'message' }]);
  const { body } = await test.send({ text: { body: 'hello' } });
  for (const message of [
    { type: 'reaction', reaction: { message_id: body.messages[0].id, emoji: '👍' } },
    { type: 'system', system: { body: 'changed' } },
    { type: 'unsupported' },
  ]) {
    await test.phone(message);
  }
  await test.settle();
  t.equal(test.told('journey.none_fits').length, 3);
  await test.say('hi');
  await test.settle();
  t.equal(test.told('journey.turn_taken').length, 1, 'a text does');
});

t.test('advice is not repeated after a restart, but after a month', async (t) => {
  const dataDir = freshFolder(t);
  const first = await startChannel(t, { plugins, dataDir });
  await first.say('hi');
  const echo = async (test: ChannelUnderTest): Promise<number> => {
    await test.send({ type: 'text', text: { body: 'Welcome to the library' } });
    await test.settle();
    await test.say('Welcome to the library', { id: test.platform.ids.uuid() });
    return given(test, 'echo_loop').length;
  };
  t.equal(await echo(first), 1);
  await first.server.stop();

  const clock = new ManualClock({ start: first.clock.now() });
  const http = new ScriptedHttp({ clock }).answer(CONNECTOR, () => ({ body: { messages: [{ id: second.platform.ids.uuid() }] } }));
  const second = channelOver(await startPlatform(t, { plugins, dataDir, ports: { clock, http } }), first);
  t.equal(await echo(second), 0);
  await clock.advance(31 * 24 * 60 * 60 * 1000);
  t.equal(await echo(second), 1);
});
