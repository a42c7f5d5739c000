import type { PluginContext } from '#core';
import type { JourneyRecord } from '../definitions/journey.js';
import { type SessionRecord, sessions } from '../records.js';
import { isWaiting } from './session.js';

const PAGE = 500;
/** Waiting sessions of the number that are read at most, because each has its state. */
const MAX_READ = 5_000;

/** The sessions of a journey that wait for their contacts, the last one to take a turn first. */
export async function waitingSessions(
  { store, clock }: Pick<PluginContext, 'store' | 'clock'>,
  { uuid, number }: JourneyRecord,
  limit: number,
): Promise<SessionRecord[]> {
  const records = store.open(sessions);
  const found: SessionRecord[] = [];
  for (let read = 0, after = ''; read < MAX_READ; read += PAGE) {
    const page = await records.find('parked', { equals: [number], after: [after], limit: PAGE });
    found.push(...page.filter((session) => session.journey === uuid && isWaiting(session, clock.now())));
    if (page.length < PAGE) break;
    after = page.at(-1)!.parked_for!;
  }
  return found.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).slice(0, limit);
}
