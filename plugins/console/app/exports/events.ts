import type { LiveEvent } from '../data/live-event.js';
import { summaryOf } from '../pages/events/event-row.js';
import { saveCsv, savedText, saveLines } from './files.js';
import { texts } from './texts.js';

/** Saves events: as JSON lines, as `posthorn tail --json` prints them, or as a table. */
export async function saveEvents(kind: 'jsonl' | 'csv', events: readonly LiveEvent[]): Promise<string> {
  if (kind === 'jsonl') await saveLines('events', events.length, (at) => events[at]!.line);
  else saveCsv('events', events, { time: ({ at }) => at, name: ({ name }) => name, summary: summaryOf, id: ({ id }) => id });
  return savedText(events.length, texts.events, false);
}
