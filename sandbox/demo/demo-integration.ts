import type { Server } from '@hapi/hapi';
import type { Child } from './children.js';

/** The demo's integration in the notes file, as its secret cannot be read from the state. */
export interface StoredIntegration {
  readonly uuid: string;
  /** Its address at the time of writing. */
  readonly url: string;
  readonly hmac_secret: string;
}

const NAME = 'Library desk';

/**
 * Creates the demo's integration through the admin API, or updates the address of the one of an earlier run. If the user has
 * removed that integration or changed its address, it stays so.
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
  // Enabled, and so sent the handshake, only once it has the secret to verify the signature.
  const { integration, hmac_secret } = await admin('POST', '/integrations', { number, name: NAME, url, enabled: false });
  await child.send({ POSTHORN_API: api, POSTHORN_SECRET: hmac_secret });
  await admin('PATCH', `/integrations/${integration.uuid}`, { enabled: true });
  return { uuid: integration.uuid, url, hmac_secret };
}
