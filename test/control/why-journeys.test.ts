import { randomUUID } from 'node:crypto';
import t from 'tap';
import { journeysService } from '../../plugins/journeys/plugin.js';
import { newFolder, startControlled } from './sandbox-with-receiver.js';
import { chainOf, chainWhen, firstOf, isSettled, type Link, putJourney, say } from './why-chain.js';

/** The steps about journeys, in the order of the chain. */
const journeysIn = ({ links }: Link): string[] =>
  links.filter(({ name }: Link) => ['journey', 'session'].includes(name)).map(({ state, summary }: Link) => `${state} ${summary}`);

t.test('each journey that did not start is listed with its reason, in the order in which triggers are tried', async (t) => {
  const box = await startControlled(t);
  await putJourney(box, 'Catch', [{ on: 'catch_all' }]);
  await putJourney(box, 'Welcome', [{ on: 'first_message' }]);
  await putJourney(box, 'Vip', [{ on: 'message', when: 'contact.vip = true' }]);
  await putJourney(box, 'Words', [{ on: 'message', words: ['order', 'status'] }]);
  const off = await putJourney(box, 'Off', [{ on: 'message' }]);
  await box.admin('POST', `/journeys/${off}/disable`);
  const draft = randomUUID();
  const notebook = '```stack\ncard Hello do\n  text("Hi")\nend\n```\n';
  await box.admin('PUT', `/journeys/${draft}`, { number: box.number, name: 'Draft', notebook, triggers: [{ on: 'message' }] });
  const all = await putJourney(box, 'All', [{ on: 'message' }]);
  await putJourney(box, 'After', [{ on: 'message' }]);
  await putJourney(box, 'Manual', []);

  await chainWhen(box, await say(box, 'hi'), isSettled);
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(journeysIn(body), [
    "skipped The journey 'Welcome' did not start: it starts only with the first message of a contact.",
    "skipped The journey 'Vip' did not start: the condition of its trigger was not true: contact.vip = true.",
    "skipped The journey 'Words' did not start: the message 'hello' is not one of its words ('order', 'status').",
    "skipped The journey 'Off' did not start: it is disabled.",
    "skipped The journey 'Draft' did not start: it is not published.",
    /^broken The journey 'All' took the message: it is older and has a trigger for every message, so 'After' did not start/,
    "skipped The journey 'After' did not start: its trigger was not tried, because 'All' is older and took the message.",
    "skipped The journey 'Manual' did not start: it has no trigger, so only the API, a schedule or another journey starts it.",
    "skipped The journey 'Catch' did not start: catch_all starts only if no other trigger matches, and one of 'All' did.",
  ]);
  t.equal(firstOf(body).evidence.journey, all);
});

t.test('a catch_all journey that took the message is fine, and a first message names the journey that was tried before', async (t) => {
  const box = await startControlled(t);
  await putJourney(box, 'Catch', [{ on: 'catch_all' }]);
  await putJourney(box, 'Vip', [{ on: 'first_message', when: 'contact.vip = true' }]);
  await putJourney(box, 'Second', [{ on: 'catch_all' }]);
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.equal(body.first, null);
  t.strictSame(journeysIn(body), [
    "skipped The journey 'Vip' did not start: the condition of its trigger was not true: contact.vip = true.",
    "ok The journey 'Catch' took the message.",
    "skipped The journey 'Second' did not start: its trigger was not tried, because 'Catch' is older and took the message.",
  ]);
});

t.test('a parked session is named before the journeys whose triggers were not tried', async (t) => {
  const box = await startControlled(t);
  await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  await putJourney(box, 'Survey', [{ on: 'message', words: ['survey'] }], 'mood = ask("How are you?")');
  await chainWhen(box, await say(box, 'survey'), isSettled);
  t.match(journeysIn(await chainWhen(box, await say(box, 'order'), isSettled)), [
    /^broken A parked session of the journey 'Survey'.*would otherwise start 'Orders'/,
    "skipped The journey 'Orders' did not start: triggers are tried only when no session waits for the contact, and one of 'Survey' did.",
  ]);
});

