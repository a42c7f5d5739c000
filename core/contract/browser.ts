import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { NotFound, RateLimited } from '../errors.js';
import type { Clock } from '../ports/clock.js';

/** The types of parts for clients in browsers: other origins, streams, limits of callers without a token, and files. */

/** A call before its body is read and its path is checked. */
export interface ArrivingCall {
  /** The parameters of the path, as they were sent. */
  readonly params: Readonly<Record<string, string>>;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly request: Request;
}

/** A server-sent event; `data` is sent as JSON. */
export interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: unknown;
}

/** Where the events of a stream come from. The stream keeps none itself, so that a client that does not read costs no memory. */
export interface StreamSource {
  /**
   * Sends what the client has not received yet, in order. Runs when the client reads, and after `wake`; never twice at the same time. `send` also
   * takes lines that are encoded already. It returns false when the client must read first: `more` then returns, and runs again.
   */
  more(send: (event: SentEvent | Uint8Array | string) => boolean): Promise<void> | void;
  /** Runs once, when the stream has ended. */
  ended?(): void;
}

/** A stream of server-sent events to a client that is connected. */
export interface OpenEventStream {
  /** The response of the route. */
  readonly response: ResponseObject;
  /** There is something new to send. */
  wake(): void;
  /** Whether the client has not read what was sent. */
  isStalled(): boolean;
  /** Ends the stream after what its client still reads within half a second. */
  close(): void;
  disconnect(): void;
}

/** Streams to clients. The platform closes those that are open when it stops. */
export type EventStreamFactory = (h: ResponseToolkit, source: StreamSource) => OpenEventStream;

/** A file that a plugin serves to browsers. */
export interface BrowserFile {
  /** 16 hexadecimal digits that change with the file, for its name. @throws NotFound when the file is missing */
  hash(): string;
  /** For a file that the plugin completes before it responds with it. @throws NotFound */
  text(): string;
  /**
   * The file, which pages of every origin may load. Browsers keep it for a year under the name with its hash. Under another name, such as
   * that of an earlier release, they get the current file and do not keep it.
   */
  respond(h: ResponseToolkit, hash: string): ResponseObject;
}

/** Reads a file on first use. */
export type BrowserFileFactory = (file: URL, contentType: string) => BrowserFile;

/** Counts calls of clients that have no token of a number, such as visitors of a page, or addresses. */
export interface CallLimit {
  /** Counts one call. @throws RateLimited when there were too many since the window began */
  count(key: string): void;
  /** Counts one call if `work` finds nothing, as with a guessed link. @throws RateLimited when there were too many such calls */
  countMisses<T>(key: string, work: Promise<T>): Promise<T>;
}

/** How many calls of a client pass in a window of so many minutes, 1 if not given. */
export interface CallLimitOptions {
  /** For the text of the error. */
  readonly name: string;
  readonly calls: number;
  readonly minutes?: number;
}

const MINUTE_MS = 60_000;
/** Clients that are counted at a time. With more, the oldest counts are evicted. */
const MAX_KEYS = 100_000;

/** Creates a limit with windows that begin at the full minute. */
export function createCallLimit(clock: Pick<Clock, 'monotonic'>, { name, calls, minutes = 1 }: CallLimitOptions): CallLimit {
  const counts = new Map<string, number>();
  let window = 0;
  return {
    count,
    async countMisses(key, work) {
      try {
        return await work;
      } catch (error) {
        if (error instanceof NotFound) count(key);
        throw error;
      }
    },
  };

  function count(key: string): void {
    const now = clock.monotonic();
    const current = Math.floor(now / (minutes * MINUTE_MS));
    if (current !== window) counts.clear();
    window = current;
    const made = (counts.get(key) ?? 0) + 1;
    counts.set(key, made);
    if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value!);
    if (made <= calls) return;
    throw new RateLimited(name, calls, Math.max(1, Math.ceil(((current + 1) * minutes * MINUTE_MS - now) / 1000)), minutes);
  }
}
