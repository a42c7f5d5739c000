import { connectedNumber, type PlayedChannel, type SeenMessage } from '#core/testing';
import { sms } from '../plugin.js';
import { smsStandIn } from './start.js';

const ANN = '+15550100001';
const NUMBERED = /^\d+ (.+)$/;

/** Takes the numbered lines out of a text. */
function seenText(text: string, bytes: Uint8Array | undefined): SeenMessage {
  const lines = text.split('\n');
  const options = lines.flatMap((line) => NUMBERED.exec(line)?.[1]?.split(' - ')[0] ?? []);
  // Sent in several parts, the last one has the options.
  const isList = options.length > 0 && lines.findIndex((line) => NUMBERED.test(line)) > 0;
  return {
    text: isList ? lines.filter((line) => !NUMBERED.test(line)).join('\n') : text,
    options: isList ? options : [],
    ...(bytes || /https?:\/\//.test(text) ? { file: bytes ? 'mms' : 'link' } : {}),
  };
}

/** A person with a phone, for conversations that are played on several channels. */
export const playedSms: PlayedChannel = {
  name: 'sms',
  title: 'SMS',
  chosenBy: 'numbers',
  plugins: () => [sms()],
  async open(test) {
    const standIn = await smsStandIn({ shape: 'twilio', clock: test.clock, port: false });
    standIn.serve(test.http);
    standIn.sendTo(test.server);
    const { account, token, sender, url: base_url } = standIn;
    const settings = { gateway: 'twilio', account, token, sender, base_url, segments_per_second: 1_000, max_segments: 100 };
    const { uuid } = await connectedNumber(test, 'sms', sender, settings);
    const { body } = await test.admin('GET', '/connections?type=sms');
    standIn.connect(body.connections.find((one: { number: { uuid: string } }) => one.number.uuid === uuid).details);
    return {
      number: uuid,
      contact: ANN,
      write: (text) => standIn.write(ANN, text),
      choose: (index) => standIn.write(ANN, String(index + 1)),
      seen: () => standIn.sent.map(({ text, bytes }) => seenText(text, bytes)),
    };
  },
};
