import { useSearchParams } from 'wouter-preact';

export type Filters = Readonly<Record<string, string>>;

/** The filters that every list has besides its own. */
const TIMES = ['from', 'before'];
const GROUPED = 'group';

export interface FilterState {
  readonly values: Filters;
  /** Whether equal rows are shown as one. */
  readonly isGrouped: boolean;
  readonly group: (isGrouped: boolean) => void;
  readonly isFiltered: boolean;
  /** The filters as part of an address, such as `?state=dropped`; empty without one. */
  readonly query: string;
  /** Sets filters, or removes those with an empty value. `isStep`: the browser's *back* returns to the filters before. */
  readonly set: (changes: Filters, isStep?: boolean) => void;
  readonly clear: () => void;
}

/** The filters of a list, which are in the address. Other parts of the query, such as a tab, are not filters. */
export function useFilters(own: readonly string[]): FilterState {
  const [params, setParams] = useSearchParams();
  const names = [...own, ...TIMES];
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''] as const).filter(([, value]) => value !== ''));
  const isGrouped = params.has(GROUPED);
  const query = new URLSearchParams({ ...values, ...(isGrouped && { [GROUPED]: 'true' }) }).toString();
  const set = (changes: Filters, isStep = false): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: !isStep },
    );
  return {
    values,
    isGrouped,
    group: (isOn) => set({ [GROUPED]: isOn ? 'true' : '' }),
    isFiltered: Object.keys(values).length > 0,
    query: query === '' ? '' : `?${query}`,
    set,
    clear: () => set(Object.fromEntries(names.map((name) => [name, ''])), true),
  };
}
