import { Readable } from 'node:stream';
import { answeredWithin } from '../contract/answered-within.js';
import { type Route, route } from '../contract/route.js';
import { PlatformError } from '../errors.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { type Operators, operatorOf } from '../kernel/http/operators.js';
import type { EventStream, StreamedEvent } from '../kernel/observe/event-stream.js';
import type { Numbers } from '../messaging/numbers.js';

const KEEP_ALIVE_MS = 15_000;
/** Together at most 5 seconds: so long a stream outlives the session of its operator. */
const RECHECK_MS = 2_000;
const RECHECK_LIMIT_MS = 2_500;
/** How long a client may take to read the rest of the stream when the platform stops. */
const DRAIN_MS = 500;
/** Open streams of a platform. Each buffers a few events that its client has not read. */
const MAX_STREAMS = 100;
const BUFFERED_BYTES = 16 * 1024;
/** Encoded events that streams share. */
const MAX_SHARED = 1_000;

interface EventRouteDeps {
  readonly stream: EventStream;
  /** Asked repeatedly whether the operator who opened a stream may still read it. */
  readonly operators: Operators;
  readonly numbers: Pick<Numbers, 'list'>;
}

/** A stream whose client is connected. */
interface OpenStream {
  /** Ends the stream after what its client still reads. */
  readonly close: () => void;
  readonly disconnect: () => void;
  /** Whether the client has not read what was sent. */
  readonly isStalled: () => boolean;
  readonly unread: () => number;
}

/** The admin route that streams every event as server-sent events; `stop` ends the open streams. */
export function eventRoutes(deps: EventRouteDeps): { routes: Route[]; stop: () => void } {
  const { stream } = deps;
  const open = new Set<OpenStream>();
  const shared = new Map<string, WeakRef<Buffer>>();

  /** The bytes of an event: one copy for all streams whose clients have not read it. */
  function bytesOf(event: StreamedEvent): Buffer {
    const known = shared.get(event.id)?.deref();
    if (known) return known;
    const bytes = Buffer.from(lines(event));
    shared.set(event.id, new WeakRef(bytes));
    if (shared.size > MAX_SHARED) shared.delete(shared.keys().next().value!);
    return bytes;
  }

  /** Makes room for one more stream: the one whose client is furthest behind is disconnected. @throws PlatformError 429 when all clients read */
  function makeRoom(): void {
    if (open.size < MAX_STREAMS) return;
    const unread = [...open].filter((stream) => stream.isStalled()).sort((a, b) => b.unread() - a.unread());
    if (unread.length === 0) throw new PlatformError(429, 'too_many_streams', `${MAX_STREAMS} event streams are open; close one of them`);
    open.delete(unread[0]!);
    unread[0]!.disconnect();
  }

  return {
    stop: () => {
      for (const { close } of open) close();
    },
    routes: [
      route({
        method: 'GET',
        path: '/events',
        permission: 'messages.read_bodies',
        accounts: 'filtered',
        shards: 'events',
        summary: 'Streams every event. With `Last-Event-ID` the stream starts with the events after that id.',
        responses: { 200: { contentType: 'text/event-stream' } },
        async handler({ headers, request }, h) {
          const operator = operatorOf(request);
          let own = await ownNumbers();
          async function ownNumbers(): Promise<ReadonlySet<string> | undefined> {
            return operator.accounts && new Set((await visibleNumbers(deps.numbers, operator)).map(({ uuid }) => uuid));
          }
          makeRoom();
          const last = headers['last-event-id'];
          // Plain ids would tell how many events there are: one after the last is not known.
          const reader = stream.reader(own && last !== undefined && !stream.isSealed(last) ? '' : last);
          // Events stay in the shared stream, so a slow client costs no memory; it is disconnected once its next event was evicted.
          const out = new Readable({ read: pump, highWaterMark: BUFFERED_BYTES });
          let isReading = false;
          let isCaughtUp = false;
          function pump(): void {
            isReading = !isClosed;
            while (isReading) {
              const event = reader.next();
              if (!event) {
                caughtUp();
                return;
              }
              // Events about no number are for operators who are not restricted to accounts.
              if (!own) isReading = out.push(bytesOf(event));
              else if (isOwn(numbersIn(event.data), own)) isReading = out.push(lines({ ...event, id: stream.sealed(event.id) }));
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
            if (isReading) out.push(': still here\n\n');
          }, KEEP_ALIVE_MS);
          // A session can end, a key can be removed and a role can change while a stream is open.
          const { keyId: _, ...shown } = operator;
          const opener = JSON.stringify(shown);
          const recheck = setInterval(async () => {
            const found = await answeredWithin(RECHECK_LIMIT_MS, deps.operators(request));
            if (!found || found instanceof PlatformError || JSON.stringify(found.operator) !== opener) close();
            else own = await ownNumbers().catch(() => new Set<string>());
          }, RECHECK_MS);
          let drainTimer: NodeJS.Timeout | undefined;
          let isClosed = false;
          function close(): void {
            if (isClosed) return;
            isClosed = true;
            isReading = false;
            out.push(null);
            drainTimer = setTimeout(disconnect, DRAIN_MS);
          }
          const opened = { close, disconnect, isStalled: () => !isReading, unread: reader.unread };
          open.add(opened);
          request.raw.res.once('close', () => {
            clearInterval(keepAlive);
            clearInterval(recheck);
            clearTimeout(drainTimer);
            unlisten();
            open.delete(opened);
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

/** Whether an event names a number, and none of another account. */
const isOwn = (named: readonly string[], own: ReadonlySet<string>): boolean => named.length > 0 && named.every((uuid) => own.has(uuid));

/** The numbers that an event names, itself or in its records. */
function numbersIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  return [data, ...Object.values(data)].flatMap((part: unknown) => {
    const number = (part as { readonly number?: unknown } | null | undefined)?.number;
    const uuid = typeof number === 'string' ? number : (number as { readonly uuid?: unknown } | null | undefined)?.uuid;
    return typeof uuid === 'string' ? [uuid] : [];
  });
}

const lines = ({ id, at, name, data }: StreamedEvent): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify({ at, name, data })}\n\n`;
