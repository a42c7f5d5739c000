import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../ports/clock.js';
import { SocketFailed, type SocketListener, type SocketListening, type Sockets, type SocketTarget } from '../../ports/sockets.js';
import { guardedLookup } from '../http/guarded-lookup.js';
import { abortedFailure, blockedFailure, failureOf, stoppedFailure } from '../http/http-failure.js';
import { type Lookup, nameLookup } from '../http/name-lookup.js';
import type { TargetRules } from '../http/target-rules.js';

export interface NodeSocketsOptions {
  readonly clock: Clock;
  /** The rules of addresses. The ports and schemes in them are those of HTTP. */
  readonly rules: Pick<TargetRules, 'guard'>;
  readonly lookup?: Lookup;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string | readonly string[] | undefined;
}

const TIMED_OUT = { permanent: false, code: 'ETIMEDOUT', reason: 'the host did not accept the connection in time' };

/** TCP connections of Node.js, to checked addresses only. */
export class NodeSockets implements Sockets {
  readonly tls: Sockets['tls'];
  readonly #clock: Clock;
  readonly #rules: NodeSocketsOptions['rules'];
  readonly #resolve: Lookup;
  readonly #open = new Set<Socket>();
  readonly #listeners = new Set<SocketListener>();
  #isStopped = false;

  constructor({ clock, rules, lookup = nameLookup(), ca }: NodeSocketsOptions) {
    this.tls = { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) };
    this.#clock = clock;
    this.#rules = rules;
    this.#resolve = lookup;
  }

  connect(target: SocketTarget): Promise<Socket> {
    return this.#clock.during(async () => {
      const { host, signal } = target;
      if (this.#isStopped) throw new SocketFailed(stoppedFailure);
      if (signal?.aborted) throw new SocketFailed(abortedFailure);
      // Node.js asks for no lookup of an address.
      if (isIP(host) !== 0 && this.#rules.guard?.permits(host, host) === false) throw new SocketFailed(blockedFailure(host));
      const socket = connectTcp({
        ...{ host, port: target.port, noDelay: true, autoSelectFamily: true },
        lookup: guardedLookup(this.#resolve, this.#rules.guard),
      });
      this.#keep(socket);
      const close = () => socket.destroy();
      signal?.addEventListener('abort', close, { once: true });
      socket.once('close', () => signal?.removeEventListener('abort', close));
      return this.#ready(socket, target);
    });
  }

  secure(socket: Socket, host: string): TLSSocket {
    const { ca, minVersion } = this.tls;
    const named = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ socket, host, ...named, minVersion, ...(ca !== undefined && { ca: [ca].flat() }) });
  }

  listen({ host, port, maxConnections, maxPerAddress, idleMs }: SocketListening, accept: (socket: Socket) => void) {
    const open = new Map<string, number>();
    let refused = 0;
    const server = createServer({ noDelay: true }, (socket) => {
      const address = socket.remoteAddress ?? '';
      const fromThere = (open.get(address) ?? 0) + 1;
      if (this.#isStopped || fromThere > maxPerAddress) {
        refused++;
        return void socket.destroy();
      }
      open.set(address, fromThere);
      socket.once('close', () => {
        const rest = open.get(address)! - 1;
        if (rest === 0) open.delete(address);
        else open.set(address, rest);
      });
      socket.setTimeout(idleMs, () => socket.destroy());
      this.#keep(socket);
      // A library sets its own handlers; one that comes late must not end the process.
      socket.on('error', () => undefined);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      accept(socket);
    });
    const sockets = new Set<Socket>();
    server.maxConnections = maxConnections;
    server.on('drop', () => refused++);
    return (async () => {
      server.listen(port, host);
      await once(server, 'listening');
      const listener: SocketListener = {
        port: (server.address() as AddressInfo).port,
        get refused() {
          return refused;
        },
        stop: async () => {
          this.#listeners.delete(listener);
          const closed = new Promise((resolve) => server.close(resolve));
          for (const socket of sockets) socket.destroy();
          await closed;
        },
      };
      this.#listeners.add(listener);
      return listener;
    })();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#listeners].map((listener) => listener.stop()));
    for (const socket of this.#open) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Resolves when the connection is there, with TLS if it begins immediately. */
  #ready(socket: Socket, { host, secure = false, deadlineMs, signal }: SocketTarget): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const limit = (this.#clock.ofRequests ?? this.#clock).after(deadlineMs, () => fail(new SocketFailed(TIMED_OUT)));
      const fail = (error: unknown): void => {
        limit.cancel();
        socket.destroy();
        if (error instanceof SocketFailed) reject(error);
        else reject(new SocketFailed(this.#isStopped ? stoppedFailure : signal?.aborted ? abortedFailure : failureOf(error, host)));
      };
      const done = (ready: Socket): void => {
        limit.cancel();
        ready.off('error', fail);
        // The protocol's library handles errors; between now and then one must not end the process.
        ready.on('error', () => undefined);
        resolve(ready);
      };
      socket.once('error', fail);
      socket.once('close', () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      socket.once('connect', () => {
        if (!secure) return done(socket);
        const encrypted = this.secure(socket, host);
        encrypted.once('error', fail);
        encrypted.once('secureConnect', () => done(encrypted));
      });
    });
  }
}
