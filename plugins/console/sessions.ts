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
}

/** Sign-in codes and the sessions of browsers. */
export interface ConsoleSessions {
  /** Issues a code that opens one session within 10 minutes. */
  issueCode(): string;
  /** Makes a code unusable, whether or not it has been used. */
  discardCode(code: string): void;
  /**
   * Opens a session for pages of `origin`, such as `http://127.0.0.1:4100`.
   * @returns the token of the session; undefined when the code is unknown, used or expired
   */
  redeem(code: string, origin: string): string | undefined;
  /** The origin of a session; undefined when there is no such session. */
  originOf(token: string): string | undefined;
  /** Ends a session, if there is one with this token. */
  end(token: string): void;
}

/** Where sessions come from, and who is notified when they change. */
export interface ConsoleSessionsOptions {
  /** Sessions of an earlier process, oldest first. Default: none. */
  readonly kept?: readonly KeptSession[] | undefined;
  /** Called with all current sessions, oldest first, when one has been opened or ended. */
  readonly onChange?: ((sessions: readonly KeptSession[]) => void) | undefined;
  /** Milliseconds since 1970. Default: the time of this machine. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates a set of sessions in memory. A session ends after 7 days, or when 100 newer ones are open. Not with the clock of the platform:
 * if that is stopped, a code must still expire, and if it is moved by weeks, the browser must stay signed in.
 */
export function createConsoleSessions({ kept = [], onChange, now = Date.now }: ConsoleSessionsOptions = {}): ConsoleSessions {
  // Keys are hashes, so that the time of a lookup says nothing about the secrets.
  const codes = new Map<string, number>();
  const sessions = new Map(
    kept
      .filter(isCurrent)
      .slice(-MAX_SESSIONS)
      .map((session) => [session.hash, session]),
  );

  return {
    issueCode() {
      const code = newSecret(CODE_BYTES);
      add(codes, hashOf(code), now() + CODE_MS, MAX_CODES);
      return code;
    },
    discardCode: (code) => void codes.delete(hashOf(code)),
    redeem(code, origin) {
      const key = hashOf(code);
      const expiresAt = codes.get(key);
      codes.delete(key);
      if (expiresAt === undefined || expiresAt <= now()) return undefined;
      const token = newSecret(TOKEN_BYTES);
      const hash = hashOf(token);
      add(sessions, hash, { hash, origin, expires_at: now() + SESSION_MS }, MAX_SESSIONS);
      changed();
      return token;
    },
    originOf(token) {
      const session = sessions.get(hashOf(token));
      return session && isCurrent(session) ? session.origin : undefined;
    },
    end(token) {
      if (sessions.delete(hashOf(token))) changed();
    },
  };

  function isCurrent({ expires_at }: KeptSession): boolean {
    return expires_at > now();
  }

  function changed(): void {
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
