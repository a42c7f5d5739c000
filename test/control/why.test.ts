import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { why } from '../../sandbox/commands/why.js';
import { startControlled } from './sandbox-with-receiver.js';
import { CONTACT, chainOf, chainWhen, endpoint, firstOf, isSettled, type Link, putJourney, say } from './why-chain.js';

t.test('every step of a delivered message is ok, from the call to the receiver', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  const body = await chainWhen(box, id, isSettled);
  t.equal(body.first, null);
  t.match(
    body.links.map(({ name, state }: Link) => `${name} ${state}`),
    ['call ok', 'message ok', 'journey skipped', 'webhook ok', 'delivery ok'],
  );
  const [call, message, , webhook, delivery] = body.links;
  const [recorded] = (await box.admin('GET', '/calls')).body.calls;
  t.equal(call.evidence.call, recorded.id);
  t.match(message.evidence, { message: body.about.message, conversation: String, contact: body.about.contact, number: box.number });
  t.equal(webhook.evidence.webhook, box.webhook.uuid);
  t.match(delivery, { evidence: { delivery: String, status: '200', webhook: box.webhook.uuid }, at: String, fix: null });
  t.match((await chainOf(box, { contact: CONTACT })).body.about, body.about, 'the newest message of the contact');
  t.match((await chainOf(box, { message: body.about.message })).body, { about: body.about, first: null }, 'by uuid');
});

t.test('a call without a valid token is the first broken step', async (t) => {
  const box = await startControlled(t);
  const since = new Date(Date.now() - 60_000).toISOString();
  await box.call('POST', `/v1/numbers/${box.number}/messages`, { payload: {}, token: 'ph_wrong_token_0123456789' });
  const { status, body } = await chainOf(box, { since });
  t.equal(status, 200);
  const [recorded] = (await box.admin('GET', '/calls')).body.calls;
  t.match(firstOf(body), {
    ...{ name: 'call', state: 'broken', summary: /401: the call has no valid token/, at: recorded.at, first: true },
    evidence: { call: recorded.id, status: '401' },
    fix: {
      action: /token of number web:shop/,
      command: 'npx posthorn env --number web:shop',
      route: `POST /admin/v1/numbers/${box.number}/tokens`,
    },
  });
});

t.test('a call with the token of another number names both', async (t) => {
  const box = await startControlled(t);
  const other = await box.admin('POST', '/channels', { from_addr: 'web:other', name: 'Other', endpoint: `${box.receiver.url}/other` });
  await box.call('POST', `/v1/numbers/${other.body.number.uuid}/messages`, { payload: { message: {} } });
  const { body } = await chainOf(box, { since: new Date(Date.now() - 60_000).toISOString() });
  t.match(firstOf(body), { name: 'call', summary: /the token belongs to number web:shop/, evidence: { number: box.number } });
});

t.test('a call with an invalid body is broken with the error, also for its contact', async (t) => {
  const box = await startControlled(t);
  await say(box, 'hello');
  await sleep(5);
  const payload = { contact: { id: CONTACT }, message: { from: CONTACT, type: 'text' } };
  await box.call('POST', `/v1/numbers/${box.number}/messages`, { payload });
  const { body } = await chainOf(box, { contact: CONTACT });
  t.match(firstOf(body), { name: 'call', evidence: { status: '400', error: String }, fix: { command: /^npx posthorn calls / } });
  t.ok(
    body.links.some(({ name }: Link) => name === 'message'),
    'the steps of the earlier message follow',
  );
});

t.test('without any call or message, the chain says that nothing arrived', async (t) => {
  const box = await startControlled(t);
  const { body } = await chainOf(box, { since: new Date().toISOString() });
  t.match(body, { first: 0, links: [{ name: 'call', state: 'broken', summary: /no refused call arrived since/ }] });
});

t.test('a number with journeys of which none matches names them', async (t) => {
  const box = await startControlled(t);
  const journey = await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(firstOf(body), {
    name: 'journey',
    summary: /no trigger matches the message.*'Orders'/,
    evidence: { journey },
    fix: { action: String },
  });
});

