import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { definePlugin, MessageRefused } from '#core';
import type { Tap } from '#core/testing';
import { journeysService } from '../../plugins/journeys/plugin.js';
import { flowMessage, survey } from '../plugins/flows/flows-under-test.js';
import { type ControlledSandbox, startControlled } from './sandbox-with-receiver.js';
import { CONTACT, endpoint, followIds, type Link, putJourney, say } from './why-chain.js';

/** Refuses messages with the word "forbidden". */
const censor = definePlugin({
  name: 'censor',
  version: '1.0.0',
  register: () => ({
    outboundChecks: [
      (_, { turn }) => {
        if (JSON.stringify(turn).includes('forbidden'))
          throw new MessageRefused({ code: 470, title: 'Refused', details: 'forbidden word', href: 'https://example.com/470' });
      },
    ],
  }),
});

/** The advice with this name, once it is listed and `isDone`. Every record that it names exists. */
async function advised(box: ControlledSandbox, name: string, isDone: (advice: Link) => boolean = () => true): Promise<Link> {
  for (let left = 500; left > 0; left--) {
    const { body } = await box.admin('GET', '/advice');
    const found = body.advice.find((one: Link) => one.name === name && isDone(one));
    if (found) {
      await followIds(box, found.ids);
      return found;
    }
    await sleep(10);
  }
  throw new Error(`no advice ${name}: ${JSON.stringify((await box.admin('GET', '/advice')).body)}`);
}

const kindsOf = ({ ids }: Link): string[] => ids.map(({ kind }: Link) => kind);

