import t from 'tap';
import { consume, definePlugin, queue } from '#core';
import type { PluginMetrics } from '#core/ports';
import { startPlatform, type Tap } from '#core/testing';
import { coreEvents } from '../../../core/platform/core-events.js';
import type { EventData } from '../../../core/platform/listen.js';

const letters = queue<{ to: string }>('night-mail.letters');

/** Has a channel that queues, a consumer that fails, and metrics. */
const nightMail = (metrics?: (metrics: PluginMetrics) => void) =>
  definePlugin({
    name: 'night-mail',
    version: '1.0.0',
    register: () => ({
      channels: [{ type: 'night-mail', deliver: (tx, { message }) => tx.push(letters, { to: message.to }) }],
      consumes: [
        consume(letters, async ({ payload: { to } }) => {
          throw new RangeError(`no route to ${to}`);
        }),
      ],
      ...(metrics && { metrics }),
    }),
  })();

const about = { kind: 'channel', type: 'night-mail', address: 'sack:1', name: 'Sack' } as const;

t.test('a plugin contributes metrics', async (t) => {
  let count = (_: Record<string, string>): void => undefined;
  const { admin } = await startPlatform(t, {
    plugins: [
      nightMail((metrics) => {
        count = metrics.counter({ name: 'night_mail_letters_total', help: 'Letters that were posted.', labels: ['route'] });
        metrics.gauge({ name: 'night_mail_sacks', help: 'Sacks on the train.' }, (set) => set({}, 3));
      }),
    ],
  });
  count({ route: 'north' });
  const { body } = await admin('GET', '/metrics');
  t.match(body, /# HELP night_mail_letters_total Letters that were posted\.\n.*\nnight_mail_letters_total\{route="north"\} 1\n/);
  t.match(body, /night_mail_sacks 3\n/);
});

t.test('metrics that do not begin with the name of the plugin are refused', async (t) => {
  const platform = startPlatform(t, { plugins: [nightMail((metrics) => metrics.counter({ name: 'letters_total', help: 'Letters.' }))] });
  await t.rejects(platform, /plugin 'night-mail' failed at start: the metric letters_total must begin with night_mail_/);
});

t.test('a number of a type of its own, with a token, is made by one call', async (t) => {
  const { platform, call } = await startPlatform(t, { plugins: [nightMail()] });
  const { number, token } = await platform.createNumber(about);
  t.match(number, { uuid: /./, ...about });
  t.match((await platform.tokens.caller(token))?.number, { uuid: number.uuid });
  t.equal((await call('GET', '/health')).status, 200);
  await t.rejects(platform.createNumber(about), { message: /already has this address/ });
  await t.rejects(platform.createNumber({ ...about, type: 'day-mail' }), {
    name: 'TypeError',
    message: /no plugin has a channel driver for the type 'day-mail'; types with a driver: night-mail/,
  });
});

t.test('a test shows the exception of a consumer that fails', async (t) => {
  const comments: string[] = [];
  const recording = { teardown: (run: () => unknown) => t.teardown(run), comment: (text: string) => void comments.push(text) };
  const { platform, clock } = await startPlatform(recording as unknown as Tap, { plugins: [nightMail()] });
  const { number } = await platform.createNumber(about);
  const turn = { type: 'text', text: { body: 'hello' } } as const;
  await platform.store.transaction((tx) =>
    platform.channels.sendTo(tx, number, { id: 'ada', address: 'ada' }, { turn, author: { type: 'OPERATOR', id: '1', name: 'Op' } }),
  );
  await clock.advance(1_000);
  t.match(
    comments[0],
    /^a job has failed and will be retried \(.*night-mail\.letters\): RangeError: no route to ada\n +at .*own-plugins\.test/,
  );
});

t.test('listeners subscribe to an event by its name, with typed data', async (t) => {
  const { platform } = await startPlatform(t, { plugins: [nightMail()] });
  const addresses: string[] = [];
  const all: string[] = [];
  // The types know that `data` has a number.
  const stop = platform.listen('number.created', ({ data: { number } }) => addresses.push(number.address));
  platform.listen(({ name }) => all.push(name));
  await platform.createNumber(about);
  stop();
  await platform.createNumber({ ...about, address: 'sack:2' });
  t.strictSame(addresses, ['sack:1']);
  t.strictSame(all, ['number.created', 'number.created']);
});

t.test('every event of the core has typed data', async (t) => {
  const typed: Record<keyof EventData, true> = {
    'store.failed': true,
    'store.reopened': true,
    'store.rewound': true,
    'memory.changed': true,
    'webhook.lane_changed': true,
    'delivery.queued': true,
    'delivery.attempted': true,
    'delivery.answered_late': true,
    'delivery.settled': true,
    'webhook.paused': true,
    'webhook.resumed': true,
    'webhook.secret_rotated': true,
    'number.created': true,
    'message.received': true,
    'message.handed_back': true,
    'message.seen': true,
    'message.queued': true,
    'message.accepted': true,
    'message.undeliverable': true,
    'message.status': true,
    'messages.expired': true,
    'account.changed': true,
    'message.edited': true,
    'contact.blocked': true,
    'typing.contact': true,
    'contact.unblocked': true,
    'connection.changed': true,
    'contact.changed': true,
    'contact.merged': true,
    'contact.split': true,
    'contact.erased': true,
    advice: true,
    'advice.issued': true,
    'advice.dismissed': true,
    'call.answered': true,
  };
  t.strictSame(Object.keys(typed).sort(), coreEvents.map(({ name }) => name).sort());
});