t.test('a number with neither journey nor webhook is broken at the journey', async (t) => {
  const box = await startControlled(t);
  await box.admin('DELETE', `/webhooks/${box.webhook.uuid}`);
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(firstOf(body), { name: 'journey', summary: /has no journey/, fix: { command: /posthorn journey push/ } });
  t.match(body.links.at(-1), { name: 'webhook', state: 'broken', evidence: { cause: 'none' }, first: false });
});

t.test('a journey that is not published is named, with the command that publishes it', async (t) => {
  const box = await startControlled(t);
  const uuid = randomUUID();
  const notebook = '```stack\ncard Hello do\n  text("Hi")\nend\n```\n';
  await box.admin('PUT', `/journeys/${uuid}`, { number: box.number, name: 'Draft', notebook, triggers: [{ on: 'message' }] });
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(firstOf(body), {
    summary: /No journey of the number is published and enabled: 'Draft'/,
    fix: { command: `npx posthorn journey publish ${uuid}` },
  });
});

t.test('an earlier journey that takes every message is named, with the one that did not start', async (t) => {
  const box = await startControlled(t);
  const all = await putJourney(box, 'Everything', [{ on: 'message' }]);
  const orders = await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  const body = await chainWhen(box, await say(box, 'order'), isSettled);
  t.match(firstOf(body), {
    ...{ name: 'journey', summary: /'Everything' took the message: it is older.*'Orders' did not start/ },
    evidence: { journey: all, other_journey: orders, session: String },
    fix: { route: `POST /admin/v1/journeys/${all}/disable` },
  });
  t.ok(
    body.links.some(({ name, evidence }: Link) => name === 'reply' && evidence.journey === all),
    'the reply of that journey follows',
  );
});

t.test('a parked session that takes the message of another journey is named', async (t) => {
  const box = await startControlled(t);
  const asking = await putJourney(box, 'Survey', [{ on: 'message', words: ['survey'] }], 'mood = ask("How are you?")');
  await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  await chainWhen(box, await say(box, 'survey'), isSettled);
  const body = await chainWhen(box, await say(box, 'order'), isSettled);
  t.match(firstOf(body), {
    ...{ name: 'session', summary: /A parked session of the journey 'Survey'.*would otherwise start 'Orders'/ },
    evidence: { session: String, journey: asking },
  });
});

t.test('a late reply to an expired session is broken at the session', async (t) => {
  const box = await startControlled(t);
  const journey = await putJourney(box, 'Survey', [{ on: 'message', words: ['survey'] }], 'mood = ask("How are you?")');
  await chainWhen(box, await say(box, 'survey'), isSettled);
  const [{ expires_at: until }] = (await box.admin('GET', `/journeys/${journey}/sessions`)).body.sessions;
  const moved = await box.admin('POST', '/clock', { set: new Date(Date.parse(until) + 1_000).toISOString() });
  t.equal(moved.status, 200);
  const body = await chainWhen(box, await say(box, 'fine'), isSettled);
  t.match(firstOf(body), {
    name: 'session',
    summary: /expired before the contact replied/,
    evidence: { journey },
    fix: { action: /context\.id/ },
  });
});

t.test('a webhook that does not subscribe to messages is named', async (t) => {
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { subscriptions: ['svc'] });
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(firstOf(body), {
    ...{ name: 'webhook', summary: /No webhook of the number subscribes to msgapp/, evidence: { cause: 'not_subscribed' } },
    fix: { route: `PATCH /admin/v1/webhooks/${box.webhook.uuid}` },
  });
});

t.test('a reaction that webhooks do not receive is broken at the webhook', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  const { platform } = box.sandbox;
  const number = (await platform.numbers.get(box.number))!;
  await platform.store.transaction((tx) =>
    platform.messages.received(tx, number, {
      ...{ id: 'reaction-1', contact: { id: CONTACT, name: 'Ann' }, from: CONTACT, timestamp: '1767600001' },
      ...{ type: 'reaction', content: { reaction: { message_id: id, emoji: '👍' } } },
    }),
  );
  const body = await chainWhen(box, 'reaction-1', isSettled);
  t.match(firstOf(body), { evidence: { cause: 'filtered' }, fix: { route: `PATCH /admin/v1/numbers/${box.number}` } });
});

