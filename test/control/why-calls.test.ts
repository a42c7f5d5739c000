import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { deliveryAnsweredLate } from '../../core/delivery/delivery.js';
import { deliveries } from '../../sandbox/commands/deliveries.js';
import { why } from '../../sandbox/commands/why.js';
import { type ControlledSandbox, startControlled } from './sandbox-with-receiver.js';
import { CONTACT, chainOf, chainWhen, endpoint, firstOf, followIds, isSettled, type Link, say, setConnector } from './why-chain.js';

const recently = (): string => new Date(Date.now() - 60_000).toISOString();

/** The chain of all that happened in the last minute. Every id in it leads to its record. */
async function recent(box: ControlledSandbox): Promise<Link> {
  const { status, body } = await chainOf(box, { since: recently() });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await followIds(
    box,
    body.links.flatMap(({ ids }: Link) => ids),
  );
  return body;
}

/** Sends a message to the contact through the connector. @returns its uuid */
async function send({ call }: ControlledSandbox): Promise<string> {
  const payload = { to: CONTACT, type: 'text', text: { body: 'Your order left' } };
  const { body } = await call('POST', '/v1/messages', { payload });
  return body.messages[0].id;
}

t.test('with refused calls only, the first of them is the first broken step', async (t) => {
  const box = await startControlled(t);
  await box.call('POST', '/v1/messages', { payload: { to: CONTACT } });
  await box.call('GET', '/v1/nothing');
  const body = await recent(box);
  t.match(body, {
    first: 0,
    links: [{ name: 'call', state: 'broken', evidence: { status: '400' } }, { summary: /no route has this path/ }],
  });
  t.equal(body.links.length, 2);
});

t.test('a call over the limit, and a token of a kind that cannot use the route, say so', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', '/faults', { where: 'api', effect: { kind: 'status', status: 429 }, times: 1 });
  await box.call('POST', '/v1/messages', { payload: { to: CONTACT, type: 'text', text: { body: 'hi' } } });
  t.match(firstOf(await recent(box)), {
    evidence: { status: '429' },
    summary: /has used its calls of this minute/,
    fix: { action: /next minute/ },
  });

  const kind = await startControlled(t);
  await kind.call('POST', '/v1/numbers', { payload: {} });
  t.match(firstOf(await recent(kind)), {
    evidence: { status: '403', number: kind.number },
    summary: /number web:shop, which may not make this call/,
  });
});

t.test('a message that was posted again is a duplicate, and one with other content was lost', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  await say(box, 'hello', id);
  const same = await chainWhen(box, id, isSettled);
  t.equal(same.first, null);
  t.match(same.links[1], {
    name: 'call',
    state: 'skipped',
    evidence: { cause: 'repeated' },
    summary: /posted the id of the message again.*a duplicate has no effect/,
  });
  t.not(same.links[0].evidence.call, same.links[1].evidence.call);

  await say(box, 'something else', id);
  const other = await chainWhen(box, id, isSettled);
  t.match(firstOf(other), { name: 'call', evidence: { cause: 'repeated', advice: /^inbound_id_repeated/ }, fix: { action: /unique id/ } });

  const first = await say(box, 'question');
  const reply = { from: CONTACT, id: 'reply-1', timestamp: '1767600000', type: 'text', text: { body: 'hi' }, context: { id: first } };
  await box.call('POST', `/v1/numbers/${box.number}/messages`, {
    payload: { contact: { id: CONTACT, profile: { name: 'Ann' } }, message: reply },
  });
  const replied = await chainWhen(box, first, isSettled);
  t.notOk(
    replied.links.some(({ evidence }: Link) => evidence.cause === 'repeated'),
    'a reply that names the message is no duplicate',
  );
});

t.test('a message that the network or connector reported as failed has its errors', async (t) => {
  const box = await startControlled(t);
  const uuid = await send(box);
  await chainWhen(box, uuid, isSettled);
  const { external_id: id } = (await box.admin('GET', `/messages/${uuid}`)).body.message;
  const errors = [{ code: 470, title: 'Blocked', details: 'The contact has blocked you' }];
  const status = { id, recipient_id: CONTACT, status: 'failed', timestamp: '1767600005', errors };
  const posted = await box.call('POST', `/v1/numbers/${box.number}/statuses`, { payload: { status } });
  t.equal(posted.status, 200);
  const body = await chainWhen(box, uuid, (links) => links.some(({ state }) => state === 'broken'));
  t.match(firstOf(body), {
    name: 'status',
    summary: 'The message failed: 470 Blocked: The contact has blocked you.',
    evidence: { status: 'failed', message: uuid },
  });
});

