import t from 'tap';
import { beforeCommit, type Contributions, definePlugin, type HttpOutcome, messageReceived, object, string } from '#core';
import { startPlatform, type Tap } from '#core/testing';
import type { Faults } from '../../../core/ports/faults.js';

const replied = (status: number, text: string): HttpOutcome => ({
  ...{ kind: 'response', status, headers: {}, cut: false, elapsedMs: 1 },
  body: Buffer.from(text),
});

/** A sender whose attempts are not HTTP. */
async function startOwl(t: Tap, perform: (n: number, signal: AbortSignal) => Promise<HttpOutcome>, faults?: Faults) {
  let attempts = 0;
  const destination = (uuid: string) => ({ uuid, number: uuid, enabled: true, lane: 'high' as const, order: 'strict' as const });
  const sender: NonNullable<Contributions['senders']>[number] = {
    name: 'owl',
    destination: (_tx: unknown, uuid: string) => destination(uuid),
    request: () => ({
      ...{ method: 'FLY', url: 'owl://tower:1/', body: new Uint8Array(3_000), signatures: [], deadlineMs: 5_000, maxResponseBytes: 0 },
      headers: { 'Content-Type': 'application/parchment' },
      perform: (signal: AbortSignal) => perform(++attempts, signal),
    }),
  };
  const owl = definePlugin({
    name: 'owl',
    version: '1.0.0',
    register: ({ deliveries }) => ({
      senders: [sender],
      payloads: [{ name: 'letter', summary: 'A letter.', subscription: 'network', body: object({ text: string() }) }],
      on: [
        beforeCommit(messageReceived, async ({ number, message }, tx) => {
          const webhook = destination(number.uuid);
          const body = { text: 'a letter' };
          await deliveries.post(tx, { sender: 'owl', webhook, event: message.uuid, kind: 'network', body, recipient: 'ann' });
        }),
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [owl()], recording: { deliveries: true }, ports: { faults } });
  const { uuid } = await test.number('channel', { type: 'owl' });
  const number = await test.platform.numbers.require(uuid);
  let count = 0;
  return {
    ...test,
    attempts: () => attempts,
    async write() {
      await test.platform.store.transaction((tx) =>
        test.platform.messages.received(tx, number, {
          ...{ id: `in-${++count}`, contact: { id: 'ann' }, from: 'ann', timestamp: '1767600000' },
          ...{ type: 'text', content: { text: { body: 'hello' } } },
        }),
      );
    },
    async shown() {
      const { deliveries } = (await test.admin('GET', '/deliveries')).body;
      return (await test.admin('GET', `/deliveries/${deliveries[0].uuid}`)).body;
    },
  };
}

t.test('attempts of another protocol have order, retries and records like requests', async (t) => {
  const order: number[] = [];
  const { write, clock, shown, http, attempts } = await startOwl(t, async (n) => {
    order.push(n);
    return n === 1
      ? replied(503, 'tired')
      : n === 2
        ? { kind: 'unreachable', permanent: false, code: 'ECONNREFUSED', reason: 'the tower is closed', elapsedMs: 1 }
        : replied(250, 'arrived');
  });
  await write();
  await write();
  await clock.advance(300_000);
  t.equal(attempts(), 4, 'the second letter waited for the first');
  t.same(http.calls, []);
  const { delivery, attempts: records, details } = await shown();
  t.equal(delivery.state, 'delivered');
  t.equal(records.length >= 1, true);
  t.match(details.at(-1), { url: 'owl://tower:1/', request: { body: { bytes: 3_000, content: '[3000 bytes, application/parchment]' } } });
  t.match(details.at(-1).response.body.content, 'arrived');
});

t.test('the deadline ends an attempt, and a stop of the platform interrupts it', async (t) => {
  const signals: AbortSignal[] = [];
  const { write, clock, platform, attempts } = await startOwl(t, (_, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  await write();
  await clock.advance(0);
  await clock.advance(5_000);
  t.ok(signals[0]!.aborted);
  const [delivery] = await platform.deliveries.list({ limit: 1 });
  t.match(delivery, { state: 'retry_wait', last_status: 504 });
  await clock.advance(200_000);
  t.ok(attempts() >= 2);
  const started = performance.now();
  await platform.stop();
  t.ok(signals.at(-1)!.aborted);
  t.ok(performance.now() - started < 3_000);
});

t.test('faults of deliveries act on it', async (t) => {
  let fired = 0;
  const faults: Faults = {
    fire: (place) => (place === 'delivery' && fired++ === 0 ? { rule: 'r', effect: { kind: 'refuse' } } : undefined),
  };
  const { write, clock, attempts } = await startOwl(t, async () => replied(250, 'arrived'), faults);
  await write();
  await clock.advance(60_000);
  t.equal(fired > 1, true);
  t.equal(attempts(), 1, 'the first attempt was refused before it was made');
});
