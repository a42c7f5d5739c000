import type { Turn } from '#core';
import { turnParts } from '#core/messaging';
import { type PlayedChannel, seenTurn } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

const ANN = '27600000007';
const NAME = 'Sam';
const URL = 'https://connector.played.test/';

/** A connector of the Channel API, which shows messages as they are. */
export const playedConnector: PlayedChannel = {
  name: 'connector',
  title: 'Connector',
  chosenBy: 'buttons',
  plugins: () => [channels(), webhooks()],
  async open({ admin, call, http, clock, platform }) {
    const { status, body } = await admin('POST', '/channels', { from_addr: 'played:1', name: 'Played', endpoint: URL });
    if (status >= 300) throw new Error(`the channel was not created: ${status} ${JSON.stringify(body)}`);
    const { uuid } = body.number;
    const token = await platform.store.transaction((tx) => platform.tokens.issue(tx, uuid, 'played').text);
    const taken: { readonly id: string; readonly turn: Turn }[] = [];
    http.answer(`POST ${URL}`, (request) => {
      const id = `out-${taken.length + 1}`;
      taken.push({ id, turn: request.json.turn });
      return { body: { messages: [{ id }] } };
    });
    let written = 0;
    const post = async (content: object): Promise<void> => {
      const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
      const message = { from: ANN, id: `in-${++written}`, timestamp, ...content };
      const payload = { contact: { id: ANN, profile: { name: NAME } }, message };
      const answer = await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload });
      if (answer.status >= 300) throw new Error(`the message was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
    };
    return {
      number: uuid,
      contact: ANN,
      name: NAME,
      write: (text) => post({ type: 'text', text: { body: text } }),
      async choose(index) {
        const asked = taken.findLast(({ turn }) => seenTurn(turn).options.length > 0);
        const option = asked && turnParts(asked.turn)?.sections.flatMap(({ options }) => options)[index];
        if (!asked || !option) throw new Error(`no option ${index} is shown`);
        const { kind, ...reply } = option;
        await post({ type: 'interactive', interactive: { type: kind, [kind]: reply }, context: { id: asked.id } });
      },
      seen: () => taken.map(({ turn }) => seenTurn(turn)),
    };
  },
};
