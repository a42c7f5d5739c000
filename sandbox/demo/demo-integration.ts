import type { Server } from '@hapi/hapi';
import type { Child } from './children.js';

/** The demo's integration in the notes file. It is stored there because the state contains its secret only encrypted. */
export interface StoredIntegration {
  readonly uuid: string;
  /** The URL of the integration when the notes were written. */
  readonly url: string;
  readonly hmac_secret: string;
}

const NAME = 'Library desk';

/**
 * Creates the demo's integration through the admin API, or updates the URL of the integration from an earlier run. An integration that
 * the user has removed is not created again, and a URL that the user has changed stays.
 */
export async function provideIntegration(
  server: Server,
  {
    adminKey,
    number,
    child,
    api,
    noted,
  }: { adminKey: string; number: string; child: Child; api: string; noted?: StoredIntegration | undefined },
): Promise<StoredIntegration | undefined> {
  const admin = async (method: string, path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const { statusCode, payload: text } = await server.inject({ method, url: `/admin/v1${path}`, headers, ...(payload && { payload }) });
    if (statusCode >= 300 && statusCode !== 404) throw new Error(`${method} ${path} got ${statusCode}: ${text}`);
    return statusCode === 404 ? undefined : JSON.parse(text);
  };
  const { url } = child;
  if (noted) {
    const known = await admin('GET', `/integrations/${noted.uuid}`);
    await child.send({ POSTHORN_API: api, POSTHORN_SECRET: noted.hmac_secret });
    if (known?.integration.url === noted.url) await admin('PATCH', `/integrations/${noted.uuid}`, { url });
    return { ...noted, url };
  }
  // Enabled only now: the handshake follows immediately, and the process needs the secret to verify its signature.
  const { integration, hmac_secret } = await admin('POST', '/integrations', { number, name: NAME, url, enabled: false });
  await child.send({ POSTHORN_API: api, POSTHORN_SECRET: hmac_secret });
  await admin('PATCH', `/integrations/${integration.uuid}`, { enabled: true });
  return { uuid: integration.uuid, url, hmac_secret };
}
