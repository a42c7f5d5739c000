import t from 'tap';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { PHONE, startNetwork } from './network-under-test.js';

const asks = {
  texts: { who: 'What is your name?', bye: 'Goodbye @who' },
  blocks: [
    { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'who' } },
    { name: 'bye', type: 'MobilePrimitives.Message', config: { prompt: 'bye' } },
  ],
};

async function startWithJourney(t: Parameters<typeof startNetwork>[0]) {
  const test = await startNetwork(t);
  const journey = test.platform.ids.uuid();
  const definition = containerOf(asks);
  await test.admin('PUT', `/journeys/${journey}`, {
    number: test.uuid,
    name: 'Names',
    definition,
    triggers: [{ on: 'message', words: ['start'] }],
  });
  await test.admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  const api = (method: string, path: string, payload?: object) =>
    test.call(method, path, { token: test.token, ...(payload && { payload }) });
  const said = async () => {
    const { body } = await api('GET', `/v1/contacts/${PHONE}/messages`);
    return (body.messages ?? []).flatMap(({ text, _vnd }: { text?: { body: string }; _vnd: { v1: { direction: string } } }) =>
      _vnd.v1.direction === 'outbound' ? [text?.body] : [],
    );
  };
  return { ...test, journey, api, said };
}

t.test('a journey is started with a contact from outside, and waits for five minutes', async (t) => {
  const { api, journey, settle, said } = await startWithJourney(t);
  const answer = await api('POST', `/v1/stacks/${journey}/start`, { wa_id: `+${PHONE}` });
  t.equal(answer.status, 201);
  t.strictSame(answer.body, { success: true });
  await settle();
  t.strictSame(await said(), ['What is your name?']);
  const claim = await api('GET', `/v1/contacts/${PHONE}/claim`);
  t.equal(claim.status, 200);
  t.strictSame(claim.body, {
    scope: 'stack',
    scope_id: journey,
    metadata: {},
    uuid: claim.body.uuid,
    message_uuid: null,
    first_message_uuid: null,
    inserted_at: '2026-01-05T08:00:00.000000Z',
    updated_at: '2026-01-05T08:00:00.000000Z',
    claimed_at: '2026-01-05T08:00:00.000000Z',
    claimed_until: '2026-01-05T08:05:00.000000Z',
  });
});

t.test('deleting a claim ends the wait; without a claim the response has an error sentence', async (t) => {
  const { api, say, settle, clock } = await startWithJourney(t);
  const none = { status: 404, body: { errors: [`Active conversation claim for "${PHONE}" not found`] } };
  t.match(await api('GET', `/v1/contacts/${PHONE}/claim`), none);
  await say('start');
  await settle();
  const { uuid } = (await api('GET', `/v1/contacts/${PHONE}/claim`)).body;
  t.match(await api('DELETE', `/v1/contacts/${PHONE}/claim`), { status: 200, body: { claim_uuid: uuid } });
  t.match(await api('GET', `/v1/contacts/${PHONE}/claim`), none);
  t.match(await api('DELETE', `/v1/contacts/${PHONE}/claim`), none);
  await say('start');
  await clock.advance(300_000);
  t.match(await api('GET', `/v1/contacts/${PHONE}/claim`), none, 'it expires after five minutes');
});

t.test('a journey that cannot be started is refused with a sentence', async (t) => {
  const { api, journey, admin, platform, number, call } = await startWithJourney(t);
  const start = (uuid: string, wa_id: unknown = PHONE) => api('POST', `/v1/stacks/${uuid}/start`, { wa_id });
  t.match(await start(platform.ids.uuid()), { status: 404, body: { errors: ['Journey not found'] } });
  t.match(await start(journey, 'ann'), { status: 400, body: { errors: [/not an international phone number/] } });
  t.match(await start(journey, 7), { status: 400, body: { errors: [/wa_id must be a string/] } });
  const other = await number('network');
  t.equal((await call('POST', `/v1/stacks/${journey}/start`, { token: other.token, payload: { wa_id: PHONE } })).status, 404);
  await admin('POST', `/journeys/${journey}/disable`);
  t.match(await start(journey), { status: 400, body: { errors: ['Journey is disabled'] } });
});
