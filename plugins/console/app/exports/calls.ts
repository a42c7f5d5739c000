import type { RecordedCall } from '#core';
import { SERVER } from '../data/address.js';
import type { Source } from '../data/pages.js';
import { ifKept, linesForm, type Progress, saveAll, tableForm } from './files.js';
import { exchangeOfCall, harForm } from './har.js';

/** A call without headers and bodies. */
export type CallSummary = Omit<RecordedCall, 'request' | 'response'>;

const wholeOf = async ({ id }: CallSummary): Promise<RecordedCall | undefined> =>
  (await ifKept<{ call: RecordedCall }>(`/calls/${encodeURIComponent(id)}`))?.call;

/** Saves calls: the marked ones, or all that match. */
export function saveCalls(
  kind: 'har' | 'jsonl' | 'csv',
  source: Source<CallSummary>,
  marked: readonly CallSummary[] | undefined,
  progress: Progress,
): Promise<string> {
  const exported = { what: 'calls', source, marked, progress } as const;
  if (kind === 'har')
    return saveAll(
      exported,
      harForm(wholeOf, (call) => [exchangeOfCall(call, SERVER.href)]),
    );
  if (kind === 'jsonl') return saveAll(exported, linesForm(wholeOf));
  return saveAll(
    exported,
    tableForm<CallSummary>({
      time: ({ at }) => at,
      method: ({ method }) => method,
      path: ({ path }) => path,
      status: ({ status }) => status,
      ms: ({ ms }) => ms,
      number: ({ number }) => number?.address,
      number_name: ({ number }) => number?.name,
      error: ({ error }) => error,
      id: ({ id }) => id,
    }),
  );
}
