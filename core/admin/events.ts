import { Readable } from 'node:stream';
import type { AdminAuth, AdminCall } from '../contract/plugin.js';
import { type Route, route } from '../contract/route.js';
import { bearerText } from '../kernel/auth.js';
import type { EventStream, StreamedEvent } from '../kernel/event-stream.js';

const KEEP_ALIVE_MS = 15_000;
/** How long a client may take to read the rest of the stream when the platform stops. */
const DRAIN_MS = 500;

interface EventRouteDeps {
  readonly stream: EventStream;
  /** Asked before each event whether the session that opened a stream has not ended. */
  readonly wiring: { readonly adminAuth: AdminAuth };
}

/** The admin route that streams every event as server-sent events; `stop` ends the open streams. */
export function eventRoutes(deps: EventRouteDeps): { routes: Route[]; stop: () => void } {
  const { stream } = deps;
  const open = new Set<() => void>();

  return {
    stop: () => {
      for (const close of open) close();
    },
    routes: [
      route({
        method: 'GET',
        path: '/events',
        shards: 'events',
        summary: 'Streams every event. With `Last-Event-ID` the stream starts with the events after that id.',
        responses: { 200: { contentType: 'text/event-stream' } },
        handler({ headers, request }, h) {
          const reader = stream.reader(headers['last-event-id']);
          // Events stay in the shared stream, so a slow client costs no memory; it is disconnected once its next event was evicted.
          const out = new Readable({ read: pump });
          // The admin key never ends; a session can end while its stream is open.
          const call: AdminCall = { method: 'GET', headers: headers as AdminCall['headers'] };
          const isAllowed = bearerText(request) === undefined ? () => deps.wiring.adminAuth(call) === true : () => true;
          let isReading = false;
          let isCaughtUp = false;
          function pump(): void {
            isReading = isAllowed();
            if (!isReading) close();
            while (isReading) {
              const event = reader.next();
              if (!event) {
                caughtUp();
                return;
              }
              isReading = out.push(lines(event));
            }
          }
          /** Tells clients once that the events after this comment are new. */
          function caughtUp(): void {
            if (isCaughtUp) return;
            isCaughtUp = true;
            out.push(': every retained event was sent\n\n');
          }
          const disconnect = (): void => void request.raw.res.destroy();
          const unlisten = stream.listen(() => {
            if (isReading) pump();
            else if (reader.isLost()) disconnect();
          });
          const keepAlive = setInterval(() => {
            if (!isAllowed()) close();
            else if (isReading) out.push(': still here\n\n');
          }, KEEP_ALIVE_MS);
          let drainTimer: NodeJS.Timeout | undefined;
          let isClosed = false;
          function close(): void {
            if (isClosed) return;
            isClosed = true;
            isReading = false;
            out.push(null);
            drainTimer = setTimeout(disconnect, DRAIN_MS);
          }
          open.add(close);
          request.raw.res.once('close', () => {
            clearInterval(keepAlive);
            clearTimeout(drainTimer);
            unlisten();
            open.delete(close);
          });

          out.push('retry: 1000\n\n');
          if (reader.hasGap) out.push('event: gap\ndata: {"reason":"some events in between are no longer stored"}\n\n');
          // Compression would buffer events. The connection cannot be reused after a stream.
          return h
            .response(out)
            .type('text/event-stream')
            .header('cache-control', 'no-store')
            .header('content-encoding', 'identity')
            .header('connection', 'close');
        },
      }),
    ],
  };
}

const lines = ({ id, at, name, data }: StreamedEvent): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({ at, name, data })}\n\n`;
