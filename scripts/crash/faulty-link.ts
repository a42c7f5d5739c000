import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A link to a server that loses what passes through it, without an error at either end. */
export interface FaultyLink {
  /** The URL of the server through this link. */
  readonly url: string;
  /** Number of responses that were swallowed. */
  readonly swallowed: number;
  /** Bytes that came from either end. */
  readonly bytes: number;
  /** Loses the next response of the server, and all others on its connection. */
  swallow(): void;
  /** Loses everything in both directions, also of new connections. @param of only connections of clients with these ports; all if not given */
  cut(of?: (port: number) => boolean): void;
  /** Ends the connections that have lost something, and lets new ones pass. */
  mend(): void;
}

export async function faultyLink(t: { teardown(end: () => void): void }, url: string): Promise<FaultyLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let cutOff: ((port: number) => boolean) | undefined;
  let swallowNext = false;
  let swallowed = 0;
  let passed = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let isDeaf = false;
    let isLost: boolean | undefined;
    const loses = (): boolean => {
      isLost ??= cutOff?.(near.remotePort ?? 0);
      return isLost ?? false;
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('data', ({ length }) => {
        passed += length;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => !loses() && far.write(bytes));
    far.on('data', (bytes) => {
      if (swallowNext) {
        swallowNext = false;
        swallowed++;
        isDeaf = true;
      }
      if (!isDeaf && !loses()) near.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.teardown(() => {
    end();
    server.close();
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as { port: number }).port);
  return {
    url: String(through),
    get swallowed() {
      return swallowed;
    },
    get bytes() {
      return passed;
    },
    swallow() {
      swallowNext = true;
    },
    cut(of = () => true) {
      cutOff = of;
    },
    mend() {
      cutOff = undefined;
      end();
    },
  };
}
