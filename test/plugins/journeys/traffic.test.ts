import t from 'tap';
import { ManualClock, RecordingLogger, startPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { createTraffic } from '../../../plugins/journeys/sessions/traffic.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { startChannel } from '../channels/channel-under-test.js';
import { minutes } from './short-journeys.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies of several routes
type Body = any;

const MENU = `\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Menu, then: Menu do
  choice = buttons(Hours: "Opening hours", Table: "A table") do
    text("What would you like?")
  end
end

card Hours do
  text("From 9 to 5.")
end

card Table do
  people = ask("How many?")
end
\`\`\`
`;

t.test('exits, questions and waits without an answer are counted by card, and outlast a restart', async (t) => {
  const dataDir = freshFolder(t);
  const { admin, uuid: number, platform, say, clock } = await startChannel(t, { dataDir });
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}/notebook?number=${number}&revision=production`, { notebook: MENU });
  const traffic = async (within = 24): Promise<Body> => (await admin('GET', `/journeys/${uuid}/traffic?hours=${within}`)).body.traffic;
  const from = (n: number) => ({ from: `+2782000000${n}` });
  const written = async (texts: readonly string[], n: number): Promise<void> => {
    for (const text of texts) await say(text, from(n));
  };
  t.match(await traffic(), { exits: [], cards: [] });
  await written(['hi', 'Opening hours'], 1);
  await written(['hi', 'A table', '4'], 2);
  await written(['hi'], 3);
  const { graph } = (await admin('GET', `/journeys/${uuid}/graph?revision=production`)).body;
  const takenTo = ({ exits }: Body, option: number): number => {
    const edge = graph.edges.find((one: Body) => one.from === 'Menu' && one.option === option);
    return edge.exits.reduce(
      (sum: number, exit: Body) => sum + (exits.find((one: Body) => one.block === exit.block && one.name === exit.name)?.count ?? 0),
      0,
    );
  };
  const first = await traffic();
  t.strictSame([takenTo(first, 0), takenTo(first, 1)], [1, 1]);
  t.match(
    first.cards.find(({ card }: Body) => card === 'Menu'),
    { asked: 3, unclear: 0, left: 0 },
  );
  await clock.advance(minutes(30 * 60));
  const later = await traffic(48);
  t.match(
    later.cards.find(({ card }: Body) => card === 'Menu'),
    { asked: 3, left: 1 },
    'the third contact left',
  );
  t.strictSame((await traffic(3)).exits, [], 'only those of the last hours');
  const away = platform.ids.uuid();
  t.equal((await admin('GET', `/journeys/${away}/traffic`)).status, 404);
  t.equal((await admin('GET', `/journeys/${uuid}/traffic?hours=1000`)).status, 400);

  await platform.stop();
  const plugins = [channels(), webhooks(), journeys()];
  const { admin: again } = await startPlatform(t, { plugins, dataDir, ports: { clock: new ManualClock({ start: clock.now() }) } });
  t.strictSame((await again('GET', `/journeys/${uuid}/traffic?hours=48`)).body.traffic, later);
});

t.test('counts of a busy journey are stored every ten seconds, those of a week ago are deleted, and names have a limit', async (t) => {
  const { platform, clock, uuid: number } = await startChannel(t);
  const log = new RecordingLogger();
  const counts = createTraffic({ store: platform.store, clock, log });
  const take = (block: string, times = 1) =>
    platform.store.transaction(async (tx) => {
      const at = { journey: 'j', flow: 'f', block, name: block, type: 'x', card: 'Menu' };
      await counts.count(
        tx,
        number,
        Array.from({ length: times }, () => ({ type: 'exit_taken', at, exit: 'next', to: null }) as const),
      );
    });
  const again = createTraffic({ store: platform.store, clock, log });
  const stored = async () => (await again.since('j', 168)).exits.map(({ count }) => count);
  await take('a');
  await take('a', 2);
  t.strictSame(await stored(), [1], 'the first at once');
  t.strictSame((await counts.since('j', 168)).exits, [{ block: 'a', name: 'next', count: 3 }]);
  await clock.advance(10_000);
  await take('a');
  t.strictSame(await stored(), [4]);
  await take('a');
  await Promise.all([counts.stop(), take('a')]);
  await counts.stop();
  t.strictSame(await stored(), [6], 'what is pending, once');
  await take('x'.repeat(300));
  for (let i = 0; i < 1_005; i++) await take(`b${i}`);
  await clock.advance(10_000);
  await take('a');
  t.equal((await counts.since('j', 168)).exits.length, 1_000);
  await clock.advance(minutes(8 * 24 * 60));
  await take('a');
  t.strictSame(await stored(), [1]);
});
