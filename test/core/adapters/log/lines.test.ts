import t from 'tap';
import { createPlatform } from '#core';
import { InlinePool, ManualClock } from '#core/testing';
import { ConsoleLogger } from '../../../../core/adapters/log/console-logger.js';
import { sampleJson } from '../../../pages/samples.js';
import { CONNECTOR, startChannel } from '../../../plugins/channels/channel-under-test.js';

t.test('a failed delivery is logged with its ids, as the page on operations shows', async (t) => {
  const clock = new ManualClock();
  let written = '';
  const log = new ConsoleLogger({ clock, stream: { write: (line) => (written += line) } });
  const channel = await startChannel(t, { ports: { clock, log } });
  channel.http.answer(`POST ${CONNECTOR}`, { status: 503 });
  await channel.say('hi');
  await channel.send();
  await clock.advance(200_000);
  const [delivery] = (await channel.admin('GET', '/deliveries')).body.deliveries;
  const shown = sampleJson('core/kernel/README.md', 'line of the log');
  const line = JSON.parse(written);
  t.strictSame(Object.keys(line), Object.keys(shown), 'the same fields, and the only line');
  t.strictSame(line, {
    ...shown,
    time: line.time,
    delivery_id: delivery.uuid,
    webhook_id: channel.webhook.uuid,
    event_id: delivery.event,
    number_id: channel.uuid,
  });
});

t.test('failed attempts are logged at debug level', async (t) => {
  const clock = new ManualClock();
  let written = '';
  const log = new ConsoleLogger({ clock, level: 'debug', stream: { write: (line) => (written += line) } });
  const channel = await startChannel(t, { ports: { clock, log } });
  channel.http.answer(`POST ${CONNECTOR}`, 'refuse', { body: { messages: [{ id: 'out-1' }] } });
  await channel.say('hi');
  await channel.send();
  await clock.advance(60_000);
  t.match(JSON.parse(written), {
    level: 'debug',
    message: 'a delivery attempt failed',
    webhook_id: channel.webhook.uuid,
    run: 1,
    n: 0,
    result: 'retry',
    code: 'network_error',
    due_at: /^2026-01-05T08:00:1/,
  });
});

t.test('the log level is an option with four values', async (t) => {
  t.throws(() => createPlatform({ plugins: [], logLevel: 'loud' as never }), /logLevel/);
  t.doesNotThrow(() => createPlatform({ plugins: [], logLevel: 'debug' }));
});

t.test('a failing delivery job is logged with the ids of the delivery', async (t) => {
  const pool = new InlinePool();
  let failures = 1;
  const run: InlinePool['run'] = (type, input) => {
    if (type.name === 'delivery.sign' && failures-- > 0) throw new Error('the worker died');
    return pool.run(type, input);
  };
  const workers = { run, check: (type: never) => pool.check(type), stop: () => pool.stop() } as InlinePool;
  const channel = await startChannel(t, { ports: { workers } });
  await channel.say('hi');
  await channel.send();
  await channel.settle();
  const [delivery] = (await channel.admin('GET', '/deliveries')).body.deliveries;
  t.match(channel.log.lines, [
    {
      message: 'the platform could not complete an attempt of a delivery, and will repeat it',
      fields: {
        delivery_id: delivery.uuid,
        webhook_id: channel.webhook.uuid,
        error: { message: 'the worker died' },
      },
    },
  ]);
});
