import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckOptions, DataProblem } from '#core';
import type { Seeded } from './apply-seed.js';
import type { NotedIntegration } from './demo-integration.js';

/** What a sandbox notes beside its state, because tokens and secrets cannot be read out of the state again. */
export interface Notes {
  readonly adminKey: string;
  readonly isDemo: boolean;
  /** Whether the state was made, and kept, when this was noted. Notes without a state are of a start that was cut off. */
  readonly isKept?: boolean;
  readonly seeded: Seeded;
  /** Of the demo. */
  readonly integration?: NotedIntegration | undefined;
}

export const NOTES_FILE = 'sandbox.json';

/** @throws when the file is there and cannot be read */
export function readNotes(folder: string): Notes | undefined {
  const file = join(folder, NOTES_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return notesIn(file);
  } catch (error) {
    const advice = 'Restore it from a backup of the folder, or choose another folder: it holds the tokens, which are nowhere else';
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}. ${advice}`);
  }
}

function notesIn(file: string): Notes {
  const notes = JSON.parse(readFileSync(file, 'utf8')) as Notes | null;
  const { numbers, channels, webhooks, journeys } = notes?.seeded ?? {};
  if (typeof notes?.adminKey === 'string' && [numbers, channels, webhooks, journeys].every(Array.isArray)) return notes;
  throw new Error('a sandbox did not write this');
}

/** The numbers that the notes name and that are not there, in words. */
export const lostNumbers = ({ seeded }: Notes, there: { has(uuid: string): boolean }): string[] =>
  seeded.numbers.flatMap(({ uuid, address }) => (there.has(uuid) ? [] : [`${address} (${uuid})`]));

/** What is wrong with the notes of a folder, so that a start there would be refused. */
export const notesCheck =
  (folder: string): NonNullable<CheckOptions['ownFiles']> =>
  (documentsOf) => {
    const file = join(folder, NOTES_FILE);
    const problem = (damage: string): DataProblem[] => [{ file: NOTES_FILE, damage }];
    if (!existsSync(file)) {
      if (documentsOf('sandbox.made').size === 0) return [];
      return problem('the file is missing; it has the admin key and the tokens of this sandbox');
    }
    try {
      const notes = notesIn(file);
      const there = documentsOf('core.numbers');
      const lost = lostNumbers(notes, there);
      return lost.length === 0 || (!notes.isKept && there.size === 0) ? [] : problem(`it names ${lost.join(' and ')}, which the data lack`);
    } catch (error) {
      return problem(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

/** Whole or not at all; and readable for nobody else, as it holds every token. */
export function writeNotes(folder: string, notes: Notes): void {
  const file = join(folder, NOTES_FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(notes, null, 2), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
