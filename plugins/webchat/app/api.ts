/** The server refused a call. Other failures are those of the network. */
export class Refused extends Error {
  readonly status: number;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, retryAfter: string | null) {
    super(`the server answered ${status}`);
    this.status = status;
    const seconds = Number(retryAfter);
    this.retryAfterMs = retryAfter !== null && seconds >= 0 ? Math.min(seconds * 1_000, MAX_WAIT_MS) : undefined;
  }

  /** Whether the same call can succeed later. */
  get isTemporary(): boolean {
    return this.status >= 500 || [408, 425, 429].includes(this.status);
  }
}

const TIMEOUT_MS = 20_000;
const MAX_WAIT_MS = 300_000;

export const isUser = (visitor: string | undefined): boolean => visitor?.startsWith('user:') === true;

/** The calls of the server. They throw `Refused`, or an error of the network. */
export type Api = ReturnType<typeof createApi>;

/** @param renew opens the session again, because the token has expired */
export function createApi(base: string, session: () => { token?: string; visitor?: string }, renew: () => Promise<void>) {
  const headers = (): Record<string, string> => (session().token === undefined ? {} : { authorization: `Bearer ${session().token}` });
  const fetched = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { ...init, headers: { ...init.headers, ...headers() }, credentials: 'omit' });
    if (!response.ok) throw new Refused(response.status, response.headers.get('retry-after'));
    return response;
  };

  /** Repeats a call once with a new token. */
  async function withSession<T>(work: () => Promise<T>, isSession = false): Promise<T> {
    const { token, visitor } = session();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401 || isSession) throw error;
      if (session().token === token) await renew();
      // Another user has logged in, whose message this is not.
      if (isUser(visitor) && session().visitor !== visitor) throw error;
      return work();
    }
  }

  return {
    base,
    call: <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> =>
      withSession(async () => {
        const response = await fetched(base + path, {
          method,
          ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
          cache: 'no-store',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        return response.status === 204 ? undefined : response.json();
      }, path === 'sessions'),
    stream: (url: string, init: RequestInit): Promise<Response> => withSession(() => fetched(url, init)),
    upload: <T>(file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<T> =>
      withSession(
        () =>
          // Requests of `fetch` have no progress of uploads.
          new Promise((resolve, reject) => {
            const request = new XMLHttpRequest();
            const query = new URLSearchParams({ name: file.name, type: file.type || 'application/octet-stream' });
            request.open('POST', `${base}files?${query}`);
            for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
            request.setRequestHeader('content-type', file.type || 'application/octet-stream');
            request.responseType = 'json';
            request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
            request.onload = () =>
              request.status < 300
                ? resolve(request.response)
                : reject(new Refused(request.status, request.getResponseHeader('retry-after')));
            request.onerror = () => reject(new TypeError('the network failed'));
            request.onabort = () => reject(signal.reason);
            signal.addEventListener('abort', () => request.abort());
            request.send(file);
          }),
      ),
  };
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait after the given number of failures: as long as the server asks, or twice as long each time, with jitter. */
export function waitMs(failures: number, error?: unknown): number {
  if (error instanceof Refused && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
}

/** Runs `work` in one tab of this browser at a time; immediately where the browser has no locks. */
export async function inOneTab<T>(name: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks ? ((await navigator.locks.request(name, work)) as T) : work();
}
