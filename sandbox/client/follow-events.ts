import { setTimeout as sleep } from 'node:timers/promises';
import { openEvents, SandboxUnreachable, type StreamEvent } from './admin-client.js';
import type { RunFile } from './run-file.js';

const RECONNECT_MS = 500;
const RECONNECTS = 10;

export interface Following {
  /** Begin after the event with this id. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Looked up for each connection: a sandbox that was started again may be elsewhere. */
  readonly find: () => RunFile | undefined;
  /** Told once, when nothing is missed any more. */
  readonly onOpen: (run: RunFile) => void;
}

/**
 * Every event, until there is no sandbox any more or the signal aborts. A connection that breaks is made anew, and goes on
 * after the last event.
 * @throws SandboxUnreachable when nobody has answered for a while, and what a refusal throws
 */
export async function* followEvents({ after, signal, find, onOpen }: Following): AsyncGenerator<StreamEvent> {
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
      // A refusal will be one next time; a sandbox that does not answer may be ending.
      if (!isOpen || !(error instanceof SandboxUnreachable) || ++failures === RECONNECTS) throw error;
    }
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}
