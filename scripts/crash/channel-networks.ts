import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { emailStandIn } from '../../plugins/email/testing/index.js';
import { smsStandIn } from '../../plugins/sms/testing/index.js';
import { telegramStandIn } from '../../plugins/telegram/testing/index.js';
import type { ChannelSettings } from './channel-process.js';
import { freePort } from './free-port.js';

/** The remote end of a channel: people who write, and what they received. */
export interface ChannelNetwork extends Pick<ChannelSettings, 'channel' | 'options' | 'people'> {
  /** Between two messages to a person. */
  readonly spacingMs: number;
  /** Learns where the platform is called, once its number exists. */
  connected?(callbacks: Readonly<Record<string, unknown>>): void;
  /** Resolves when the service has the message, and need not be asked again: one that is not answered is repeated. */
  write(person: string, text: string): Promise<void>;
  sentTo(person: string): string[];
  stop(): Promise<void>;
}

const RETRY_MS = 50;
const MAILBOX_MS = 100;

/** By the name of the run: a channel, or a way of one to receive. */
export const channelNetworks = {
  async telegram(): Promise<ChannelNetwork> {
    const standIn = await telegramStandIn();
    return {
      channel: 'telegram',
      options: { bots: [{ token: standIn.token, api_url: standIn.url }], messagesPerSecond: 1_000 },
      people: ['7000001', '7000002', '7000003'],
      spacingMs: 1_100,
      write: async (person, text) => void (await standIn.write(Number(person), text)),
      sentTo: (person) => standIn.sent.filter(({ message }) => String(message.chat.id) === person).map(({ message }) => message.text ?? ''),
      stop: () => standIn.stop(),
    };
  },

  async sms(): Promise<ChannelNetwork> {
    const standIn = await smsStandIn({ shape: 'twilio', reports: ['sent', 'delivered'] });
    const { account, token, sender, url, callbacks } = standIn;
    return {
      channel: 'sms',
      options: { numbers: [{ gateway: 'twilio', account, token, sender, base_url: url, segments_per_second: 1_000 }] },
      people: ['+15550100001', '+15550100002', '+15550100003'],
      spacingMs: 100,
      connected: (addresses) => standIn.connect(addresses),
      async write(person, text) {
        const id = `SM${createHash('sha256').update(`${person} ${text}`).digest('hex').slice(0, 32)}`;
        const isTaken = (): boolean =>
          callbacks.some(({ form, answer }) => form.MessageSid === id && form.Body !== undefined && answer?.status === 200);
        for (;;) {
          await standIn.write(person, text, { id });
          if (isTaken()) return;
          await sleep(RETRY_MS);
        }
      },
      sentTo: (person) => standIn.sent.filter(({ to }) => to === person).map((one) => one.text),
      stop: () => standIn.stop(),
    };
  },

  email: () => mailNetwork('smtp'),
  mailbox: () => mailNetwork('imap'),
};

/** People's mails go to the listener of the platform, as another mail server sends them, or wait in the mailbox. */
async function mailNetwork(receive: 'smtp' | 'imap'): Promise<ChannelNetwork> {
  const standIn = await emailStandIn({ port: false, mailbox: receive === 'imap' });
  const port = receive === 'smtp' ? await freePort() : undefined;
  if (port !== undefined) standIn.deliverTo(port);
  return {
    channel: 'email',
    options: {
      numbers: [{ ...standIn.settings, receive, mails_per_second: 1_000 }],
      ...(port !== undefined && { listener: { port, host: '127.0.0.1' } }),
    },
    people: ['ann@people.example', 'bob@people.example', 'eve@people.example'],
    spacingMs: 100,
    async write(person, text) {
      const id = `${createHash('sha256').update(`${person} ${text}`).digest('hex').slice(0, 32)}@people.example`;
      // A mail server repeats a mail as long as it is not taken.
      for (;;) {
        const isTaken = await standIn.write(person, text, { id }).then(
          () => true,
          () => false,
        );
        // A mailbox takes mails also while no platform runs.
        if (isTaken) return sleep(receive === 'imap' ? MAILBOX_MS : 0);
        await sleep(RETRY_MS);
      }
    },
    sentTo: (person) => standIn.sent.filter(({ to }) => to === person).map((one) => one.text),
    stop: () => standIn.stop(),
  };
}
