import type { RecordedCall } from '#core';
import { SERVER } from '../data/address.js';
import type { Source } from '../data/pages.js';
import { eachOf, everything, ifKept, saveCsv, savedText, saveLines, saveText } from './files.js';
import { exchangeOfCall, harOf } from './har.js';
import { texts } from './texts.js';

/** A call without headers and bodies. */
export type CallSummary = Omit<RecordedCall, 'request' | 'response'>;

/** Saves calls: the marked ones, or all that match. */
export async function saveCalls(
  kind: 'har' | 'jsonl' | 'csv',
  source: Source<CallSummary>,
  marked: readonly CallSummary[] | undefined,
  progress: (text: string) => void,
): Promise<string> {
  const { items, isCut } = marked ? { items: marked, isCut: false } : await everything(source, progress);
  if (kind === 'csv') {
    saveCsv('calls', items, {
      time: ({ at }) => at,
      method: ({ method }) => method,
      path: ({ path }) => path,
      status: ({ status }) => status,
      ms: ({ ms }) => ms,
      number: ({ number }) => number?.address,
      number_name: ({ number }) => number?.name,
      error: ({ error }) => error,
      id: ({ id }) => id,
    });
    return savedText(items.length, texts.calls, isCut);
  }
  const whole = await eachOf(items, ({ id }) => ifKept<{ call: RecordedCall }>(`/calls/${encodeURIComponent(id)}`), progress);
  const calls = whole.map(({ call }) => call);
  if (kind === 'jsonl') await saveLines('calls', calls.length, (at) => JSON.stringify(calls[at]));
  else {
    const exchanges = calls.toReversed().map((call) => exchangeOfCall(call, SERVER.href));
    saveText('calls', 'har', 'application/json', JSON.stringify(harOf(exchanges), null, 1));
  }
  return savedText(calls.length, texts.calls, isCut);
}
