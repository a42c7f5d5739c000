import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '#core/testing';
import { chunks, chunkUses, createChunks } from '../../../core/memory/chunks.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { prompts, sessions } from '../../../plugins/journeys/records.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { CONTACT, inboundText, startChannel } from '../channels/channel-under-test.js';
import { asks, MESSAGE, minutes, OPEN } from './short-journeys.js';

const OWNER = 'https://owner.test/hook';
/** A unique text with a recognizable start. */
const longText = (mark: string, length = 20_000): string => `${mark}-${'The quick brown fox. '.repeat(length / 21)}`;
const occurrences = (text: string, mark: string): number => text.split(`${mark}-The`).length - 1;

/** Asks a question, then one with buttons to resume from. No message contains the contact's answer. */
const menu = {
  texts: { first: 'First?', second: 'Second?', a: 'A', b: 'B', bye: 'Bye' },
  blocks: [
    { name: 'first', type: OPEN, config: { prompt: 'first' } },
    {
      name: 'second',
      type: 'MobilePrimitives.SelectOneResponse',
      config: {
        prompt: 'second',
        choices: [
          { name: 'a', prompt: 'a' },
          { name: 'b', prompt: 'b' },
        ],
      },
    },
    { name: 'bye', type: MESSAGE, config: { prompt: 'bye' } },
  ],
};

t.test('a long answer is stored once, and is complete in everything that is sent', async (t) => {
  const dataDir = freshFolder(t);
  const { say, publish, admin, uuid, http, deliveries, server, platform, settle } = await startChannel(t, { dataDir });
  await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
  http.answer(OWNER, {});
  await publish(menu);
  await say('hi');
  await say(longText('answer'));
  await settle();

  const { context } = deliveries().at(-1)!.json;
  for (const found of [
    context.first,
    context.results.first.value,
    context.results.first.response,
    context.block.value,
    context.event.message.text.body,
  ])
    t.equal(found, longText('answer'));
  t.equal(http.callsTo(OWNER).at(-1)!.json.messages[0].text.body, longText('answer'));
  const [conversation] = await platform.conversations.list(uuid, 1);
  const history = await platform.conversations.newest(conversation!.uuid, 10);
  t.ok(history.some(({ content }) => (content.text as { body?: string } | undefined)?.body === longText('answer')));

  await server.stop();
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.json'));
  const found = files.reduce((sum, name) => sum + occurrences(readFileSync(join(dataDir, name), 'utf8'), 'answer'), 0);
  t.equal(found, 1);
  const bytes = files.reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
  t.ok(bytes < 3 * longText('answer').length, `${bytes} bytes of files`);
});

t.test('unreferenced chunks are deleted', async (t) => {
  const { say, publish, platform, clock, deliveries } = await startChannel(t);
  const { store } = platform;
  await publish(menu);
  await say('hi');
  await say(longText('one', 2_100));
  t.equal(deliveries().length, 2);
  t.equal((await store.open(chunks).list()).length, 1, 'a message of this length has its content inline');
  await say('A');
  await say('hi');
  await say(longText('two', 2_100));
  t.equal((await store.open(chunks).list()).length, 2);
  await clock.advance(minutes(60 * 24 * 31));
  t.strictSame(await platform.deliveries.list({ limit: 1 }), []);
  for (const type of [prompts, sessions, chunks, chunkUses]) t.equal(await store.open(type as typeof chunks).count(), 0);
});

