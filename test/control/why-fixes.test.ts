import t from 'tap';
import { commands } from '../../sandbox/commands.js';
import { summaryOf } from '../../sandbox/reports/summary.js';
import { type ControlledSandbox, startControlled } from './sandbox-with-receiver.js';
import { apply, CONTACT, chainOf, chainWhen, endpoint, firstOf, isSettled, type Link, putJourney, say } from './why-chain.js';

// Each test does what the fix of the first broken step says, and nothing else; then the chain has no broken step.

/** The first broken step of what the contact wrote, and its fix. */
const brokenFor = async (box: ControlledSandbox, text: string): Promise<Link> =>
  firstOf(await chainWhen(box, await say(box, text), isSettled));

async function isFixed(t: import('#core/testing').Tap, box: ControlledSandbox, text: string): Promise<void> {
  const body = await chainWhen(box, await say(box, text), isSettled);
  t.equal(body.first, null, JSON.stringify(firstOf(body)));
}

t.test('the subscription of a fix is added to the others, and the next message arrives', async (t) => {
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { subscriptions: ['channel'] });
  const { fix } = await brokenFor(box, 'hello');
  t.strictSame(fix.body, { subscriptions: ['channel', 'msgapp'] });
  await apply(box, fix);
  await isFixed(t, box, 'again');
});

t.test('the webhook of a fix is created, for a number without one and after it was deleted', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', `/webhooks/${box.webhook.uuid}/pause`);
  const id = await say(box, 'hello');
  await box.admin('DELETE', `/webhooks/${box.webhook.uuid}`);
  const more = { url: `${box.receiver.url}/hook`, name: 'New' };
  await apply(box, firstOf(await chainWhen(box, id, isSettled)).fix, more);
  await isFixed(t, box, 'again');

  const none = await startControlled(t);
  await none.admin('DELETE', `/webhooks/${none.webhook.uuid}`);
  const body = await chainWhen(none, await say(none, 'hello'), isSettled);
  const missing = body.links.find(({ name, state }: Link) => name === 'webhook' && state === 'broken');
  await apply(none, missing.fix, { ...more, url: `${none.receiver.url}/hook` });
  await isFixed(t, none, 'again');
});

t.test('a disabled webhook is enabled, and its delivery redelivered', async (t) => {
  const box = await startControlled(t);
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { enabled: false });
  const id = await say(box, 'hello');
  await apply(box, firstOf(await chainWhen(box, id, isSettled)).fix);
  const { fix } = firstOf(await chainWhen(box, id, isSettled));
  t.match(fix, { action: /redeliver the delivery/, command: /^npx posthorn deliveries redeliver / });
  await apply(box, fix);
  t.equal((await chainWhen(box, id, (links) => links.every(({ state }) => state !== 'broken' && state !== 'waiting'))).first, null);
});

t.test('a paused webhook is resumed', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', `/webhooks/${box.webhook.uuid}/pause`);
  const id = await say(box, 'hello');
  const { body } = await chainOf(box, { message: id });
  await apply(box, firstOf(body).fix);
  t.equal((await chainWhen(box, id, (links) => links.every(({ state }) => state !== 'broken' && state !== 'waiting'))).first, null);
});

for (const by of ['route', 'command'] as const) {
  t.test(`a rejected delivery is redelivered by the ${by} of its fix`, async (t) => {
    const box = await startControlled(t);
    await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: await endpoint(t, 400) });
    const id = await say(box, 'hello');
    const { fix } = firstOf(
      await chainWhen(box, id, (links) => links.some(({ name, state }) => name === 'delivery' && state === 'broken')),
    );
    await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, { url: `${box.receiver.url}/hook` });
    await apply(box, by === 'route' ? fix : { command: fix.command });
    t.equal((await chainWhen(box, id, (links) => links.every(({ state }) => state !== 'broken' && state !== 'waiting'))).first, null);
  });
}

