import { readFileSync } from 'node:fs';
import type { Platform } from '#core';
import { type Answer, type RecordedCall, SeededIds, startPlatform, type Tap, type TestPlatform } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const CONNECTOR = 'https://connector.example/hook';
const RECEIVER = 'https://receiver.example';
/** The contact of the recipes. */
export const ANN = '+27820001001';

/** A file whose type follows from its first bytes. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** A number and its token. */
interface Owned {
  readonly uuid: string;
  readonly token: string;
}

/** The platform on which the bodies of the recipes run: a number of the network and a channel, with a receiver of every event. */
export interface Shop extends TestPlatform {
  readonly onNetwork: Owned;
  readonly onChannel: Owned;
  /** Posts as the connector does. */
  connectorPosts(what: 'messages' | 'statuses', payload: unknown): Promise<Answer>;
  /** Sends as a phone of the network. */
  phone(payload: unknown): Promise<Answer>;
  /** A definition of the page on journeys. */
  readonly journey: object;
  /** The body of a response. @throws if the response has another status than the expected one */
  wanted(status: number, answer: Promise<Answer>): Promise<Answer['body']>;
  /** The requests that the connector received since the last call. */
  delivered(): Promise<RecordedCall[]>;
  /** The requests that a receiver of a number got since the last call, by subscription. */
  received(kind: 'network' | 'channel', subscription: string): Promise<RecordedCall[]>;
}

/** Differences from the default platform. */
interface ShopOptions {
  readonly inboundOnChannel?: boolean;
  readonly rateLimits?: boolean;
}

/** Runs a function on a new platform, and stops the platform afterwards. The ids, times and secrets are the same in every run. */
export async function inShop<T>(name: string, work: (shop: Shop) => Promise<T>, options: ShopOptions = {}): Promise<T> {
  const ends: (() => unknown)[] = [];
  const t = { teardown: (run: () => unknown) => ends.push(run) } as unknown as Tap;
  try {
    return await work(await open(t, name, options));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function open(t: Tap, name: string, { inboundOnChannel = false, rateLimits = false }: ShopOptions): Promise<Shop> {
  const test = await startPlatform(t, {
    plugins: [channels(), webhooks({ inboundOnChannel }), messages(), network(), flows(), journeys(), simulation()],
    rateLimits,
    publicUrl: 'https://posthorn.example',
    ports: { ids: new SeededIds(`recipes: ${name}`) },
  });
  const { admin, call, clock, http } = test;
  const wanted: Shop['wanted'] = async (status, answer) => {
    const { status: found, body } = await answer;
    if (found !== status) throw new Error(`the answer is ${found} and not ${status}: ${JSON.stringify(body)}`);
    return body;
  };

  const onNetwork = await owned(test.platform, {
    kind: 'network',
    type: 'network',
    address: '+27600000001',
    name: 'Shop',
    account: 'shop',
  });
  const made = await wanted(201, admin('POST', '/channels', { from_addr: 'web:shop', name: 'Shop on the web', endpoint: CONNECTOR }));
  const { text: token } = await wanted(201, admin('POST', `/numbers/${made.number.uuid}/tokens`, { name: 'connector' }));
  const onChannel = { uuid: made.number.uuid, token };
  let named = 0;
  http.answer(`POST ${CONNECTOR}`, () => ({ body: { messages: [{ id: `out-${++named}` }] } }));
  http.answer(`POST ${RECEIVER}/*`, { status: 200 });
  await wanted(200, admin('PATCH', `/numbers/${onNetwork.uuid}`, { reactions: true }));
  const subscriptions = { network: ['msgapp', 'svc', 'journey_outbound'], channel: ['msgapp', 'journey_outbound', 'channel'] };
  for (const [kind, { uuid: number }] of [
    ['network', onNetwork],
    ['channel', onChannel],
  ] as const) {
    for (const subscription of subscriptions[kind]) {
      const url = `${RECEIVER}/${kind}/${subscription}`;
      await wanted(201, admin('POST', '/webhooks', { number, url, name: subscription, subscriptions: [subscription] }));
    }
  }

  const seen = new Map<string, number>();
  const newCalls = async (pattern: string): Promise<RecordedCall[]> => {
    await clock.advance(2_000);
    const calls = http.callsTo(pattern);
    const fresh = calls.slice(seen.get(pattern) ?? 0);
    seen.set(pattern, calls.length);
    return fresh;
  };
  return {
    ...test,
    onNetwork,
    onChannel,
    wanted,
    connectorPosts: (what, payload) => call('POST', `/v1/numbers/${onChannel.uuid}/${what}`, { token, payload }),
    phone: (payload) => admin('POST', `/network/numbers/${onNetwork.uuid}/messages`, payload),
    journey: journeyOfPage(),
    delivered: () => newCalls(`POST ${CONNECTOR}`),
    received: (kind, subscription) => newCalls(`POST ${RECEIVER}/${kind}/${subscription}`),
  };
}

const owned = ({ store, numbers, tokens }: Platform, about: Parameters<Platform['numbers']['create']>[1]): Promise<Owned> =>
  store.transaction((tx) => {
    const { uuid } = numbers.create(tx, about);
    return { uuid, token: tokens.issue(tx, uuid, 'recipes').text };
  });

function journeyOfPage(): object {
  const page = readFileSync('plugins/journeys/engine/README.md', 'utf8');
  const [, code] = /^```json journey\n([\s\S]*?)^```$/m.exec(page) ?? [];
  if (code === undefined) throw new Error('plugins/journeys/engine/README.md has no journey');
  return JSON.parse(code) as object;
}
