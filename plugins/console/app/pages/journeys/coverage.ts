import type { CoveredPart } from '../../components/journey-graph/graph-data.js';
import { useQuery } from '../../data/query.js';

export interface ListedRun {
  readonly id: string;
  readonly started_at: string;
  readonly state: 'running' | 'ended' | 'failed';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TestRun {
  readonly id: string;
  readonly started_at: string;
  readonly state: 'running' | 'ended' | 'failed';
  readonly error: string | null;
  readonly source: string;
  readonly tests: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed' | 'skipped';
    readonly line: number;
    readonly reason?: string;
    readonly failure?: { readonly message: string; readonly at?: { readonly line: number } };
  }[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly coverage: readonly { readonly journey: string; readonly percent: number; readonly parts: readonly CoveredPart[] }[];
}

/** The newest run of tests with coverage of a journey. Nothing on a platform without the plugin `tests`. */
export function useCoverage(journey: string) {
  const { data, error } = useQuery<{ runs: readonly ListedRun[] }>(`/tests/runs?journey=${journey}`, ['tests.', 'state.']);
  const id = data?.runs[0]?.id;
  const run = useQuery<{ run: TestRun }>(id && `/tests/runs/${id}`).data?.run;
  const own = run?.coverage.find((one) => one.journey === journey);
  return { run, parts: own?.parts, percent: own?.percent, hasNoPlugin: error?.status === 404 };
}