t.test('a turn that is queued or retried is waiting, with its error and the time of the next attempt', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  await putJourney(box, 'All', [{ on: 'message' }]);
  const journeys = box.sandbox.platform.service(journeysService);
  const { runTurn } = journeys;
  t.teardown(() => Object.assign(journeys, { runTurn }));
  Object.assign(journeys, { runTurn: () => Promise.reject(new Error('the model is down')) });
  const id = await say(box, 'hello');
  const body = await chainWhen(box, id, (links) => links.some(({ evidence }) => evidence.attempts === '1'));
  const pending = firstOf(body);
  t.match(pending, { name: 'journey', state: 'waiting', summary: /is retried at .*1 attempts failed, the last with: the model is down/ });
  t.ok(Date.parse(pending.at) > box.sandbox.clock!.now().getTime());

  await box.sandbox.clock!.advance(600_000);
  const failed = await chainWhen(box, id, (links) => links.some(({ name, state }) => name === 'journey' && state === 'broken'));
  t.match(firstOf(failed), { name: 'journey', summary: /failed in all 10 attempts: the model is down/ });
});

t.test('after a restart, chains are explained from what is stored', async (t) => {
  const data = newFolder(t);
  const box = await startControlled(t, { data });
  await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  const answered = await say(box, 'order');
  const hasReply = (links: Link[]) => isSettled(links) && links.some(({ name }) => name === 'reply');
  const ofAnswered = await chainWhen(box, answered, hasReply);
  const unanswered = await say(box, 'hello');
  const before = [ofAnswered, await chainWhen(box, unanswered, isSettled)];
  await box.sandbox.stop();

  const again = await startControlled(t, { data }, box.receiver);
  const after = [await chainWhen(again, answered, isSettled), await chainWhen(again, unanswered, isSettled)];
  const shown = ({ links }: Link) => links.filter(({ name }: Link) => name !== 'call').map(({ name, state }: Link) => `${name} ${state}`);
  t.strictSame(after.map(shown), before.map(shown));
  t.match(firstOf(after[1]), { name: 'journey', summary: /no trigger matches the message/ });
  t.notOk(
    after[0].links.some(({ name }: Link) => name === 'call'),
    'calls are in memory',
  );
});

t.test('after a restart, a turn whose attempts all failed is still broken, and an unknown outcome says why it is unknown', async (t) => {
  const data = newFolder(t);
  const box = await startControlled(t, { data, clock: 'manual' });
  await putJourney(box, 'All', [{ on: 'message', words: ['hello'] }]);
  await putJourney(box, 'Silent', [{ on: 'message', words: ['quiet'] }], 'x = 1');
  const journeys = box.sandbox.platform.service(journeysService);
  const { runTurn } = journeys;
  const quiet = await say(box, 'quiet');
  await chainWhen(box, quiet, (links) => links.some(({ name, state }) => name === 'journey' && state === 'ok'));
  Object.assign(journeys, { runTurn: () => Promise.reject(new Error('the model is down')) });
  const id = await say(box, 'hello');
  await chainWhen(box, id, (links) => links.some(({ evidence }) => evidence.attempts === '1'));
  await box.sandbox.clock!.advance(600_000);
  await chainWhen(box, id, (links) => links.some(({ name, state }) => name === 'journey' && state === 'broken'));
  Object.assign(journeys, { runTurn });
  await box.sandbox.stop();

  const again = await startControlled(t, { data, clock: 'manual' }, box.receiver);
  t.match(firstOf((await chainOf(again, { message: id })).body), {
    ...{ name: 'journey', state: 'broken', evidence: { attempts: '10', error: 'the model is down' } },
    summary: /failed permanently\. 10 attempts failed/,
  });
  const { body } = await chainOf(again, { message: quiet });
  t.match(
    body.links.findLast(({ name }: Link) => name === 'journey'),
    { state: 'unknown', summary: /was restarted after the message.*matches triggers of 'Silent'/ },
  );
});
