import t from 'tap';
import { definePlugin, object, type Payload, type Plugin, string } from '#core';
import { startPlatform } from '#core/testing';
import { subscriptionKinds } from '../../core/dialect.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { everyPlugin } from '../../scripts/docs/everything.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { bodiesOf, bothDocuments, faultBy, type OpenApi } from './documents.js';

/** Plugins that note what they declare as payloads. */
async function pluginsWithPayloads(): Promise<{ plugins: Plugin[]; declared: (Payload & { readonly area: string })[] }> {
  const declared: (Payload & { readonly area: string })[] = [];
  const plugins = (await everyPlugin()).map(
    (plugin): Plugin => ({
      ...plugin,
      register(context, options) {
        const contributions = plugin.register(context, options);
        declared.push(...(contributions.payloads ?? []).map((payload) => ({ ...payload, area: plugin.manifest.name })));
        return contributions;
      },
    }),
  );
  return { plugins, declared };
}

t.test('the webhooks section has what plugins declare, each in its area, and every subscription', async (t) => {
  const { plugins, declared } = await pluginsWithPayloads();
  const { platform } = await startPlatform(t, { plugins });
  const { webhooks: described = {} } = (await platform.openApi('api')) as OpenApi;
  const shown = Object.entries(described).map(([name, { post }]) => [name, post!.tags[0]]);
  const listed = declared.filter(({ isUnlisted }) => !isUnlisted);
  t.strictSame(shown.sort(), listed.map(({ name, area }) => [name, area]).sort());
  t.strictSame(
    declared.filter((payload) => !listed.includes(payload)).map(({ name }) => name),
    ['cloudApiMessage', 'emailMessage', 'smsMessage', 'telegramCall'],
    'the network, and no client of ours, receives it',
  );
  for (const kind of subscriptionKinds) {
    const word = platform.dialect.subscriptions[kind];
    const ofKind = Object.values(described).filter(({ post }) => subscriptionOf(post!.parameters) === word);
    t.ok(ofKind.length > 0, `the subscription ${word} has a payload`);
  }
  const unsubscribed = Object.entries(described).filter(([, { post }]) => subscriptionOf(post!.parameters) === undefined);
  t.strictSame(
    unsubscribed.map(([name]) => name),
    ['integrationHandshake', 'integrationContext', 'integrationAction'],
  );
  t.notOk('webhooks' in (await platform.openApi('admin')), 'the admin API sends nothing');
});

const subscriptionOf = (parameters: readonly { readonly name: string; readonly schema: object }[] = []): string | undefined =>
  (parameters.find(({ name }) => name === 'X-Svc-Hook-Subscription')?.schema as { readonly enum: readonly string[] } | undefined)?.enum[0];

t.test('every webhook names its signature header and says what each answer leads to', async (t) => {
  const { webhooks: described = {} } = (await bothDocuments(t)).api;
  for (const [name, { post }] of Object.entries(described)) {
    const { parameters = [], responses } = post!;
    const signature = parameters.find((parameter) => parameter.name === 'X-Svc-Hook-Signature');
    t.match(signature, { in: 'header', required: true }, name);
    t.ok('2XX' in responses && Object.keys(responses).length > 2, name);
  }
  t.match(
    described.messageSent?.post?.parameters?.find(({ name }) => name === 'X-Msgapp-Id'),
    { in: 'header', required: true },
  );
});

const NUMBER_HOOK = 'https://receiver.test/network';
const CHANNEL_HOOK = 'https://receiver.test/channel';
const CONNECTOR = 'https://connector.test/outbound';
const DESK = 'https://desk.test/integration';
const PHONE = '27820001001';

