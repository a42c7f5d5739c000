import t from 'tap';
import { beforeCommit, definePlugin, deliveryQueued, verifySignature } from '#core';
import { channels } from '../../../plugins/channels/plugin.js';
import { inboundEventSchema, statusEventSchema, webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONNECTOR, CONTACT, inboundText, startChannel } from '../channels/channel-under-test.js';

const OWNER = 'https://owner.test/hook';

/** A channel whose owner's webhook receives the network's events. */
async function startWebhook(t: Parameters<typeof startChannel>[0], about: object = {}, options: Parameters<typeof startChannel>[1] = {}) {
  const test = await startChannel(t, options);
  const { body } = await test.admin('POST', '/webhooks', { number: test.uuid, url: OWNER, subscriptions: ['msgapp'], ...about });
  test.http.answer(OWNER, {});
  const owner = { uuid: body.webhook.uuid as string, secret: body.hmac_secret as string };
  return { ...test, owner, received: () => test.http.callsTo(OWNER) };
}

t.test("webhooks with the subscription msgapp receive an inbound message in the network's shape", async (t) => {
  const { say, received } = await startWebhook(t);
  await say('hi', { id: 'in-1', name: 'Ann' });
  t.equal(received().length, 1);
  const { json, headers } = received()[0]!;
  t.strictSame(json, {
    contacts: [{ profile: { name: 'Ann' }, wa_id: '27820001001' }],
    messages: [{ from: CONTACT, id: 'in-1', timestamp: '1767600000', type: 'text', text: { body: 'hi' } }],
  });
  t.equal(headers['x-svc-hook-subscription'], 'msgapp');
  t.equal(inboundEventSchema.validate(json, { convert: false }).error, undefined);
});

t.test('a reply names the message that it replies to', async (t) => {
  const { say, received } = await startWebhook(t);
  await say('yes', { context: 'out-1' });
  t.strictSame(received()[0]!.json.messages[0].context, { id: 'out-1' });
});

t.test('the name in an event is the profile name, whatever name the contact has here', async (t) => {
  const { say, received, admin, platform, uuid } = await startWebhook(t);
  await say('hi', { name: 'Ann' });
  const [contact] = await platform.contacts.list(uuid);
  await admin('PATCH', `/contacts/${contact!.uuid}`, { fields: { name: 'Dr Bee' } });
  await say('hi', { name: 'Ann' });
  t.equal(received()[1]!.json.contacts[0].profile.name, 'Ann');
});

t.test('every status is a delivery of its own, with the recipient in both places', async (t) => {
  const { say, send, settle, report, received } = await startWebhook(t);
  await say('hi');
  const { uuid } = await send();
  await settle();
  const _vnd = { v1: { uuid } };
  for (const [i, status] of (['sent', 'delivered', 'read', 'failed'] as const).entries()) await report('out-1', status, { at: 10 + i });
  await settle();
  const statuses = received().slice(1);
  t.strictSame(
    statuses.map(({ json }) => json),
    ['sent', 'delivered', 'read', 'failed'].map((status, i) => {
      const told = { id: 'out-1', status, timestamp: String(10 + i), recipient_id: CONTACT, message: { recipient_id: CONTACT }, _vnd };
      return { statuses: [status === 'failed' ? { ...told, errors: statuses.at(-1)!.json.statuses[0].errors } : told] };
    }),
  );
  t.match(statuses.at(-1)!.json.statuses[0].errors, [{ code: 131026, title: 'Message undeliverable' }]);
  for (const { json, headers } of statuses) {
    t.equal(headers['x-svc-hook-subscription'], 'msgapp');
    t.equal(statusEventSchema.validate(json, { convert: false }).error, undefined);
  }
});

