import { Readable } from 'node:stream';
import type { EventStreamFactory, SentEvent } from '../../contract/browser.js';
import { areaOf } from './mounted-route.js';

const KEEP_ALIVE_MS = 15_000;
/** How long a client may take to read the rest of a stream that is closed. */
const DRAIN_MS = 500;
const BUFFERED_BYTES = 16 * 1024;

/** The open event streams of a platform. */
export interface EventStreams {
  readonly open: EventStreamFactory;
  /** Closes all. */
  readonly stop: () => void;
}

export function createEventStreams(): EventStreams {
  const closing = new Set<() => void>();

  return {
    stop: () => {
      for (const close of closing) close();
    },

    open(h, source) {
      const { request } = h;
      const out = new Readable({ read: onRead, highWaterMark: BUFFERED_BYTES });
      let [isReading, isRunning, isWoken, isClosed] = [false, false, false, false];
      let drainTimer: NodeJS.Timeout | undefined;
      const disconnect = (): void => void request.raw.res.destroy();
      const keepAlive = setInterval(() => isReading && send(': still here\n\n'), KEEP_ALIVE_MS);

      function send(event: SentEvent | Uint8Array | string): boolean {
        if (isClosed) return false;
        isReading = out.push(typeof event === 'string' || event instanceof Uint8Array ? event : lines(event));
        return isReading;
      }
      function onRead(): void {
        isReading = !isClosed;
        run();
      }
      function run(): void {
        isWoken = isRunning;
        if (isRunning || !isReading) return;
        isRunning = true;
        try {
          const running = source.more(send);
          if (running) running.then(done, failed);
          else done();
        } catch (error) {
          failed(error);
        }
      }
      function done(): void {
        isRunning = false;
        if (isWoken) run();
      }
      /** The client asks again, from what it has received. */
      function failed(error: unknown): void {
        areaOf(request)?.log.error('an event stream failed; its client is disconnected', { path: request.route.path, error });
        disconnect();
      }
      function close(): void {
        if (isClosed) return;
        isClosed = true;
        isReading = false;
        out.push(null);
        drainTimer = setTimeout(disconnect, DRAIN_MS);
      }

      closing.add(close);
      const ended = (): void => {
        isClosed = true;
        isReading = false;
        clearInterval(keepAlive);
        clearTimeout(drainTimer);
        closing.delete(close);
        source.ended?.();
      };
      // The client may have gone while the handler was preparing the stream. The caller gets the stream first.
      if (request.raw.res.closed) setImmediate(ended);
      else request.raw.res.once('close', ended);
      out.push('retry: 1000\n\n');
      // Compression and proxies would buffer events. The connection cannot be reused after a stream.
      const response = h
        .response(out)
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .header('content-encoding', 'identity')
        .header('x-accel-buffering', 'no')
        .header('connection', 'close');
      return { response, wake: run, isStalled: () => !isReading, close, disconnect };
    },
  };
}

const lines = ({ id, event, data }: SentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
