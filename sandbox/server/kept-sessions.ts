import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConsoleSessions, createConsoleSessions, type KeptSession } from '../../plugins/console/plugin.js';
import { createOwnFolder, ownFolder } from '../client/run-file.js';

const FILE = 'console-sessions.json';

/**
 * The sessions of the console in a file of this folder, so that a restart signs no browser out. The file has hashes of tokens, with which
 * no browser can sign in. Sandboxes in one folder share it; each session is for the port of one of them.
 */
export function keptSessions(folder: string): ConsoleSessions {
  const kept = read(folder);
  let previous = hashesOf(kept);
  return createConsoleSessions({
    kept,
    onChange(sessions) {
      const current = hashesOf(sessions);
      const opened = sessions.filter(({ hash }) => !previous.has(hash));
      const ended = [...previous].filter((hash) => !current.has(hash));
      previous = current;
      try {
        // Only this change: another sandbox may have ended a session that this one has read.
        write(folder, [...read(folder).filter(({ hash }) => !ended.includes(hash)), ...opened]);
      } catch (error) {
        process.emitWarning(`the next restart signs browsers out of the console: ${error instanceof Error ? error.message : error}`);
      }
    },
  });
}

const hashesOf = (sessions: readonly KeptSession[]): ReadonlySet<string> => new Set(sessions.map(({ hash }) => hash));

/** The sessions in the file; none if it cannot be read, and browsers sign in again. */
function read(folder: string): readonly KeptSession[] {
  const file = join(ownFolder(folder), FILE);
  if (!existsSync(file)) return [];
  try {
    const sessions = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return Array.isArray(sessions) ? sessions.filter(isSession).map(ofAnyAdminKey) : [];
  } catch {
    return [];
  }
}

function isSession(value: unknown): value is KeptSession {
  const { hash, origin, expires_at } = (value ?? {}) as Partial<KeptSession>;
  return typeof hash === 'string' && typeof origin === 'string' && URL.canParse(origin) && typeof expires_at === 'number';
}

/** A sandbox that starts again may have another admin key, and the browsers of its user stay signed in. */
const ofAnyAdminKey = ({ operator, ...session }: KeptSession): KeptSession =>
  operator === undefined || operator.startsWith('key/') ? session : { ...session, operator };

function write(folder: string, sessions: readonly KeptSession[]): void {
  const file = join(createOwnFolder(folder), FILE);
  writeFileSync(`${file}.new`, JSON.stringify(sessions, null, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
