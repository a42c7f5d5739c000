import t from 'tap';
import { definePlugin, type OutboundCheck, PlatformError, type Sendable } from '#core';
import { startPlatform, type Tap } from '#core/testing';

/** A number of kind `quiet` with a driver, and plugins whose checks may refuse its messages. */
async function startQuiet(t: Tap, outboundChecks: OutboundCheck[], supports?: 'everything') {
  const quiet = definePlugin({
    name: 'quiet',
    version: '1.0.0',
    register: ({ messages, ids }) => ({
      outboundChecks,
      channels: [
        {
          type: 'quiet',
          ...(supports && { supports }),
          deliver: (tx, { number, message }) => messages.accepted(tx, number, message.uuid, ids.uuid()),
        },
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [quiet()] });
  const { uuid } = await test.number('channel', { type: 'quiet' });
  const number = await test.platform.numbers.require(uuid);
  const author = { type: 'SYSTEM' as const, id: '1', name: 'Test' };
  const sendTo = (to: string, turn: Sendable) =>
    test.platform.store.transaction((tx) => test.platform.channels.sendTo(tx, number, { id: to, address: to }, { turn, author }));
  return { ...test, number, sendTo };
}

const text = { type: 'text' as const, text: { body: 'hi' } };

t.test('a plugin sees a message before it is recorded, and may refuse it', async (t) => {
  const seen: unknown[] = [];
  const { sendTo, platform, number, log } = await startQuiet(t, [
    (_, { to, turn, author, number }) => {
      seen.push([number.type, to, turn, author.name]);
      if (to === 'bob') throw new PlatformError(400, 'not_bob', 'Bob is away');
    },
  ]);
  const sent = await sendTo('ann', text);
  t.match(sent, { to: 'ann', content: { text: { body: 'hi' } }, external_id: /./ });
  await t.rejects(sendTo('bob', text), { code: 'not_bob' });
  t.strictSame(seen, [
    ['quiet', 'ann', text, 'Test'],
    ['quiet', 'bob', text, 'Test'],
  ]);
  t.match(await platform.contacts.list(number.uuid), [{ id: 'ann' }], 'a refused message leaves nothing behind, not even its recipient');
  t.match(
    log.lines.filter(({ message }) => message.includes('deprecated')),
    [{ level: 'warn', message: /outboundChecks.*use beforeSend with \{ check \}/, fields: { plugin: 'quiet' } }],
  );
});

t.test('a driver receives only the types of turns that connectors support, unless it supports everything', async (t) => {
  const location = { type: 'location', location: { latitude: 1, longitude: 2 } };
  const { sendTo } = await startQuiet(t, []);
  await t.rejects(sendTo('ann', location), { code: 'type_not_supported', message: /'quiet' do not support messages of type 'location'/ });
  const other = await startQuiet(t, [], 'everything');
  t.match(await other.sendTo('ann', location), { type: 'location', content: { location: { latitude: 1 } } });
});
