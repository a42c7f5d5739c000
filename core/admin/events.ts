import { answeredWithin } from '../contract/answered-within.js';
import { type Route, route } from '../contract/route.js';
import { PlatformError } from '../errors.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import type { EventStreams } from '../kernel/http/event-streams.js';
import { type Operators, operatorOf } from '../kernel/http/operators.js';
import type { EventStream, StreamedEvent } from '../kernel/observe/event-stream.js';
import type { Numbers } from '../messaging/numbers.js';

/** Together at most 5 seconds: so long a stream outlives the session of its operator. */
const RECHECK_MS = 2_000;
const RECHECK_LIMIT_MS = 2_500;
/** Open streams of a platform. Each buffers a few events that its client has not read. */
const MAX_STREAMS = 100;
/** Encoded events that streams share. */
const MAX_SHARED = 1_000;

interface EventRouteDeps {
  readonly stream: EventStream;
  readonly eventStreams: EventStreams;
  /** Asked repeatedly whether the operator who opened a stream may still read it. */
  readonly operators: Operators;
  readonly numbers: Pick<Numbers, 'list'>;
}

/** A stream whose client is connected. */
interface OpenStream {
  readonly disconnect: () => void;
  /** Whether the client has not read what was sent. */
  readonly isStalled: () => boolean;
  readonly unread: () => number;
}

/** The admin route that streams every event as server-sent events. */
export function eventRoutes(deps: EventRouteDeps): Route[] {
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

  return [
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
        let isCaughtUp = false;
        /** Events stay in the shared stream, so a slow client costs no memory; it is disconnected once its next event was evicted. */
        function more(send: (event: Uint8Array | string) => boolean): void {
          for (let isReading = begin(send); isReading; ) {
            const event = reader.next();
            if (!event) {
              caughtUp(send);
              return;
            }
            // Events about no number are for operators who are not restricted to accounts.
            if (!own) isReading = send(bytesOf(event));
            else if (isOwn(numbersIn(event.data), own)) isReading = send(lines({ ...event, id: stream.sealed(event.id) }));
          }
        }
        let { hasGap } = reader;
        function begin(send: (event: string) => boolean): boolean {
          const isFirst = hasGap;
          hasGap = false;
          return !isFirst || send('event: gap\ndata: {"reason":"some events in between are no longer stored"}\n\n');
        }
        /** Tells clients once that the events after this comment are new. */
        function caughtUp(send: (event: string) => boolean): void {
          if (isCaughtUp) return;
          isCaughtUp = true;
          send(': every retained event was sent\n\n');
        }
        const out = deps.eventStreams.open(h, {
          more,
          ended() {
            clearInterval(recheck);
            unlisten();
            open.delete(opened);
          },
        });
        const unlisten = stream.listen(() => {
          if (out.isStalled() && reader.isLost()) out.disconnect();
          else out.wake();
        });
        // A session can end, a key can be removed and a role can change while a stream is open.
        const { keyId: _, ...shown } = operator;
        const opener = JSON.stringify(shown);
        const recheck = setInterval(async () => {
          const found = await answeredWithin(RECHECK_LIMIT_MS, deps.operators(request));
          if (!found || found instanceof PlatformError || JSON.stringify(found.operator) !== opener) out.close();
          else own = await ownNumbers().catch(() => new Set<string>());
        }, RECHECK_MS);
        const opened = { disconnect: out.disconnect, isStalled: out.isStalled, unread: reader.unread };
        open.add(opened);
        return out.response;
      },
    }),
  ];
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
