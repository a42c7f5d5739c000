import t from 'tap';
import { createPlatform, verifySignature } from '#core';
import { CONNECTOR, CONTACT, startChannel } from '../plugins/channels/channel-under-test.js';

const OWNER = 'https://owner.test/hook';
/** A word of the default dialect, and not a random part of an id. */
const defaultWord = /(?<![A-Za-z0-9])(svc|msgapp)/i;

t.test('with another dialect, a whole conversation uses its words, and no default word remains', async (t) => {
  const test = await startChannel(t, { dialect: { service: 'acme', network: 'wire' } });
  const { admin, uuid, http, webhook, say, report, settle, events, deliveries, publish, platform, maker } = test;
  const answers: unknown[] = [];
  const ask: typeof admin = async (...request) => {
    const answer = await admin(...request);
    answers.push(answer);
    return answer;
  };
  t.match(
    await ask('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] }),
    { status: 400 },
    'the default word means nothing',
  );
  const owner = (await ask('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['wire', 'acme', 'journey_outbound'] })).body;
  t.strictSame(owner.webhook.subscriptions, ['wire', 'acme', 'journey_outbound']);
  http.answer(OWNER, {});
  await publish({
    texts: { hello: 'Hello @contact.wire_profile_name' },
    blocks: [{ name: 'hello', type: 'MobilePrimitives.Message', config: { prompt: 'hello' } }],
  });

  await say('hi');
  await report('out-1', 'delivered');
  await settle();

  const [payload] = deliveries();
  t.equal(payload?.headers['x-acme-hook-subscription'], 'channel');
  t.ok(verifySignature(webhook.secret, payload!.body, payload!.headers['x-acme-hook-signature']));
  t.match(payload?.json, {
    to: CONTACT,
    turn: { text: { body: 'Hello Ann' } },
    context: { contact: { wire_id: null, wire_profile_name: 'Ann' } },
  });
  const calls = http.callsTo(OWNER);
  const callsOf = (subscription: string) => calls.filter(({ headers }) => headers['x-acme-hook-subscription'] === subscription);
  for (const call of calls) t.ok(verifySignature(owner.hmac_secret, call.body, call.headers['x-acme-hook-signature']));
  const [message, status] = callsOf('wire');
  t.match(message?.json, { contacts: [{ profile: { name: 'Ann' } }], messages: [{ text: { body: 'hi' } }] });
  t.match(status?.json, { statuses: [{ id: 'out-1', status: 'delivered' }] });
  const [said, ...more] = callsOf('journey_outbound');
  t.equal(said?.headers['x-wire-id'], 'out-1');
  t.match(said?.json, { to: CONTACT, type: 'text', text: { body: 'Hello Ann' } });
  t.strictSame(more, []);

  const [contact] = await platform.contacts.list(uuid);
  const [conversation] = await platform.conversations.list(uuid, 1);
  await ask('PATCH', `/contacts/${contact!.uuid}`, { fields: { wire_id: '1' } });
  for (const path of [
    '/numbers',
    '/channels',
    '/deliveries',
    `/webhooks?number=${uuid}`,
    `/journeys?number=${uuid}`,
    `/numbers/${uuid}/contacts`,
    `/conversations/${conversation!.uuid}`,
  ]) {
    t.equal((await ask('GET', path)).status, 200, path);
  }
  t.strictSame((await ask('GET', '/deliveries')).body.deliveries.map(({ subscription }: { subscription: string }) => subscription).sort(), [
    'channel',
    'journey_outbound',
    'wire',
    'wire',
  ]);
  await ask('POST', `/webhooks`, { number: maker.uuid, url: OWNER, subscriptions: ['channel'], headers: { 'X-Acme-Hook-Signature': 'x' } });
  t.match(answers.at(-1), { status: 400 }, 'the header of the signature is reserved');

  t.equal(http.calls.length, 4);
  const everything = { requests: http.calls.map(({ url, headers, text }) => ({ url, headers, text })), answers: answers.slice(1), events };
  t.notMatch(JSON.stringify(everything), defaultWord);
  t.match(JSON.stringify(everything), /(?<![A-Za-z0-9])wire/);
  t.equal(http.callsTo(CONNECTOR).length, 1);
});

t.test('every name that contains a word of the dialect is derived from it', async (t) => {
  const names = (dialect?: { service?: string; network?: string }) => createPlatform({ plugins: [], ...(dialect && { dialect }) }).dialect;
  t.strictSame(names().headers, {
    signature: 'X-Svc-Hook-Signature',
    previousSignature: 'X-Svc-Hook-Signature-Previous',
    subscription: 'X-Svc-Hook-Subscription',
    delivery: 'X-Svc-Hook-Delivery',
    run: 'X-Svc-Hook-Run',
    attempt: 'X-Svc-Hook-Attempt',
    time: 'X-Svc-Hook-Time',
    networkId: 'X-Msgapp-Id',
    integrationRefresh: 'X-Svc-Integration-Refresh',
    inReplyTo: 'X-Svc-In-Reply-To',
    claim: 'X-Svc-Claim',
    claimExtend: 'X-Svc-Claim-Extend',
    claimRelease: 'X-Svc-Claim-Release',
  });
  t.strictSame(names().subscriptions, { network: 'msgapp', service: 'svc', journey_outbound: 'journey_outbound', channel: 'channel' });
  t.strictSame(names().contactFields, { networkId: 'msgapp_id', networkProfileName: 'msgapp_profile_name' });
  t.notMatch(JSON.stringify(names({ service: 'acme', network: 'wire' })), /svc|msgapp/i);
  t.strictSame(names({ service: 'acme' }).subscriptions, {
    network: 'msgapp',
    service: 'acme',
    journey_outbound: 'journey_outbound',
    channel: 'channel',
  });
  for (const word of ['Acme', 'a b', '', '1st', 'a-b']) t.throws(() => names({ service: word }), { message: /dialect/ }, word);
});
