import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { admin, CallFailed, isUnreachable, RETRY_MS } from './admin.js';
import { live, returns } from './live.js';
import { access } from './operator.js';

/** Events come in bursts; one reload is enough for each. */
const DEBOUNCE_MS = 150;
/** While events keep coming, a query is read this often in this time, and not after each burst. */
const MAX_LOADS = 3;
const WINDOW_MS = 2_500;
/** After these events, any response may be another one. */
const RESETS: readonly string[] = ['gap', 'state.reset'];
const MAX_CACHED = 50;

/** The newest responses, so that a page that is opened again shows them while it loads. */
const cache = new Map<string, unknown>();

export interface Query<T> {
  /** The newest response; the previous one while it is loaded again. */
  readonly data: T | undefined;
  /** Why the newest call failed; undefined after a success. */
  readonly error: CallFailed | undefined;
  readonly reload: () => void;
}

interface Loaded<T> {
  readonly path: string | undefined;
  readonly data: T | undefined;
  readonly error: CallFailed | undefined;
}

/**
 * Reads from the admin API, and again when an event arrives whose name begins with one of `on`.
 * @param path below `/admin/v1`; undefined reads nothing
 */
export function useQuery<T>(path: string | undefined, on: readonly string[] = []): Query<T> {
  const result = useSignal<Loaded<T>>({ path: undefined, data: undefined, error: undefined });
  const reload = useRef<() => void>(() => {});
  const names = on.join(' ');

  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLoading = false;
    let isStale = false;
    /** When the newest loads began. */
    const loads: number[] = [];
    const load = async (): Promise<void> => {
      timer = undefined;
      // One call at a time: under load, responses stay in order and calls do not pile up.
      if (isLoading) {
        isStale = true;
        return;
      }
      isLoading = true;
      loads.push(Date.now());
      if (loads.length > MAX_LOADS) loads.shift();
      try {
        const data = await admin<T>('GET', path, undefined, abort.signal);
        remember(path, data);
        result.value = { path, data, error: undefined };
      } catch (error) {
        if (abort.signal.aborted) return;
        const data = result.value.path === path ? result.value.data : undefined;
        result.value = { path, data, error: error instanceof CallFailed ? error : new CallFailed(String(error), 0, undefined) };
        if (isUnreachable(error)) timer ??= setTimeout(() => void load(), RETRY_MS);
      }
      isLoading = false;
      if (isStale) {
        isStale = false;
        soon();
      }
    };
    const soon = (): void => {
      const isBusy = loads.length === MAX_LOADS;
      timer ??= setTimeout(() => void load(), Math.max(DEBOUNCE_MS, isBusy ? loads[0]! + WINDOW_MS - Date.now() : 0));
    };
    reload.current = () => void load();
    void load();
    const prefixes = names === '' ? [] : names.split(' ');
    const end = live.listen((batch) => {
      if (batch.some(({ name }) => RESETS.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)))) soon();
    });
    const before = returns.peek();
    const stop = returns.subscribe((count) => {
      if (count !== before) soon();
    });
    return () => {
      end();
      stop();
      clearTimeout(timer);
      abort.abort();
    };
  }, [path, names, access.value]);

  const shown =
    result.value.path === path
      ? result.value
      : { data: path === undefined ? undefined : (cache.get(path) as T | undefined), error: undefined };
  return { data: shown.data, error: shown.error, reload: () => reload.current() };
}

function remember(path: string, data: unknown): void {
  cache.delete(path);
  cache.set(path, data);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED) cache.delete(oldest!);
}
