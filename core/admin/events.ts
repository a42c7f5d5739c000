import { PassThrough } from 'node:stream';
import { type Route, route } from '../contract/route.js';
import type { EventStream, StreamedEvent } from '../kernel/event-stream.js';

const KEEP_ALIVE_MS = 15_000;
/** A listener that reads this much too slowly is cut off; it can come back with Last-Event-ID. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Everything that happens, as server-sent events. */
export function eventRoutes({ stream }: { stream: EventStream }): { routes: Route[]; stop: () => void } {
  const open = new Set<() => void>();

  return {
    stop: () => {
      for (const close of open) close();
    },
    routes: [
      route({
        method: 'GET',
        path: '/events',
        summary: 'Streams everything that happens. With Last-Event-ID it first repeats what came after that event.',
        responses: { 200: { contentType: 'text/event-stream' } },
        handler({ headers, request }, h) {
          const out = new PassThrough();
          const write = (event: StreamedEvent): void => {
            if (out.writableLength > MAX_UNREAD_BYTES) close();
            else out.write(lines(event));
          };
          const keepAlive = setInterval(() => out.write(': still here\n\n'), KEEP_ALIVE_MS);
          const unlisten = stream.listen(write);
          const close = (): void => {
            clearInterval(keepAlive);
            unlisten();
            open.delete(close);
            out.end();
          };
          open.add(close);
          request.raw.req.once('close', close);

          out.write('retry: 1000\n\n');
          const after = headers['last-event-id'];
          if (after !== undefined) {
            const { events, gap } = stream.since(after);
            if (gap) out.write('event: gap\ndata: {"reason":"some events in between are not kept any more"}\n\n');
            for (const event of events) write(event);
          }
          return h.response(out).type('text/event-stream').header('cache-control', 'no-store').header('content-encoding', 'identity');
        },
      }),
    ],
  };
}

const lines = ({ id, at, name, data }: StreamedEvent): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({ at, name, data })}\n\n`;
