import t from 'tap';
import { definePlugin, type Explanation, type NumberRecord, unixSeconds } from '#core';
import { startPlatform } from '#core/testing';

t.test('plugins contribute steps to the chain of a message, and one that fails is unknown', async (t) => {
  const explaining = (name: string, explain: Explanation['explain']) =>
    definePlugin({ name, version: '1.0.0', register: () => ({ explanations: [{ name, explain }] }) })();
  const { platform, admin, number, clock, log } = await startPlatform(t, {
    plugins: [
      explaining('hours', async ({ message, contact }) => [
        {
          name: 'hours',
          state: 'broken',
          summary: `closed for ${contact.id}`,
          at: null,
          evidence: { message: message.uuid },
          fix: { action: 'wait' },
        },
      ]),
      explaining('down', async () => {
        throw new Error('the service is down');
      }),
    ],
  });
  const record = (await platform.numbers.get((await number('network')).uuid)) as NumberRecord;
  const { message } = await platform.store.transaction((tx) =>
    platform.messages.received(tx, record, {
      ...{ id: 'm1', contact: { id: 'ada', name: 'Ada' }, from: 'ada', timestamp: unixSeconds(clock.now()) },
      ...{ type: 'text', content: { text: { body: 'hi' } } },
    }),
  );
  const { status, body } = await admin('GET', '/why?message=m1');
  t.equal(status, 200);
  t.match(body, {
    first: 1,
    links: [
      { name: 'message', state: 'ok', first: false },
      { name: 'hours', state: 'broken', first: true, summary: 'closed for ada', evidence: { message: message.uuid } },
      { name: 'down', state: 'unknown', summary: "The explanation 'down' failed: the service is down." },
      { name: 'webhook', state: 'broken', first: false },
    ],
  });
  t.strictSame(log.messages('warn'), ['an explanation failed']);
});
