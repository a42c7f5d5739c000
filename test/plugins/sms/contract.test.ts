import t from 'tap';
import { type ChannelNumber, type ChannelUnderTest, channelContract, type TestPlatform } from '#core/testing';
import { sms } from '../../../plugins/sms/plugin.js';
import { type SmsStandIn, smsStandIn } from '../../../plugins/sms/testing/index.js';
import { ANN } from './number-under-test.js';

const STATUSES = {
  twilio: { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'undelivered' },
  africas_talking: { sent: 'Sent', delivered: 'Success', read: 'Success', failed: 'Failed' },
} as const;

/** A number whose remote end is a stand-in, with the clock of the platform. */
function numberOf(shape: SmsStandIn['shape'], options: { unknownOutcome?: 'resend' | 'fail' } = {}): ChannelUnderTest {
  let standIn: SmsStandIn;
  const settled = async (test: TestPlatform): Promise<void> => {
    await standIn.idle();
    await test.clock.advance(0);
  };
  const connect = async (test: TestPlatform, { uuid }: ChannelNumber): Promise<void> => {
    standIn.serve(test.http);
    standIn.sendTo(test.server);
    const { body } = await test.admin('GET', '/connections?type=sms');
    standIn.connect(body.connections.find((one: { number: { uuid: string } }) => one.number.uuid === uuid).details);
  };
  return {
    plugins: [sms(options)],
    number: { kind: 'channel', type: 'sms', address: '+15550100000' },
    contacts: [ANN, '+254711000001'],
    order: 'strict',
    atMostOnce: options.unknownOutcome === 'fail',
    statuses: ['sent', 'delivered'],
    async prepare(test, number) {
      const fetchFile = async (url: string) => {
        const { rawPayload } = await test.server.inject(new URL(url).pathname + new URL(url).search);
        return { type: '', bytes: rawPayload };
      };
      standIn = await smsStandIn({ shape, clock: test.clock, port: false, fetchFile });
      standIn.serve(test.http);
      const { account, token, sender, url: base_url } = standIn;
      const settings = { gateway: shape, account, token, sender, base_url, mms: shape === 'twilio' };
      const { status, body } = await test.admin('PUT', `/numbers/${number.uuid}/connection`, { settings });
      if (status !== 200) throw new Error(`the number was not connected: ${status} ${JSON.stringify(body)}`);
      await connect(test, number);
    },
    delivered: () => standIn.sent.map(({ to, text, bytes }) => ({ to, text, bytes })),
    async write(test, _number, { from, id, text }) {
      await standIn.write(from, text, { id });
      await settled(test);
    },
    async tap(test, _number, { from, id }) {
      await standIn.write(from, '1', { id });
      await settled(test);
    },
    async report(test, _number, { message, status }) {
      await standIn.report(message.external_id!, STATUSES[shape][status]);
      await settled(test);
    },
    ...(shape === 'twilio' && {
      async media(test: TestPlatform, _number: ChannelNumber, { from, id, bytes }: { from: string; id: string; bytes: Uint8Array }) {
        await standIn.write(from, '', { id, files: [{ type: 'image/png', bytes }] });
        await settled(test);
      },
    }),
    fault(_test, _number, kind, times) {
      const refused = shape === 'twilio' ? { status: 400, code: 21_617 } : { status: 201, code: 404, message: 'UnsupportedNumberType' };
      if (kind === 'refused') standIn.fault({ times, error: refused });
      else if (kind === 'busy') standIn.fault({ times, respond: { status: 429, headers: { 'retry-after': '5' }, body: '{}' } });
      // Only a refused connection certainly had no request.
      else standIn.fault({ times, connection: kind === 'broken' ? 'refuse' : 'reset after' });
    },
    reopen: connect,
  };
}

for (const shape of ['twilio', 'africas_talking'] as const) await t.test(shape, (t) => channelContract(t, () => numberOf(shape)));
await t.test('twilio, each message at most once', (t) => channelContract(t, () => numberOf('twilio', { unknownOutcome: 'fail' })));
