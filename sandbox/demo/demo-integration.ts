import type { Server } from '@hapi/hapi';
import type { Child } from './children.js';

/** The demo's integration, as it is noted beside the state: its secret is shown once. */
export interface NotedIntegration {
  readonly uuid: string;
  /** Where it listened when this was noted. */
  readonly url: string;
  readonly hmac_secret: string;
}

const NAME = 'Library desk';

/**
 * Makes the demo's integration through the admin API, or finds the one of an earlier run and points it at this run's process.
 * One that was removed stays away, and one that was pointed elsewhere stays there.
 */
export async function offerIntegration(
  server: Server,
  {
    adminKey,
    number,
    child,
    api,
    noted,
  }: { adminKey: string; number: string; child: Child; api: string; noted?: NotedIntegration | undefined },
): Promise<NotedIntegration | undefined> {
  const admin = async (method: string, path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const { statusCode, payload: text } = await server.inject({ method, url: `/admin/v1${path}`, headers, ...(payload && { payload }) });
    if (statusCode >= 300 && statusCode !== 404) throw new Error(`${method} ${path} was answered ${statusCode}: ${text}`);
    return statusCode === 404 ? undefined : JSON.parse(text);
  };
  const { url } = child;
  if (noted) {
    const known = await admin('GET', `/integrations/${noted.uuid}`);
    await child.send({ POSTHORN_API: api, POSTHORN_SECRET: noted.hmac_secret });
    if (known?.integration.url === noted.url) await admin('PATCH', `/integrations/${noted.uuid}`, { url });
    return { ...noted, url };
  }
  // It is greeted when it knows the secret, so that it can tell that it is us.
  const { integration, hmac_secret } = await admin('POST', '/integrations', { number, name: NAME, url, enabled: false });
  await child.send({ POSTHORN_API: api, POSTHORN_SECRET: hmac_secret });
  await admin('PATCH', `/integrations/${integration.uuid}`, { enabled: true });
  return { uuid: integration.uuid, url, hmac_secret };
}
