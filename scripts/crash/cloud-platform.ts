import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { cloudApi } from '../../plugins/cloud-api/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';

/** Settings that the processes of a run share. */
export interface CloudSettings {
  readonly folder: string;
  /** The port on which the platform receives the calls of the network. */
  readonly port: number;
  readonly graphUrl: string;
}

export const NUMBER = { address: '+15550783881', phoneNumberId: '106540352242922', wabaId: '102290129340398' };
export const SECRETS = { accessToken: 'crash-access-token', appSecret: 'crash-app-secret', verifyToken: 'crash-verify-token' };
/** Longer than the retries of a webhook take while a process restarts. */
const UNKNOWN_OUTCOME_SECONDS = 6;

export const contactOf = (n: number): string => `1650555${1000 + n}`;

/** Starts a platform with a number on the Cloud API, on a server that listens. */
export async function startCloudPlatform({ folder, port, graphUrl }: CloudSettings) {
  const numbers = [{ ...NUMBER, ...SECRETS }];
  const limits = { messagesPerSecond: 10_000, pairBurst: 1_000, pairSeconds: 0, unknownOutcomeSeconds: UNKNOWN_OUTCOME_SECONDS };
  const log = new RecordingLogger();
  const platform = createPlatform({
    dataDir: folder,
    plugins: [messages(), webhooks(), cloudApi({ numbers, graphUrl, closedWindow: 'send', ...limits })],
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
    /** Posts a message, and resolves when the API has acknowledged it. */
    async send(to: string, body: string): Promise<void> {
      const { statusCode, payload } = await server.inject({
        ...{ method: 'POST', url: '/v1/messages', headers: { authorization: `Bearer ${token}` } },
        payload: { to, type: 'text', text: { body } },
      });
      if (statusCode !== 200) throw new Error(`POST /v1/messages: ${statusCode} ${payload}`);
    },
  };
}
