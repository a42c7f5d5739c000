import { once } from 'node:events';
import type { Socket } from 'node:net';
import { NodeSockets } from '../adapters/sockets/node-sockets.js';
import type { Clock } from '../ports/clock.js';
import { SocketFailed, type SocketListening, type Sockets, type SocketTarget } from '../ports/sockets.js';

/** A port on 127.0.0.1, or how the connection fails. `hang`: it is not accepted. */
export type ScriptedSocket = number | 'refuse' | 'unknown host' | 'hang';

const FAULTS = {
  refuse: { permanent: false, code: 'ECONNREFUSED', reason: 'the connection was refused' },
  'unknown host': { permanent: true, code: 'ENOTFOUND', reason: 'the host does not exist' },
  hang: { permanent: false, code: 'ETIMEDOUT', reason: 'the host did not accept the connection in time' },
} as const;

/** Sockets for tests: connections to scripted hosts go to ports on this machine, and listeners listen on 127.0.0.1. */
export class ScriptedSockets implements Sockets {
  readonly tls: Sockets['tls'];
  /** The targets of all connections, such as `smtp.example:587`, in order. */
  readonly connected: string[] = [];
  readonly #clock: Clock;
  readonly #inner: NodeSockets;
  readonly #script = new Map<string, ScriptedSocket>();

  constructor({ clock, ca }: { readonly clock: Clock; readonly ca?: string }) {
    this.#clock = clock;
    this.#inner = new NodeSockets({ clock, rules: { guard: undefined }, ca });
    this.tls = this.#inner.tls;
  }

  /** Sets where connections to a target such as `smtp.example:587` go. */
  answer(target: string, to: ScriptedSocket): this {
    this.#script.set(target, to);
    return this;
  }

  secure(socket: Socket, host: string) {
    return this.#inner.secure(socket, host);
  }

  async connect(target: SocketTarget) {
    const name = `${target.host}:${target.port}`;
    this.connected.push(name);
    const to = this.#script.get(name);
    if (to === undefined) throw new SocketFailed({ permanent: false, code: 'UNEXPECTED', reason: `no answer was scripted for ${name}` });
    if (to === 'hang') await this.#clock.sleep(target.deadlineMs, target.signal);
    if (typeof to !== 'number') throw new SocketFailed(FAULTS[to]);
    const socket = await this.#inner.connect({ ...target, secure: false, host: '127.0.0.1', port: to });
    if (!target.secure) return socket;
    // The certificate is that of the host, not of this machine.
    const encrypted = this.secure(socket, target.host);
    await once(encrypted, 'secureConnect').catch((error: Error) => {
      throw new SocketFailed({ permanent: false, code: 'TLS', reason: `TLS: ${error.message}` });
    });
    return encrypted;
  }

  listen(options: SocketListening, accept: Parameters<Sockets['listen']>[1]) {
    return this.#inner.listen({ ...options, host: '127.0.0.1' }, accept);
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }
}
