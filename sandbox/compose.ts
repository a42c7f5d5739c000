import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Hapi, { type Server } from '@hapi/hapi';
import { createPlatform, type Platform } from '#core';
import { ManualClock, SeededIds } from '#core/testing';
import { channels } from '../plugins/channels/plugin.js';
import { journeys } from '../plugins/journeys/plugin.js';
import { simulation } from '../plugins/simulation/plugin.js';
import { webhooks } from '../plugins/webhooks/plugin.js';
import { type Child, startChild } from './children.js';
import type { SandboxConfig } from './config.js';
import { demoSeed } from './demo.js';
import { sandboxPlugin } from './sandbox-plugin.js';
import { emptySeed, plant, readSeed, type Seeded } from './seed.js';

/** A sandbox that runs. */
export interface Sandbox {
  readonly api: string;
  readonly admin: { readonly url: string; readonly key: string };
  readonly seeded: Seeded;
  /** Where the example connector takes what a contact writes; undefined without the demo. */
  readonly phone: string | undefined;
  readonly platform: Platform;
  readonly server: Server;
  /** Writes down everything that was accepted, and ends every process it started. */
  stop(): Promise<void>;
}

/** What a sandbox notes beside its state, because tokens and secrets cannot be read out of the state again. */
interface Notes {
  readonly adminKey: string;
  readonly isDemo: boolean;
  readonly seeded: Seeded;
}

const NOTES = 'sandbox.json';
const KEY_BYTES = 24;
const STOP_LIMIT_MS = 1_000;

/** Starts a sandbox: the platform with its areas, seed data, and the demo's connector and webhook receiver. */
export async function startSandbox(config: SandboxConfig): Promise<Sandbox> {
  const notes = config.data === undefined ? undefined : readNotes(config.data);
  const isDemo = notes ? notes.isDemo : config.seed === 'demo';
  // Seeded ids start over with every start, so they are only for a state that starts over too.
  const ids = config.seedKey !== undefined && !notes ? new SeededIds(config.seedKey) : undefined;
  const adminKey = notes?.adminKey ?? `pha_${ids?.secret(KEY_BYTES) ?? randomBytes(KEY_BYTES).toString('base64url')}`;
  const clock = config.clock === 'manual' ? new ManualClock() : undefined;

  const server = Hapi.server({ port: config.port, host: config.host });
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    await server.stop({ timeout: STOP_LIMIT_MS });
    await Promise.all(children.map((child) => child.stop()));
  };
  try {
    const platform = createPlatform({
      name: 'sandbox',
      plugins: [channels(), webhooks(), journeys(), simulation(), sandboxPlugin(clock)],
      admin: { key: adminKey },
      rateLimits: false,
      privateTargets: 'allow',
      ...(config.data !== undefined && { dataDir: config.data }),
      ports: { ...(clock && { clock }), ...(ids && { ids }) },
    });
    await server.register(platform.hapiPlugin);
    const demo = isDemo ? await startDemo(children) : undefined;
    // What waits from an earlier run is sent as soon as the platform starts: by then the demo must know its secrets.
    if (notes) tellDemo(demo, notes.seeded);
    await server.initialize();
    const seeded = notes?.seeded ?? (await firstSeed(platform, config.seed, demo));
    if (notes && demo) await pointAtDemo(platform, seeded, demo);
    if (config.data !== undefined) writeNotes(config.data, { adminKey, isDemo, seeded });
    await server.start();

    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    const api = `http://${host}:${server.info.port}`;
    tellDemo(demo, seeded, api);
    return {
      api,
      admin: { url: `${api}/admin/v1`, key: adminKey },
      seeded,
      phone: demo && `${demo.connector.url}/phone`,
      platform,
      server,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Demo {
  readonly connector: Child;
  readonly receiver: Child;
}

async function startDemo(children: Child[]): Promise<Demo> {
  const [connector, receiver] = await Promise.allSettled([startChild('connector'), startChild('webhook-receiver')]);
  for (const child of [connector, receiver]) if (child.status === 'fulfilled') children.push(child.value);
  if (connector.status === 'rejected') throw connector.reason;
  if (receiver.status === 'rejected') throw receiver.reason;
  return { connector: connector.value, receiver: receiver.value };
}

function tellDemo(demo: Demo | undefined, { numbers, channels, webhooks }: Seeded, api?: string): void {
  const [channel] = channels;
  if (!demo || !channel) return;
  const token = numbers.find(({ uuid }) => uuid === channel.uuid)?.token;
  demo.connector.tell({ number: channel.uuid, token, secret: channel.webhook.hmac_secret, ...(api !== undefined && { api }) });
  demo.receiver.tell({ secret: webhooks[0]?.hmac_secret });
}

async function firstSeed(platform: Platform, seed: string, demo: Demo | undefined): Promise<Seeded> {
  if ((await platform.numbers.list()).length > 0) {
    throw new Error('the data folder holds a state that no sandbox made; choose another folder with --data');
  }
  if (demo) return plant(platform, demoSeed({ connector: demo.connector.url, receiver: demo.receiver.url }));
  return plant(platform, seed === 'empty' ? emptySeed : readSeed(seed));
}

/** The demo's processes listen on other ports than in the last run. */
async function pointAtDemo(
  { store, webhooks }: Platform,
  { channels, webhooks: others }: Seeded,
  { connector, receiver }: Demo,
): Promise<void> {
  await store.transaction(async (tx) => {
    if (channels[0]) await webhooks.update(tx, channels[0].webhook.uuid, { url: connector.url });
    if (others[0]) await webhooks.update(tx, others[0].uuid, { url: receiver.url });
  });
  if (channels[0]) channels[0].endpoint = connector.url;
  if (others[0]) others[0].url = receiver.url;
}

function readNotes(folder: string): Notes | undefined {
  const file = join(folder, NOTES);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Notes) : undefined;
}

function writeNotes(folder: string, notes: Notes): void {
  writeFileSync(join(folder, NOTES), JSON.stringify(notes, null, 2), { mode: 0o600 });
}
