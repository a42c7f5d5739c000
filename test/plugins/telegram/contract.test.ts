import t from 'tap';
import { type ChannelNumber, type ChannelUnderTest, channelContract, type TestPlatform } from '#core/testing';
import { telegram } from '../../../plugins/telegram/plugin.js';
import { type TelegramStandIn, telegramStandIn } from '../../../plugins/telegram/testing/index.js';
import { ANN } from './bot-under-test.js';

/** A bot whose remote end is a stand-in, with the clock of the platform. */
function bot(options: { unknownOutcome?: 'resend' | 'fail' } = {}): ChannelUnderTest {
  let standIn: TelegramStandIn;
  const settled = async (test: TestPlatform): Promise<void> => {
    await standIn.idle();
    await test.clock.advance(0);
  };
  /** The messages of a contact that were written with an id. */
  const written = new Map<string, Promise<unknown>>();
  const once = (id: string, write: () => Promise<unknown>): Promise<unknown> => {
    const before = written.get(id);
    const now = before ? before.then(() => standIn.repeat()) : write();
    written.set(id, before ?? now);
    return now;
  };
  return {
    plugins: [telegram(options)],
    number: { kind: 'channel', type: 'telegram', address: 'telegram:7000000001' },
    contacts: [String(ANN), '9007199254740'],
    order: 'strict',
    statuses: ['sent'],
    async prepare(test: TestPlatform, { uuid }: ChannelNumber) {
      standIn = await telegramStandIn({ clock: test.clock, port: false });
      standIn.serve(test.http);
      test.http.answer('https://example.org/*', { status: 200, body: 'a file' });
      // A person can be written to from then on, and has written nothing.
      for (const contact of [ANN, 9_007_199_254_740]) {
        await standIn.block(contact);
        await standIn.unblock(contact);
      }
      const { status } = await test.admin('PUT', `/numbers/${uuid}/connection`, {
        settings: { token: standIn.token, api_url: standIn.url },
      });
      if (status !== 200) throw new Error(`the bot was not connected: ${status}`);
      await settled(test);
    },
    delivered: () =>
      standIn.sent.map(({ message, bytes }) => ({ to: String(message.chat.id), text: message.text ?? message.caption, bytes })),
    async write(test, _number, { from, id, text }) {
      await once(id, () => standIn.write(Number(from), text));
      await settled(test);
    },
    async tap(test, _number, { from, option }) {
      await standIn.tap(Number(from), standIn.sent.at(-1)!.message.message_id, option.title);
      await settled(test);
    },
    async reply(test, _number, { from, text, to }) {
      await standIn.write(Number(from), text, { replyTo: Number(to.external_id!.split(':')[1]) });
      await settled(test);
    },
    quoted() {
      const { chat, reply_to_message: answered } = standIn.sent.at(-1)!.message;
      return answered && `${chat.id}:${answered.message_id}`;
    },
    async media(test, _number, { from, bytes }) {
      await standIn.write(Number(from), { photo: { bytes } });
      await settled(test);
    },
    fault(_test, _number, kind, times) {
      const on = { method: 'sendMessage' };
      if (kind === 'refused') standIn.fault({ on, times, error: { code: 400, description: 'Bad Request: message is too long' } });
      else if (kind === 'busy') standIn.fault({ on, times, error: { code: 429, retry_after: 5 } });
      else standIn.fault({ on, times, connection: kind === 'broken' ? 'reset' : 'reset after' });
    },
    async reopen(test) {
      standIn.serve(test.http);
      await settled(test);
    },
  };
}

await channelContract(t, () => bot());
