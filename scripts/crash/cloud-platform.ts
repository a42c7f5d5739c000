import Hapi from '@hapi/hapi';
import { createPlatform, definePlugin, type Plugin } from '#core';
import { RecordingLogger } from '#core/testing';
import { cloudApi } from '../../plugins/cloud-api/plugin.js';
import { pendingSends } from '../../plugins/cloud-api/records.js';
import { messages } from '../../plugins/messages/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';

/** Settings that the processes of a run share. */
export interface CloudSettings {
  readonly folder: string;
  /** The port on which the platform receives the calls of the network. */
  readonly port: number;
  readonly graphUrl: string;
  /** How long a send of unknown outcome waits for a status. */
  readonly unknownSeconds: number;
  /** The decision about a send of unknown outcome after that time. */
  readonly unknownOutcome: 'resend' | 'fail';
}

export const NUMBER = { address: '+15550783881', phoneNumberId: '106540352242922', wabaId: '102290129340398' };
export const SECRETS = { accessToken: 'crash-access-token', appSecret: 'crash-app-secret', verifyToken: 'crash-verify-token' };
/** The deadline of a send. That of the plugin is longer than a short run. */
export const DEADLINE_MS = 1_500;

export const contactOf = (n: number): string => `1650555${1000 + n}`;

/**
 * Starts a platform with a number on the Cloud API, on a server that listens.
 * @param onPending receives the texts of the messages whose sends the previous process has not settled
 */
export async function startCloudPlatform(
  { folder, port, graphUrl, unknownSeconds, unknownOutcome }: CloudSettings,
  onPending: (texts: readonly string[]) => void = () => undefined,
) {
  const numbers = [{ ...NUMBER, ...SECRETS }];
  const limits = { messagesPerSecond: 10_000, pairBurst: 1_000, pairSeconds: 0, unknownOutcomeSeconds: unknownSeconds };
  const log = new RecordingLogger();
  const network = withDeadline(cloudApi({ numbers, graphUrl, closedWindow: 'send', unknownOutcome, ...limits }));
  const platform = createPlatform({
    dataDir: folder,
    plugins: [pendingProbe(onPending), messages(), webhooks(), network],
    privateTargets: 'allow',
    rateLimits: false,
    publicUrl: `http://127.0.0.1:${port}`,
    deliveries: { kept: 1_000_000 },
    ports: { log },
  });
  const server = Hapi.server({ port, host: '127.0.0.1' });
  await server.register(platform.hapiPlugin);
  await server.start();
  const [number] = await platform.numbers.list();
  const uuid = number!.uuid;
  const token = await platform.store.transaction((tx) => platform.tokens.issue(tx, uuid, 'crash').text);
  return {
    platform,
    server,
    log,
    uuid,
    callback: `http://127.0.0.1:${port}/cloud-api/webhooks/${uuid}`,

    /** Posts a text message. @returns the status of the answer */
    async send(to: string, body: string): Promise<number> {
      const { statusCode } = await server.inject({
        ...{ method: 'POST', url: '/v1/messages', headers: { authorization: `Bearer ${token}` } },
        payload: { to, type: 'text', text: { body } },
      });
      return statusCode;
    },

    /** The messages to a contact that the network has neither accepted nor refused; at most `limit`. */
    async pending(to: string, limit: number): Promise<number> {
      const contact = await platform.contacts.known(uuid, to);
      const conversation = contact && (await platform.conversations.ofContact(uuid, contact.uuid));
      if (!conversation) return 0;
      return (await platform.store.open(pendingSends).find('conversation', { equals: [conversation.uuid], limit })).length;
    },
  };
}

/** The plugin with a shorter deadline of its sends. */
function withDeadline(plugin: Plugin): Plugin {
  return {
    ...plugin,
    register(context, options) {
      const contributions = plugin.register(context, options);
      const senders = contributions.senders?.map((sender) => ({
        ...sender,
        request: async (attempt: Parameters<typeof sender.request>[0]) => ({
          ...(await sender.request(attempt)),
          deadlineMs: DEADLINE_MS,
        }),
      }));
      return { ...contributions, ...(senders && { senders }) };
    },
  };
}

/** Reports pending messages before anything is sent. */
const pendingProbe = (onPending: (texts: readonly string[]) => void): Plugin =>
  definePlugin({
    name: 'crash-probe',
    version: '0.1.0',
    register: ({ store, messages }) => ({
      async start() {
        const all = await Promise.all((await store.open(pendingSends).list()).map(({ message }) => messages.get(message)));
        onPending(all.flatMap((message) => (message ? [textOf(message)] : [])));
      },
    }),
  })();

/** The text of a text message. */
export const textOf = ({ content }: { readonly content: Readonly<Record<string, unknown>> }): string =>
  (content.text as { body: string }).body;