/** A platform on which every payload has been sent at least once. */
async function startSending(t: Parameters<typeof startPlatform>[0]) {
  const others = (await everyPlugin()).filter(({ manifest }) => manifest.name !== 'webhooks');
  const test = await startPlatform(t, { plugins: [...others, webhooks({ inboundOnChannel: true })] });
  const { admin, call, http, clock, platform } = test;
  http.answer('POST https://receiver.test/*', { status: 200 });
  let delivered = 0;
  http.answer(`POST ${CONNECTOR}`, () => ({ body: { messages: [{ id: `out-${++delivered}` }] } }));
  http.answer(`POST ${DESK}?handshake=true`, {
    body: { capabilities: { actions: true, suggested_responses: false, context_objects: [] } },
  });
  http.answer(`POST ${DESK}`, {
    body: { actions: { renew: { url: '/renew', payload: { loan: 'L-1' }, options: { '14': 'Two weeks' } } } },
  });
  http.answer('POST https://desk.test/renew', { status: 200 });
  const settle = () => clock.advance(60_000);

  const network = await test.number('network');
  const { body: channel } = await call('POST', '/v1/numbers', {
    token: network.token,
    payload: { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'web', name: 'Web', endpoint: CONNECTOR },
  });
  const { text: token } = (await admin('POST', `/numbers/${channel.number.uuid}/tokens`, { name: 'test' })).body;
  for (const [number, url, subscriptions] of [
    [network.uuid, NUMBER_HOOK, ['msgapp', 'svc', 'journey_outbound']],
    [channel.number.uuid, CHANNEL_HOOK, ['msgapp', 'channel', 'journey_outbound']],
  ]) {
    const made = await admin('POST', '/webhooks', { number, url, subscriptions });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  for (const number of [network.uuid, channel.number.uuid]) {
    const journey = platform.ids.uuid();
    const definition = containerOf({
      texts: { hi: 'Welcome' },
      blocks: [{ name: 'hi', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } }],
    });
    await admin('PUT', `/journeys/${journey}`, { number, name: 'Greeting', definition, triggers: [{ on: 'message', words: ['start'] }] });
    await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  }
  const phone = `/network/numbers/${network.uuid}/messages`;
  await admin('POST', phone, { from: PHONE, name: 'Ann', type: 'text', text: { body: 'start' } });
  await settle();
  await call('POST', '/v1/messages', { token: network.token, payload: { to: PHONE, type: 'text', text: { body: 'from the API' } } });
  await settle();
  const message = { type: 'text', from: PHONE, id: 'in-1', timestamp: '1767600000', text: { body: 'start' } };
  const contact = { id: PHONE, profile: { name: 'Ann' } };
  await call('POST', `/v1/numbers/${channel.number.uuid}/messages`, { token, payload: { contact, message } });
  await settle();
  const status = { id: 'out-1', recipient_id: PHONE, status: 'failed', timestamp: '1767600009', errors: [{ code: 1, title: 'Off' }] };
  await call('POST', `/v1/numbers/${channel.number.uuid}/statuses`, { token, payload: { status } });
  await settle();
  const { integration } = (await admin('POST', '/integrations', { number: channel.number.uuid, name: 'Desk', url: DESK })).body;
  await settle();
  const conversation = (await platform.conversations.list(channel.number.uuid, 1))[0]!.uuid;
  await admin('GET', `/conversations/${conversation}`);
  const clicked = await admin('POST', `/conversations/${conversation}/actions`, {
    integration: integration.uuid,
    action: 'renew',
    option: '14',
  });
  return { ...test, clicked };
}

t.test('what is really sent fits the published schema of its payload, and every payload is sent', async (t) => {
  const { http, platform } = await startSending(t);
  const document = (await platform.openApi('api')) as OpenApi;
  const payloads = Object.entries(JSON.parse(JSON.stringify(document.webhooks)) as NonNullable<OpenApi['webhooks']>).map(
    ([name, { post }]) => {
      const [[, { schema }]] = bodiesOf(post!) as [ReturnType<typeof bodiesOf>[0]];
      return { name, subscription: subscriptionOf(post!.parameters), faultOf: faultBy(document, schema!), post: post! };
    },
  );
  const sent = new Set<string>();
  for (const { url, headers, json } of http.calls) {
    const candidates = payloads.filter(({ subscription }) => subscription === headers['x-svc-hook-subscription']);
    const faults = candidates.map(({ name, faultOf }) => [name, faultOf(json)] as const);
    const fitting = faults.filter(([, fault]) => fault === undefined).map(([name]) => name);
    t.equal(fitting.length, 1, `${url} ${JSON.stringify(json)} fits one payload: ${JSON.stringify(faults)}`);
    const { post } = payloads.find(({ name }) => name === fitting[0])!;
    for (const { name, in: place, required } of post.parameters ?? [])
      if (place === 'header' && required) t.ok(headers[name.toLowerCase()], `${fitting[0]} has ${name}`);
    sent.add(fitting[0]!);
  }
  t.strictSame([...sent].sort(), payloads.map(({ name }) => name).sort());
});

t.test('a test platform refuses a delivery whose body no plugin declares', async (t) => {
  const declares = (payloads: readonly Payload[]) => definePlugin({ name: 'sender', version: '1', register: () => ({ payloads }) })();
  const farewell = { name: 'farewell', summary: 'A contact left.', body: object({ farewell: string() }) };
  for (const [payloads, isRefused] of [
    [[], false],
    [[{ ...farewell, subscription: 'network' }], true],
    [[{ ...farewell, subscription: 'service' }], false],
  ] as const) {
    const { platform, number } = await startPlatform(t, { plugins: [declares(payloads)] });
    const { uuid } = await number('network');
    const posted = platform.store.transaction(async (tx) => {
      const { webhook } = platform.webhooks.create(tx, {
        number: uuid,
        url: 'https://receiver.test/',
        name: 'Hook',
        subscriptions: ['network'],
      });
      await platform.deliveries.post(tx, { event: 'a', webhook, kind: 'network', body: { greeting: 'hello' } });
    });
    if (isRefused) await t.rejects(posted, { message: /matches no payload that a plugin declares: farewell: / });
    else await t.resolves(posted);
  }
});
