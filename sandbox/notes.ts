import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NotedIntegration } from './demo-integration.js';
import type { Seeded } from './plant.js';

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
    const notes = JSON.parse(readFileSync(file, 'utf8')) as Notes | null;
    if (typeof notes?.adminKey !== 'string' || typeof notes.seeded !== 'object') throw new Error('a sandbox did not write this');
    return notes;
  } catch (error) {
    const advice = 'Restore it from a backup of the folder, or choose another folder: it holds the tokens, which are nowhere else';
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}. ${advice}`);
  }
}

/** Whole or not at all; and readable for nobody else, as it holds every token. */
export function writeNotes(folder: string, notes: Notes): void {
  const file = join(folder, NOTES_FILE);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(notes, null, 2), { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
