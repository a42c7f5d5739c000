import t from 'tap';
import { chunks } from '../../../core/memory/chunks.js';
import { JOURNEY_LIMITS } from '../../../plugins/journeys/engine/limits.js';
import { onlyLong } from '../../forms.js';
import { startChannel } from '../channels/channel-under-test.js';
import { MESSAGE, OPEN } from './short-journeys.js';

const SET = 'Svc.SetVariable';

t.test('a journey whose session grows too large ends with a reason', { skip: onlyLong }, async (t) => {
  const { say, publish, told, received, platform } = await startChannel(t);
  await publish({
    texts: { next: 'Next?' },
    blocks: [
      { name: 'next', type: OPEN, config: { prompt: 'next' } },
      {
        name: 'add',
        type: SET,
        config: { assignments: [{ name: 'all', value: 'if(is_nil_or_empty(all), [next], append(all, next))' }] },
        exits: [{ to: 'next' }],
      },
    ],
  });
  await say('hi');
  let turns = 0;
  for (; told('journey.turn_taken').at(-1).failure === null && turns < 200; turns++) await say(`${turns}${'x'.repeat(60_000)}`);
  t.ok(turns > 40 && turns < 80, `${turns} turns`);
  t.match(told('journey.turn_taken').at(-1), {
    // Its next question would tell the connector about all of it as well.
    failure: new RegExp(`^step_failed: .* the (output of this step|session) has more than ${JOURNEY_LIMITS.session} characters`),
    session: { state: 'failed' },
  });
  await say('again');
  t.equal(received().at(-1), 'Next?', 'a new session can start');
  const bytes = (await platform.store.open(chunks).list()).reduce((sum, chunk) => sum + JSON.stringify(chunk).length, 0);
  t.ok(bytes < turns * 60_000 * 1.1, `texts are stored once: ${bytes} bytes for ${turns} texts`);
});

t.test('a step whose events exceed the limit fails its run', async (t) => {
  const { say, publish, told } = await startChannel(t);
  const message = (n: number) => ({ name: `say ${n}`, type: MESSAGE, config: { prompt: 'text' } });
  await publish({
    texts: { ask: 'What?', text: 'Yes' },
    blocks: [{ name: 'ask', type: OPEN, config: { prompt: 'ask' } }, ...Array.from({ length: 90 }, (_, n) => message(n))],
  });
  await say('hi');
  await say('x'.repeat(60_000));
  t.match(told('journey.turn_taken').at(-1), { failure: /^step_failed: .* the output of this step has more than 4194304 characters/ });
  await say('hi');
  await say('short');
  t.match(told('journey.turn_taken').at(-1), { failure: null }, 'the same number of messages with smaller contexts is allowed');
});

t.test('a write that exceeds the limit of a contact is skipped with advice, and the journey continues', async (t) => {
  const { say, publish, received, told, platform, uuid } = await startChannel(t);
  await publish({
    texts: { ask: 'Which?', thanks: 'Thanks' },
    blocks: [
      { name: 'ask', type: OPEN, config: { prompt: 'ask' } },
      {
        name: 'thanks',
        type: MESSAGE,
        config: { prompt: 'thanks' },
        vendor_metadata: {},
      },
      ...Array.from({ length: 20 }, (_, n) => ({
        name: `write ${n}`,
        type: 'Core.SetContactProperty',
        config: { set_contact_property: [{ property_key: `field_${n}`, property_value: '@ask' }] },
      })),
    ],
  });
  await say('hi');
  await say('x'.repeat(4_000));
  t.equal(received().at(-1), 'Thanks');
  t.match(told('advice').at(-1), { name: 'journey_write_refused', message: /at most 65536 characters together/, about: { contact: /./ } });
  const [contact] = await platform.contacts.list(uuid);
  t.notOk('field_0' in contact!.fields);
});
