import t from 'tap';
import type { DeliveryRecord } from '#core';
import { ManualClock, type ScriptedAnswer, SeededIds, type TestPlatform } from '#core/testing';
import { defaultRetryPolicy } from '../../../core/delivery/retry-policy.js';
import { onlyLong } from '../../forms.js';
import { freshFolder } from '../adapters/store/folders.js';
import { startWithWebhook, type WebhookPlatform } from './webhook-platform.js';

const ROUNDS = 60;
const CONVERSATIONS = 7;

/** Kinds of endpoints, and how deliveries to them may end. */
const manners: Readonly<
  Record<string, { answer: (seconds: number) => Exclude<ScriptedAnswer, (...all: never[]) => unknown>; ends: readonly string[] }>
> = {
  fast: { answer: () => ({ afterMs: 20 }), ends: ['delivered'] },
  quick: { answer: () => ({ afterMs: 90 }), ends: ['delivered'] },
  slow: { answer: () => ({ afterMs: 1_400 }), ends: ['delivered'] },
  flapping: { answer: (s) => (s % 120 < 60 ? { afterMs: 10 } : 'refuse'), ends: ['delivered'] },
  away: { answer: (s) => (s < 100 || s > 400 ? {} : 'reset'), ends: ['delivered', 'dropped exhausted'] },
  hanging: { answer: () => 'hang', ends: ['dropped exhausted', 'dropped expired', 'dropped expired_in_queue'] },
  failing: { answer: () => ({ status: 500 }), ends: ['dropped exhausted'] },
  redirecting: { answer: () => ({ status: 307 }), ends: ['dropped exhausted'] },
  refusing: { answer: () => ({ status: 429 }), ends: ['cancelled http_4xx'] },
  proxied: { answer: () => ({ status: 502 }), ends: ['cancelled http_502'] },
  unknown: { answer: () => 'unknown host', ends: ['cancelled dns_not_found'] },
};
const urlOf = (manner: string): string => `https://${manner}.test/`;

/** The totals of the counters of `/admin/v1/metrics`. */
async function counted({ call }: Pick<TestPlatform, 'call'>, name: string): Promise<number> {
  const { body } = await call('GET', '/admin/v1/metrics', { token: 'admin-key-of-the-tests' });
  const lines = String(body).matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}

t.test(
  'ten minutes of events to all kinds of endpoints, with a restart: each delivery ends by the retry policy, and all counts agree',
  { skip: onlyLong },
  async (t) => {
    const clock = new ManualClock();
    const began = clock.monotonic();
    const dataDir = freshFolder(t);
    const seconds = () => (clock.monotonic() - began) / 1000;
    const taken: string[] = [];
    const settled: DeliveryRecord[] = [];
    const posted: DeliveryRecord[] = [];
    const hooks = new Map<string, string>();
    let [queuedByMetrics, settledByMetrics, attemptsByMetrics, requests] = [0, 0, 0, 0];

    const open = async (seed: string, webhook?: string): Promise<WebhookPlatform> => {
      const ids = new SeededIds(seed);
      const box = await startWithWebhook(t, { dataDir, seed, ...(webhook && { webhook }), ports: { clock, ids } });
      for (const [manner, { answer }] of Object.entries(manners)) {
        box.http.answer(urlOf(manner), ({ json }) => {
          const what = answer(seconds());
          if (typeof what === 'object' && what.status === undefined) taken.push(json.event);
          return what;
        });
      }
      box.platform.listen(({ name, data }) => {
        if (name === 'delivery.settled') settled.push((data as { delivery: DeliveryRecord }).delivery);
      });
      return box;
    };
    const close = async (box: WebhookPlatform): Promise<void> => {
      queuedByMetrics += await counted(box, 'posthorn_deliveries_queued_total');
      settledByMetrics += await counted(box, 'posthorn_deliveries_settled_total');
      attemptsByMetrics += await counted(box, 'posthorn_delivery_attempt_duration_seconds_count');
      requests += box.http.calls.length;
      t.strictSame(box.http.unexpected, []);
      t.strictSame(box.log.messages('error'), []);
    };

    let box = await open('one');
    await box.platform.store.transaction((tx) => {
      const { uuid: number } = box.platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+2713', name: 'Soak' });
      for (const name of Object.keys(manners)) {
        const made = box.platform.webhooks.create(tx, { number, url: urlOf(name), name, subscriptions: ['network'] });
        hooks.set(name, made.webhook.uuid);
      }
    });
    for (let round = 0; round < ROUNDS; round++) {
      if (round === ROUNDS / 2) {
        await clock.advance(6_000);
        await close(box);
        await box.server.stop();
        box = await open('two', box.webhook);
      }
      for (const name of Object.keys(manners)) {
        const webhook = (await box.platform.webhooks.get(hooks.get(name)!))!;
        const event = `${name}-${round}`;
        posted.push(await box.post({ event, webhook, conversation: `c${round % CONVERSATIONS}`, body: { event } }));
      }
      await clock.advance(10_000);
    }
    await clock.advance(600_000);
    await close(box);

    const ends = new Map(settled.map((delivery) => [delivery.uuid, delivery]));
    t.equal(settled.length, posted.length, 'each is settled once');
    t.equal(ends.size, posted.length);
    t.equal(queuedByMetrics, posted.length);
    t.equal(settledByMetrics, posted.length);
    const delivered = settled.filter(({ state }) => state === 'delivered').map(({ event }) => event);
    t.strictSame(taken.toSorted(), delivered.toSorted(), 'endpoints accepted exactly the delivered ones, none twice');
    let [attempts, interrupted] = [0, 0];
    for (const [manner, { ends: allowed }] of Object.entries(manners)) {
      const own = settled.filter(({ webhook }) => webhook === hooks.get(manner));
      t.equal(own.length, ROUNDS, manner);
      for (const { state, reason, uuid, attempts: made } of own) {
        const end = [state, ...(reason === undefined ? [] : [reason])].join(' ');
        t.ok(allowed.includes(end), `${manner}: ${end}`);
        if (reason === 'exhausted') t.equal(made, 6);
        const all = await box.attempts(uuid);
        // Attempts that the restart interrupted are recorded as well, and were repeated with the same number.
        const tried = all.filter(({ result }) => result !== 'interrupted');
        t.equal(tried.length, made);
        attempts += made;
        interrupted += all.length - made;
        const failedAt = Date.parse(tried[0]!.started_at) + tried[0]!.duration_ms!;
        let anchor = 0;
        for (const [n, { started_at }] of tried.entries()) {
          if (n === 0) continue;
          const gap = defaultRetryPolicy.gapsMs[n - 1]!;
          anchor += gap;
          const offset = Date.parse(started_at) - failedAt;
          t.ok(offset >= anchor - gap * 0.1, `${manner}: retry ${n} came ${offset} ms after the first failure`);
          t.ok(
            offset <= defaultRetryPolicy.windowMs + defaultRetryPolicy.graceMs,
            `${manner}: retry ${n} came ${offset} ms after the first failure`,
          );
          if (manner !== 'hanging')
            t.ok(offset <= anchor + gap * 0.04 + 1, `${manner}: retry ${n} came ${offset} ms after the first failure`);
        }
      }
    }
    t.ok(interrupted > 0, 'the restart interrupted attempts');
    t.equal(requests, attempts + interrupted, 'every request is recorded');
    t.equal(attemptsByMetrics, attempts);
    t.strictSame(
      (await box.platform.deliveries.list({ limit: 500 })).filter(({ settled_at }) => settled_at === undefined),
      [],
    );
  },
);
