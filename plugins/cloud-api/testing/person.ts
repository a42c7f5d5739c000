import { type PlayedChannel, seenTurn } from '#core/testing';
import { cloudApi } from '../plugin.js';
import { DEFAULT_APP_SECRET, DEFAULT_NUMBER, DEFAULT_TOKEN, DEFAULT_VERIFY_TOKEN } from './settings.js';
import { cloudApiStandIn } from './start.js';

const ANN = '16505551234';
const GRAPH = 'https://graph.played.test';

interface Option {
  readonly id: string;
  readonly title: string;
}
interface Action {
  readonly buttons?: readonly { readonly reply: Option }[];
  readonly sections?: readonly { readonly rows: readonly Option[] }[];
}

/** A person on the network, for conversations that are played on several channels. */
export const playedCloudApi: PlayedChannel = {
  name: 'cloud-api',
  title: 'Cloud API',
  chosenBy: 'buttons',
  plugins: () => [cloudApi({ graphUrl: GRAPH })],
  async open(test) {
    const standIn = await cloudApiStandIn({ clock: test.clock, port: false, url: GRAPH });
    standIn.serve(test.http);
    const { phoneNumberId, wabaId, address } = DEFAULT_NUMBER;
    const { uuid } = await test.number('network', { type: 'cloud_api', address });
    const secrets = { access_token: DEFAULT_TOKEN, app_secret: DEFAULT_APP_SECRET, verify_token: DEFAULT_VERIFY_TOKEN };
    const { status, body } = await test.admin('PUT', `/cloud-api/numbers/${uuid}`, {
      ...{ phone_number_id: phoneNumberId, waba_id: wabaId, ...secrets },
    });
    if (status >= 300) throw new Error(`the number was not connected: ${status} ${JSON.stringify(body)}`);
    const callback = `http://posthorn.test/cloud-api/webhooks/${phoneNumberId}`;
    if (!(await standIn.subscribe(callback, { server: test.server }))) throw new Error('the webhook was not verified');
    const sent = () => standIn.sent;
    return {
      number: uuid,
      contact: ANN,
      name: standIn.contact(ANN).name,
      write: (text) => standIn.write(ANN, text),
      async choose(index) {
        const asked = sent().findLast((one) => one.type === 'interactive');
        const { buttons, sections = [] } = (asked?.body.interactive?.action ?? {}) as Action;
        const option = (buttons?.map(({ reply }) => reply) ?? sections.flatMap(({ rows }) => rows))[index];
        if (!asked || !option) throw new Error(`no option ${index} is shown`);
        const type = buttons ? 'button_reply' : 'list_reply';
        await standIn.write(ANN, { type: 'interactive', interactive: { type, [type]: option } }, { replyTo: asked.id });
      },
      seen: () => sent().map((one) => seenTurn(one.body as never)),
    };
  },
};
