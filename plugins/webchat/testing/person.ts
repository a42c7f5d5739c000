import { connectedNumber, type PlayedChannel, type TestPlatform } from '#core/testing';
import { webchat } from '../plugin.js';
import { webchatVisitor } from './visitor.js';

/** A `fetch` to a server that does not listen. */
const fetchFrom =
  (server: TestPlatform['server']): typeof fetch =>
  async (url, { method = 'GET', headers = {}, body } = {}) => {
    const { pathname, search } = new URL(String(url));
    const {
      statusCode,
      rawPayload,
      headers: answered,
    } = await server.inject({
      ...{ method: method as 'GET', url: pathname + search, headers: headers as Record<string, string> },
      ...(body !== undefined && { payload: body as string }),
    });
    return new Response(rawPayload as never, { status: statusCode, headers: answered as Record<string, string> });
  };

/** A visitor of a website, for conversations that are played on several channels. */
export const playedWebchat: PlayedChannel = {
  name: 'webchat',
  title: 'Web chat',
  chosenBy: 'buttons',
  plugins: () => [webchat()],
  async open(test) {
    const { uuid } = await connectedNumber(test, 'webchat', 'webchat:played', {});
    const visitor = webchatVisitor({ url: `http://posthorn.test/webchat/${uuid}`, fetch: fetchFrom(test.server) });
    const { visitor: contact } = await visitor.open();
    const shown = () => visitor.messages().filter(({ direction }) => direction === 'out');
    return {
      number: uuid,
      contact,
      write: (text) => visitor.say(text, test.platform.ids.uuid()),
      async choose(index) {
        const asked = shown().findLast(({ options }) => options !== undefined);
        if (!asked) throw new Error('no options are shown');
        await visitor.tap(asked.id, index, test.platform.ids.uuid());
      },
      async seen() {
        await visitor.poll();
        return shown().map(({ text, header, footer, options = [], file }) => ({
          text: [header, text?.body ?? file?.caption?.body, footer].filter((part) => part !== undefined).join('\n\n'),
          options: options.map(({ title }) => title),
          ...(file && { file: file.kind }),
        }));
      },
    };
  },
};
