import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A mailbox that is played over IMAP. */
export interface PlayedMailbox {
  readonly port: number;
  /** Puts a mail into INBOX, and announces it. */
  append(raw: Uint8Array, date?: Date): void;
  /** Counts mails from 1 again, as after a restored backup: all mails have other numbers then. */
  changeValidity(): void;
  /** Breaks all connections. */
  cut(): void;
  stop(): Promise<void>;
}

interface Hoodiecrow {
  readonly server: Server;
  readonly connectionHandlers: ((connection: {
    readonly socket: Socket;
    readonly inputHandler: false | ((line: string) => void);
  }) => void)[];
  readonly folderCache: { readonly INBOX: { uidvalidity: number; uidnext: number; readonly messages: { uid: number }[] } };
  listen(port: number, host: string, done: () => void): void;
  appendMessage(folder: string, flags: readonly string[], date: Date, raw: string): void;
}

/** @throws Error when the package is not installed, or the port is in use */
export async function playMailbox({ port, user, password }: { port: number; user: string; password: string }): Promise<PlayedMailbox> {
  const hoodiecrow = await load();
  const endIdle = (given: Hoodiecrow): void =>
    void given.connectionHandlers.push((connection) => {
      // Otherwise a timer of half an hour keeps the process alive.
      connection.socket.once('close', () => {
        if (connection.inputHandler) connection.inputHandler('DONE');
      });
    });
  const server = hoodiecrow({ users: { [user]: { password } }, storage: { INBOX: {} }, plugins: ['ID', 'IDLE', 'UNSELECT', endIdle] });
  // It has a listener for each connection.
  (server as unknown as EventEmitter).setMaxListeners(0);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // It writes an answer in parts, each of which would wait for an acknowledgement.
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.server.address() as AddressInfo).port,
    append: (raw, date = new Date()) => server.appendMessage('INBOX', [], date, Buffer.from(raw).toString('binary')),
    changeValidity() {
      const { INBOX } = server.folderCache;
      INBOX.uidvalidity++;
      // As if the mails had been restored in another order.
      for (const [i, message] of INBOX.messages.entries()) message.uid = i + 1;
      INBOX.uidnext = INBOX.messages.length + 1;
      cut();
    },
    cut,
    async stop() {
      const closed = new Promise((resolve) => server.server.close(resolve));
      cut();
      await closed;
    },
  };
}

async function load(): Promise<(options: object) => Hoodiecrow> {
  try {
    return createRequire(import.meta.url)('hoodiecrow-imap') as (options: object) => Hoodiecrow;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new Error("The package 'hoodiecrow-imap' is not installed, which plays the mailbox: npm install --save-dev hoodiecrow-imap", {
      cause: error,
    });
  }
}
