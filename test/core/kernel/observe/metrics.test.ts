import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { consume, definePlugin, queue } from '#core';
import { prometheus } from '../../../../core/adapters/prometheus.js';
import { ENDPOINT, startWithWebhook, type WebhookPlatform } from '../../delivery/webhook-platform.js';
import { type Family, readExposition } from './exposition.js';

const scrape = async ({ admin }: Pick<WebhookPlatform, 'admin'>): Promise<Map<string, Family>> => {
  const { status, body } = await admin('GET', '/metrics');
  t.equal(status, 200);
  return readExposition(body);
};
const reading = (families: Map<string, Family>, family: string, labels: object, name = family): number | undefined =>
  families.get(family)?.samples.find((sample) => sample.name === name && matches(sample.labels, labels))?.value;
const matches = (labels: Record<string, string>, expected: object) =>
  Object.entries(expected).every(([name, value]) => labels[name] === value) && Object.keys(labels).length === Object.keys(expected).length;

t.test('the text follows the exposition format exactly', async (t) => {
  const metrics = prometheus();
  const count = metrics.counter({ name: 'things_total', help: 'Things, \\ and\nlines.', labels: ['kind'] });
  count({ kind: 'a "quoted" \\ thing\nin two lines' });
  count({ kind: 'plain' });
  count({ kind: 'plain' });
  const took = metrics.histogram({ name: 'things_seconds', help: 'How long things took.', labels: ['kind'], buckets: [0.1, 1] });
  took({ kind: 'plain' }, 0.1);
  took({ kind: 'plain' }, 0.25);
  took({ kind: 'plain' }, 7);
  let depth = 3;
  metrics.gauge({ name: 'depth', help: 'How deep.' }, (set) => set({}, depth));
  const { body, contentType } = await metrics.text();
  t.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8');
  t.equal(
    body,
    [
      '# HELP things_total Things, \\\\ and\\nlines.',
      '# TYPE things_total counter',
      'things_total{kind="a \\"quoted\\" \\\\ thing\\nin two lines"} 1',
      'things_total{kind="plain"} 2',
      '',
      '# HELP things_seconds How long things took.',
      '# TYPE things_seconds histogram',
      'things_seconds_bucket{le="0.1",kind="plain"} 1',
      'things_seconds_bucket{le="1",kind="plain"} 2',
      'things_seconds_bucket{le="+Inf",kind="plain"} 3',
      'things_seconds_sum{kind="plain"} 7.35',
      'things_seconds_count{kind="plain"} 3',
      '',
      '# HELP depth How deep.',
      '# TYPE depth gauge',
      'depth 3',
      '',
    ].join('\n'),
  );
  depth = 4;
  t.match((await metrics.text()).body, /^depth 4$/m);
});

t.test('deliveries are counted by outcome, attempts and durations in histograms', async (t) => {
  const box = await startWithWebhook(t, { answers: [{}, { status: 404 }, { status: 500, afterMs: 300 }] });
  const { post, clock } = box;
  await post();
  await clock.advance(0);
  await post();
  await clock.advance(0);
  await post();
  await clock.advance(300_000);
  const families = await scrape(box);
  t.equal(reading(families, 'posthorn_deliveries_queued_total', { lane: 'default' }), 3);
  const settled = 'posthorn_deliveries_settled_total';
  t.equal(reading(families, settled, { outcome: 'delivered', reason: '', lane: 'default' }), 1);
  t.equal(reading(families, settled, { outcome: 'cancelled', reason: 'http_4xx', lane: 'default' }), 1);
  t.equal(reading(families, settled, { outcome: 'dropped', reason: 'exhausted', lane: 'default' }), 1);
  const attempts = 'posthorn_delivery_attempt_duration_seconds';
  t.equal(reading(families, attempts, { result: 'retry', lane: 'default' }, `${attempts}_count`), 6);
  t.equal(reading(families, attempts, { result: 'retry', lane: 'default', le: '0.2' }, `${attempts}_bucket`), 0);
  t.equal(reading(families, attempts, { result: 'retry', lane: 'default', le: '0.5' }, `${attempts}_bucket`), 6);
  const duration = 'posthorn_delivery_duration_seconds';
  t.equal(reading(families, duration, { outcome: 'dropped', lane: 'default' }, `${duration}_sum`), 138.6);
  t.ok(
    reading(
      families,
      'posthorn_store_transaction_duration_seconds',
      { outcome: 'committed' },
      'posthorn_store_transaction_duration_seconds_count',
    )! > 10,
  );
});

