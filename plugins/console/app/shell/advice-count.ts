import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useQuery } from '../data/query.js';

/** The number of entries of advice that were not dismissed, as the navigation shows it. */
export const adviceCount = signal(0);

/** Keeps the count current while the frame is shown. */
export function useAdviceCount(): void {
  const { data } = useQuery<{ readonly advice: readonly unknown[] }>('/advice', ['advice']);
  const count = data?.advice.length;
  useEffect(() => {
    if (count !== undefined) adviceCount.value = count;
  }, [count]);
}
