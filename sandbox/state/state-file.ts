import type { PlatformState, StateDocument } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import type { StoredIntegration } from '../demo/demo-integration.js';
import { type Sealed, seal, unseal } from './seal.js';

/** The version of the format. A file of a newer version is refused. */
const VERSION = 1;

/** An exported state: one JSON document in a stable order, so that two exports of the same state are equal. */
export interface StateFile {
  readonly posthorn: 'state';
  readonly version: number;
  /** The time of the state. A clock that runs has no time here, because every export would have another. */
  readonly clock: { readonly paused: boolean; readonly now?: string };
  /** The records of the seed, without tokens and secrets, and the demo's integration. */
  readonly sandbox: {
    readonly seeded: Seeded;
    /** The webhooks whose URL is that of a process of the demo, which has another URL in each run. */
    readonly demo: readonly string[];
    readonly integration?: Omit<StoredIntegration, 'hmac_secret'>;
  };
  /** The documents by collection, in the order of their keys. */
  readonly collections: Readonly<Record<string, readonly StateDocument[]>>;
  /** Base64 of media files, by the SHA-256 of their content. */
  readonly media: Readonly<Record<string, string>>;
  /** The names of the secrets. `sealed` has their values and the tokens of the seed. */
  readonly secrets: { readonly names: readonly string[]; readonly sealed?: Sealed };
}

/** The encrypted part of a file. */
export interface SealedPart {
  readonly secrets: Readonly<Record<string, string>>;
  readonly seeded: Seeded;
  readonly integration?: StoredIntegration | undefined;
}

/** A state of a sandbox. */
export interface SandboxState {
  readonly clock: StateFile['clock'];
  readonly state: PlatformState;
  readonly seeded: Seeded;
  readonly integration: StoredIntegration | undefined;
}

/** Why a file cannot be used. */
export class UnusableState extends Error {
  override readonly name = 'UnusableState';
}

/**
 * @param demo the URLs of the demo's processes
 * @param passphrase encrypts the secrets; without it they are omitted
 */
export async function stateFile(
  { clock, state: { collections, secrets, media }, seeded, integration }: SandboxState,
  { demo = [], passphrase }: { demo?: readonly string[]; passphrase?: string | undefined } = {},
): Promise<StateFile> {
  const urls = urlsIn(collections);
  const current = withUrls(seeded, (webhook, url) => urls.get(webhook) ?? url);
  const sealed: SealedPart = { secrets, seeded, integration };
  return {
    posthorn: 'state',
    version: VERSION,
    clock,
    sandbox: {
      seeded: withSecrets(current, { token: () => '', secret: () => '' }),
      demo: [...urls].flatMap(([uuid, url]) => (demo.includes(url) ? [uuid] : [])).sort(),
      ...(integration && { integration: { uuid: integration.uuid, url: integration.url } }),
    },
    collections,
    media: Object.fromEntries(Object.entries(media).map(([sha256, bytes]) => [sha256, Buffer.from(bytes).toString('base64')])),
    secrets: {
      names: Object.keys(secrets).sort(),
      ...(passphrase !== undefined && { sealed: await seal(JSON.stringify(sealed), passphrase) }),
    },
  };
}

/** The text of a file: indented, so that version control shows which record changed. */
export const stateText = (file: StateFile): string => `${JSON.stringify(file, null, 2)}\n`;

/** Reads the text of a file and checks its form, not its records. @throws UnusableState */
export function readStateFile(text: string): StateFile {
  let file: Partial<StateFile> | null;
  try {
    file = JSON.parse(text) as Partial<StateFile> | null;
  } catch (error) {
    throw new UnusableState(`it is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (file?.posthorn !== 'state') throw new UnusableState('it is not an exported state: it lacks "posthorn": "state"');
  const { version } = file;
  if (version !== VERSION) {
    const advice = Number.isInteger(version) && version! > VERSION ? '; import it with the release that exported it, or a newer one' : '';
    throw new UnusableState(`it has version ${JSON.stringify(version)}, and this release reads version ${VERSION}${advice}`);
  }
  const { clock, sandbox, collections, media, secrets } = file;
  const seeded = sandbox?.seeded as Seeded | undefined;
  const isComplete =
    typeof clock?.paused === 'boolean' &&
    (clock.now === undefined || !Number.isNaN(Date.parse(clock.now))) &&
    [seeded?.numbers, seeded?.channels, seeded?.webhooks, seeded?.journeys, sandbox?.demo, secrets?.names].every(Array.isArray) &&
    [...seeded!.numbers, ...seeded!.channels, ...seeded!.webhooks, ...seeded!.journeys].every((one) => typeof one?.uuid === 'string') &&
    seeded!.channels.every((channel) => typeof channel.webhook?.uuid === 'string') &&
    isRecord(collections) &&
    Object.values(collections).every(Array.isArray) &&
    isRecord(media) &&
    Object.values(media).every((one) => typeof one === 'string') &&
    secrets!.names.every((one) => typeof one === 'string');
  if (!isComplete)
    throw new UnusableState('it is incomplete: it needs clock, sandbox, collections, media and secrets as an export writes them');
  return file as StateFile;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Decrypts the secrets of a file; undefined if it has none. @throws UnusableState when the passphrase is missing or wrong */
export async function openSealed({ secrets: { sealed } }: StateFile, passphrase: string | undefined): Promise<SealedPart | undefined> {
  if (!sealed) return undefined;
  if (passphrase === undefined) throw new UnusableState('its secrets are sealed: set POSTHORN_EXPORT_KEY to the passphrase of the export');
  const text = await unseal(sealed, passphrase);
  if (text === undefined) throw new UnusableState('the passphrase is wrong, or its sealed secrets were changed');
  return JSON.parse(text) as SealedPart;
}

/** The media files of a file, whose content must be what their names say. @throws UnusableState */
export async function mediaOf({ media }: StateFile): Promise<Record<string, Uint8Array>> {
  const { createHash } = await import('node:crypto');
  return Object.fromEntries(
    Object.entries(media).map(([sha256, base64]) => {
      const bytes = Buffer.from(base64, 'base64');
      if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new UnusableState(`the media file ${sha256} is damaged`);
      return [sha256, bytes];
    }),
  );
}

/** The records of a seed with other tokens and secrets. */
export const withSecrets = (
  { numbers, channels, webhooks, journeys }: Seeded,
  { token, secret }: { token: (number: string) => string; secret: (webhook: string) => string },
): Seeded => ({
  numbers: numbers.map((number) => ({ ...number, token: token(number.uuid) })),
  channels: channels.map((channel) => ({ ...channel, webhook: { ...channel.webhook, hmac_secret: secret(channel.webhook.uuid) } })),
  webhooks: webhooks.map((webhook) => ({ ...webhook, hmac_secret: secret(webhook.uuid) })),
  journeys,
});

/** The records of a seed with other URLs, from the uuid and the URL of each webhook. */
export const withUrls = ({ channels, webhooks, ...others }: Seeded, url: (webhook: string, url: string) => string): Seeded => ({
  ...others,
  channels: channels.map((channel) => ({ ...channel, endpoint: url(channel.webhook.uuid, channel.endpoint) })),
  webhooks: webhooks.map((webhook) => ({ ...webhook, url: url(webhook.uuid, webhook.url) })),
});

/** The URLs of the webhooks, by uuid. */
export const urlsIn = (collections: StateFile['collections']): Map<string, string> =>
  new Map((collections['core.webhooks'] ?? []).map(({ uuid, url }) => [String(uuid), String(url)]));
