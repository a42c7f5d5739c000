import { once } from 'node:events';
import { createServer } from 'node:net';

const DEFAULT_PORT = 4100;
const PORTS_TRIED = 10;

/**
 * The port that was asked for, which must be free; otherwise the usual one, or the first free one after it.
 * @throws what listening there throws
 */
export async function freePort(asked: number | undefined, host: string): Promise<number> {
  if (asked === 0) return 0;
  if (asked !== undefined) return listenOnce(asked, host);
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + PORTS_TRIED; port++) {
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
