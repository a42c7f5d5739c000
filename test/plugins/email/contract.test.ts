import t from 'tap';
import { type ChannelNumber, type ChannelUnderTest, channelContract, type TestPlatform } from '#core/testing';
import { type EmailOptions, email } from '../../../plugins/email/plugin.js';
import { type EmailStandIn, emailStandIn } from '../../../plugins/email/testing/index.js';
import { onlyLong } from '../../forms.js';
import { ANN, BOB, listenerPort } from './number-under-test.js';

/** A number whose remote end is a stand-in, over sockets on this machine. */
function numberOf(options: EmailOptions = {}): ChannelUnderTest {
  let standIn: EmailStandIn;
  const connect = (test: TestPlatform): void => void test.sockets.answer(`127.0.0.1:${standIn.smtpPort}`, standIn.smtpPort);
  /** The port of the platform that runs now. */
  const reach = async (test: TestPlatform): Promise<void> => standIn.deliverTo(await listenerPort(test));
  const written = async (test: TestPlatform, count: number): Promise<void> => {
    await test.clock.advance(0);
    const has = () => test.events.filter(({ name }) => name === 'message.received').length >= count;
    for (let tries = 0; tries < 100 && !has(); tries++) await test.clock.advance(0);
  };
  const file = (bytes: Uint8Array) => ({ type: 'image/png', filename: 'a.png', bytes });
  return {
    plugins: [email({ listener: { port: 0 }, ...options })],
    number: { kind: 'channel', type: 'email', address: 'support@shop.example' },
    contacts: [ANN, BOB],
    order: 'strict',
    atMostOnce: options.unknownOutcome === 'fail',
    statuses: ['sent', 'delivered'],
    async prepare(test, number) {
      standIn = await emailStandIn({ port: false, mailbox: false });
      t.teardown(() => standIn.stop());
      connect(test);
      const settings = { ...standIn.settings, receive: 'smtp', mails_per_second: 1_000 };
      const { status, body } = await test.admin('PUT', `/numbers/${number.uuid}/connection`, { settings });
      if (status !== 200) throw new Error(`the number was not connected: ${status} ${JSON.stringify(body)}`);
    },
    delivered: () => standIn.sent.map(({ to, text, files }) => ({ to, text, bytes: files[0]?.bytes })),
    async write(test, _number, { from, id, text }) {
      await reach(test);
      await standIn.write(from, text, { id: `${id}@people.example` });
      await written(test, 1);
    },
    async tap(test, _number, { from, id }) {
      await reach(test);
      await standIn.reply(standIn.sent.at(-1)!, '1', { id: `${id}@people.example` });
      await written(test, from === '' ? 1 : 2);
    },
    async reply(test, _number, { id, text, to }) {
      await reach(test);
      await standIn.reply(standIn.sent.find((mail) => mail.id === to.external_id)!, text, { id: `${id}@people.example` });
      await written(test, 2);
    },
    quoted: () => standIn.sent.at(-1)!.headers['in-reply-to']?.slice(1, -1),
    async report(test, _number, { status }) {
      await reach(test);
      if (status === 'delivered') await standIn.bounce(standIn.sent.at(-1)!, { action: 'delivered', status: '2.0.0' });
    },
    async media(test: TestPlatform, _number: ChannelNumber, { from, id, bytes }) {
      await reach(test);
      await standIn.write(from, '', { id: `${id}@people.example`, files: [file(bytes)] });
      await written(test, 1);
    },
    fault(_test, _number, kind, times) {
      if (kind === 'refused') standIn.fault({ times, reply: { status: 554, text: '5.6.0 Refused' } });
      else if (kind === 'busy') standIn.fault({ times, reply: { status: 421, text: '4.7.0 Too many mails' } });
      else standIn.fault({ times, connection: kind === 'broken' ? 'cut' : 'cut after' });
    },
    // A process that ends while it sends a mail sends it again, whatever the option says.
    ...(options.unknownOutcome !== 'fail' && { reopen: connect }),
  };
}

await t.test('each mail again if its outcome is unknown', (t) => channelContract(t, () => numberOf()));
await t.test('each mail at most once', { skip: onlyLong }, (t) => channelContract(t, () => numberOf({ unknownOutcome: 'fail' })));
