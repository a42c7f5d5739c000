import { request } from 'node:http';
import { CONFORMANCE_MARK as MARK } from '../../core/events/conformance-mark.js';
import { adminGet, SandboxRefused } from '../client/admin-client.js';
import { isSameUrl } from '../client/channels.js';
import type { RunFile } from '../client/run-file.js';
import { findRunFile } from '../client/run-file.js';
import { statusOf } from '../client/status.js';
import { startSandbox } from '../compose.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { ConnectorOptions } from './connector/index.js';

const DEFAULT_URL = 'http://127.0.0.1:4100';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export interface Wanted {
  /** The URL of the connector. */
  readonly url: string;
  readonly secret: string;
  readonly channel: string | undefined;
  readonly token: string | undefined;
  readonly service: string | undefined;
  readonly network: string | undefined;
}

export interface Provided {
  readonly platform: ConnectorOptions['platform'];
  /** How the platform was found, or why there is none. */
  readonly note: string;
  stop(): Promise<void>;
}

/**
 * The platform to which the connector posts: the sandbox that runs in the folder or at `POSTHORN_URL`, or one for this run at that URL, with
 * the channel and the token of the connector.
 * @throws UsageError when the admin key of a running platform is unknown
 * @throws CommandFailed when the running platform does not have the channel
 */
export async function providePlatform(wanted: Wanted, cwd: string): Promise<Provided> {
  const { channel, token, url, secret, service, network } = wanted;
  const run = await runningPlatform(cwd);
  if (run) return { ...(await ofRunning(run, wanted)), stop: async () => undefined };
  if (channel === undefined || token === undefined)
    return {
      platform: undefined,
      note: 'No sandbox runs here. To check messages and statuses too, give --channel and --token, or POSTHORN_NUMBER and POSTHORN_TOKEN of the connector.',
      stop: async () => undefined,
    };
  if (!UUID.test(channel)) throw new UsageError(`--channel must be a UUID, not '${channel}'`);
  const { hostname, port, origin } = new URL(process.env.POSTHORN_URL || DEFAULT_URL);
  if (!LOOPBACK.includes(hostname))
    throw new UsageError(`no platform responds at ${origin}, and a sandbox can be started on this machine only`);
  const sandbox = await startSandbox({
    port: Number(port || 80),
    host: hostname.replace(/[[\]]/g, ''),
    console: false,
    logLevel: 'error',
    service,
    network,
    seed: {
      channels: [{ from_addr: MARK, name: 'Conformance', endpoint: url, uuid: channel, token, hmac_secret: secret }],
    },
  });
  const { api, admin } = sandbox;
  return {
    platform: { api, adminKey: admin.key, channel, token },
    note: `Started a sandbox at ${api} for this run.`,
    stop: () => sandbox.stop(),
  };
}

async function ofRunning(run: RunFile, { channel, token, url }: Wanted): Promise<Omit<Provided, 'stop'>> {
  const status = await statusOf(run);
  const channels = 'channels' in status ? status.channels : [];
  const tokens = 'channels' in status ? status.numbers : [];
  const uuid = channel ?? channels.find(({ endpoint }) => isSameUrl(endpoint, url))?.uuid;
  if (uuid === undefined)
    return {
      platform: undefined,
      note: `No channel of the sandbox at ${run.api} has the endpoint ${url}. To check messages and statuses too, create one: npx posthorn channel add ${url}`,
    };
  await assertKnown(run, uuid, url);
  const given = token ?? tokens.find((number) => number.uuid === uuid)?.token;
  return { platform: { api: run.api, adminKey: run.admin.key, channel: uuid, token: given }, note: `Uses the platform at ${run.api}.` };
}

/** Checks this first: a run would otherwise fail after more than a minute, at the first check that needs the channel. @throws CommandFailed */
async function assertKnown(run: RunFile, channel: string, url: string): Promise<void> {
  try {
    await adminGet(run, `/numbers/${channel}`);
  } catch (error) {
    if (!(error instanceof SandboxRefused) || (error.status !== 404 && error.status !== 400)) throw error;
    const remedy =
      'Create a channel for this connector, give the uuid, token and secret of one that it has, or stop it: without a platform, conform starts one with this channel';
    const message = `the platform at ${run.api} has no channel ${channel} (--channel or POSTHORN_NUMBER). ${remedy}`;
    throw new CommandFailed(message, { code: 'not_found', next: `npx posthorn channel add ${url}`, exit: exit.usage });
  }
}

/** The secret with which the sandbox of the folder signs deliveries to a URL; undefined without such a sandbox. */
export async function knownSecret(url: string, cwd: string): Promise<string | undefined> {
  const run = await runningPlatform(cwd);
  const status = run && (await statusOf(run));
  if (!status || !('channels' in status)) return undefined;
  const { channels, webhooks } = status;
  const channel = channels.find(({ endpoint }) => isSameUrl(endpoint, url));
  return channel?.webhook.hmac_secret ?? webhooks.find((webhook) => isSameUrl(webhook.url, url))?.hmac_secret;
}

/** The platform of the folder, if one responds. */
async function runningPlatform(cwd: string): Promise<RunFile | undefined> {
  const { POSTHORN_URL: url } = process.env;
  if (url && !(await responds(url))) return undefined;
  return findRunFile(cwd);
}

function responds(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = request(new URL('/health', url), { timeout: 2_000 }, (response) => {
      response.resume();
      resolve(true);
    });
    attempt.on('error', () => resolve(false)).on('timeout', () => attempt.destroy());
    attempt.end();
  });
}
