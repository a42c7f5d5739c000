import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOptions, DataProblem } from '#core';
import type { OptionTree } from '../option-tree.js';
import type { Seeded } from './apply-seed.js';
import type { StoredIntegration } from './demo-integration.js';
import type { FullSeed } from './seed.js';

/** The notes file of a sandbox, next to its state: tokens and secrets, which the state stores hashed or encrypted. */
export interface Notes {
  readonly adminKey: string;
  readonly isDemo: boolean;
  /** Whether the state was committed when the notes were written. If not, the start was interrupted. */
  readonly isKept?: boolean | undefined;
  readonly seeded: Seeded;
  readonly integration?: StoredIntegration | undefined;
  /** The seed that was applied, for a reset; absent for the demo, whose seed has other URLs in each run. */
  readonly seed?: FullSeed | undefined;
  /** The key from which the ids of the seed follow, and whether the user gave it. Folders of 0.1.0 have none. */
  readonly seedKey?: { readonly text: string; readonly isOwn: boolean };
  /** The state that replaces this one: current once the store contains its id. */
  readonly next?: Pick<Notes, 'isKept' | 'seeded' | 'integration'> & { readonly state: string };
  /** The options of the seed and the words of the dialect, which a resumed sandbox applies again. */
  readonly options?: OptionTree | undefined;
  /** The tokens of numbers that were created while the sandbox ran, by the uuid of the number. */
  readonly tokens?: Readonly<Record<string, string>> | undefined;
  /** The options that were changed while the sandbox ran. */
  readonly chosen?: OptionTree | undefined;
}

export const NOTES_FILE = 'sandbox.json';

/** Reads the notes of a folder; undefined when it has none. @throws when the notes cannot be read */
export function readNotes(folder: string): Notes | undefined {
  const file = join(folder, NOTES_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return notesIn(file);
  } catch (error) {
    const advice = 'It has the only copy of the tokens. Restore it from a backup of the folder, or choose another folder';
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}. ${advice}`);
  }
}

function notesIn(file: string): Notes {
  const notes = JSON.parse(readFileSync(file, 'utf8')) as Notes | null;
  const { numbers, channels, webhooks, journeys } = notes?.seeded ?? {};
  if (typeof notes?.adminKey === 'string' && [numbers, channels, webhooks, journeys].every(Array.isArray)) return notes;
  throw new Error('it was not written by a sandbox');
}

/** The notes of the state that the store has: after a crash in a replacement those of the previous or of the next one. */
export function currentNotes({ next, ...notes }: Notes, state: string | undefined): Notes {
  if (!next || next.state !== state) return notes;
  const { isKept, seeded, integration } = next;
  return { ...notes, isKept, seeded, integration };
}

const stateOf = (json: string | undefined): string | undefined =>
  json === undefined ? undefined : (JSON.parse(json) as { state?: string }).state;

/** The numbers in the notes that the state does not contain, as text. */
export const missingNumbers = ({ seeded }: Notes, existing: { has(uuid: string): boolean }): string[] =>
  seeded.numbers.flatMap(({ uuid, address }) => (existing.has(uuid) ? [] : [`${address} (${uuid})`]));

/** Checks the notes of a folder for problems that would prevent a start. */
export const notesCheck =
  (folder: string): NonNullable<CheckOptions['ownFiles']> =>
  (documentsOf) => {
    const file = join(folder, NOTES_FILE);
    const problem = (damage: string): DataProblem[] => [{ file: NOTES_FILE, damage }];
    if (!existsSync(file)) {
      if (documentsOf('sandbox.made').size === 0) return [];
      return problem('the file is missing; it contains the admin key and the tokens of this sandbox');
    }
    try {
      const notes = currentNotes(notesIn(file), stateOf(documentsOf('sandbox.made').get('seed')));
      const existing = documentsOf('core.numbers');
      const missing = missingNumbers(notes, existing);
      return missing.length === 0 || (!notes.isKept && existing.size === 0)
        ? []
        : problem(`it names ${missing.join(' and ')}, which the data do not contain`);
    } catch (error) {
      return problem(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

/** Writes the notes atomically, readable for the owner only, as they contain all tokens. */
export function writeNotes(folder: string, notes: Notes): void {
  const file = join(folder, NOTES_FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(notes, null, 2), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