t.test('the cause of a delivery is its fix, and advice on its webhook follows separately', async (t) => {
  const box = await startControlled(t);
  // Advice that has nothing to do with the closed port.
  await box.admin('PATCH', `/webhooks/${box.webhook.uuid}`, {
    url: 'http://127.0.0.1:1/hook',
    subscriptions: ['msgapp', 'journey_outbound'],
  });
  const id = await say(box, 'hello');
  const waits = (links: Link[]): boolean => links.some(({ name, state, at }) => name === 'delivery' && state === 'waiting' && at !== null);
  const delivery = firstOf(await chainWhen(box, id, waits));
  t.match(delivery.fix.action, /^Start the receiver at http:\/\/127\.0\.0\.1:1\/hook, or correct the url of the webhook, then retry now$/);
  t.match(delivery.summary, /; the last attempt got no response\. The connection was refused: no program listens at this address\.$/);
  t.match(delivery, { evidence: { status: 'refused' }, advice: [{ name: 'subscription_not_for_connectors', fix: /subscribe it to/ }] });

  const shown = (await box.run(commands.why!, id)).out.join('\n');
  t.match(shown, /^ {4}fix: Start the receiver .*\n {4}advice subscription_not_for_connectors: .*\n {6}fix: If this webhook belongs/m);
  const lists = [
    (await box.run(commands.deliveries!, 'list')).out,
    (await box.run(commands.deliveries!, 'show', delivery.evidence.delivery)).out,
    box.events('delivery.attempted').map((data) => summaryOf({ id: '', at: '', name: 'delivery.attempted', data })),
  ];
  for (const lines of [...lists.map((one) => one.join('\n')), shown]) {
    t.match(lines, /refused/);
    t.notMatch(lines, /\b504\b/, 'a status that no endpoint sent is shown nowhere');
  }
  const { body } = await box.admin('GET', `/deliveries/${delivery.evidence.delivery}`);
  t.match(body, { delivery: { last_status: 504, last_no_response: 'refused' }, attempts: [{ status: 504, no_response: 'refused' }] });
});

t.test('a fault rule that made an attempt fail is named, and not the receiver', async (t) => {
  const box = await startControlled(t);
  await box.admin('POST', '/faults', { where: 'deliveries', effect: { kind: 'status', status: 400 } });
  const id = await say(box, 'hello');
  const { summary, fix, evidence } = firstOf(
    await chainWhen(box, id, (links) => links.some(({ name, state }) => name === 'delivery' && state === 'broken')),
  );
  t.match(summary, /400.*because the fault rule fault_1 \(status\) acted on it, not because of the receiver\.$/);
  t.equal(evidence.fault, 'fault_1');
  t.match(fix.action, /^Remove the fault rule with npx posthorn fault remove fault_1, unless it has run out, then redeliver$/);
  t.notMatch(JSON.stringify(fix), /receiver/);
  await apply(box, fix);
  t.equal((await chainWhen(box, id, (links) => links.every(({ state }) => state !== 'broken' && state !== 'waiting'))).first, null);
});

t.test('reactions are turned on for the number', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  const react = async (name: string) => {
    const { platform } = box.sandbox;
    const number = (await platform.numbers.get(box.number))!;
    const content = { reaction: { message_id: id, emoji: '👍' } };
    await platform.store.transaction((tx) =>
      platform.messages.received(tx, number, {
        ...{ id: name, contact: { id: CONTACT, name: 'Ann' }, from: CONTACT, timestamp: '1767600001', type: 'reaction', content },
      }),
    );
    return chainWhen(box, name, isSettled);
  };
  await apply(box, firstOf(await react('reaction-1')).fix);
  t.equal((await react('reaction-2')).first, null);
});

