import { useEffect, useState } from 'preact/hooks';
import { useQuery } from './query.js';

/** The time of the server, which may have been moved or paused in a sandbox; renders again every `everyMs`. */
export function useServerTime(everyMs: number): number {
  const { data } = useQuery<{ now: string; paused: boolean }>('/clock', ['clock.']);
  const [offset, setOffset] = useState(0);
  const [, tick] = useState(0);
  useEffect(() => setOffset(data ? Date.parse(data.now) - Date.now() : 0), [data]);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return data?.paused ? Date.parse(data.now) : Date.now() + offset;
}