t.test('a disabled webhook is broken as muted, and the delivery can be repeated', async (t) => {
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { enabled: false });
  const body = await chainWhen(box, await say(box, 'hello'), isSettled);
  t.match(firstOf(body), {
    ...{ name: 'webhook', evidence: { cause: 'muted' } },
    fix: { action: /then redeliver/, route: `PATCH /admin/v1/webhooks/${box.webhook.uuid}`, body: { enabled: true } },
  });
});

t.test('a paused webhook is the first broken step while its delivery waits', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', `/webhooks/${box.webhook.uuid}/pause`);
  const { body } = await chainOf(box, { message: await say(box, 'hello') });
  t.match(firstOf(body), {
    name: 'webhook',
    evidence: { cause: 'paused' },
    fix: { route: `POST /admin/v1/webhooks/${box.webhook.uuid}/resume` },
  });
});

t.test('a delivery that waits for its retry says until when, and a rejected one why', async (t) => {
  const [down, rejects] = [await endpoint(t, 500), await endpoint(t, 400)];
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: down });
  const waiting = await chainWhen(box, await say(box, 'hello'), (links) => links.some(({ evidence }) => evidence.status === '500'));
  const { body } = await box.admin('GET', `/deliveries/${firstOf(waiting).evidence.delivery}`);
  t.match(firstOf(waiting), {
    name: 'delivery',
    state: 'waiting',
    at: body.delivery.due_at,
    summary: new RegExp(`due at ${body.delivery.due_at}`),
  });

  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: rejects });
  const rejected = await chainWhen(box, await say(box, 'again'), (links) => links.some(({ evidence }) => evidence.status === '400'));
  t.match(firstOf(rejected), {
    name: 'delivery',
    state: 'broken',
    evidence: { status: '400', attempts: '1' },
    fix: { command: /redeliver/ },
  });
});

t.test('unknown ids get 404, and a call without or with conflicting parameters 400', async (t) => {
  const box = await startControlled(t);
  t.match(await chainOf(box, { message: 'none' }), { status: 404, body: { errors: [{ details: /no message/i }] } });
  t.match(await chainOf(box, { contact: '+1' }), { status: 404 });
  t.match(await chainOf(box, {}), { status: 400, body: { errors: Object } });
  t.match(await chainOf(box, { message: 'a', contact: 'b' }), { status: 400 });
  t.match(await chainOf(box, { since: 'yesterday' }), { status: 400 });
});

t.test('posthorn why prints the steps, marks the first broken one, and exits with 1', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  await chainWhen(box, id, isSettled);
  const fine = await box.run(why, id);
  t.equal(fine.code, 0);
  t.match(fine.out.at(-1), 'Every step happened.');
  t.match(fine.out[0], new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}\\${CONTACT} {2}wrote {2}hello$`), 'first when, who and what');
  t.match(fine.out[1], /^ {2}\d\d:\d\d:\d\d {2}call {5}ok {7}POST \/v1\/numbers\/…[\da-f]{6}\/messages was accepted/);
  t.notMatch(fine.out.join('\n'), /[\da-f]-[\da-f]{12} {2}/, 'ids are short');
  t.equal((await box.run(why, CONTACT)).code, 0, 'by contact');

  await box.call('GET', '/v1/nothing', { token: '' });
  const recent = await box.run(why);
  t.equal(recent.code, 1);
  t.match(recent.out[1], /^> \d\d:\d\d:\d\d {2}call {5}broken {3}The platform refused GET \/v1\/nothing/);
  t.match(recent.out.join('\n'), /fix: .*npx posthorn calls/);
  const json = await box.run(why, CONTACT, '--since', '2026-01-01', '--json');
  t.match(JSON.parse(json.out[0]!), { v: 1, first: 0, links: [{ name: 'call', first: true }] });
  await t.rejects(box.run(why, 'unknown'), /message or contact unknown not found/);
  await t.rejects(box.run(why, 'a', 'b'), /takes one message or contact/);
});
