import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defaultErrors, Unavailable } from '#core';

/** Requests to these paths may replace the platform, so a replacement does not wait for them. */
const REPLACING = /^\/admin\/v1\/(state\/|settings\b)/;

/**
 * The HTTP listener of a sandbox. It outlives the platform behind it: while the platform is replaced, requests wait for the next one, so
 * that clients see neither a refused connection nor an error.
 */
export class Front {
  readonly #listener: Server;
  #behind: Server | undefined;
  #waiting: (() => void)[] = [];
  readonly #inFlight = new Set<ServerResponse>();

  constructor(listener: Server) {
    this.#listener = listener;
    const pass = (event: 'request' | 'checkContinue') => (request: IncomingMessage, response: ServerResponse) => {
      if (!REPLACING.test(request.url ?? '')) this.#count(response);
      const go = () => void this.#behind!.emit(event, request, response);
      if (this.#behind) go();
      else this.#waiting.push(go);
    };
    listener.on('request', pass('request') as RequestListener).on('checkContinue', pass('checkContinue') as RequestListener);
    listener.on('clientError', (error, socket) => this.#behind?.emit('clientError', error, socket as Socket) ?? socket.destroy());
  }

  /** @returns the port @throws when the port is in use */
  async listen(port: number, host: string): Promise<number> {
    this.#listener.listen(port, host);
    await once(this.#listener, 'listening');
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Passes requests to a server, those that wait first. The server listens nowhere itself. */
  serve(behind: Server): void {
    this.#behind = behind;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Lets new requests wait. @returns a function that passes them to the same server again */
  hold(): () => void {
    const behind = this.#behind!;
    this.#behind = undefined;
    return () => this.serve(behind);
  }

  /** Responds with 503 to every request, because there is no platform. */
  refuse(why: string): void {
    const error = new Unavailable(`The sandbox has no platform any more; start it again: ${why}`, 5, 'no_platform');
    const body = JSON.stringify(defaultErrors.render(error)?.body);
    this.serve(
      createServer((_, response) =>
        response.writeHead(error.status, { 'content-type': 'application/json', 'x-posthorn-cause': error.code }).end(body),
      ),
    );
  }

  /** Waits until the requests in flight have ended, or `limitMs` (real time) has passed. Call it after `hold`. */
  async idle(limitMs: number): Promise<void> {
    const limit = AbortSignal.timeout(limitMs);
    const ends = [...this.#inFlight].map((response) => once(response, 'close', { signal: limit }));
    await Promise.allSettled(ends);
  }

  /** Accepts no more connections, and waits up to `limitMs` (real time) for requests in flight before it closes theirs. */
  async close(limitMs: number): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.#listener.closeIdleConnections();
    const limit = setTimeout(() => this.#listener.closeAllConnections(), limitMs);
    await closed;
    clearTimeout(limit);
  }

  #count(response: ServerResponse): void {
    this.#inFlight.add(response);
    response.once('close', () => {
      this.#inFlight.delete(response);
      // Otherwise the connection would stay open until the client has nothing more to ask for.
      if (!this.#listener.listening) response.req.socket.end();
    });
  }
}
