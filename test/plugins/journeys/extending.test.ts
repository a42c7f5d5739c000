import t from 'tap';
import { type CollectionType, definePlugin, on, type Plugin } from '#core';
import { channels } from '../../../plugins/channels/plugin.js';
import { type JourneyRecord, journeyStarted, journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { loadSample } from '../../pages/samples.js';
import { CONTACT, startChannel } from '../channel-under-test.js';

const PAGE = 'plugins/journeys/README.md';

t.test('a plugin counts how sessions end, and hears when they start', async (t) => {
  const { endings, counts } = (await loadSample(PAGE, 'ts', 'endings')) as { endings: () => Plugin; counts: CollectionType<JourneyRecord> };
  const started: string[] = [];
  const listening = definePlugin({
    ...{ name: 'listening', version: '1.0.0', needs: [journeys] },
    register: () => ({ on: [on(journeyStarted, ({ journey, message }) => void started.push(`${journey} ${message !== null}`))] }),
  });
  const { say, publish, told, platform, uuid, clock } = await startChannel(t, {
    plugins: [channels(), webhooks(), journeys(), endings(), listening()],
  });
  const journey = await publish({
    texts: { question: 'Your size?' },
    blocks: [
      {
        ...{ name: 'size', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'question' } },
        exits: [{ test: 'size = "none"', to: 'broken' }, { to: null }],
      },
      { name: 'broken', type: 'Nobody.Knows' },
    ],
  });
  for (const text of ['hi', '42', 'hi', 'none', 'hi']) await say(text, { id: `m${told('journey.turn_taken').length}` });
  await clock.advance(300_000);
  const [conversation] = await platform.conversations.list(uuid, 1);
  const contact = conversation!.contact;
  const about = { journey, number: uuid, contact, conversation: conversation!.uuid };
  const [first, second, third] = told('journey.started');
  t.equal(CONTACT, (await platform.contacts.require(contact)).id);
  for (const one of [first, second, third]) t.match(one, { ...about, message: /^[0-9a-f-]{36}$/ });
  t.strictSame(told('journey.ended'), [
    { session: first.session, ...about, how: 'ended', failure: null },
    { session: second.session, ...about, how: 'failed', failure: told('journey.turn_taken').find(({ failure }) => failure).failure },
    { session: third.session, ...about, how: 'expired', failure: null },
  ]);
  t.strictSame(started, Array(3).fill(`${journey} true`));
  t.match(await platform.store.open(counts).get(journey), { number: uuid, ended: 1, failed: 1, expired: 1 });
});
