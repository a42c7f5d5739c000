import { announce } from '../../data/announce.js';
import type { LiveEvent } from '../../data/live-event.js';

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
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `events-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  announce(`Saved ${events.length} events`);
}