t.test('a connector that fails permanently breaks the delivery of the message, and then its status', async (t) => {
  const box = await startControlled(t, { clock: 'manual' });
  await setConnector(box, await endpoint(t, 503));
  const uuid = await send(box);
  await chainWhen(box, uuid, (links) => links.some(({ evidence }) => evidence.status === '503'));
  for (let left = 40; left > 0; left--) {
    await box.sandbox.clock!.advance(60_000);
    await sleep(20);
    const { body } = await chainOf(box, { message: uuid });
    if (body.links.some(({ state }: Link) => state === 'broken')) break;
  }
  const body = await chainWhen(box, uuid, (links) => links.some(({ state }) => state === 'broken'));
  t.match(firstOf(body), { name: 'delivery', summary: /was dropped .*the last attempt ended with 503/, fix: { command: /redeliver/ } });
  t.match(body.links.at(-1), { name: 'status', state: 'broken' });
});

t.test('a deleted webhook is broken while its deliveries are known, and an evicted delivery is unknown', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', `/webhooks/${box.webhook.uuid}/pause`);
  const id = await say(box, 'hello');
  await box.admin('DELETE', `/webhooks/${box.webhook.uuid}`);
  const deleted = await chainWhen(box, id, isSettled);
  t.match(firstOf(deleted), {
    ...{ name: 'webhook', summary: 'The webhook was deleted.', evidence: { cause: 'deleted', deleted: box.webhook.uuid } },
    fix: { route: 'POST /admin/v1/webhooks', body: { number: box.number, subscriptions: ['msgapp'] } },
  });

  const forgetful = await startControlled(t, { options: { deliveries: { kept: 0 } } });
  const evicted = await chainWhen(forgetful, await say(forgetful, 'hello'), (links) => links.every(({ name }) => name !== 'delivery'));
  t.equal(evicted.first, null, 'a delivery that may have been delivered is not broken');
  t.match(evicted.links.at(-1), { name: 'webhook', state: 'unknown', evidence: { cause: 'evicted', webhook: forgetful.webhook.uuid } });
});

async function addChannel({ admin, receiver }: ControlledSandbox): Promise<{ number: string; token: string }> {
  const { number } = (await admin('POST', '/channels', { from_addr: 'web:go', name: 'Go', endpoint: `${receiver.url}/go` })).body;
  return { number: number.uuid, token: (await admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'Go' })).body.text };
}

t.test('refused calls of a conformance run, of other numbers and from before the message are not the cause', async (t) => {
  const box = await startControlled(t);
  const other = await addChannel(box);
  const refuse = async () => {
    for (const number of [box.number, other.number]) {
      const token = number === box.number ? box.token : other.token;
      for (const id of ['posthorn-conformance-1', 'unknown']) {
        const refused = await box.call('POST', `/v1/numbers/${number}/statuses`, {
          payload: { status: { id, recipient_id: 'someone', status: 'sent', timestamp: {} } },
          token,
        });
        t.equal(refused.status, 400);
      }
    }
  };
  await refuse();
  await sleep(5);
  await setConnector(box, await endpoint(t, 401, '{"error":"signature"}'));
  const uuid = await send(box);
  await chainWhen(box, uuid, (links) => links.some(({ evidence }) => evidence.status === '401'));
  const body = await recent(box);
  t.equal(body.about.message, uuid);
  t.match(firstOf(body), { name: 'delivery', evidence: { status: '401' } });
  t.notMatch(JSON.stringify(body), /conformance/);
  t.match(
    body.links.slice(-2).map(({ name, first, evidence }: Link) => [name, first, evidence.number]),
    [
      ['call', false, box.number],
      ['call', false, other.number],
    ],
    'the others follow the steps of the message',
  );

  await setConnector(box, `${box.receiver.url}/connector`);
  await chainWhen(box, await send(box), isSettled);
  t.match(firstOf(await recent(box)), { name: 'call', evidence: { number: box.number } }, 'an earlier call, if every step happened');
  await sleep(5);
  await refuse();
  const after = await recent(box);
  t.equal(after.first, 0);
  t.match(firstOf(after), { name: 'call', evidence: { status: '400', number: box.number } }, 'a call after the message');

  const quiet = await startControlled(t);
  await chainWhen(quiet, await send(quiet), isSettled);
  const { number, token } = await addChannel(quiet);
  await quiet.call('POST', `/v1/numbers/${number}/statuses`, { payload: {}, token });
  t.equal((await recent(quiet)).first, null, 'the call of another number is never the cause');
  t.match((await quiet.run(why)).out.at(-1), /the refused calls are those of other numbers/);
});

