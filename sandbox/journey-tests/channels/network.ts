import type { MessageRecord } from '#core';
import { type PlayedChannel, seenTurn } from '#core/testing';
import { network } from '../../../plugins/network/plugin.js';

const NAME = 'Sam';
const ANN = '27600000007';

/** The simulated network: what a channel shows that has everything. */
export const playedNetwork: PlayedChannel = {
  name: 'network',
  title: 'Network',
  chosenBy: 'buttons',
  plugins: () => [network()],
  async open({ number: create, admin, events }) {
    const { uuid } = await create('network', { type: 'network' });
    const accepted = (): MessageRecord[] =>
      events.flatMap(({ name, data }) => {
        const { message } = data as { message?: MessageRecord };
        return name === 'message.accepted' && message?.number === uuid ? [message] : [];
      });
    const post = async (payload: object): Promise<void> => {
      const { status, body } = await admin('POST', `/network/numbers/${uuid}/messages`, { from: ANN, name: NAME, ...payload });
      if (status >= 300) throw new Error(`the message was refused: ${status} ${JSON.stringify(body)}`);
    };
    return {
      number: uuid,
      contact: ANN,
      name: NAME,
      write: (text) => post({ type: 'text', text: { body: text } }),
      async choose(index) {
        const asked = accepted().findLast((one) => seenTurn(turnOf(one)).options.length > 0);
        const title = asked && seenTurn(turnOf(asked)).options[index];
        if (!asked || title === undefined) throw new Error(`no option ${index} is shown`);
        const { type } = asked.content.interactive as { type: string };
        const reply = type === 'list' ? 'list_reply' : 'button_reply';
        await post({
          type: 'interactive',
          interactive: { type: reply, [reply]: { title } },
          context: { id: asked.external_id ?? asked.uuid },
        });
      },
      seen: () => accepted().map((one) => seenTurn(turnOf(one), one.rendered)),
    };
  },
};

const turnOf = ({ type, content }: MessageRecord) => ({ type, ...content }) as never;