/** A connector that responds to every delivery with this body, once it is there. */
async function connector(t: Tap, box: ControlledSandbox, body: string | Promise<string>): Promise<void> {
  const server = createServer(async (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(await body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { uuid } = await connectorWebhook(box);
  await box.admin('PATCH', `/webhooks/${uuid}`, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

const connectorWebhook = async ({ admin, number }: ControlledSandbox): Promise<{ uuid: string }> =>
  (await admin('GET', `/webhooks?number=${number}`)).body.webhooks.find(({ url }: { url: string }) => !url.endsWith('/hook'));

const send = async ({ call }: ControlledSandbox, body = 'Your order left'): Promise<void> => {
  const { status } = await call('POST', '/v1/messages', { payload: { to: CONTACT, type: 'text', text: { body } } });
  if (status !== 200) throw new Error(`the message got ${status}`);
};

t.test('advice is counted, listed with its records until it is dismissed, and both are events', async (t) => {
  const box = await startControlled(t);
  const { webhook, number } = box;
  await box.admin('PATCH', `/webhooks/${webhook.uuid}`, { url: await endpoint(t, 401) });
  await say(box, 'hello');
  const advice = await advised(box, 'signature_never_verified');
  const { id } = advice;
  t.match(advice, {
    ...{ id: /^signature_never_verified-[0-9a-f]{8}$/, name: 'signature_never_verified', number, times: 1 },
    ...{ message: /responded with 401/, fix: /hmac_secret/, first_at: advice.at, at: String },
    ids: [
      { kind: 'delivery', id: advice.about.delivery },
      { kind: 'webhook', id: webhook.uuid },
      { kind: 'number', id: number },
    ],
  });
  t.match(box.events('advice.issued').at(-1), { advice: { id, ids: advice.ids, times: 1 } });

  await connector(t, box, '{}');
  await send(box);
  await send(box);
  const repeated = await advised(box, 'connector_response_invalid', ({ times }) => times === 2);
  t.ok(repeated.first_at <= repeated.at);
  t.equal((await box.admin('GET', '/advice')).body.advice.length, 2);

  t.match(await box.admin('DELETE', `/advice/${id}`), { status: 200, body: { advice: { id, ids: advice.ids } } });
  t.match(box.events('advice.dismissed').at(-1), { id });
  t.strictSame(
    (await box.admin('GET', '/advice')).body.advice.map(({ name }: Link) => name),
    ['connector_response_invalid'],
  );
  t.equal((await box.admin('DELETE', `/advice/${id}`)).status, 404);
});

// Each of the following tests causes one kind of advice, and checks that its records lead somewhere.

t.test('advice on webhooks leads to the delivery, or to the message that no webhook received', async (t) => {
  const box = await startControlled(t);
  const { webhook, number } = box;
  await box.admin('POST', '/webhooks', { number, url: `${box.receiver.url}/other`, name: 'Other', subscriptions: ['svc', 'msgapp'] });
  t.strictSame(kindsOf(await advised(box, 'subscription_never_fires')), ['webhook', 'number']);
  t.strictSame(kindsOf(await advised(box, 'subscription_not_for_connectors')), ['webhook', 'number']);

  await say(box, 'accepted');
  const { deliveries } = (await box.admin('GET', `/deliveries?webhook=${webhook.uuid}`)).body;
  await box.settled(deliveries[0].uuid);
  await box.admin('PATCH', `/webhooks/${webhook.uuid}`, { url: await endpoint(t, 401) });
  await say(box, 'rejected');
  t.strictSame(kindsOf(await advised(box, 'signature_no_longer_verified')), ['delivery', 'webhook', 'number']);

  await box.admin('PATCH', `/webhooks/${webhook.uuid}`, { enabled: false });
  await say(box, 'muted');
  t.strictSame(kindsOf(await advised(box, 'webhook_muted')), ['delivery', 'webhook', 'number']);

  await box.admin('PATCH', `/webhooks/${webhook.uuid}`, { enabled: true });
  const { platform } = box.sandbox;
  const content = { reaction: { message_id: 'none', emoji: '👍' } };
  const reacted = {
    id: 'reaction-1',
    contact: { id: CONTACT, name: 'Ann' },
    from: CONTACT,
    timestamp: '1767600001',
    type: 'reaction',
    content,
  };
  await platform.store.transaction(async (tx) => platform.messages.received(tx, (await platform.numbers.get(number))!, reacted));
  t.strictSame(kindsOf(await advised(box, 'reactions_not_enabled')), ['message', 'number']);
});

t.test('advice on what a connector posts leads to the message, and to the refused call', async (t) => {
  const box = await startControlled(t);
  const id = await say(box, 'hello');
  await say(box, 'other content', id);
  t.strictSame(kindsOf(await advised(box, 'inbound_id_repeated')), ['message', 'number']);

  const message = { from: '+27820002002', id, timestamp: '1767600000', type: 'text', text: { body: 'hi' } };
  const payload = { contact: { id: '+27820002002', profile: { name: 'Ben' } }, message };
  t.equal((await box.call('POST', `/v1/numbers/${box.number}/messages`, { payload })).status, 400);
  const taken = await advised(box, 'inbound_id_taken');
  t.strictSame(kindsOf(taken), ['call', 'message', 'number']);
  t.match((await box.admin('GET', `/calls/${taken.about.call}`)).body.call, { status: 400, path: `/v1/numbers/${box.number}/messages` });

  await send(box, 'Welcome to the library');
  await say(box, 'Welcome to the library');
  t.strictSame(kindsOf(await advised(box, 'echo_loop')), ['message', 'message', 'number']);

  // An unknown id is accepted while a message is pending.
  let respond = (_: string): void => undefined;
  await connector(t, box, new Promise<string>((resolve) => (respond = resolve)));
  await send(box);
  const status = { id: 'unknown', recipient_id: CONTACT, status: 'delivered', timestamp: '1767600005' };
  t.equal((await box.call('POST', `/v1/numbers/${box.number}/statuses`, { payload: { status } })).status, 200);
  respond('{"messages":[{"id":"another"}]}');
  t.strictSame(kindsOf(await advised(box, 'status_without_message')), ['number']);
});

t.test('advice on what a connector responds leads to the delivery or the message', async (t) => {
  const box = await startControlled(t);
  await connector(t, box, '{}');
  await send(box);
  t.strictSame(kindsOf(await advised(box, 'connector_response_invalid')), ['delivery', 'number']);
  await connector(t, box, '{"messages":[{"id":"always-the-same"}]}');
  await send(box);
  await send(box, 'again');
  t.strictSame(kindsOf(await advised(box, 'message_id_repeated')), ['message', 'number']);

  const { platform } = box.sandbox;
  const { number: bare, token } = await platform.createNumber({
    kind: 'channel',
    type: 'channel_http_api',
    address: 'web:bare',
    name: 'Bare',
  });
  const ofBare: ControlledSandbox = {
    ...box,
    number: bare.uuid,
    call: (method, path, about) => box.call(method, path, { ...about, token }),
  };
  await say(ofBare, 'hello');
  await send(ofBare);
  t.strictSame(kindsOf(await advised(box, 'channel_without_webhook')), ['message', 'number']);
});

t.test('advice on journeys leads to the journey or the message', async (t) => {
  const box = await startControlled(t, { plugins: [censor()], clock: 'manual' });
  const asking = await putJourney(box, 'Survey', [{ on: 'message', words: ['survey'] }], 'mood = ask("How are you?")');
  await putJourney(box, 'Censored', [{ on: 'message', words: ['censored'] }], 'a forbidden text');
  const fields = Array.from({ length: 20 }, (_, i) => `f${i}: "@x"`).join(', ');
  await putJourney(box, 'Writer', [{ on: 'message', words: ['write'] }], `x = ask("What?")\n  update_contact(${fields})`);

  await say(box, 'censored');
  t.strictSame(kindsOf(await advised(box, 'journey_message_refused')), ['journey', 'contact', 'number']);
  await say(box, 'write');
  const isParked = async () => (await box.call('GET', `/v1/contacts/${encodeURIComponent(CONTACT)}/claim`)).status === 200;
  for (let left = 500; !(await isParked()) && left > 0; left--) await sleep(10);
  await say(box, 'x'.repeat(4_000));
  t.strictSame(kindsOf(await advised(box, 'journey_write_refused')), ['journey', 'contact', 'number']);

  await say(box, 'survey');
  for (let left = 500; !(await isParked()) && left > 0; left--) await sleep(10);
  const [{ expires_at: until }] = (await box.admin('GET', `/journeys/${asking}/sessions`)).body.sessions;
  await box.admin('POST', '/clock', { set: new Date(Date.parse(until) + 1_000).toISOString() });
  await say(box, 'fine');
  t.strictSame(kindsOf(await advised(box, 'reply_without_context')), ['message', 'number']);

  const journeys = box.sandbox.platform.service(journeysService);
  Object.assign(journeys, { runTurn: () => Promise.reject(new Error('the model is down')) });
  await say(box, 'survey');
  await box.admin('POST', '/clock', { advance: 600_000 });
  t.strictSame(kindsOf(await advised(box, 'journey_turn_given_up')), ['message', 'contact', 'number']);
});

t.test('advice on flows leads to the flow, and to the call', async (t) => {
  const box = await startControlled(t, {
    seed: {
      numbers: [{ kind: 'network', address: '+27820000000', name: 'Own', account: 'ours' }],
      webhooks: [{ number: '+27820000000', url: 'http://127.0.0.1:9/hook', subscriptions: ['msgapp'] }],
    },
  });
  const api = async (path: string, payload: unknown) => {
    const { status, body } = await box.call('POST', path, { payload });
    if (status >= 300) throw new Error(JSON.stringify(body));
    return body;
  };
  const [first] = survey.screens;
  const next = { name: 'navigate', next: { type: 'screen', name: 'SURVEY' }, payload: { name: 'Ada' } };
  const children = [{ type: 'Footer', label: 'Next', 'on-click-action': next }];
  const intro = { id: 'INTRO', title: 'Hello', layout: { type: 'SingleColumnLayout', children } };
  const flow_json = JSON.stringify({ ...survey, routing_model: { INTRO: ['SURVEY'], SURVEY: [] }, screens: [intro, first] });
  const { id } = await api('/v1/flows', { name: 'Two screens', flow_json });
  await api(`/v1/flows/${id}`, { name: 'Changed', flow_json });
  t.strictSame(kindsOf(await advised(box, 'flow_json_ignored')), ['call', 'flow', 'number']);

  await api(`/v1/flows/${id}/publish`, undefined);
  await box.admin('POST', `/network/numbers/${box.number}/messages`, { from: '27831234567', type: 'text', text: { body: 'hello' } });
  for (const [name, payload] of [
    ['flow_screen_unknown', { screen: 'NOWHERE' }],
    ['flow_screen_not_first', { screen: 'SURVEY' }],
    ['flow_data_not_declared', { screen: 'INTRO', data: { age: 36 } }],
  ] as const) {
    await api('/v1/messages', flowMessage(id, { flow_action_payload: payload }));
    t.strictSame(kindsOf(await advised(box, name)), ['flow', 'number'], name);
  }
});
