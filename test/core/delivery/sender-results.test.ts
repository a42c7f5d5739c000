import t from 'tap';
import {
  type AttemptResult,
  beforeCommit,
  type ChannelDriver,
  type Contributions,
  definePlugin,
  deliverySettled,
  object,
  string,
} from '#core';
import { startPlatform } from '#core/testing';

type Sender = NonNullable<Contributions['senders']>[number];

/** A channel of which a test sets what its sender does. */
const script: { request: Sender['request']; read: () => AttemptResult } = {
  request: () => ({
    method: 'POST',
    url: 'https://owl.example/',
    body: '',
    headers: {},
    signatures: [],
    deadlineMs: 5_000,
    maxResponseBytes: 99,
  }),
  read: () => ({ kind: 'delivered', status: 200 }),
};
const { request } = script;

const owl = definePlugin({
  name: 'owl',
  version: '1.0.0',
  register({ connections, deliveries, messages, numbers }) {
    const driver: ChannelDriver = {
      type: 'owl',
      connection: { schema: object({ key: string() }), secrets: [], check: async () => ({ address: 'owl:1', name: 'Owl' }) },
      async deliver(tx, { number, message, conversation }) {
        const webhook = await connections.destination(tx, number.uuid);
        if (!webhook) return messages.undeliverable(tx, number, message.uuid, 'not connected');
        const about = { kind: 'network' as const, body: { text: 'a letter' }, message: message.uuid, conversation: conversation.uuid };
        await deliveries.post(tx, { sender: 'owl', webhook, event: message.uuid, ...about });
      },
    };
    const sender: Sender = {
      name: 'owl',
      policy: { gapsMs: [600_000, 600_000], windowMs: 2_000_000, maxInterruptions: 3 },
      destination: (tx, uuid) => connections.destination(tx, uuid),
      request: (attempt) => script.request(attempt),
      read: () => script.read(),
    };
    return {
      channels: [driver],
      senders: [sender],
      payloads: [{ name: 'letter', summary: 'A letter.', subscription: 'network', body: object({ text: string() }) }],
      on: [
        beforeCommit(deliverySettled, async ({ delivery: { message, number: of, reason = 'accepted' } }, tx) => {
          const number = await numbers.require(of);
          if (message !== undefined) await messages.undeliverable(tx, number, message, reason);
        }),
      ],
    };
  },
});

t.test('what a sender returns', async (t) => {
  const test = await startPlatform(t, { plugins: [owl()] });
  const { admin, clock, http, platform } = test;
  http.answer('https://owl.example/*', { body: 'ok' });
  const { uuid } = await test.number('channel', { type: 'owl', address: 'owl:1' });
  const connect = () => admin('PUT', `/numbers/${uuid}/connection`, { settings: { key: 'k' } });
  await connect();
  const send = async (contact = 'ann') => {
    const number = await platform.numbers.require(uuid);
    const turn = { type: 'text', text: { body: 'hello' } };
    const sent = await platform.store.transaction((tx) =>
      platform.channels.sendTo(tx, number, { id: contact, address: contact }, { turn, author: { type: 'OPERATOR', id: '1', name: 'Op' } }),
    );
    return sent.uuid;
  };
  const deliveryOf = async (message: string) => (await platform.deliveries.list({ message, limit: 1 }))[0]!;
  t.beforeEach(() => Object.assign(script, { request, read: () => ({ kind: 'delivered', status: 200 }) }));

  await t.test('a result `next` leads to another call immediately, without a failure, and in order', async (t) => {
    const order: string[] = [];
    script.request = (attempt) => {
      order.push(attempt.entry.record.message!);
      return request(attempt);
    };
    const results: AttemptResult[] = [
      { kind: 'next', status: 200 },
      { kind: 'retry', status: 500, reason: 'busy', error: 'busy', afterMs: 1_000 },
      { kind: 'retry', status: 500, reason: 'busy', error: 'busy', afterMs: 1_000 },
      { kind: 'next', status: 200 },
    ];
    script.read = () => results.shift() ?? { kind: 'delivered', status: 200 };
    const [one, two] = [await send(), await send()];
    await clock.advance(0);
    t.match(await deliveryOf(one), { state: 'retry_wait', attempts: 2, last_error: 'busy' });
    await clock.advance(2_000);
    t.same(order, [one, one, one, one, one, two]);
    t.match(await deliveryOf(one), { state: 'delivered', attempts: 5 });
    const { attempts } = await platform.deliveries.show((await deliveryOf(one)).uuid);
    t.same(
      attempts.map(({ result }) => result),
      ['delivered', 'retry', 'retry', 'delivered', 'delivered'],
    );
  });

  await t.test('a sender refuses a message without a request', async (t) => {
    const before = http.calls.length;
    script.request = async () => ({ kind: 'cancel', reason: 'file_deleted', error: 'the file was deleted' });
    const message = await send();
    await clock.advance(0);
    t.match(await deliveryOf(message), { state: 'cancelled', reason: 'file_deleted', last_status: 0, last_error: 'the file was deleted' });
    t.equal(http.calls.length, before);
  });

  await t.test('the error of a sender is the error of its delivery', async (t) => {
    script.request = () => {
      throw new Error('the owl sleeps');
    };
    const message = await send();
    await clock.advance(60_000);
    const error = 'the request could not be made: the owl sleeps';
    t.match(await deliveryOf(message), { state: 'retry_wait', attempts: 1, last_error: error });
    t.match(JSON.stringify((await admin('GET', `/why?message=${message}`)).body), new RegExp(error));
    script.request = request;
    await clock.advance(600_000);
    t.match(await deliveryOf(message), { state: 'delivered' });
  });

  await t.test('an afterMs that is not a duration is an error that names the sender', async (t) => {
    script.read = () => ({ kind: 'retry', status: 429, reason: 'busy', error: 'busy', afterMs: Number.NaN });
    const message = await send();
    await clock.advance(0);
    t.match(await deliveryOf(message), {
      state: 'retry_wait',
      last_error: "busy (the sender 'owl' gave an afterMs that is not finite: NaN)",
    });
    script.read = () => ({ kind: 'delivered', status: 200 });
    await clock.advance(700_000);
    t.match(await deliveryOf(message), { state: 'delivered' });
  });

  await t.test('after a disconnect nothing waits for a retry', async (t) => {
    script.read = () => ({ kind: 'retry', status: 500, reason: 'busy', error: 'busy' });
    const waiting = [await send(), await send(), await send('ben')];
    await clock.advance(0);
    t.match(await deliveryOf(waiting[0]!), { state: 'retry_wait' });
    await admin('DELETE', `/numbers/${uuid}/connection`);
    await clock.advance(0);
    for (const message of waiting) t.match(await deliveryOf(message), { state: 'cancelled', reason: 'owl_removed' });

    await connect();
    let respond = (_: AttemptResult): void => undefined;
    script.read = () => new Promise((resolve) => (respond = resolve)) as never;
    const message = await send();
    await clock.advance(0);
    await admin('DELETE', `/numbers/${uuid}/connection`);
    respond({ kind: 'retry', status: 500, reason: 'busy', error: 'busy' });
    await clock.advance(0);
    t.match(await deliveryOf(message), { state: 'cancelled', reason: 'owl_removed' }, 'also one that was being sent');
  });
});
