import { announce } from '../../data/announce.js';
import type { LiveEvent } from '../../data/live-event.js';
import { saveFile } from '../../data/save-file.js';

/** Lines per block, so that the page stays responsive. */
const BLOCK = 5_000;

/** Saves events as JSON lines, as `posthorn tail --json` prints them. */
export async function download(events: readonly LiveEvent[]): Promise<void> {
  const parts: Blob[] = [];
  for (let at = 0; at < events.length; at += BLOCK) {
    parts.push(
      new Blob([
        events
          .slice(at, at + BLOCK)
          .map(({ line }) => `${line}\n`)
          .join(''),
      ]),
    );
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  saveFile(`events-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`, new Blob(parts, { type: 'application/jsonl' }));
  announce(`Saved ${events.length} events`);
}
