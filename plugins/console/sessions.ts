import { createHash, randomBytes } from 'node:crypto';

const CODE_MS = 10 * 60_000;
const SESSION_DAYS = 7;
/** How long a session lasts after the sign-in. */
export const SESSION_MS = SESSION_DAYS * 24 * 60 * 60_000;
/** The oldest ends when there are more. */
const MAX_CODES = 100;
const MAX_SESSIONS = 100;
/** A code is short, because terminals show it in a URL: 128 bits that work once within 10 minutes cannot be guessed. */
const CODE_BYTES = 16;
const TOKEN_BYTES = 32;

/** A session as a file may keep it: its token does not follow from it. */
export interface KeptSession {
  /** SHA-256 of the token, in base64. */
  readonly hash: string;
  /** Such as `http://127.0.0.1:4100`. */
  readonly origin: string;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
  /** Which key created the session, as `operatorOf(request).keyId`; `key`, any admin key, if absent. */
  readonly operator?: string;
}

/** Sign-in codes and the sessions of browsers. */
export interface ConsoleSessions {
  /** Issues a code that opens one session within 10 minutes. @param operator `operatorOf(request).keyId` of the call that creates the session; `key` if not given */
  issueCode(operator?: string): string;
  /** Makes a code unusable, whether or not it has been used. */
  discardCode(code: string): void;
  /**
   * Opens a session for pages of `origin`, such as `http://127.0.0.1:4100`.
   * @returns the token of the session; undefined when the code is unknown, used or expired
   */
  redeem(code: string, origin: string): string | undefined;
  /** The origin of a session and the key that created it; undefined when there is no such session. */
  sessionOf(token: string): { readonly origin: string; readonly operator: string } | undefined;
  /** Notes that a call used the session, so that its idle time begins again. */
  use(token: string): void;
  /** Ends a session, if there is one with this token. */
  end(token: string): void;
}

/** Where sessions come from, and who is notified when they change. */
export interface ConsoleSessionsOptions {
  /** Sessions of an earlier process, oldest first. Default: none. */
  readonly kept?: readonly KeptSession[] | undefined;
  /** Called with all current sessions, oldest first, when one has been opened or ended. */
  readonly onChange?: ((sessions: readonly KeptSession[]) => void) | undefined;
  /** How long a session lasts after the sign-in, in milliseconds. Default: 7 days. */
  readonly maxMs?: number | undefined;
  /** After how many milliseconds without a call a session ends. Default: `maxMs`. */
  readonly idleMs?: number | undefined;
  /** Milliseconds since 1970. Default: the time of this machine. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates a set of sessions in memory. A session ends after 7 days, when it is idle for too long, or when 100 newer ones are open. Not with the clock of the platform:
 * if that is stopped, a code must still expire, and if it is moved by weeks, the browser must stay signed in.
 */
export function createConsoleSessions({
  kept = [],
  onChange,
  maxMs = SESSION_MS,
  idleMs = maxMs,
  now = Date.now,
}: ConsoleSessionsOptions = {}): ConsoleSessions {
  /** When each session was last used; of one that an earlier process opened, since the start. */
  const usedAt = new Map<string, number>();
  const startedAt = now();
  // Keys are hashes, so that the time of a lookup says nothing about the secrets.
  const codes = new Map<string, { readonly expiresAt: number; readonly operator: string | undefined }>();
  const sessions = new Map(
    kept
      .filter(isCurrent)
      .slice(-MAX_SESSIONS)
      .map((session) => [session.hash, session]),
  );

  return {
    issueCode(operator) {
      const code = newSecret(CODE_BYTES);
      add(codes, hashOf(code), { expiresAt: now() + CODE_MS, operator }, MAX_CODES);
      return code;
    },
    discardCode: (code) => void codes.delete(hashOf(code)),
    redeem(code, origin) {
      const key = hashOf(code);
      const issued = codes.get(key);
      codes.delete(key);
      if (issued === undefined || issued.expiresAt <= now()) return undefined;
      const token = newSecret(TOKEN_BYTES);
      const hash = hashOf(token);
      const { operator } = issued;
      add(sessions, hash, { hash, origin, expires_at: now() + maxMs, ...(operator !== undefined && { operator }) }, MAX_SESSIONS);
      usedAt.set(hash, now());
      changed();
      return token;
    },
    sessionOf(token) {
      const session = sessions.get(hashOf(token));
      return session && isCurrent(session) ? { origin: session.origin, operator: session.operator ?? 'key' } : undefined;
    },
    use: (token) => void usedAt.set(hashOf(token), now()),
    end(token) {
      usedAt.delete(hashOf(token));
      if (sessions.delete(hashOf(token))) changed();
    },
  };

  function isCurrent({ hash, expires_at }: KeptSession): boolean {
    return expires_at > now() && (usedAt.get(hash) ?? startedAt) + idleMs > now();
  }

  function changed(): void {
    for (const hash of usedAt.keys()) if (!sessions.has(hash)) usedAt.delete(hash);
    onChange?.([...sessions.values()].filter(isCurrent));
  }
}

/** Not from the port `ids`: a seed key makes its values predictable, and each value that is taken changes the ids that follow. */
const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');

function add<V>(entries: Map<string, V>, key: string, value: V, max: number): void {
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > max) entries.delete(oldest!);
}
