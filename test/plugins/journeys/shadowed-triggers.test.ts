import t from 'tap';
import { startChannel } from '../channels/channel-under-test.js';
import { containerOf } from './engine/journey-under-test.js';
import { says } from './short-journeys.js';

type Trigger = { readonly on: 'message' | 'first_message' | 'catch_all'; readonly words?: readonly string[] };

t.test('a trigger that another journey shadows gives a warning, and is published all the same', async (t) => {
  const { admin, uuid: number, platform, say, received } = await startChannel(t);
  const put = async (name: string, triggers: readonly Trigger[], uuid = platform.ids.uuid()) => {
    const { body } = await admin('PUT', `/journeys/${uuid}`, { number, name, definition: containerOf(says(name)), triggers });
    return { uuid, messages: shadows(body.problems) };
  };
  const shadows = (problems: readonly { code: string; severity: string; message: string }[]): string[] =>
    problems.flatMap(({ code, severity, message }) => (code === 'shadowed_trigger' ? `${severity} ${message}` : []));
  const publish = (uuid: string) => admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });

  const later: readonly Trigger[] = [{ on: 'message', words: ['help'] }, { on: 'first_message' }, { on: 'catch_all' }];
  const worded = await put('Worded', [{ on: 'message', words: ['hi'] }]);
  await publish(worded.uuid);
  const all = await put('All', [{ on: 'message' }]);
  t.strictSame(all.messages, []);
  const help = await put('Help', later);
  t.strictSame(help.messages, [], 'a draft shadows no trigger');
  await publish(all.uuid);
  const wanted = ['message', 'first_message', 'catch_all'].map(
    (on, i) => `warning trigger ${i + 1} ('${on}') never starts this journey: 'All' starts first for every such message`,
  );
  t.strictSame(shadows((await admin('GET', `/journeys/${help.uuid}/problems`)).body.problems), wanted);
  const published = await publish(help.uuid);
  t.equal(published.status, 200);
  t.strictSame(shadows(published.body.problems), wanted);
  await say('help');
  t.strictSame(received(), ['All'], 'as the warning says');

  t.strictSame((await put('Worded', [{ on: 'message', words: ['hi'] }], worded.uuid)).messages, [], 'an earlier one answers first');
  t.match((await put('Worded', [{ on: 'catch_all' }], worded.uuid)).messages, [/'All'/], 'but not before an earlier catch-all');
  await admin('POST', `/journeys/${all.uuid}/disable`);
  t.strictSame(
    shadows((await admin('GET', `/journeys/${help.uuid}/problems`)).body.problems),
    ["warning trigger 3 ('catch_all') never starts this journey: 'Worded' starts first for every such message"],
    'the first that catches what is left takes it all',
  );
});
