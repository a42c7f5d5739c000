import t from 'tap';
import { beforeCommit, definePlugin, messageQueued } from '#core';
import { InlinePool, ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { crashed, freshFolder } from '../../core/adapters/store/folders.js';
import { type ChannelUnderTest, CONNECTOR, channelOver, inboundText, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';

const asks: Draft = {
  texts: { who: 'What is your name?', bye: 'Goodbye @who' },
  blocks: [
    { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
  ],
};
const plugins = [channels(), webhooks(), journeys()];

/** The channel on a platform that starts with the data of another. */
async function startAgain(t: Tap, before: ChannelUnderTest, dataDir: string, at = before.clock.now()): Promise<ChannelUnderTest> {
  const clock = new ManualClock({ start: at });
  let named = 0;
  const http = new ScriptedHttp({ clock }).answer(CONNECTOR, () => ({ body: { messages: [{ id: `later-${++named}` }] } }));
  return channelOver(await startPlatform(t, { plugins, dataDir, ports: { clock, http } }), before);
}

t.test('an answer that could not be committed is sent later, once', async (t) => {
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
  const { say, publish, received, clock, told, platform, uuid } = await startChannel(t, { plugins: [...plugins, failing()] });
  await publish(asks);
  await say('hi');
  t.strictSame(received(), []);
  await clock.advance(2000);
  t.strictSame(received(), ['What is your name?']);
  await clock.advance(60_000);
  t.strictSame(received(), ['What is your name?']);
  t.equal(told('journey.turn_taken').length, 1);
  const [conversation] = await platform.conversations.list(uuid, 1);
  t.equal(conversation?.length, 2);
});

t.test('a crash during a turn neither loses nor repeats anything', async (t) => {
  const dataDir = freshFolder(t);
  const pool = new InlinePool();
  const images: string[] = [];
  const run: InlinePool['run'] = (type, input) => {
    if (type.name === 'journey.step') images.push(crashed(t, dataDir));
    return pool.run(type, input);
  };
  const workers = { run, check: (type: never) => pool.check(type), stop: () => pool.stop() } as InlinePool;
  const before = await startChannel(t, { dataDir, ports: { workers } });
  await before.publish(asks);
  await before.say('hi');
  await before.say('Ann');
  t.strictSame(before.received(), ['What is your name?', 'Goodbye Ann']);

  const [atHi, atName] = images;
  const first = await startAgain(t, before, atHi!);
  await first.clock.advance(60_000);
  t.strictSame(first.received(), ['What is your name?'], 'the recorded message is answered now');
  t.strictSame(first.told('message.received'), [], 'no message is recorded again');
  await first.say('Bo', { id: 'in-2' });
  t.equal(first.received().at(-1), 'Goodbye Bo');

  const second = await startAgain(t, before, atName!);
  await second.clock.advance(60_000);
  t.equal(second.received().at(-1), 'Goodbye Ann');
  t.equal(second.received().filter((text) => text === 'Goodbye Ann').length, 1);
});

t.test('a platform that is stopped under load answers each contact once after the restart', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { dataDir });
  await before.publish(asks);
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => before.post(inboundText('hi', { id: `in-${n}`, from: `+${n}` }))));
  t.ok(answers.every(({ status }) => status === 200));
  await before.server.stop();
  const after = await startAgain(t, before, dataDir);
  await after.clock.advance(60_000);
  const asked = [...before.deliveries(), ...after.deliveries()].map(({ json }) => json.to);
  t.equal(asked.length, 30);
  t.equal(new Set(asked).size, 30);
});

t.test('a parked session is still parked after a restart', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { dataDir });
  await before.publish(asks);
  await before.say('hi');
  await before.clock.advance(60_000);
  await before.server.stop();
  const after = await startAgain(t, before, dataDir);
  await after.clock.advance(4 * 60_000 - 1);
  t.strictSame(after.told('journey.session_expired'), []);
  await after.say('Ann', { id: 'in-2' });
  t.equal(after.received().at(-1), 'Goodbye Ann');
});

t.test('a wait that expired during downtime has expired, and a late reply still resumes from its question', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { dataDir });
  await before.publish(asks);
  await before.say('hi');
  await before.server.stop();
  const after = await startAgain(t, before, dataDir, new Date(before.clock.now().getTime() + 3600_000));
  const answers = await Promise.all([
    after.post(inboundText('Ann', { id: 'in-2' })),
    after.post(inboundText('Bo', { id: 'in-3', from: '+2' })),
  ]);
  t.ok(answers.every(({ status }) => status === 200));
  await after.settle();
  t.equal(after.told('journey.session_expired').length, 1);
  t.strictSame(after.received(), ['What is your name?', 'What is your name?']);
  await after.clock.advance(3600_000);
  await after.say('Ann', { id: 'in-4', context: 'out-1' });
  t.equal(after.received().at(-1), 'Goodbye Ann');
});