t.test('queue depths are shown by lane, with ready and scheduled jobs apart', async (t) => {
  const odd = queue<object>('odd "name" \\ here');
  const plugin = definePlugin({
    name: 'odd',
    version: '1.0.0',
    register: () => ({ consumes: [consume(odd, async () => undefined)] }),
  });
  const box = await startWithWebhook(t, { plugins: [plugin()], answers: [{ status: 500 }, 'hang'] });
  const { post, clock, platform } = box;
  const depth = async (name: string, state: string, lane = 'default') =>
    reading(await scrape(box), 'posthorn_queue_jobs', { queue: name, lane, state });
  await post();
  await clock.advance(0);
  t.equal(await depth('core.deliveries', 'later'), 1, 'a retry');
  await post({ conversation: 'one' });
  await post({ conversation: 'one' });
  await setTimeout(5);
  t.equal(await depth('core.deliveries', 'running'), 1);
  t.equal(await depth('core.deliveries', 'ready'), 1, 'the next delivery of the conversation');
  await platform.store.transaction((tx) => tx.push(odd, {}, { lane: 'low', notBefore: new Date(clock.now().getTime() + 60_000) }));
  t.equal(await depth('odd "name" \\ here', 'later', 'low'), 1, 'a name that needs escaping');
  await clock.advance(60_000);
  t.equal(await depth('odd "name" \\ here', 'later', 'low'), 0);
});

t.test('worker batches and the delay of the event loop are measured', async (t) => {
  const box = await startWithWebhook(t, { ports: { workers: undefined as never }, answers: [{}] });
  for (let n = 0; n < 5; n++) await box.post();
  await box.clock.advance(0);
  const families = await scrape(box);
  const calls = 'posthorn_worker_batch_calls';
  t.equal(reading(families, calls, { task: 'delivery.sign' }, `${calls}_sum`), 5);
  t.ok(
    reading(families, 'posthorn_worker_batch_duration_seconds', { task: 'delivery.sign' }, 'posthorn_worker_batch_duration_seconds_sum')! >
      0,
  );
  const delay = reading(families, 'posthorn_event_loop_delay_seconds', { quantile: '0.99' });
  t.ok(delay !== undefined && delay >= 0 && delay < 60);
  t.ok(reading(families, 'process_resident_memory_bytes', {})! > 1_000_000);
  t.ok(reading(families, 'process_cpu_seconds_total', {})! > 0);
  t.equal(families.get('process_cpu_seconds_total')!.type, 'counter');
});

t.test('metrics need the admin key, and belong to one platform', async (t) => {
  const box = await startWithWebhook(t, { answers: [{}] });
  const other = await startWithWebhook(t);
  await box.post();
  await box.clock.advance(0);
  t.equal((await box.call('GET', '/admin/v1/metrics')).status, 401);
  const { headers } = await box.admin('GET', '/metrics');
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  t.equal(headers['cache-control'], 'no-store');
  t.equal(reading(await scrape(box), 'posthorn_deliveries_queued_total', { lane: 'default' }), 1);
  t.equal(reading(await scrape(other), 'posthorn_deliveries_queued_total', { lane: 'default' }), undefined);
  t.equal(box.http.callsTo(ENDPOINT).length, 1);
});

t.test('the duration of a redelivered delivery counts from the redelivery', async (t) => {
  const box = await startWithWebhook(t, { answers: [{ status: 404 }, { afterMs: 250 }] });
  const { uuid } = await box.post();
  await box.clock.advance(3_600_000);
  await box.redeliver(uuid);
  await box.clock.advance(250);
  const name = 'posthorn_delivery_duration_seconds';
  t.equal(reading(await scrape(box), name, { outcome: 'delivered', lane: 'default' }, `${name}_sum`), 0.25);
  t.match(await box.delivery(uuid), { run: 2, redelivered_at: /T09:00:00/ }, 'the record has the time of the redelivery');
});
