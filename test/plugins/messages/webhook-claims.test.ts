import t from 'tap';
import { messages } from '../../../plugins/messages/plugin.js';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { allPlugins, OWNER, startNetwork } from './network-under-test.js';

/** A number with a journey for the word `start`, which asks for a name, and a webhook that may claim. */
async function startWithBot(t: Parameters<typeof startNetwork>[0]) {
  const plugins = [...allPlugins().filter(({ manifest }) => manifest.name !== 'messages'), messages({ claims: true })];
  const test = await startNetwork(t, { plugins });
  const { admin, call, clock, token, uuid: number, phone, received, http } = test;
  const definition = containerOf({
    texts: { who: 'What is your name?', bye: 'Goodbye @who' },
    blocks: [
      { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
      { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
    ],
  });
  const journey = test.platform.ids.uuid();
  const triggers = [{ on: 'message', words: ['start'] }];
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Names', definition, triggers });
  await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  const { uuid: webhook } = await test.listen(['msgapp']);
  let contacts = 27820002000;

  /** A contact of its own for each case. */
  const contact = () => {
    const from = String(++contacts);
    const api = (method: string, path: string, payload?: object, headers?: Record<string, string>) =>
      call(method, path, { token, ...(payload && { payload }), ...(headers && { headers }) });
    return {
      from,
      /** Writes a text. @returns the id of the message, and the claim with which the webhook received it */
      async writes(body: string) {
        const { message } = (await phone({ from, type: 'text', text: { body } })).body;
        await clock.advance(0);
        const id: string = message.external_id ?? message.uuid;
        const delivery = received().findLast((request) => (request.json as { messages?: { id: string }[] }).messages?.[0]?.id === id);
        return { id, uuid: message.uuid as string, claim: delivery?.headers['x-svc-claim'] };
      },
      uuid: async () => (await api('GET', `/v1/contacts/${from}/messages`)).body.chat.contact_uuid as string,
      claim: () => api('GET', `/v1/contacts/${from}/claim`),
      end: (payload?: object) => api('DELETE', `/v1/contacts/${from}/claim`, payload),
      start: () => api('POST', `/v1/stacks/${journey}/start`, { wa_id: `+${from}` }),
      reply: (headers: Record<string, string>, body: object = { type: 'text', text: { body: 'From the bot' } }) =>
        api('POST', '/v1/messages', { to: `+${from}`, ...body }, headers),
      handBack: (id: string, payload?: object) => api('POST', `/v1/messages/${id}/automation`, payload),
      async sent(): Promise<string[]> {
        await clock.advance(0);
        const { body } = await api('GET', `/v1/contacts/${from}/messages`);
        // biome-ignore lint/suspicious/noExplicitAny: a message of any type
        return body.messages.filter(({ _vnd, text }: any) => text && _vnd.v1.direction === 'outbound').map(({ text }: any) => text.body);
      },
    };
  };
  const set = (claims: boolean, uuid = webhook) => admin('PATCH', `/webhooks/${uuid}`, { claims });
  return { ...test, admin, journey, webhook, contact, set, http };
}

t.test('a webhook answers contacts instead of journeys', async (t) => {
  const { contact, set, admin, webhook, clock, http, events, number, call, journey } = await startWithBot(t);
  const QUESTION = 'What is your name?';
  const advised = () => events.filter(({ name, data }) => name === 'advice' && (data as { name: string }).name === 'claim_not_live').length;

  await t.test('only where its owner switches that on, for one webhook of a number', async (t) => {
    const ann = contact();
    t.equal((await ann.writes('start')).claim, undefined);
    t.strictSame(await ann.sent(), [QUESTION]);
    t.match(await set(true), { status: 200, body: { webhook: { claims: true } } });
    t.match(await set(true), { status: 200 }, 'again');
    const other = (
      await admin('POST', '/webhooks', {
        number: (await admin('GET', `/webhooks/${webhook}`)).body.webhook.number,
        url: 'https://other.test/',
      })
    ).body;
    t.match(await set(true, other.webhook.uuid), { status: 409 });
    await admin('DELETE', `/webhooks/${other.webhook.uuid}`);
  });

  await t.test('a message makes a claim, the next one renews it', async (t) => {
    const ben = contact();
    const first = await ben.writes('start');
    t.match(first.claim, /^[\da-f-]{36}$/);
    t.strictSame(await ben.sent(), [], 'no journey starts');
    const shown = await ben.claim();
    const until = (body: { claimed_until: string }) => Date.parse(body.claimed_until) - clock.now().getTime();
    t.match(shown, {
      status: 200,
      body: { scope: 'webhook', scope_id: webhook, uuid: first.claim, message_uuid: first.uuid, first_message_uuid: first.uuid },
    });
    t.equal(until(shown.body), 300_000);
    await clock.advance(200_000);
    const second = await ben.writes('more');
    t.equal(second.claim, first.claim);
    const renewed = await ben.claim();
    t.match(renewed.body, { uuid: first.claim, message_uuid: second.uuid, first_message_uuid: first.uuid });
    t.equal(until(renewed.body), 300_000);
    await clock.advance(300_000);
    t.equal((await ben.claim()).status, 404, 'it expires');
    t.not((await ben.writes('start')).claim, first.claim, 'and then a new one is made');
  });

  await t.test('a retry has the claim of the first attempt', async (t) => {
    const ida = contact();
    http.answer(OWNER, { status: 500 }, {});
    await ida.writes('hello');
    await clock.advance(60_000);
    const claims = http
      .callsTo(OWNER)
      .slice(-2)
      .map(({ headers }) => headers['x-svc-claim']);
    t.match(claims, [/^[\da-f-]{36}$/, claims[0]]);
  });

  await t.test('a journey that waits for the contact comes first', async (t) => {
    const cid = contact();
    t.equal((await cid.start()).status, 201);
    const answer = await cid.writes('Cid');
    t.equal(answer.claim, undefined);
    t.match(await cid.sent(), ['Goodbye Cid', QUESTION]);
    t.type((await cid.writes('and now?')).claim, 'string', 'after the journey');
  });

  await t.test('a message of the client extends or ends the claim', async (t) => {
    const dee = contact();
    const { claim } = await dee.writes('hello');
    await clock.advance(200_000);
    t.match(await dee.reply({ 'x-svc-claim-extend': claim! }), { status: 200 });
    await clock.advance(200_000);
    t.equal((await dee.claim()).status, 200, 'extended');
    t.match(await dee.reply({ 'x-svc-claim-release': claim! }, { type: 'nonsense' }), { status: 400 });
    t.equal((await dee.claim()).status, 200, 'a refused message changes no claim');
    t.match(await dee.reply({ 'x-svc-claim-release': claim!, 'x-svc-claim-extend': claim!, 'idempotency-key': 'k' }), { status: 200 });
    t.equal((await dee.claim()).status, 404, 'release wins');
    t.equal(advised(), 0);
    for (const id of [claim!, 'test-claim', '', 'x'.repeat(5_000)]) {
      t.match(await dee.reply({ 'x-svc-claim-extend': id }), { status: 200 }, 'a message is sent whatever claim it names');
    }
    t.equal((await dee.claim()).status, 404, 'and the claim stays ended');
    t.equal(advised(), 4);
  });

  await t.test('the claim is ended by its id', async (t) => {
    const eve = contact();
    const { claim } = await eve.writes('hello');
    t.equal((await eve.end({ claim_uuid: 'another' })).status, 404);
    t.equal((await eve.claim()).status, 200);
    t.match(await eve.end({ claim_uuid: claim }), { status: 200, body: { claim_uuid: claim } });
    t.equal((await eve.claim()).status, 404);
    await eve.writes('hello');
    t.match(await eve.end(), { status: 200 }, 'without a body any claim');
  });

  await t.test('a message that is handed back starts its journey once', async (t) => {
    const fay = contact();
    const { id, claim } = await fay.writes('start');
    t.match(await fay.handBack(id, { to: fay.from, text: { body: 'not sent' } }), { status: 200, body: {} });
    t.strictSame(await fay.sent(), [QUESTION]);
    t.match((await fay.claim()).body, { scope: 'stack', scope_id: journey });
    t.match(await fay.handBack(id), { status: 200, body: {} });
    t.strictSame(await fay.sent(), [QUESTION]);
    t.equal((await fay.writes('Fay')).claim, undefined);
    t.not(claim, undefined);
    const asked = await contact().handBack('nothing');
    t.match(asked, { status: 404, body: { errors: [{ code: 1006 }] } });
    const { messages } = (await fay.reply({})).body;
    t.equal((await fay.handBack(messages[0].id)).status, 404, 'a message to the contact');
    const stranger = await number('network');
    t.equal((await call('POST', `/v1/messages/${id}/automation`, { token: stranger.token })).status, 404);
  });

  await t.test('each of two messages can be handed back, also when the claim has ended', async (t) => {
    const gil = contact();
    const first = await gil.writes('start');
    const second = await gil.writes('Gil');
    t.equal(first.claim, second.claim);
    t.equal((await gil.handBack(first.id)).status, 200);
    t.strictSame(await gil.sent(), [QUESTION]);
    t.equal((await gil.handBack(second.id)).status, 200);
    t.strictSame(await gil.sent(), ['Goodbye Gil', QUESTION]);
  });

  await t.test('a webhook that cannot be reached hands its messages back', async (t) => {
    const hal = contact();
    http.answer(OWNER, { status: 404 });
    await hal.writes('start');
    await clock.advance(0);
    t.strictSame(await hal.sent(), [QUESTION], 'cancelled');
    http.answer(OWNER, { status: 500 });
    const ivy = contact();
    await ivy.writes('start');
    t.strictSame(await ivy.sent(), [], 'retries are pending');
    await clock.advance(200_000);
    t.strictSame(await ivy.sent(), [QUESTION], 'dropped');
    http.answer(OWNER, {});
  });

  await t.test('claims follow their contact in a merge and back', async (t) => {
    const [lee, max] = [contact(), contact()];
    const { id } = await lee.writes('start');
    await max.writes('hello');
    const [from, into] = await Promise.all([lee, max].map((one) => one.uuid()));
    t.match(await admin('POST', '/contacts/merge', { contact: from, into }), { status: 200 });
    t.equal((await max.claim()).status, 200);
    t.match(await admin('POST', '/contacts/split', { contact: from }), { status: 200 });
    t.match([(await max.claim()).status, (await lee.claim()).status], [200, 404]);
    t.equal((await lee.handBack(id)).status, 200);
    t.strictSame([await lee.sent(), await max.sent()], [[QUESTION], []], 'the message can still be handed back');
  });

  await t.test('neither a paused nor a disabled webhook claims', async (t) => {
    const jan = contact();
    await admin('POST', `/webhooks/${webhook}/pause`);
    await jan.writes('start');
    t.strictSame(await jan.sent(), [QUESTION]);
    await admin('POST', `/webhooks/${webhook}/resume`);
    await admin('PATCH', `/webhooks/${webhook}`, { enabled: false });
    const kim = contact();
    await kim.writes('start');
    t.strictSame(await kim.sent(), [QUESTION]);
    await admin('PATCH', `/webhooks/${webhook}`, { enabled: true });
  });
});

t.test('a platform has claims only with the option, or the words of the service', async (t) => {
  const off = await startNetwork(t);
  const { uuid } = await off.listen(['msgapp']);
  t.match(await off.admin('PATCH', `/webhooks/${uuid}`, { claims: true }), {
    status: 409,
    body: { errors: [{ code: 409, details: /option `claims`/ }] },
  });
  t.equal((await off.call('POST', '/v1/messages/x/automation', { token: off.token })).status, 404);
  t.match(await off.send({ type: 'text', text: { body: 'hi' } }, { 'x-svc-claim-extend': 'x' }), { status: 200 });
  const turn = await startNetwork(t, { dialect: { service: 'turn' } });
  const webhook = await turn.listen(['msgapp']);
  t.match(await turn.admin('PATCH', `/webhooks/${webhook.uuid}`, { claims: true }), { status: 200 });
  await turn.say('hello');
  await turn.settle();
  t.match(turn.received()[0]!.headers['x-turn-claim'], /^[\da-f-]{36}$/);
});
