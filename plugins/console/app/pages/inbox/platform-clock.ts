import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../../data/query.js';

/** The time of the platform at a time of this browser; equal unless the clock of the sandbox was moved or paused. */
const reading = signal({ platform: 0, browser: 0, isPaused: false });

/** Milliseconds since 1970 by the clock of the platform. */
export function platformNow(): number {
  const { platform, browser, isPaused } = reading.value;
  return isPaused ? platform : Date.now() + platform - browser;
}

/** Follows the clock of the sandbox while a page is shown. Hosts without that clock have the time of this browser. */
export function usePlatformClock(): void {
  const { data } = useQuery<{ readonly now: string; readonly paused: boolean }>('/clock', ['clock.']);
  useEffect(() => {
    if (data) reading.value = { platform: Date.parse(data.now), browser: Date.now(), isPaused: data.paused };
  }, [data]);
}

/** Seconds until a time of the platform, rendered every second; 0 afterwards. */
export function useSecondsUntil(until: string): number {
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => render((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((Date.parse(until) - platformNow()) / 1_000));
}
