import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Hapi from '@hapi/hapi';
import { createPlatform, type PlatformOptions } from '#core';
import { RecordingLogger } from '#core/testing';
import type { Ports } from '../../../core/ports/ports.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

/** Conversations take turns in an order that looks random, so that the messages of each are spread over all parts. */
export const conversationOf = (n: number, conversations: number): number => (n * 7_919) % conversations;
export const addressOf = (conversation: number): string => `web-${conversation}`;
/** The id under which a connector reports the status of an outbound message. */
export const externalOf = (n: number): string => `out-${n}`;

export const ADMIN_KEY = 'key-of-the-bench-history';
/** Takes every delivery, without a network. */
const accepts = {
  send: async () => ({ kind: 'response', status: 200, headers: {}, body: new Uint8Array(), cut: false, elapsedMs: 1, resent: false }),
  stop: async () => undefined,
};

/** A number, and its token. */
export interface Numbered {
  readonly uuid: string;
  readonly token: string;
}

/** Starts a platform with a data folder, on a server that does not listen. */
export async function openPlatform(folder: string, options: Pick<PlatformOptions, 'encryptData'> = {}) {
  mkdirSync(folder, { recursive: true });
  const log = new RecordingLogger();
  const platform = createPlatform({
    dataDir: folder,
    plugins: [channels(), messages(), webhooks()],
    deliveries: { kept: Number.MAX_SAFE_INTEGER, keptBytes: Number.MAX_SAFE_INTEGER },
    admin: { key: ADMIN_KEY },
    rateLimits: false,
    secretKey: '0'.repeat(64),
    ...options,
    ports: { log, http: accepts } as unknown as Partial<Ports>,
  });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  const began = performance.now();
  await server.initialize();
  const startMs = performance.now() - began;
  const file = join(folder, 'bench.json');

  const call = async (method: string, url: string, token: string, payload?: object) => {
    const { statusCode, result } = await server.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    });
    if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${JSON.stringify(result)}`);
    return result;
  };

  return {
    platform,
    startMs,
    call,
    log,
    /** Creates the number, or reads it from the folder. */
    async create(): Promise<{ number: Numbered }> {
      if (existsSync(file)) return { number: JSON.parse(readFileSync(file, 'utf8')) as Numbered };
      const number = await platform.store.transaction((tx) => {
        const about = { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' } as const;
        const { uuid } = platform.numbers.create(tx, about);
        platform.webhooks.create(tx, { number: uuid, url: 'https://receiver.test/hook', name: 'Receiver', subscriptions: ['network'] });
        return { uuid, token: platform.tokens.issue(tx, uuid, 'bench').text };
      });
      writeFileSync(file, JSON.stringify(number));
      return { number };
    },
    receive: ({ uuid, token }: Numbered, { id, from, text }: { id: string; from: string; text: string }) =>
      call('POST', `/v1/numbers/${uuid}/messages`, token, {
        contact: { id: from, profile: { name: 'Contact' } },
        message: { id, from, timestamp: '1700000000', type: 'text', text: { body: text } },
      }),
  };
}
