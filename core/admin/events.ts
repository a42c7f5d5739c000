import { Readable } from 'node:stream';
import { type Route, route } from '../contract/route.js';
import type { EventStream, StreamedEvent } from '../kernel/event-stream.js';

const KEEP_ALIVE_MS = 15_000;
/** How long a reader may take to read the rest when the platform stops. */
const LAST_WORDS_MS = 500;

/** The admin route that streams every event as server-sent events. */
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
          const reader = stream.reader(headers['last-event-id']);
          // Events wait in the stream, not here: whoever reads too slowly costs nothing, and is cut off when they are gone.
          const out = new Readable({ read: pass });
          let isWanted = false;
          function pass(): void {
            isWanted = true;
            while (isWanted) {
              const event = reader.next();
              if (!event) return;
              isWanted = out.push(lines(event));
            }
          }
          const cut = (): void => void request.raw.res.destroy();
          const unlisten = stream.listen(() => {
            if (isWanted) pass();
            else if (reader.isLost()) cut();
          });
          const keepAlive = setInterval(() => {
            if (isWanted) out.push(': still here\n\n');
          }, KEEP_ALIVE_MS);
          let patience: NodeJS.Timeout | undefined;
          const close = (): void => {
            isWanted = false;
            out.push(null);
            patience = setTimeout(cut, LAST_WORDS_MS);
          };
          open.add(close);
          request.raw.res.once('close', () => {
            clearInterval(keepAlive);
            clearTimeout(patience);
            unlisten();
            open.delete(close);
          });

          out.push('retry: 1000\n\n');
          if (reader.hasGap) out.push('event: gap\ndata: {"reason":"some events in between are not kept any more"}\n\n');
          // Not compressed, as it would stand still in the compressor; and its connection serves nobody after it.
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
