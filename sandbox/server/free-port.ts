import { once } from 'node:events';
import { createServer } from 'node:net';

export const DEFAULT_PORT = 4100;
const MAX_PORTS = 10;

/**
 * Checks that the requested port is free. Without one, finds the first free port from 4100; after ten ports in use returns 0 (any).
 * @throws the error of listening on the port
 */
export async function freePort(requested: number | undefined, host: string): Promise<number> {
  if (requested === 0) return 0;
  if (requested !== undefined) return listenOnce(requested, host);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + MAX_PORTS; port++) {
    try {
      return await listenOnce(port, host);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  return 0;
}

async function listenOnce(port: number, host: string): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
  return port;
}