t.test('a tap on an earlier question, and a late reply, resume with the state of that time', async (t) => {
  const { say, post, publish, received, deliveries, clock, settle, told } = await startChannel(t);
  await publish(menu);
  await say('hi');
  await say(longText('first'));
  t.equal(received().at(-1), 'Second?');
  const tap = (id: string, reply: string, context: string) =>
    post({
      contact: inboundText('').contact,
      message: {
        type: 'interactive',
        from: CONTACT,
        id,
        timestamp: '1767600000',
        interactive: { type: 'button_reply', button_reply: { id: reply, title: reply.toUpperCase() } },
        context: { id: context },
      },
    });
  const buttons = deliveries()
    .at(-1)!
    .json.turn.interactive.action.buttons.map(({ reply }: { reply: { id: string } }) => reply.id);
  await tap('tap-1', buttons[0], 'out-2');
  await settle();
  t.equal(received().at(-1), 'Bye');
  t.equal(deliveries().at(-1)!.json.context.first, longText('first'));

  await tap('tap-2', buttons[1], 'out-2');
  await settle();
  t.equal(received().at(-1), 'Bye', 'the session has ended, and its question can still be answered');
  t.equal(deliveries().at(-1)!.json.context.first, longText('first'));

  await say('again');
  await say(longText('second'));
  await clock.advance(minutes(60));
  t.equal(told('journey.session_expired').length, 1);
  await say(longText('third'), { context: 'out-5' });
  t.equal(received().at(-1), 'Second?', 'a late reply to the first question');
  t.equal(deliveries().at(-1)!.json.context.first, longText('third'));
});

t.test('sessions and questions of an earlier release continue', async (t) => {
  const { say, publish, received, deliveries, platform, clock } = await startChannel(t);
  const { store } = platform;
  await publish(asks);
  await say('hi');
  await say('Ann');
  /** The records of a release that stored the complete session in both, without references between them. */
  const older = async (): Promise<void> => {
    const [session] = (await store.open(sessions).list()).filter(({ state }) => state === 'waiting');
    const { asked, data_bytes: _, ...rest } = session!;
    const data = await createChunks({ store }).expand(session!.data);
    await store.transaction(async (tx) => {
      tx.in(sessions).put({ ...rest, data });
      for (const message of asked ?? []) tx.in(prompts).put({ ...(await tx.in(prompts).get(message))!, data });
    });
  };
  await older();
  await say(longText('town'));
  t.ok(received().some((text) => text.startsWith('Goodbye Ann of town-The')));
  await say('Bo', { context: 'out-1' });
  t.equal(received().at(-1), 'Where do you live, Bo?', 'a late reply to a question with its own data');
  await older();
  await clock.advance(minutes(10));
  await say('Durban', { context: `out-${deliveries().length}` });
  t.equal(received().at(-1), 'Goodbye Bo of Durban', 'a late reply to a question whose session has expired');
});

t.test('the oldest questions for late replies are evicted first, by number and by bytes', async (t) => {
  for (const options of [{ kept: 4 }, { keptBytes: 48_000 }]) {
    const { say, publish, received, clock, platform } = await startChannel(t, { plugins: [channels(), webhooks(), journeys(options)] });
    await publish(menu);
    for (const from of ['+1', '+2', '+3', '+4']) {
      await say('hi', { from });
      await say(longText(from), { from });
      await clock.advance(1);
    }
    await clock.advance(minutes(60));
    const left = await platform.store.open(prompts).list();
    t.ok(left.length >= 1 && left.length <= 4, `${left.length} of 8 remain`);
    await say('A', { from: '+4', context: 'out-8' });
    t.equal(received().at(-1), 'Bye', 'a late reply to the newest');
    await say('A', { from: '+1', context: 'out-2' });
    t.equal(received().at(-1), 'First?', 'the oldest is evicted, and the journey starts again');
  }
});

t.test('stored chunks are still shared after a restart', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { dataDir });
  await before.publish(menu);
  await before.say('hi');
  await before.say(longText('name'));
  await before.server.stop();
  const { startPlatform, ScriptedHttp } = await import('#core/testing');
  const { channelOver, CONNECTOR } = await import('../channels/channel-under-test.js');
  const clock = new ManualClock({ start: before.clock.now() });
  const http = new ScriptedHttp({ clock }).answer(CONNECTOR, () => ({ body: { messages: [{ id: 'later-1' }] } }));
  const plugins = [channels(), webhooks(), journeys()];
  const after = channelOver(await startPlatform(t, { plugins, dataDir, ports: { clock, http } }), before);
  const count = (await after.platform.store.open(chunks).list()).length;
  await after.say('A', { id: 'in-9' });
  t.equal(after.deliveries().at(-1)!.json.context.first, longText('name'));
  t.equal((await after.platform.store.open(chunks).list()).length, count, 'existing chunks are not stored again');
});
