import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import type { NumberRecord } from '#core';
import { number } from '../../../../../core/web/language.js';
import type { Export } from '../../components/export-menu.js';
import { lazyPart } from '../../components/lazy-part.js';
import { LogList } from '../../components/log-list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Status, toneOfHttp } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { type Filters, useFilters } from '../../data/filters.js';
import { POSTHORN } from '../../data/own-command.js';
import { type Source, usePages } from '../../data/pages.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import type { CallSummary } from '../../exports/calls.js';
import callsSheet from '../../styles/calls.page.css';
import { texts } from './texts.js';
import { withoutToken } from './without-token.js';

addSheet(callsSheet);

const CallDetail = lazyPart(() => import('./call-detail.js'));

const ROW_PX = 48;
const FILTERS = ['refused', 'number', 'path', 'status', 'text'];
const COLUMNS = [{ title: texts.status, width: 64 }, { title: texts.call }, { title: texts.time, width: 76 }];
const STATUSES = ['2xx', '4xx', '5xx', '400', '401', '403', '404', '409', '422', '429', '503'];

/** The recorded calls of the API, newest first; new ones appear as they arrive. */
export default function Calls() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const filters = useFilters(FILTERS);
  const { query } = filters;
  const source: Source<CallSummary> = {
    path: '/calls',
    filters: asked(filters.values),
    keyOf: (call) => call.id,
    timeOf: (call) => call.at,
  };
  const pages = usePages(source, ['call.answered', 'state.']);
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.']).data?.numbers ?? [];
  const select = useCallback(
    (key: string) => navigate(`/calls/${encodeURIComponent(key)}${query}`, { replace: id !== undefined }),
    [query, id],
  );
  const close = () => navigate(`/calls${query}`);
  useShortcuts({ ...(id !== undefined && { Escape: close }) });
  if (pages.error?.status === 409) return <NotRecorded />;
  const saving = (kind: 'har' | 'jsonl' | 'csv', label: string, note: string): Export<CallSummary> => ({
    id: kind,
    label,
    note,
    run: async (...args) => (await import('../../exports/calls.js')).saveCalls(kind, source, ...args),
  });

  return (
    <Split
      title={texts.calls}
      label={texts.theCalls}
      list={
        <LogList
          name="calls"
          title={texts.calls}
          label={texts.callsNewestFirst}
          count={
            <span class="quiet" role="status">
              {pages.data && texts.count(number(pages.data.length), pages.data.length, pages.older !== undefined)}
            </span>
          }
          items={pages.data}
          keyOf={source.keyOf}
          timeOf={source.timeOf}
          sameness={({ method, route, path, status, error }) => `${method} ${route ?? path} ${status} ${error ?? ''}`}
          columns={COLUMNS}
          rowHeight={ROW_PX}
          row={(call, sign) => <Row call={call} sign={sign} />}
          selected={id}
          select={select}
          filters={filters}
          fields={[
            { name: 'path', label: texts.methodOrPathContains },
            {
              name: 'number',
              label: texts.numberOfTheToken,
              options: [
                ['', texts.everyNumber],
                ['none', texts.withoutAValidToken],
                ...numbers.map(({ uuid, name, address }) => [uuid, `${address} ${name}`] as const),
              ],
            },
            { name: 'refused', label: texts.refusedOnly, checked: 'true' },
          ]}
          more={[
            { name: 'status', label: texts.status, options: [['', texts.everyStatus], ...STATUSES.map((one) => [one, one] as const)] },
            { name: 'text', label: texts.wordsInBodies },
          ]}
          exports={[
            saving('har', 'HAR', texts.withBodiesForNetworkPanels),
            saving('jsonl', texts.jsonLines, texts.withHeadersAndBodies),
            saving('csv', 'CSV', texts.listForSpreadsheets),
          ]}
          pages={pages}
          showOlder={texts.showOlderCalls}
          empty={filters.isFiltered ? <NoneMatches clear={filters.clear} /> : <None />}
        />
      }
      detail={id === undefined ? undefined : <CallDetail key={id} id={id} close={close} />}
      nothing={
        <Empty title={texts.noCallIsSelected}>
          <p>{texts.selectOne()}</p>
        </Empty>
      }
    />
  );
}

/** The filters as the admin API takes them. */
function asked({ number, ...others }: Filters): Filters {
  if (number === undefined) return others;
  return number === 'none' ? { ...others, identified: 'false' } : { ...others, number };
}

const Row = ({ call: { status, method, path, number, route, ms, at }, sign }: { call: CallSummary; sign: ComponentChildren }) => (
  <>
    <span class="cell">
      <Status tone={toneOfHttp(status)}>{status}</Status>
      <small>{texts.milliseconds(ms)}</small>
    </span>
    <span class="cell">
      <span class="mono" dir="ltr">
        <b>{method}</b> {shortened(path)}
      </span>
      <small>
        {sign}{' '}
        {number ? (
          <bdi>
            {number.address} {number.name}
          </bdi>
        ) : (
          withoutToken({ route, status })
        )}
      </small>
    </span>
    <span class="cell">
      <Time at={at} />
    </span>
  </>
);

/** Without most of each uuid, so that a row has room for what differs. */
const shortened = (path: string): string => path.replace(/([0-9a-f]{8})-[0-9a-f-]{27}/gi, '$1…');

const None = () => (
  <Empty title={texts.noCallHasArrived}>
    <p>{texts.howCallsArrive(POSTHORN)}</p>
  </Empty>
);

const NoneMatches = ({ clear }: { clear: () => void }) => (
  <Empty title={texts.noCallMatchesTheFilters}>
    <button type="button" class="button outlined" onClick={clear}>
      {texts.showEveryCall}
    </button>
  </Empty>
);

const NotRecorded = () => (
  <Empty title={texts.thisPlatformRecordsNoCalls} isPage>
    <p>{texts.howToRecord()}</p>
  </Empty>
);
