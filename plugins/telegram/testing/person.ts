import { connectedNumber, type PlayedChannel } from '#core/testing';
import { telegram } from '../plugin.js';
import { telegramStandIn } from './start.js';
import type { TelegramMessage } from './types.js';

const ANN = 7_000_001;

const buttonsOf = (message: TelegramMessage): readonly string[] =>
  message.reply_markup?.inline_keyboard.flat().map(({ text }) => text) ?? [];

/** A person on Telegram, for conversations that are played on several channels. */
export const playedTelegram: PlayedChannel = {
  name: 'telegram',
  title: 'Telegram',
  chosenBy: 'buttons',
  plugins: () => [telegram()],
  async open(test) {
    const standIn = await telegramStandIn({ clock: test.clock, port: false });
    standIn.serve(test.http);
    const settings = { token: standIn.token, api_url: standIn.url };
    const { uuid } = await connectedNumber(test, 'telegram', `telegram:${standIn.bot.id}`, settings);
    return {
      number: uuid,
      contact: String(ANN),
      name: `Person ${ANN}`,
      write: (text) => standIn.write(ANN, text),
      async choose(index) {
        const asked = standIn.sent.findLast(({ message }) => buttonsOf(message).length > 0);
        const title = asked && buttonsOf(asked.message)[index];
        if (!asked || title === undefined) throw new Error(`no button ${index} is shown`);
        await standIn.tap(ANN, asked.message.message_id, title);
      },
      seen: () =>
        standIn.sent.map(({ message, method, bytes }) => ({
          text: message.text ?? message.caption ?? '',
          options: buttonsOf(message),
          ...(bytes && { file: method.replace('send', '').toLowerCase() }),
        })),
    };
  },
};