t.test('each webhook receives its subscriptions, and nothing else', async (t) => {
  const { say, send, settle, admin, uuid, http } = await startChannel(t);
  const subscriptions = ['msgapp', 'svc', 'journey_outbound', 'channel'];
  for (const subscription of subscriptions) {
    await admin('POST', '/webhooks', {
      number: uuid,
      url: `https://${subscription.replace('_', '-')}.test`,
      subscriptions: [subscription],
    });
  }
  await admin('POST', '/webhooks', { number: uuid, url: 'https://both.test', subscriptions: ['msgapp', 'channel'] });
  http.answer('https://*', {}).answer(CONNECTOR, { body: { messages: [{ id: 'out-1' }] } });
  await say('hi');
  await send();
  await settle();
  const count = (url: string) => http.callsTo(url).length;
  t.strictSame(
    [
      'https://msgapp.test',
      'https://svc.test',
      'https://journey-outbound.test',
      'https://channel.test',
      'https://both.test',
      CONNECTOR,
    ].map(count),
    [1, 0, 0, 1, 2, 1],
  );
  t.strictSame(
    http.callsTo('https://both.test').map(({ headers }) => headers['x-svc-hook-subscription']),
    ['msgapp', 'channel'],
  );
});

t.test('the default subscription of a webhook is msgapp', async (t) => {
  const { say, received, admin, owner } = await startWebhook(t, { subscriptions: undefined });
  t.strictSame((await admin('GET', `/webhooks/${owner.uuid}`)).body.webhook.subscriptions, ['msgapp']);
  await say('hi');
  t.match(received(), [{ headers: { 'x-svc-hook-subscription': 'msgapp' } }]);
});

t.test('a webhook receives events of its own number only', async (t) => {
  const { say, admin, maker, http } = await startChannel(t);
  await admin('POST', '/webhooks', { number: maker.uuid, url: OWNER, subscriptions: ['msgapp'] });
  await say('hi');
  t.equal(http.callsTo(OWNER).length, 0);
});

t.test('every webhook signs with its own secret', async (t) => {
  const { say, send, settle, received, owner, deliveries, webhook } = await startWebhook(t);
  await say('hi');
  await send();
  await settle();
  t.not(owner.secret, webhook.secret);
  const [event] = received();
  const [payload] = deliveries();
  t.ok(verifySignature(owner.secret, event!.body, event!.headers['x-svc-hook-signature']));
  t.ok(verifySignature(webhook.secret, payload!.body, payload!.headers['x-svc-hook-signature']));
  t.notOk(verifySignature(owner.secret, payload!.body, payload!.headers['x-svc-hook-signature']));
});

t.test('an accepted event has its deliveries, and a refused one has none', async (t) => {
  let isBroken = true;
  const broken = definePlugin({
    name: 'broken',
    version: '1.0.0',
    register: () => ({
      on: [
        beforeCommit(deliveryQueued, ({ delivery }) => {
          if (isBroken && delivery.event.startsWith('status:')) throw new Error('the disk is full');
        }),
      ],
    }),
  });
  const { say, send, settle, report, received, message, platform, told } = await startWebhook(
    t,
    {},
    { plugins: [channels(), webhooks(), broken()] },
  );
  await say('hi');
  const { uuid } = await send();
  await settle();
  t.equal((await report('out-1', 'delivered')).status, 500);
  await settle();
  t.strictSame((await message(uuid))?.statuses, []);
  t.equal((await platform.deliveries.list({ limit: 10 })).length, 2, 'the inbound event and the payload');
  t.strictSame(told('message.status'), []);
  isBroken = false;
  t.equal((await report('out-1', 'delivered')).status, 200);
  await settle();
  t.match((await message(uuid))?.statuses, [{ status: 'delivered' }]);
  t.match(received().at(-1)!.json, { statuses: [{ status: 'delivered' }] });
});

t.test('an endpoint receives a conversation in order', async (t) => {
  const { post, settle, received } = await startWebhook(t);
  for (let n = 0; n < 20; n++) await post(inboundText(`message ${n}`, { id: `in-${n}` }));
  await settle();
  t.strictSame(
    received().map(({ json }) => json.messages[0].text.body),
    Array.from({ length: 20 }, (_, n) => `message ${n}`),
  );
});

