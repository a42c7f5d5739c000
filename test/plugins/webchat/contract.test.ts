import { createHash } from 'node:crypto';
import t from 'tap';
import { type ChannelNumber, type ChannelUnderTest, channelContract, type TestPlatform } from '#core/testing';
import { webchat } from '../../../plugins/webchat/plugin.js';
import { sessions } from '../../../plugins/webchat/records.js';
import type { VisitorMessage } from '../../../plugins/webchat/testing/index.js';

const PNG = 'pixel.png';

/** Visitors whose ids the test chooses: it writes their sessions into the store. */
function chat(): ChannelUnderTest {
  const tokenOf = (visitor: string): string => `token-of-${visitor}`;
  /** Uuids of the messages of the test, which have other ids. */
  const uuidOf = (id: string): string =>
    createHash('md5')
      .update(id)
      .digest('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  async function call(
    test: TestPlatform,
    { uuid }: ChannelNumber,
    visitor: string,
    method: string,
    path: string,
    payload?: unknown,
  ): Promise<{ readonly messages: readonly VisitorMessage[]; readonly id: string }> {
    const headers = Buffer.isBuffer(payload) ? { 'content-type': 'application/octet-stream' } : {};
    const answer = await test.call(method, `/webchat/${uuid}/${path}`, { token: tokenOf(visitor), payload, headers });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const contacts = ['web:AAAAAAAAAAAAAAAAAAAAAA', 'user:ann@example.org'] as const;
  return {
    plugins: [webchat()],
    number: { kind: 'channel', type: 'webchat', address: 'webchat:contract' },
    contacts,
    order: 'strict',
    async prepare(test, { uuid }) {
      const { status } = await test.admin('PUT', `/numbers/${uuid}/connection`, { settings: {} });
      if (status !== 200) throw new Error(`the web chat was not connected: ${status}`);
      const expires_at = new Date(test.clock.now().getTime() + 30 * 24 * 60 * 60 * 1000).toISOString();
      await test.platform.store.transaction((tx) => {
        for (const visitor of contacts) {
          const hash = createHash('sha256').update(tokenOf(visitor)).digest('hex');
          tx.in(sessions).put({ hash, number: uuid, visitor, created_at: test.clock.now().toISOString(), expires_at });
        }
      });
    },
    async delivered(test, number) {
      const all = await Promise.all(
        contacts.map(async (to) => {
          const { messages } = await call(test, number, to, 'GET', 'messages?limit=100');
          const out = messages.filter(({ direction }) => direction === 'out');
          return Promise.all(
            out.map(async ({ text, file }) => ({ to, text: text?.body ?? file?.caption?.body, ...(file && (await bytesOf(file))) })),
          );
        }),
      );
      return all.flat();

      async function bytesOf({ url }: { url: string }) {
        const { rawPayload, statusCode } = await test.server.inject(`/webchat/${number.uuid}/${url}`);
        return statusCode === 200 ? { bytes: new Uint8Array(rawPayload) } : {};
      }
    },
    async write(test, number, { from, id, text }) {
      await call(test, number, from, 'POST', 'messages', { client_id: uuidOf(id), type: 'text', text });
    },
    async tap(test, number, { from, id, option }) {
      const { messages } = await call(test, number, from, 'GET', 'messages');
      const last = messages.findLast(({ options }) => options !== undefined)!;
      const { key: index } = last.options!.find(({ title }) => title === option.title)!;
      await call(test, number, from, 'POST', 'messages', { client_id: uuidOf(id), type: 'tap', option: { message: last.id, index } });
    },
    async quoted(test, number) {
      const { messages } = await call(test, number, contacts[0], 'GET', 'messages');
      return messages.findLast(({ direction }) => direction === 'out')?.context as string | undefined;
    },
    async report(test, number, { message: { to, position }, status }) {
      if (status !== 'sent') await call(test, number, to, 'POST', status === 'read' ? 'seen' : 'received', { position });
    },
    async media(test, number, { from, id, bytes }) {
      const file = await call(test, number, from, 'POST', `files?name=${PNG}&type=image/png`, Buffer.from(bytes));
      await call(test, number, from, 'POST', 'messages', { client_id: uuidOf(id), type: 'file', file: file.id });
    },
    reopen: () => undefined,
  };
}

await channelContract(t, chat);
