import t from 'tap';
import type { Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import { containerOf, type Draft } from '../journeys/engine/journey-under-test.js';
import { type FlowsUnderTest, flowMessage, startFlows } from './flows-under-test.js';

const HOOK = 'https://hook.test/';
const FROM = '27831234567';
const DAY_MS = 24 * 60 * 60 * 1000;

/** A journey that sends a flow, and repeats the chosen answer. */
const asking = (flow_id: string): Draft => ({
  texts: { ask: 'How was it?', thanks: 'You said @form.payload.rating' },
  blocks: [
    { name: 'form', type: 'Svc.FlowMessage', config: { body: 'ask', flow: { flow_id, cta: 'Rate', screen: 'SURVEY', token: 'token-17' } } },
    { name: 'thanks', type: 'MobilePrimitives.Message', config: { prompt: 'thanks' } },
  ],
});

/** A network number with a webhook, and a published flow. */
async function startConversation(t: Tap) {
  const platform = await startFlows(t, { plugins: [flows(), messages(), network(), journeys(), webhooks()] });
  const { admin, own, http, clock, create } = platform;
  http.answer(`POST ${HOOK}`, () => ({ status: 200, body: {} }));
  await admin('POST', '/webhooks', { number: own.uuid, url: HOOK });
  const flow = await create({ name: 'Survey', publish: true });
  const settle = () => clock.advance(1000);
  return {
    ...platform,
    flow,
    settle,
    async write(text: string) {
      await admin('POST', `/network/numbers/${own.uuid}/messages`, { from: FROM, type: 'text', text: { body: text } });
      await settle();
    },
    /** The message notifications that the webhook received, oldest first. */
    // biome-ignore lint/suspicious/noExplicitAny: a test inspects any delivered body
    received: (): any[] => http.calls.flatMap(({ json }) => json.messages ?? []),
    newest: async () => {
      const [contact] = await platform.platform.contacts.list(own.uuid);
      const conversation = await platform.platform.conversations.ofContact(own.uuid, contact!.uuid);
      return platform.platform.conversations.newest(conversation!.uuid, 10);
    },
  };
}

async function opened({ admin, call }: FlowsUnderTest, message: string) {
  const { status, body } = await admin('POST', `/messages/${message}/flow`);
  if (status !== 201) throw new Error(JSON.stringify(body));
  const { pathname, search } = new URL(body.url);
  return {
    page: () => call('GET', `${pathname}${search}`),
    answer: (response: unknown) => call('POST', `${pathname}${search}`, { payload: { response } }),
  };
}

t.test('a flow opened from the conversation and filled in arrives on webhooks as nfm_reply', async (t) => {
  const conversation = await startConversation(t);
  const { api, write, flow, received, settle, newest } = conversation;
  await write('hello');
  const sent = await api('POST', '/v1/messages', flowMessage(flow));
  const { id } = sent.body.messages[0];
  const message = (await newest()).find((one) => one.external_id === id)!;
  const form = await opened(conversation, message.uuid);

  const page = await form.page();
  t.match(page, { status: 200, headers: { 'content-type': /^text\/html/, 'content-security-policy': /connect-src 'self'/ } });
  const content = JSON.parse(/id="flow">(.*?)<\/script>/s.exec(page.body)![1]!);
  t.match(content.opened, { flow_token: 'token-17', flow_action: 'navigate', flow_action_payload: { screen: 'SURVEY' } });

  t.match(await form.answer({ flow_token: 'another', rating: 'good' }), { status: 200, body: { success: true } });
  await settle();
  const reply = received().at(-1);
  t.match(reply, {
    from: FROM,
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent' } },
    context: { id },
  });
  t.strictSame(
    JSON.parse(reply.interactive.nfm_reply.response_json),
    { flow_token: 'token-17', rating: 'good' },
    'the token is the one that was sent',
  );
});

t.test('the response of a flow goes to the journey that waits for it', async (t) => {
  const conversation = await startConversation(t);
  const { platform, own, flow, write, newest, settle } = conversation;
  await platform.store.transaction(async (tx) => {
    const { journey } = await platform.service(journeysService).put(tx, {
      number: own.uuid,
      name: 'Asking',
      definition: containerOf(asking(flow)) as never,
      triggers: [{ on: 'message' }],
    });
    await platform.service(journeysService).publish(tx, journey.uuid, 'production');
  });
  await write('hello');
  const [asked] = await newest();
  t.match(asked, {
    direction: 'outbound',
    content: { interactive: { type: 'flow', action: { parameters: { flow_id: flow, flow_token: 'token-17' } } } },
  });
  const form = await opened(conversation, asked!.uuid);
  await form.answer({ rating: 'bad' });
  await settle();
  t.match(await newest(), [
    { direction: 'outbound', content: { text: { body: 'You said bad' } } },
    { direction: 'inbound', type: 'interactive' },
  ]);
});

t.test('an opened flow accepts one response, within a day, from the holder of its URL', async (t) => {
  const conversation = await startConversation(t);
  const { api, write, flow, newest, admin, call, clock } = conversation;
  await write('hello');
  await api('POST', '/v1/messages', flowMessage(flow));
  const [message] = await newest();
  const form = await opened(conversation, message!.uuid);
  const other = await opened(conversation, message!.uuid);
  t.equal((await call('GET', `/flow-messages/${message!.uuid}?token=no`)).status, 404);
  t.equal((await call('POST', `/flow-messages/${message!.uuid}?token=no`, { payload: { response: {} } })).status, 404);
  t.equal((await form.answer('no object')).status, 400);
  t.equal((await form.answer({})).status, 200);
  t.equal((await form.answer({})).status, 410, 'the link is used up');
  t.equal((await form.page()).status, 410);
  t.equal((await other.page()).status, 200, 'opening the flow again creates another form');
  await clock.advance(DAY_MS);
  t.equal((await other.page()).status, 410);

  t.equal((await admin('POST', '/messages/nothing/flow')).status, 404);
  const inbound = (await newest()).find(({ direction }) => direction === 'inbound')!;
  t.equal((await admin('POST', `/messages/${inbound.uuid}/flow`)).status, 404);
  await admin('POST', `/flows/${flow}/health`, { status: 'THROTTLED' });
  t.equal((await admin('POST', `/messages/${message!.uuid}/flow`)).status, 201, 'a flow sent before it was throttled still opens');
  t.equal((await admin('POST', `/messages/${message!.external_id}/flow`)).status, 201, 'also by the message id of the network');
  await admin('POST', `/flows/${flow}/health`, { status: 'BLOCKED' });
  t.equal((await admin('POST', `/messages/${message!.uuid}/flow`)).status, 409);
});

const nfmReply = (response_json: string) => ({
  contact: { id: CONTACT, profile: { name: 'Ann' } },
  message: {
    type: 'interactive',
    from: CONTACT,
    id: 'in-2',
    timestamp: '1767600000',
    context: { id: 'out-1' },
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } },
  },
});

t.test('a connector posts the response to a flow, and the journey continues', async (t) => {
  const { publish, say, post, received, settle } = await startChannel(t);
  await publish(asking('123456'));
  await say('hello');
  for (const wrong of ['', 'no JSON', '[]', '"text"']) t.equal((await post(nfmReply(wrong))).status, 400, wrong);
  t.equal((await post(nfmReply('{"flow_token":"token-17","rating":"good"}'))).status, 200);
  await settle();
  t.equal(received().at(-1), 'You said good');
});

t.test('with nfmReplies off, a connector cannot post responses to flows', async (t) => {
  const { post } = await startChannel(t, { plugins: [channels({ nfmReplies: false }), webhooks(), journeys()] });
  t.match(await post(nfmReply('{}')), { status: 400, body: { errors: { message: { 'interactive.type': ['is invalid'] } } } });
});
