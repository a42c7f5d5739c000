import t from 'tap';
import { emailStandIn } from '../../../plugins/email/testing/index.js';
import { containerOf } from '../journeys/engine/journey-under-test.js';
import { ANN, listenerPort, type NumberUnderTest, startNumber } from './number-under-test.js';

const answers = {
  texts: { said: 'We will answer soon.' },
  blocks: [{ name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'said' }, exits: [{ to: null }] }],
};

/** A journey that answers every message. */
async function answerAll({ admin, platform }: NumberUnderTest, number: string): Promise<void> {
  const journey = platform.ids.uuid();
  await admin('PUT', `/journeys/${journey}`, { number, name: 'Robot', definition: containerOf(answers), triggers: [{ on: 'message' }] });
  const { status } = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  if (status !== 200) throw new Error(`the journey was not published: ${status}`);
}

const HOUR_MS = 60 * 60_000;

/** Two numbers whose journeys answer everything, and the mails between them; `through` changes each of them. */
async function robots(t: Parameters<typeof startNumber>[0], through: (raw: string) => string) {
  const test = await startNumber(t);
  const other = await emailStandIn({ port: false, mailbox: false, address: 'desk@other.example' });
  t.teardown(() => other.stop());
  test.sockets.answer(`127.0.0.1:${other.smtpPort}`, other.smtpPort);
  other.deliverTo(await listenerPort(test));
  await test.admin('POST', '/connections', { type: 'email', settings: { ...other.settings, receive: 'smtp' } });
  for (const { uuid } of await test.platform.numbers.list()) await answerAll(test, uuid);
  const carried = new Set<string>();
  return {
    test,
    other,
    /** Delivers all mails until there are no more, or for an hour. */
    async run(): Promise<number> {
      await test.standIn.write(other.address, 'hello', { to: test.standIn.address });
      for (let quiet = 0; quiet < 3 && carried.size < 50; ) {
        await test.settle(HOUR_MS / 200);
        const fresh = [...test.standIn.sent, ...other.sent].filter(({ id }) => !carried.has(id));
        quiet = fresh.length === 0 ? quiet + 1 : 0;
        for (const { id, raw, from, to } of fresh) {
          carried.add(id);
          await test.standIn.deliver(Buffer.from(through(raw), 'latin1'), { from, to });
        }
      }
      return carried.size;
    },
  };
}

t.test('two robots: a mail that a program has written is recorded and not answered', async (t) => {
  const { test, run } = await robots(t, (raw) => raw);
  t.equal(await run(), 1, 'one answer, and no answer to it');
  t.match(test.received().at(-1), { quiet: /a program has written it/, content: { text: { body: 'We will answer soon.' } } });
  const { body } = await test.admin('GET', `/why?message=${test.received().at(-1).uuid}`);
  t.match(JSON.stringify(body), /a program has written it/);
  t.same(test.told('advice'), []);
});

t.test('two robots that do not say that they are any: the mails stop by their count, with advice', async (t) => {
  const { test, other, run } = await robots(t, (raw) => raw.replace(/^(Auto-Submitted|X-Auto-Response-Suppress):.*\r\n/gim, ''));
  const count = await run();
  t.equal(count, 10, 'five answers of each');
  t.match(
    test.told('advice').map(({ name }: { name: string }) => name),
    ['email_loop'],
  );
  t.equal(test.standIn.sent.length, 5);
  t.equal(other.sent.length, 5);
});

t.test('out-of-office answers, lists and mails of the own address are recorded quietly', async (t) => {
  const test = await startNumber(t);
  await answerAll(test, test.uuid);
  const { standIn, until, received } = test;
  await standIn.write(ANN, 'I am away', { headers: { 'Auto-Submitted': 'auto-replied' } });
  await standIn.write(ANN, 'news', { headers: { Precedence: 'bulk' } });
  await standIn.write(standIn.address, 'from us');
  await standIn.write(ANN, 'no way back', { returnPath: '' });
  await until(() => received().length === 4);
  for (const message of received()) t.ok(message.quiet, message.content.text.body);
  await standIn.write(ANN, 'a question');
  await until(() => standIn.sent.length === 1);
});
