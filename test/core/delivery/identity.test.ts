import t from 'tap';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

const NAMES = ['delivery', 'run', 'attempt', 'time'];

t.test('headers identify a delivery: its attempts and redeliveries differ from another delivery of the same body', async (t) => {
  const { post, clock, http, calls, redeliver, change } = await startWithWebhook(t, { answers: [{ status: 500 }] });
  // A webhook of an earlier release may have such a header.
  await change({ headers: { 'x-svc-hook-delivery': 'mine', Authorization: 'Bearer mine' } });
  const identity = () => calls().map(({ headers }) => NAMES.map((name) => headers[`x-svc-hook-${name}`]));
  const queued = String(clock.now().getTime() / 1_000);
  const first = await post();
  await clock.advance(200_000);
  t.strictSame(
    identity(),
    [1, 2, 3, 4, 5, 6].map((attempt) => [first.uuid, '1', String(attempt), queued]),
  );

  http.answer(ENDPOINT, {});
  await redeliver(first.uuid);
  const second = await post();
  await clock.advance(0);
  const [again, other] = identity().slice(6);
  t.strictSame(again, [first.uuid, '2', '1', queued]);
  t.strictSame(other, [second.uuid, '1', '1', String(clock.now().getTime() / 1_000)]);
  t.not(second.uuid, first.uuid);
  t.equal(calls().at(-1)!.text, calls()[0]!.text, 'the bodies are the same');
});

t.test('copies of a delivery have its identity, and an edited copy has its own', async (t) => {
  const { post, clock, calls, admin } = await startWithWebhook(t, { answers: [{}] });
  const queued = String(clock.now().getTime() / 1_000);
  const { uuid } = await post();
  await clock.advance(10_000);
  const sent = async (how: object) => {
    const from = calls().length;
    const { body } = await admin('POST', `/deliveries/${uuid}/redeliver`, how);
    await clock.advance(1_000);
    const copies = calls()
      .slice(from)
      .map(({ headers }) => NAMES.map((name) => headers[`x-svc-hook-${name}`]));
    return { replays: body.replays as string[], copies };
  };
  const twice = await sent({ times: 2 });
  t.strictSame(twice.copies, [
    [uuid, '1', '1', queued],
    [uuid, '1', '1', queued],
  ]);
  const edited = await sent({ body: '{}' });
  t.strictSame(edited.copies, [[edited.replays[0], '1', '1', String(clock.now().getTime() / 1_000 - 1)]]);
  const [copy] = edited.replays;
  const from = calls().length;
  await admin('POST', `/deliveries/${copy}/redeliver`, { times: 1 });
  await clock.advance(1_000);
  t.equal(calls()[from]!.headers['x-svc-hook-delivery'], copy, 'a copy of the edited one');
});

t.test('the names are those of the dialect', async (t) => {
  const { post, clock, calls } = await startWithWebhook(t, { dialect: { service: 'turn' }, answers: [{}] });
  const { uuid } = await post();
  await clock.advance(0);
  t.match(calls()[0]!.headers, {
    'x-turn-hook-delivery': uuid,
    'x-turn-hook-run': '1',
    'x-turn-hook-attempt': '1',
    'x-turn-hook-time': /^\d{10}$/,
  });
});
