import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A stream of server-sent events of a shard; undefined when it cannot be read at the moment, `ended` when the client may not read it any more. */
export type OpenEvents = (shard: string, lastEventId: string | undefined, signal: AbortSignal) => Promise<Readable | 'ended' | undefined>;

const KEEP_ALIVE_MS = 15_000;
const RETRY_MS = 500;
/** An id names the last event of each shard: `shard-1=a1b2-17,shard-2=c3d4-9`. */
const POSITION = /^([\w-]+)=([\w-]+)$/;

/** The last event of each shard that an id names; an id of another form names none. */
export function positionsIn(id: string | undefined): Map<string, string> {
  return new Map(
    (id ?? '').split(',').flatMap((part) => {
      const [, shard, last] = POSITION.exec(part) ?? [];
      return shard !== undefined && last !== undefined ? [[shard, last] as const] : [];
    }),
  );
}

const idOf = (positions: ReadonlyMap<string, string>): string => [...positions].map(([shard, last]) => `${shard}=${last}`).join(',');

/**
 * Merges the event streams of shards: ordered within a shard, in the order of arrival across shards. When a shard changes its owner, its
 * stream continues with that of the new owner, after a `gap` if events were lost.
 * @param first a stream that is already open, of the shard `firstShard`
 */
export function mergedEvents(
  shards: readonly string[],
  lastEventId: string | undefined,
  open: OpenEvents,
  opened: { readonly shard: string; readonly stream: Readable },
): Readable {
  const positions = positionsIn(lastEventId);
  const out = new PassThrough();
  const ended = new AbortController();
  const keepAlive = setInterval(() => out.writableNeedDrain || out.write(': still here\n\n'), KEEP_ALIVE_MS);
  out.once('close', () => {
    clearInterval(keepAlive);
    ended.abort();
  });
  out.write('retry: 1000\n\n');
  for (const shard of shards) void follow(shard, shard === opened.shard ? opened.stream : undefined);
  return out;

  async function follow(shard: string, first: Readable | undefined): Promise<void> {
    let stream: Readable | 'ended' | undefined = first;
    while (!ended.signal.aborted) {
      stream ??= await open(shard, positions.get(shard), ended.signal).catch(() => undefined);
      if (stream === 'ended') return void out.end();
      // A lost stream is opened again; the client misses nothing that the shard still has.
      if (stream) await copy(shard, stream).catch(() => undefined);
      stream = undefined;
      await sleep(RETRY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    }
  }

  async function copy(shard: string, stream: Readable): Promise<void> {
    const stop = () => stream.destroy();
    ended.signal.addEventListener('abort', stop, { once: true });
    let rest = '';
    try {
      for await (const chunk of stream.setEncoding('utf8')) {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop()!;
        for (const frame of frames) await write(shard, frame);
      }
    } finally {
      ended.signal.removeEventListener('abort', stop);
    }
  }

  async function write(shard: string, frame: string): Promise<void> {
    if (frame.startsWith(':') || frame.startsWith('retry:')) return;
    const [, id] = /^id: (.+)$/m.exec(frame) ?? [];
    if (id !== undefined) positions.set(shard, id);
    if (out.destroyed || out.write(`${id === undefined ? frame : frame.replace(/^id: .+$/m, `id: ${idOf(positions)}`)}\n\n`)) return;
    await new Promise<void>((resolve) => {
      out.once('drain', resolve);
      out.once('close', resolve);
    });
  }
}
