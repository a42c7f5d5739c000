/** A person on the channel, for `npx posthorn test FILE --channels network,./src/played.ts`: the same conversation as on other channels. */
import { connectedNumber, type PlayedChannel } from 'posthorn/testing';
import { polledChat } from './polled-chat.js';
import { StandIn } from './stand-in.js';

export const played: PlayedChannel = {
  name: 'polled-chat',
  title: 'polled-chat',
  chosenBy: 'buttons',
  plugins: () => [polledChat()],
  async open(test) {
    const standIn = new StandIn(test.clock);
    test.http.answer(`* ${standIn.url}/*`, (call) => standIn.answer(call));
    const settings = { token: standIn.token, api_url: standIn.url };
    const { uuid } = await connectedNumber(test, 'polled-chat', 'polled-chat:7000', settings);
    return {
      number: uuid,
      contact: 'ann',
      name: 'ann',
      write: async (text) => standIn.write('ann', text),
      choose: async (index) => standIn.tap('ann', index),
      seen: () =>
        standIn.sent.map(({ text, buttons, bytes }) => ({
          text,
          options: buttons.map(({ title }) => title),
          ...(bytes && { file: 'file' }),
        })),
    };
  },
};
