import t from 'tap';
import { createPlatform, type RetrySwitch } from '#core';
import { type ScriptedAnswer, withDeliveryTimes } from '#core/testing';
import { CONNECTOR, startChannel } from '../../plugins/channels/channel-under-test.js';
import { ENDPOINT, startWithWebhook } from './webhook-platform.js';

const outcomes: readonly [RetrySwitch, ScriptedAnswer][] = [
  ['http_408', { status: 408 }],
  ['http_429', { status: 429 }],
  ['http_502', { status: 502 }],
  ['unknown_host', 'unknown host'],
];

t.test("retryAlso retries outcomes that the interface cancels, and a webhook's retry_also overrides it", async (t) => {
  for (const [name, answer] of outcomes) {
    const positions: [platform: RetrySwitch[], webhook: RetrySwitch[] | undefined, attempts: number][] = [
      [[], undefined, 1],
      [[name], undefined, 6],
      [[name], [], 1],
      [[], [name], 6],
    ];
    for (const [retryAlso, retry_also, attempts] of positions) {
      const { post, clock, http, delivery, change } = await startWithWebhook(t, { deliveries: { retryAlso } });
      http.answer(ENDPOINT, answer);
      if (retry_also) await change({ retry_also });
      const { uuid } = await post();
      await clock.advance(200_000);
      const state = attempts === 1 ? 'cancelled' : 'dropped';
      t.match(await delivery(uuid), { state, attempts }, `${name}: platform [${retryAlso}], webhook ${retry_also ?? 'without'}`);
    }
  }
});

t.test('a 2XX response without a message id is a failure only with strict answers', async (t) => {
  const answers: [answer: ScriptedAnswer, error: RegExp, id?: string][] = [
    [{ body: {} }, /has no message id/],
    [{ body: 'ok' }, /is not JSON$/],
    [{ body: { messages: [{}] } }, /has no message id/],
    [{ body: { messages: [{ id: 'late' }] }, bodyAfterMs: 6_000 }, /came too late/, 'late'],
    [{ body: JSON.stringify({ messages: [{ id: 'x'.repeat(70_000) }] }) }, /longer than 64 KB/],
  ];
  for (const [answer, error, id] of answers) {
    for (const [platform, webhook, isStrict] of [
      [false, undefined, false],
      [true, undefined, true],
      [true, false, false],
      [false, true, true],
    ] as const) {
      const {
        say,
        send,
        clock,
        http,
        admin,
        webhook: connector,
        platform: ours,
      } = await startChannel(t, {
        deliveries: { strictAnswers: platform },
      });
      await ours.store.transaction((tx) =>
        ours.webhooks.update(tx, connector.uuid, webhook === undefined ? {} : { strict_answers: webhook }),
      );
      await say('hi');
      http.answer(CONNECTOR, answer, { body: { messages: [{ id: 'out-1' }] } });
      const { uuid } = await send();
      await clock.advance(60_000);
      const [delivery] = await ours.deliveries.list({ message: uuid, limit: 1 });
      t.match(
        delivery,
        { state: 'delivered', attempts: isStrict ? 2 : 1 },
        `${JSON.stringify(answer).slice(0, 60)} ${platform} ${webhook}`,
      );
      t.equal((await ours.messages.get(uuid))?.external_id, isStrict ? 'out-1' : id);
      if (!isStrict) continue;
      const { body } = await admin('GET', `/deliveries/${delivery!.uuid}`);
      t.match(body.attempts[0], {
        result: 'retry',
        status: 200,
        error_code: 'bad_answer',
        error: /answered 200, but the response body /,
      });
      t.match(body.attempts[0].error, error);
    }
  }
});

t.test('the admin API sets retry_also and strict_answers of a webhook', async (t) => {
  const { admin, number } = await startChannel(t);
  const { uuid } = await number('network');
  const about = { number: uuid, url: 'https://owner.test/', retry_also: ['http_502'], strict_answers: true };
  const { status, body } = await admin('POST', '/webhooks', about);
  t.match({ status, body }, { status: 201, body: { webhook: { retry_also: ['http_502'], strict_answers: true } } });
  const path = `/webhooks/${body.webhook.uuid}`;
  t.match(await admin('PATCH', path, { retry_also: [], strict_answers: false }), { status: 200 });
  t.match((await admin('GET', path)).body.webhook, { retry_also: [], strict_answers: false });
  t.match(await admin('PATCH', path, { retry_also: ['http_500'] }), { status: 400 });
  const limited = { order: 'strict', max_per_second: 2.5 };
  t.match((await admin('PATCH', path, limited)).body.webhook, limited);
  t.match((await admin('GET', path)).body.webhook, { ...limited, blocked: { conversations: 0, deliveries: 0 } });
  t.equal((await admin('PATCH', path, { max_per_second: null })).body.webhook.max_per_second, undefined);
  t.match(await admin('PATCH', path, { max_per_second: 0 }), { status: 400 });
});

t.test('delivery times that contradict each other are refused when the platform is created', async (t) => {
  t.throws(() => createPlatform(withDeliveryTimes({ plugins: [] }, { windowMs: 60_000 })), /last retry could be due/);
  t.throws(() => createPlatform({ plugins: [], deliveries: { retryAlso: ['http_404' as never] } }), /retryAlso/);
});

t.test('all times of the retry policy can be chosen', async (t) => {
  const deliveryTimes = { gapsMs: [10, 20], windowMs: 100, deadlineMs: 50, minGapMs: 0, jitter: { shortest: 0, span: 0 } };
  const { post, clock, http, delivery, times, attempts } = await startWithWebhook(t, { deliveryTimes });
  http.answer(ENDPOINT, 'refuse', 'hang');
  const { uuid } = await post();
  await clock.advance(1_000);
  t.strictSame(times(), [0, 0.01, 0.06]);
  t.match(await delivery(uuid), { state: 'dropped', reason: 'exhausted', attempts: 3 });
  t.match((await attempts(uuid)).at(-1), { error: 'no response within 0.05 seconds' });
});

t.test('a redelivery can be limited to one attempt', async (t) => {
  const { post, clock, http, delivery, admin, redeliver, calls } = await startWithWebhook(t);
  http.answer(ENDPOINT, { status: 404 }, 'refuse');
  const { uuid } = await post();
  await clock.advance(0);
  t.match(await admin('POST', `/deliveries/${uuid}/redeliver?no_retry=true`), { status: 200 });
  await clock.advance(200_000);
  t.match(await delivery(uuid), { state: 'dropped', reason: 'exhausted', run: 2, attempts: 1 });
  t.equal(calls().length, 2);
  await redeliver(uuid);
  await clock.advance(200_000);
  t.match(await delivery(uuid), { run: 3, attempts: 6, no_retry: undefined });
});
