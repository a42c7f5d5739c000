import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** A TCP connection to open. */
export interface SocketTarget {
  /** A host name or an IP address. The address rules of the platform decide if it may be called. */
  readonly host: string;
  readonly port: number;
  /** Whether TLS begins with the first byte; `secure` of the port begins it later, as STARTTLS does. */
  readonly secure?: boolean;
  /** Milliseconds until the connection, and TLS with `secure`, must be there. */
  readonly deadlineMs: number;
  /** Ends the attempt, and later closes the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Where to listen, and the limits of the connections. A connection that exceeds them is closed immediately. */
export interface SocketListening {
  /** An address of this machine; all if not given. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly maxConnections: number;
  readonly maxPerAddress: number;
  /** Milliseconds without a byte in either direction after which a connection is closed. */
  readonly idleMs: number;
}

export interface SocketListener {
  readonly port: number;
  /** How many connections were closed because of a limit. */
  readonly refused: number;
  /** Accepts no more connections, and closes those that are open. */
  stop(): Promise<void>;
}

/** A connection could not be opened. */
export class SocketFailed extends Error {
  override readonly name = 'SocketFailed';
  /** As in the outcomes of the HTTP client: a system code such as `ECONNREFUSED`, or `TLS`, `BLOCKED_ADDRESS`, `STOPPED`, `ABORTED`. */
  readonly code: string;
  /** Trying again cannot help: the host does not exist, or its address is blocked. */
  readonly permanent: boolean;

  constructor({ code, reason, permanent }: { readonly code: string; readonly reason: string; readonly permanent: boolean }) {
    super(reason);
    this.code = code;
    this.permanent = permanent;
  }
}

/**
 * TCP connections for protocols other than HTTP, under the same address rules. Timers of a protocol's library run in real time: of this port
 * only the deadline of a connection uses the clock.
 */
export interface Sockets {
  /** The options of TLS, for a library that begins it itself. */
  readonly tls: { readonly minVersion: 'TLSv1.2'; readonly ca?: string | readonly string[] };
  /** @throws SocketFailed */
  connect(target: SocketTarget): Promise<Socket>;
  /** Begins TLS on a connection to a host. The socket emits `secureConnect` when the certificate of the host was checked, or `error`. */
  secure(socket: Socket, host: string): TLSSocket;
  /** @throws Error such as `EADDRINUSE` when the port cannot be opened */
  listen(options: SocketListening, accept: (socket: Socket) => void): Promise<SocketListener>;
  /** Stops all listeners and closes all connections. */
  stop(): Promise<void>;
}