t.test('events of a disabled webhook are recorded as cancelled deliveries', async (t) => {
  const { say, received, admin, owner, settle } = await startWebhook(t, { enabled: false });
  await say('hi');
  t.strictSame(received(), []);
  const { deliveries } = (await admin('GET', `/deliveries?webhook=${owner.uuid}`)).body;
  t.match(deliveries, [{ state: 'cancelled', reason: 'webhook_disabled', subscription: 'msgapp' }]);
  await admin('PATCH', `/webhooks/${owner.uuid}`, { enabled: true });
  await admin('POST', `/deliveries/${deliveries[0].uuid}/redeliver`);
  await settle();
  t.match(received(), [{ json: { messages: [{ id: 'in-1' }] } }]);
});

t.test('webhooks are created, shown, changed and deleted; the secret is shown once', async (t) => {
  const { admin, uuid } = await startChannel(t);
  const made = await admin('POST', '/webhooks', {
    number: uuid,
    url: OWNER,
    name: 'Owner',
    subscriptions: ['msgapp', 'journey_outbound'],
    headers: { 'X-Own': 'yes' },
  });
  t.equal(made.status, 201);
  t.match(made.body, { hmac_secret: /^\S{43}$/ });
  const { webhook, hmac_secret } = made.body;
  t.strictSame(webhook, {
    uuid: webhook.uuid,
    number: uuid,
    url: OWNER,
    name: 'Owner',
    subscriptions: ['msgapp', 'journey_outbound'],
    hmac_digest: 'sha256',
    enabled: true,
    headers: { 'X-Own': '…' },
    lane: 'default',
    created_at: webhook.created_at,
  });
  t.strictSame((await admin('GET', `/webhooks/${webhook.uuid}`)).body, { webhook });
  t.strictSame((await admin('GET', `/webhooks?number=${uuid}`)).body.webhooks.map(({ name }: { name: string }) => name).sort(), [
    'Library',
    'Owner',
  ]);
  const changed = await admin('PATCH', `/webhooks/${webhook.uuid}`, { url: 'https://new.test', subscriptions: ['msgapp'], headers: {} });
  t.strictSame(changed.body.webhook, { ...webhook, url: 'https://new.test', subscriptions: ['msgapp'], headers: {} });
  t.notOk(JSON.stringify([changed.body, (await admin('GET', `/webhooks?number=${uuid}`)).body]).includes(hmac_secret));
  t.equal((await admin('DELETE', `/webhooks/${webhook.uuid}`)).status, 200);
  for (const [method, payload] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
    t.equal((await admin(method, `/webhooks/${webhook.uuid}`, payload)).status, 404, method);
  }
});

t.test('an invalid webhook is refused', async (t) => {
  const { admin, uuid, platform } = await startChannel(t);
  const right = { number: uuid, url: OWNER, subscriptions: ['msgapp'] };
  const cases: [what: string, change: object, status: number][] = [
    ['no number', { number: undefined }, 400],
    ['a number that does not exist', { number: 'unknown' }, 404],
    ['no address', { url: undefined }, 400],
    ['an address of another scheme', { url: 'ftp://owner.test' }, 400],
    ['no subscription', { subscriptions: [] }, 400],
    ['a subscription that does not exist', { subscriptions: ['network'] }, 400],
    ['the same subscription twice', { subscriptions: ['msgapp', 'msgapp'] }, 400],
    ['another digest', { hmac_digest: 'sha512' }, 400],
    ['a header of the delivery', { headers: { 'X-Svc-Hook-Signature': 'x' } }, 400],
    ['a header of HTTP', { headers: { 'Content-Length': '1' } }, 400],
    ['a name that is no header', { headers: { 'a b': 'x' } }, 400],
    ['a value with a line break', { headers: { 'X-Own': 'a\r\nX-Other: b' } }, 400],
    ['too many headers', { headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, 'x'])) }, 400],
  ];
  for (const [what, change, status] of cases) t.equal((await admin('POST', '/webhooks', { ...right, ...change })).status, status, what);
  t.equal((await platform.webhooks.ofNumber(uuid)).length, 1);
});
