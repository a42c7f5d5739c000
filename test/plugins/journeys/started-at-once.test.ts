import t from 'tap';
import type { TaskType } from '#core/ports';
import { InlinePool, MemoryStore, RecordingLogger, type Tap } from '#core/testing';
import { journeysService } from '../../../plugins/journeys/plugin.js';
import { PHONE, startNetwork } from '../messages/network-under-test.js';
import { containerOf, type Draft } from './engine/journey-under-test.js';

const asks: Draft = {
  texts: { who: 'What is your name?' },
  blocks: [{ name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } }],
};
const fetches: Draft = {
  texts: { who: 'What is your name?' },
  blocks: [{ name: 'shop', type: 'Svc.Http', config: { url: 'https://shop.test/hours' } }, ...asks.blocks!],
};

/** Delays steps like worker threads, so that a request that does not wait for the turn responds first. */
class SlowPool extends InlinePool {
  override async run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out> {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return super.run(type, input);
  }
}

async function start(t: Tap, draft: Draft, store?: MemoryStore) {
  const own = store && { store };
  const test = await startNetwork(t, { ports: { workers: new SlowPool(), ...own }, ...(own && { secretKey: '0'.repeat(64) }) });
  const { platform, admin, uuid: number, call, token } = test;
  const journey = platform.ids.uuid();
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Names', definition: containerOf(draft), triggers: [] });
  t.equal((await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' })).status, 200);
  const startWith = (wa_id: string) => call('POST', `/v1/stacks/${journey}/start`, { token, payload: { wa_id } });
  const claim = (contact: string) => call('GET', `/v1/contacts/${contact}/claim`, { token });
  return { ...test, journey, startWith, claim };
}

t.test('the next request reads the effects of a started journey', async (t) => {
  const { startWith, claim, call, token, admin, journey } = await start(t, asks);
  for (let i = 0; i < 20; i++) {
    const contact = `2782000${2000 + i}`;
    t.match(await startWith(contact), { status: 201, body: { success: true } });
    t.match(await claim(contact), { status: 200, body: { scope_id: journey } });
    const { body } = await call('GET', `/v1/contacts/${contact}/messages`, { token });
    t.match(body.messages, [{ text: { body: 'What is your name?' } }]);
  }
  t.equal((await admin('GET', `/journeys/${journey}/sessions`)).body.sessions.length, 20);
});

t.test('a journey started by the admin API is listed immediately', async (t) => {
  const { say, admin, platform, uuid, journey, claim } = await start(t, asks);
  await say('hello');
  const [contact] = await platform.contacts.list(uuid);
  t.equal((await admin('POST', `/journeys/${journey}/start`, { contact: contact!.uuid })).status, 202);
  t.match(await admin('GET', `/journeys/${journey}/sessions`), { body: { sessions: [{ contact: contact!.uuid, state: 'waiting' }] } });
  t.equal((await claim(PHONE)).status, 200);
});

t.test('a slow start gets 202, and is not lost', async (t) => {
  const { startWith, claim, http, settle } = await start(t, fetches);
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  http.answer('GET https://shop.test/hours', async () => {
    await answered;
    return { body: {} };
  });
  const began = performance.now();
  t.match(await startWith(PHONE), { status: 202, body: { success: true } });
  const ms = performance.now() - began;
  t.ok(ms >= 4900 && ms < 20_000, `response after ${Math.round(ms)} ms`);
  t.equal((await claim(PHONE)).status, 404);
  answer();
  await settle();
  t.equal((await claim(PHONE)).status, 200);
});

t.test('a start behind a session in progress gets 202 immediately', async (t) => {
  const { startWith, claim, clock, journey, admin } = await start(t, asks);
  await startWith(PHONE);
  const before = (await claim(PHONE)).body.uuid;
  const began = performance.now();
  t.match(await startWith(PHONE), { status: 202, body: { success: true } });
  t.ok(performance.now() - began < 4000, 'without waiting for a turn');
  t.equal((await claim(PHONE)).body.uuid, before);
  await clock.advance(300_000);
  t.not((await claim(PHONE)).body.uuid, before, 'the other session has ended');
  t.equal((await admin('GET', `/journeys/${journey}/sessions`)).body.sessions.length, 2);
});

t.test('a start whose first attempt fails gets 202', async (t) => {
  const store = new MemoryStore({ log: new RecordingLogger() });
  const { startWith, claim, clock } = await start(t, asks, store);
  let failures = 0;
  const transaction = store.transaction.bind(store);
  store.transaction = (work) =>
    transaction(async (tx) => {
      const result = await work(tx);
      if (failures === 0 && (result as unknown) === 'started') {
        failures++;
        throw new Error('the disk is busy');
      }
      return result;
    });
  const began = performance.now();
  t.match(await startWith(PHONE), { status: 202 });
  t.ok(performance.now() - began < 4000);
  t.equal(failures, 1);
  await clock.advance(60_000);
  t.equal((await claim(PHONE)).status, 200, 'the queue has retried');
});

t.test('a start whose journey is disabled before its turn is refused', async (t) => {
  const { startWith, admin, journey, claim, platform } = await start(t, asks);
  const journeys = platform.service(journeysService);
  const get = journeys.get.bind(journeys);
  let reads = 0;
  journeys.get = async (uuid) => {
    // The route reads the journey before it schedules the start; the queue reads it before the turn.
    if (++reads === 2) await admin('POST', `/journeys/${journey}/disable`);
    return get(uuid);
  };
  t.match(await startWith(PHONE), { status: 409, body: { errors: ['The journey was disabled or deleted before it could start'] } });
  t.equal((await claim(PHONE)).status, 404);
  t.match(await startWith(PHONE), { status: 400, body: { errors: ['Journey is disabled'] } });
});

t.test('the next request reads the writes of other routes', async (t) => {
  const { admin, call, token, uuid, platform } = await start(t, asks);
  const phone = await admin('POST', `/network/numbers/${uuid}/messages`, { from: PHONE, type: 'text', text: { body: 'hello' } });
  t.equal(phone.status, 201, JSON.stringify(phone.body));
  const newest = async () => (await call('GET', `/v1/contacts/${PHONE}/messages`, { token })).body.messages[0];
  t.match(await newest(), { text: { body: 'hello' } }, "the contact's message");
  const sent = await call('POST', '/v1/messages', { token, payload: { to: PHONE, text: { body: 'hi' } } });
  t.match(await newest(), { id: sent.body.messages[0].id, text: { body: 'hi' } }, 'the sent message');
  const [conversation] = await platform.conversations.list(uuid, 1);
  const posted = await admin('POST', `/conversations/${conversation!.uuid}/messages`, {
    operator: { id: 'desk', name: 'Desk' },
    type: 'text',
    text: { body: 'from the desk' },
  });
  t.ok(posted.status < 300, JSON.stringify(posted.body));
  t.match(await newest(), { text: { body: 'from the desk' } }, "the operator's message");
});
