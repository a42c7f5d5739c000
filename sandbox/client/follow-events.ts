import { setTimeout as sleep } from 'node:timers/promises';
import { openEvents, SandboxUnreachable, type StreamEvent } from './admin-client.js';
import type { RunFile } from './run-file.js';

const RECONNECT_MS = 500;
const MAX_RECONNECTS = 10;

export interface FollowOptions {
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Called for each connection, because a restarted sandbox may listen on another port. */
  readonly find: () => RunFile | undefined;
  /** Called once, when the first connection is open. No event after that is missed. */
  readonly onOpen: (run: RunFile) => void;
}

/**
 * Yields every event until the sandbox stops or the signal aborts. Reconnects after a broken connection and continues after the
 * last event.
 * @throws SandboxUnreachable after 10 failed reconnects, SandboxRefused for an error response
 */
export async function* followEvents({ after, signal, find, onOpen }: FollowOptions): AsyncGenerator<StreamEvent> {
  let last = after;
  let isOpen = false;
  let failures = 0;
  for (let run = find(); run && !signal.aborted; run = find()) {
    try {
      const events = await openEvents(run, { after: last, signal });
      if (!isOpen) onOpen(run);
      isOpen = true;
      failures = 0;
      for await (const event of events) {
        if (event.id !== '') last = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      // Reconnects only to an unreachable sandbox, which may be restarting; an error response would be the same again.
      if (!isOpen || !(error instanceof SandboxUnreachable) || ++failures === MAX_RECONNECTS) throw error;
    }
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}
