import t from 'tap';
import { startChannel } from '../channels/channel-under-test.js';
import { containerOf } from './engine/journey-under-test.js';

const FIVE_MINUTES = 5 * 60_000;
const blocks = ['first', 'second'].map((name) => ({ name, type: 'MobilePrimitives.OpenResponse', config: { prompt: name } }));

t.test('a journey without a time-out waits five minutes for a reply', async (t) => {
  for (const timeout of ['missing', 'null']) {
    const { admin, uuid, platform, say, received, clock, told } = await startChannel(t);
    const container = containerOf({ blocks, texts: { first: 'First?', second: 'Second?' } });
    const flows = container.flows.map(({ interaction_timeout: _, ...flow }) => ({
      ...flow,
      ...(timeout === 'null' && { interaction_timeout: null }),
    }));
    const journey = platform.ids.uuid();
    const definition = { ...container, flows };
    await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Asking', definition, triggers: [{ on: 'message' }] });
    t.equal((await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' })).status, 200, timeout);
    await say('hi');
    await clock.advance(FIVE_MINUTES - 1);
    await say('in time');
    t.equal(received().at(-1), 'Second?');
    await clock.advance(FIVE_MINUTES - 1);
    t.strictSame(told('journey.session_expired'), []);
    await clock.advance(1);
    t.equal(told('journey.session_expired').length, 1);
  }
});
