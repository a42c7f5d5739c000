import { owned } from '../contract/accounts.js';
import { type Route, route } from '../contract/route.js';
import type { SearchPlace } from '../contract/search.js';
import { Conflict, NotFound } from '../errors.js';
import { visibleNumbers } from '../kernel/http/account-scope.js';
import { operatorOf } from '../kernel/http/operators.js';
import { type CallLog, type CallSummary, callSchema, listedCallSchema, REFUSED, type RecordedCall } from '../kernel/observe/call-log.js';
import type { Numbers } from '../messaging/numbers.js';
import { array, boolean, dateTime, integer, object, string } from '../shape.js';
import { invalid, pageFields, pageOf, placeOf } from './search/place.js';
import { queryOf } from './search/query.js';
import { callText } from './search/texts.js';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;
const MAX_TEXT = 200;
/** The number of characters that one call compares with words. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The recorded calls of the API. */
export const callRoutes = ({
  calls,
  numbers,
}: {
  readonly calls: CallLog | undefined;
  readonly numbers: Pick<Numbers, 'list'>;
}): Route[] => [
  route({
    method: 'GET',
    path: '/calls',
    permission: 'messages.read_bodies',
    accounts: { number: owned.number },
    shards: { list: 'calls', by: ['at', 'id'], order: 'descending', limit: DEFAULT_LIMIT, pages: true },
    summary:
      'Lists recorded calls of the API, newest first, with their headers, bodies and responses; with `contents=false` without them. With `refused=true` only those with an error status, with `identified=false` those without a valid token; `status` is a status such as `404` or a class such as `4xx`, `path` a part of method and path, `text` words in the call or its response. `before` is a date-time or the `next` of an earlier page. One call looks at 4 MiB of texts: older than `looked_back_to` were not looked at; null if all were. Responds 409 unless the platform records calls.',
    request: {
      query: object(
        {},
        {
          refused: boolean(),
          identified: boolean(),
          number: string(),
          status: string().pattern(/^[1-5](\d\d|xx)$/, 'HTTP status or class'),
          path: string().max(MAX_TEXT),
          text: string().max(MAX_TEXT),
          from: dateTime(),
          before: string(),
          contents: boolean(),
          limit: integer().min(1).max(MAX_LIMIT),
        },
      ),
    },
    responses: { 200: object({ calls: array(listedCallSchema), ...pageFields }) },
    errors: [409],
    handler({ query: { text, from, before, contents = true, limit = DEFAULT_LIMIT, ...by } }) {
      if (!calls) throw new Conflict('not_recorded', 'Calls are not recorded; set the option recording: { calls: true }');
      const query = text === undefined ? undefined : queryOf(text);
      if (text !== undefined && !query) throw invalid('text', 'text must have 1 to 12 words');
      const place = before === undefined ? undefined : placeOf(before);
      const isWanted = wanted({ ...by, from: from && new Date(from).toISOString(), place });
      const all = calls.newestFirst();
      const last = all.findLastIndex(({ about: { at, id } }) => id === place?.id && at === place.at);
      const found: (CallSummary | RecordedCall)[] = [];
      let characters = 0;
      for (const { about, read } of all.slice(last + 1)) {
        if (!isWanted(about)) continue;
        const text = query ? callText(read()) : '';
        characters += text.length;
        if (!query || query.excerptOf(text) !== undefined) found.push(contents ? read() : about);
        if (found.length === limit || characters >= MOST_CHARACTERS) return { calls: found, ...pageOf(about) };
      }
      return { calls: found, ...pageOf(undefined) };
    },
  }),
  route({
    method: 'GET',
    path: '/calls/{id}',
    permission: 'messages.read_bodies',
    accounts: 'filtered',
    summary: 'Shows a recorded call. `id` is the `X-Request-Id` of its response.',
    request: { params: object({ id: string() }) },
    responses: { 200: object({ call: callSchema }) },
    errors: [404],
    async handler({ params: { id }, request }) {
      const found = calls?.get(id);
      const operator = operatorOf(request);
      const visible = operator.accounts && (await visibleNumbers(numbers, operator));
      if (!found || (visible && !visible.some(({ uuid }) => uuid === found.number?.uuid))) throw new NotFound('call', id);
      return { call: found };
    },
  }),
];

interface Wanted {
  readonly refused?: boolean | undefined;
  readonly identified?: boolean | undefined;
  readonly number?: string | undefined;
  readonly status?: string | undefined;
  readonly path?: string | undefined;
  readonly from: string | undefined;
  readonly place: SearchPlace | undefined;
}

/** Which calls a list shows, apart from their texts. */
function wanted({ refused, identified, number, status, path = '', from = '', place }: Wanted): (call: CallSummary) => boolean {
  const part = path.toLowerCase();
  return (call) =>
    (refused !== true || call.status >= REFUSED) &&
    (identified === undefined || identified === (call.number !== null)) &&
    (number === undefined || call.number?.uuid === number) &&
    (status === undefined || String(call.status).startsWith(status.replace('xx', ''))) &&
    `${call.method} ${call.path}`.toLowerCase().includes(part) &&
    call.at >= from &&
    // A place that this process does not know, because its call was evicted or is of another shard, is only a time.
    (place === undefined || (place.id === undefined ? call.at < place.at : call.at <= place.at));
}
