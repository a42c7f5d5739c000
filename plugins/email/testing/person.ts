import { setTimeout as sleep } from 'node:timers/promises';
import { connectedNumber, type PlayedChannel, type SeenMessage, type TestPlatform } from '#core/testing';
import { email } from '../plugin.js';
import type { SentMail } from './settings.js';
import { emailStandIn } from './start.js';

const ANN = 'ann@people.example';
const NUMBERED = /^\d+\. (.+)$/;

/** Takes the numbered lines out of the last paragraph of a mail. */
function seenMail({ text, files }: SentMail): SeenMessage {
  const paragraphs = text.split('\n\n');
  const lines = paragraphs.at(-1)!.split('\n');
  const options = paragraphs.length > 1 ? lines.flatMap((line) => NUMBERED.exec(line)?.[1]?.split(' - ')[0] ?? []) : [];
  const rest = lines.filter((line) => !NUMBERED.test(line)).join('\n');
  const file = files.length > 0 ? 'attachment' : /https?:\/\//.test(text) ? 'link' : undefined;
  return {
    text: options.length > 0 ? [...paragraphs.slice(0, -1), rest].join('\n\n') : text,
    options,
    ...(file !== undefined && { file }),
  };
}

/** The port at which the platform receives, soon after its number was connected. @throws Error when it does not listen */
async function listenerPort({ log }: TestPlatform): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const line = log.lines.find(({ message }) => message === 'mails are received');
    if (line) return line.fields.port as number;
    await sleep(2);
  }
  throw new Error('the platform does not listen for mails');
}

/** A person who writes mails, for conversations that are played on several channels. */
export const playedEmail: PlayedChannel = {
  name: 'email',
  title: 'E-mail',
  chosenBy: 'numbers',
  plugins: () => [email({ listener: { port: 0 } })],
  async open(test) {
    const standIn = await emailStandIn({ port: false, mailbox: false });
    test.server.ext('onPostStop', () => standIn.stop());
    test.sockets.answer(`127.0.0.1:${standIn.smtpPort}`, standIn.smtpPort);
    const settings = { ...standIn.settings, receive: 'smtp', mails_per_second: 1_000, answers_per_hour: 1_000 };
    const { uuid } = await connectedNumber(test, 'email', standIn.address, settings);
    standIn.deliverTo(await listenerPort(test));
    return {
      number: uuid,
      contact: ANN,
      write: (text) => standIn.write(ANN, text),
      choose: (index) => standIn.reply(standIn.sent.at(-1)!, String(index + 1)),
      seen: () => standIn.sent.map(seenMail),
    };
  },
};
