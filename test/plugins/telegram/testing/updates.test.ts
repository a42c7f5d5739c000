import t from 'tap';
import { startStandIn } from './stand-in-under-test.js';

/** One stand-in for all tests. */
const { clock, standIn, calls, hook, call, result, someone, waiting } = await startStandIn(t);
/** Confirms all updates, as a poll does. */
const confirm = () => call('getUpdates', { offset: (standIn.updates.at(-1)?.update_id ?? 0) + 1 });

t.test('polls: offset, limit, time on the clock, kinds, conflicts, and what is a day old', async (t) => {
  const ada = await someone();
  await confirm();
  const [one, two] = [await standIn.write(ada, 'one'), await standIn.write(ada, 'two')];
  const ids = (answer: { result: { update_id: number }[] }) => answer.result.map(({ update_id }) => update_id);
  const [first, second] = ids(await call('getUpdates')) as [number, number];
  t.strictSame(ids(await call('getUpdates', { limit: 1 })), [first], 'what is not confirmed comes again');
  t.match((await call('getUpdates', { offset: second })).result, [{ message: { message_id: two.message_id } }]);
  t.strictSame(ids(await call('getUpdates', { offset: first })), [second], 'what is confirmed is gone');
  t.equal(second, first + 1);
  t.ok(two.message_id > one.message_id);

  const poll = call('getUpdates', { offset: second + 1, timeout: 30 });
  await waiting();
  await standIn.write(ada, 'three');
  t.match((await poll).result, [{ message: { text: 'three' } }], 'an update ends a poll');
  const silent = call('getUpdates', { offset: second + 2, timeout: 30 });
  await waiting();
  await clock.advance(30_000);
  t.strictSame((await silent).result, []);
  const loser = call('getUpdates', { timeout: 30, offset: second + 2 });
  await waiting();
  const winner = call('getUpdates', { timeout: 30, offset: second + 2 });
  t.match(await loser, { status: 409, description: /^Conflict: terminated by other getUpdates request/ });
  await waiting();
  await clock.advance(30_000);
  t.match(await winner, { status: 200, result: [] });

  await call('getUpdates', { allowed_updates: ['callback_query'] });
  await standIn.write(ada, 'unwanted');
  t.strictSame(ids(await call('getUpdates', { allowed_updates: [] })), []);
  await standIn.write(ada, 'four');
  await standIn.write(ada, 'five');
  t.match((await call('getUpdates', { offset: -1 })).result, [{ message: { text: 'five' } }], 'a negative offset forgets the earlier ones');
  t.match((await call('getUpdates')).result, [{ message: { text: 'five' } }]);
  await confirm();
  await standIn.repeat(undefined, { message: { ...standIn.updates.at(-1)!.message!, text: 'other' } });
  t.match((await call('getUpdates', { offset: 10_000 })).result, [
    { update_id: standIn.updates.at(-1)!.update_id, message: { text: 'other' } },
  ]);
  t.strictSame((await call('getUpdates', { offset: 0 })).result, [], 'a repeated update comes once');
  await standIn.write(ada, 'old');
  await clock.advance(25 * 60 * 60_000);
  t.strictSame((await call('getUpdates')).result, []);
});

t.test('the webhook: rules, secret, order, retries, Retry-After, calls in answers, and the end', async (t) => {
  const ada = await someone();
  await confirm();
  calls.length = 0;
  const set = (url: string, fields = {}) => call('setWebhook', { url, secret_token: 'a-secret', ...fields });
  t.match(await set('http://hook.test/x'), {
    status: 400,
    description: 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
  });
  t.match(await set('https://hook.test:4000/x'), { description: /can be set up only on ports 80, 88, 443 or 8443$/ });
  t.match(await set('https://hook.test/x', { secret_token: 'a b' }), {
    description: 'Bad Request: secret token contains unallowed characters',
  });
  const poll = call('getUpdates', { timeout: 30 });
  await waiting();
  t.match(await set('https://hook.test/x'), { status: 200, result: true, description: 'Webhook was set' });
  t.match(await poll, { status: 409, description: 'Conflict: terminated by setWebhook request' });
  t.match(await set('https://hook.test/x'), { description: 'Webhook is already set' });
  t.match(await call('getUpdates'), { status: 409, description: /^Conflict: can't use getUpdates method while webhook is active/ });
  t.match(await result('getWebhookInfo'), { url: 'https://hook.test/x', pending_update_count: 0, max_connections: 40 });

  await standIn.write(ada, 'one');
  t.match(calls, [
    { url: 'https://hook.test/x', headers: { 'x-telegram-bot-api-secret-token': 'a-secret' }, update: { message: { text: 'one' } } },
  ]);
  hook.body = JSON.stringify({ method: 'sendMessage', chat_id: ada, text: 'by the answer' });
  await standIn.write(ada, 'two');
  t.match(standIn.sent.at(-1), { message: { text: 'by the answer' } });

  hook.status = 500;
  hook.body = '';
  await standIn.write(ada, 'three');
  await standIn.write(ada, 'four');
  const bob = await someone();
  const texts = () => calls.map(({ update }) => (update.message as { text: string }).text).slice(2);
  t.strictSame(texts(), ['three', '/start'], 'a chat waits, and others go on');
  t.match(await result('getWebhookInfo'), { pending_update_count: 3, last_error_message: 'Wrong response from the webhook: 500' });
  const at = () =>
    standIn.deliveries.find(({ update }) => update.message?.text === 'three')!.attempts.map(({ at }) => at.getTime() / 1_000);
  await clock.advance(200_000);
  const [start = 0, ...later] = at();
  t.strictSame(
    later.slice(0, 8).map((time) => time - start),
    [1, 3, 7, 15, 31, 63, 123, 183],
    'after 1, 2, 4 … 60 seconds',
  );
  hook.headers = { 'retry-after': '600' };
  await clock.advance(60_000);
  const last = at().at(-1)!;
  hook.status = 200;
  await clock.advance(599_000 - (clock.now().getTime() - last * 1_000));
  t.equal(at().at(-1), last);
  await clock.advance(1_000);
  t.equal(at().at(-1), last + 600, 'Retry-After is honoured');
  t.strictSame(
    texts()
      .filter((text) => text !== '/start')
      .slice(-2),
    ['three', 'four'],
    'in order',
  );
  hook.headers = {};
  await clock.advance(600_000);

  standIn.hold(ada);
  await standIn.write(ada, 'held');
  await standIn.write(bob, 'later');
  await standIn.release(ada);
  t.strictSame(texts().slice(-2), ['later', 'held'], 'out of order across chats');
  await standIn.repeat();
  t.match(calls.at(-1)!.update, { message: { text: 'later' } }, 'the last update, again');

  standIn.change({ goneMs: 2_000 });
  hook.status = 410;
  await standIn.write(ada, 'gone');
  await clock.advance(3_000);
  t.match(await result('getWebhookInfo'), { url: '', pending_update_count: 1 }, 'a webhook that is gone for long enough is removed');
  hook.status = 200;
  t.match(await set('https://hook.test/y', { drop_pending_updates: true, allowed_updates: ['callback_query'] }), { result: true });
  t.match(await result('getWebhookInfo'), { pending_update_count: 0, allowed_updates: ['callback_query'] });
  t.match(await call('deleteWebhook'), { result: true, description: 'Webhook was deleted' });
  t.match(await call('deleteWebhook'), { description: 'Webhook is already deleted' });
  await call('getUpdates', { allowed_updates: [] });
  // The retry of the lost update.
  await clock.advance(60_000);
});