t.test('a disabled journey is enabled, and a draft is published by route and by command', async (t) => {
  const box = await startControlled(t);
  const journey = await putJourney(box, 'Hello', [{ on: 'message' }]);
  await box.admin('POST', `/journeys/${journey}/disable`);
  const { fix } = await brokenFor(box, 'hello');
  t.equal(fix.route, `POST /admin/v1/journeys/${journey}/enable`);
  await apply(box, fix);
  await isFixed(t, box, 'again');

  for (const by of ['route', 'command'] as const) {
    const other = await startControlled(t);
    const notebook = '```stack\ncard Hello do\n  text("Hi")\nend\n```\n';
    const triggers = [{ on: 'message' }];
    await other.admin('PUT', '/journeys/5b1f7c7e-7d0e-4f0c-9a56-0c5a0b1e2d3f', { number: other.number, name: 'Draft', notebook, triggers });
    const draft = await brokenFor(other, 'hello');
    await apply(other, by === 'route' ? draft.fix : { command: draft.fix.command });
    await isFixed(t, other, 'again');
  }
});

t.test('the journey that takes everything is disabled, and the wait of a parked session ended', async (t) => {
  const box = await startControlled(t);
  await putJourney(box, 'Everything', [{ on: 'message' }]);
  const orders = await putJourney(box, 'Orders', [{ on: 'message', words: ['order'] }]);
  await apply(box, (await brokenFor(box, 'order')).fix);
  const body = await chainWhen(box, await say(box, 'order'), isSettled);
  t.ok(body.links.some(({ name, evidence }: Link) => name === 'reply' && evidence.journey === orders));
  t.equal(body.first, null);

  const parked = await startControlled(t);
  await putJourney(parked, 'Survey', [{ on: 'message', words: ['survey'] }], 'mood = ask("How are you?")\n  again = ask("And now?")');
  await putJourney(parked, 'Orders', [{ on: 'message', words: ['order'] }]);
  await chainWhen(parked, await say(parked, 'survey'), isSettled);
  await apply(parked, (await brokenFor(parked, 'order')).fix);
  const resumed = await chainWhen(parked, await say(parked, 'order'), isSettled);
  t.ok(resumed.links.some(({ name, state, summary }: Link) => name === 'journey' && state === 'ok' && /'Orders' took/.test(summary)));
});

t.test('the token that a fix names or creates is accepted', async (t) => {
  const box = await startControlled(t);
  const since = new Date(Date.now() - 60_000).toISOString();
  const payload = { to: CONTACT, type: 'text', text: { body: 'hi' } };
  await box.call('POST', '/v1/messages', { payload, token: 'ph_wrong_token_0123456789' });
  const { fix } = firstOf((await chainOf(box, { since })).body);

  const [, , name, ...argv] = fix.command.split(' ');
  const { env } = await import('../../sandbox/commands/env.js');
  t.equal(name, 'env');
  const { out } = await box.run(env, ...argv);
  const token = /POSTHORN_TOKEN='?([^'\s]+)/.exec(out.join('\n'))![1]!;
  t.ok((await box.call('POST', '/v1/messages', { payload, token })).status < 300);

  const [method, path] = fix.route.split(' ');
  const created = await box.admin(method, path.slice('/admin/v1'.length), fix.body);
  t.ok((await box.call('POST', '/v1/messages', { payload, token: created.body.text })).status < 300);
});

t.test('a command contains no address that a shell would read', async (t) => {
  const box = await startControlled(t, {
    seed: {
      channels: [{ from_addr: 'web:$(id)', name: 'Shop', endpoint: 'http://127.0.0.1:9/' }],
      webhooks: [{ number: 'web:$(id)', url: 'http://127.0.0.1:9/hook', subscriptions: ['msgapp'] }],
    },
  });
  await box.call('POST', '/v1/messages', { payload: {}, token: 'ph_wrong_token_0123456789' });
  const { body } = await chainOf(box, { since: new Date(Date.now() - 60_000).toISOString() });
  t.equal(firstOf(body).fix.command, 'npx posthorn env');
});