t.test('a connector that returns no id breaks the delivery of each of its messages', async (t) => {
  const box = await startControlled(t);
  await setConnector(box, await endpoint(t, 200, '{"ok":true}'));
  const [one, two] = [await send(box), await send(box)];
  for (const uuid of [one, two]) {
    const body = await chainWhen(box, uuid, (links) => links.some(({ evidence }) => evidence.state === 'delivered'));
    t.match(firstOf(body), {
      ...{ name: 'delivery', state: 'broken' },
      summary: /accepted it with 200, but the response body has no message id in messages\[0\]\.id: statuses and replies/,
      fix: { action: /^Respond with status 200 and the JSON body \{"messages":/, command: /deliveries show/ },
    });
    const { body: shown } = await box.admin('GET', `/deliveries/${firstOf(body).evidence.delivery}`);
    t.match(shown, { answer_fault: /no message id.*Respond with status 200/ });
    t.match((await box.run(deliveries, 'show', shown.delivery.uuid)).out.join('\n'), /accepted, but the response body has no message id/);
  }
  t.equal((await box.run(why, CONTACT)).code, 1);
});

t.test('a connector that accepts a message after the time limit explains the failed attempt', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', '/faults', { where: 'deliveries', effect: { kind: 'timeout' } });
  const uuid = await send(box);
  await chainWhen(box, uuid, (links) => links.some(({ evidence }) => evidence.status === 'timed out'));
  const { platform } = box.sandbox;
  const [delivery] = await platform.deliveries.list({ message: uuid, limit: 1 });
  const response = { status: 200, body: '{"messages":[{"id":"late-1"}]}', cut: false };
  await platform.store.transaction((tx) => tx.emit(deliveryAnsweredLate, { delivery: delivery!, response }));
  const body = await chainWhen(box, uuid, (links) => links.some(({ name, state }) => name === 'status' && state === 'ok'));
  t.match(firstOf(body), {
    ...{ name: 'delivery', state: 'waiting' },
    summary:
      /did not respond in time; the connector accepted the message after this limit, but an attempt without a response in time counts as failed/,
  });
});

t.test('a failed attempt shows what the receiver responded, and a redelivery has no old outcome', async (t) => {
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: await endpoint(t, 401, `wrong secret${'x'.repeat(900)}\nat line 2`) });
  const id = await say(box, 'hello');
  const failed = firstOf(await chainWhen(box, id, isSettled));
  t.match(failed.summary, /ended with 401: the receiver responded “wrong secretx+…”\.$/);
  t.ok(failed.summary.length < 400);
  t.match(failed.fix.action, /^Correct the receiver at http\S+, then redeliver$/);

  await box.admin('POST', `/webhooks/${box.webhook.uuid}/pause`);
  const { delivery } = failed.evidence;
  t.notMatch((await box.run(deliveries, 'redeliver', delivery)).out.join('\n'), /401|attempt 0/);
  t.match((await box.run(deliveries, 'list')).out[0], new RegExp(`  msgapp  web:shop \\${CONTACT}  queued  paused`), 'number and contact');
  t.match((await chainOf(box, { message: id })).body.links.at(-1), { summary: /no attempt of the redelivery was made/ });
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: `${box.receiver.url}/hook` });
  await box.admin('POST', `/webhooks/${box.webhook.uuid}/resume`);
  const fine = (await chainWhen(box, id, isSettled)).links.at(-1);
  t.match(fine, { state: 'ok', evidence: { status: '200' } });
  t.notOk('error' in fine.evidence);
});
