import type { Platform } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import { missingNumbers, NOTES_FILE, type Notes } from '../demo/notes.js';
import { made } from './sandbox-plugin.js';

/** The notes of a state to resume; undefined if the folder has none. @throws when the state and the notes do not belong together */
export async function notesToResume(
  { numbers, store }: Platform,
  notes: Notes | undefined,
  folder: string | undefined,
): Promise<Notes | undefined> {
  const existing = new Set((await numbers.list()).map(({ uuid }) => uuid));
  if (!notes) {
    if ((await store.open(made).count()) > 0) {
      const fix = 'Restore it from a backup of the folder, or choose another folder';
      throw new Error(`${folder}/${NOTES_FILE} is missing; it contains the admin key and the tokens of this sandbox. ${fix}`);
    }
    if (existing.size > 0) throw new Error(`${folder} contains a state that was not created by a sandbox; choose another folder`);
    return undefined;
  }
  const missing = missingNumbers(notes, existing);
  if (missing.length === 0) return notes.isKept === true || existing.size > 0 ? notes : undefined;
  // An interrupted start leaves notes without a state.
  if (!notes.isKept && existing.size === 0) return undefined;
  throw new Error(
    `${folder} has lost data: ${NOTES_FILE} names ${missing.join(' and ')}, which the state does not contain. Restore a backup of the folder, or choose another folder. For details run npx posthorn data check ${folder}; after a repair, look for the missing records in set-aside-*.jsonl`,
  );
}

/** The uuids of the numbers whose tokens are no longer valid. Channels that were removed need none. */
export async function numbersWithoutToken({ tokens, webhooks }: Platform, { numbers, channels }: Seeded): Promise<string[]> {
  const callers = await Promise.all(numbers.map(({ token }) => tokens.caller(token)));
  const connectors = await Promise.all(channels.map(({ webhook }) => webhooks.get(webhook.uuid)));
  const isRemoved = (uuid: string): boolean => channels.some((channel, i) => channel.uuid === uuid && connectors[i] === undefined);
  return numbers.flatMap(({ uuid }, i) => (callers[i]?.number.uuid === uuid || isRemoved(uuid) ? [] : [uuid]));
}
