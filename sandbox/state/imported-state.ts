import type { Ids } from '#core/ports';
import { mediaOf, openSealed, type SandboxState, type SealedPart, type StateFile, urlsIn, withSecrets, withUrls } from './state-file.js';

/** The result of an import: secrets that the file does not have. */
export interface Imported {
  /** Webhooks with a new secret. Only this result contains it. */
  readonly new_secrets: readonly { readonly webhook: string; readonly hmac_secret: string }[];
  /** Names of secrets to set again, such as API tokens of integrations. */
  readonly missing_secrets: readonly string[];
}

interface ImportOptions {
  /** Secrets and seed of the sandbox that imports: those of the same names and uuids stay if the file omits them. */
  readonly known: SealedPart;
  readonly passphrase: string | undefined;
  /** Whether the demo's processes run, whose URLs its webhooks get. */
  readonly hasDemo: boolean;
  readonly ids: Pick<Ids, 'secret'>;
}

const SECRET_BYTES = 32;
const WEBHOOK = /^webhook:([^:]+)$/;
const PREVIOUS = /^webhook:[^:]+:previous$/;
/** Keys that a platform creates when they are missing. */
const OWN_KEYS: readonly string[] = ['core/media-links', 'flows/flow-downloads'];

/**
 * Completes an exported state with the secrets that it omits: those of this sandbox, or new ones for webhooks.
 * @throws UnusableState when its secrets cannot be decrypted or its media files are damaged
 */
export async function stateOf(
  file: StateFile,
  { known, passphrase, hasDemo, ids }: ImportOptions,
): Promise<Omit<SandboxState, 'clock'> & { readonly imported: Imported }> {
  const media = await mediaOf(file);
  const sealed = await openSealed(file, passphrase);
  const urls = urlsIn(file.collections);
  const secrets: Record<string, string> = { ...sealed?.secrets };
  const new_secrets: Imported['new_secrets'][number][] = [];
  const missing_secrets: string[] = [];
  if (!sealed) {
    for (const name of new Set([...file.secrets.names, ...[...urls.keys()].map((uuid) => `webhook:${uuid}`)])) {
      const [, webhook] = WEBHOOK.exec(name) ?? [];
      const value = known.secrets[name];
      if (value !== undefined) secrets[name] = value;
      else if (webhook !== undefined) {
        const hmac_secret = ids.secret(SECRET_BYTES);
        secrets[name] = hmac_secret;
        new_secrets.push({ webhook, hmac_secret });
      } else if (!PREVIOUS.test(name) && !OWN_KEYS.includes(name)) missing_secrets.push(name);
    }
  }
  const tokens = new Map([...known.seeded.numbers, ...(sealed?.seeded.numbers ?? [])].map(({ uuid, token }) => [uuid, token]));
  // A URL that differs from that of its record was changed by the user, and stays.
  const located = withUrls(file.sandbox.seeded, (webhook) =>
    hasDemo && !file.sandbox.demo.includes(webhook) ? '' : (urls.get(webhook) ?? ''),
  );
  const seeded = withSecrets(located, {
    token: (number) => tokens.get(number) ?? '',
    secret: (webhook) => secrets[`webhook:${webhook}`] ?? '',
  });
  const { integration: about } = file.sandbox;
  const noted = [sealed?.integration, known.integration].find((one) => one !== undefined && one.uuid === about?.uuid);
  return {
    state: { collections: file.collections, secrets, media },
    seeded,
    integration: about && noted && { ...noted, ...about },
    imported: { new_secrets, missing_secrets },
  };
}
