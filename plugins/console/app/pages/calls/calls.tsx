import { useCallback } from 'preact/hooks';
import { useLocation, useParams, useSearchParams } from 'wouter-preact';
import type { NumberRecord, RecordedCall } from '#core';
import { lazyPart } from '../../components/lazy-part.js';
import { List } from '../../components/list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import callsSheet from '../../styles/calls.page.css';

addSheet(callsSheet);

const CallDetail = lazyPart(() => import('./call-detail.js'));

const ROW_PX = 48;
const FIRST_ERROR = 400;
/** As many as one call of the admin API lists. A platform keeps 500, unless its options say otherwise. */
const MAX_CALLS = 500;

/** A call without headers and bodies. */
type CallSummary = Omit<RecordedCall, 'request' | 'response'>;

/** The recorded calls of the API, newest first; new ones appear as they arrive. */
export default function Calls() {
  const { id } = useParams<{ id?: string }>();
  const [filters, setFilters] = useSearchParams();
  const [, navigate] = useLocation();
  const [refused, number, path] = [filters.get('refused') === 'true', filters.get('number') ?? '', filters.get('path') ?? ''];
  const isFiltered = refused || number !== '' || path !== '';
  const { data, error, reload } = useQuery<{ calls: readonly CallSummary[] }>(`/calls?contents=false&limit=${MAX_CALLS}`, [
    'call.answered',
    'state.',
  ]);
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.']).data?.numbers ?? [];
  const searched = path.toLowerCase();
  const items = (data?.calls ?? []).filter(
    (call) =>
      (!refused || call.status >= FIRST_ERROR) &&
      (number === '' || (number === 'none' ? call.number === null : call.number?.uuid === number)) &&
      `${call.method} ${call.path}`.toLowerCase().includes(searched),
  );
  const query = filters.size === 0 ? '' : `?${filters}`;
  const select = useCallback(
    (key: string) => navigate(`/calls/${encodeURIComponent(key)}${query}`, { replace: id !== undefined }),
    [query, id],
  );
  const close = () => navigate(`/calls${query}`);
  useShortcuts({ ...(id !== undefined && { Escape: close }) });
  const filter = (name: string, value: string): void =>
    setFilters(
      (before) => {
        const changed = new URLSearchParams(before);
        if (value === '') changed.delete(name);
        else changed.set(name, value);
        return changed;
      },
      { replace: true },
    );
  if (error?.status === 409) return <NotRecorded />;

  return (
    <Split
      title="Calls"
      label="the calls"
      list={
        <>
          <div class="list-head">
            <div class="head">
              <p class="page-title" aria-hidden="true">
                Calls
              </p>
              <span class="quiet" role="status">
                {data && countOf(items.length)}
                {data?.calls.length === MAX_CALLS && !isFiltered && ', the newest'}
              </span>
            </div>
            <div class="filters">
              <input
                class="input"
                type="search"
                data-filter
                aria-label="Method or path contains"
                placeholder="Method or path"
                value={path}
                onInput={({ currentTarget }) => filter('path', currentTarget.value)}
              />
              <select
                class="select"
                aria-label="Number of the token"
                value={number}
                onChange={({ currentTarget }) => filter('number', currentTarget.value)}
              >
                <option value="">Every number</option>
                <option value="none">Without a valid token</option>
                {numbers.map(({ uuid, name, address }) => (
                  <option key={uuid} value={uuid}>
                    {address} {name}
                  </option>
                ))}
              </select>
              <label class="check">
                <input
                  type="checkbox"
                  checked={refused}
                  onChange={({ currentTarget }) => filter('refused', currentTarget.checked ? 'true' : '')}
                />
                Refused only
              </label>
            </div>
          </div>
          {error && <Failure error={error} retry={reload} />}
          {!data && !error && <Loading />}
          <List
            label="Calls, newest first"
            items={items}
            keyOf={(call) => call.id}
            rowHeight={ROW_PX}
            selected={id}
            select={select}
            row={(call) => <Row call={call} />}
            empty={!data ? null : isFiltered ? <NoneMatches clear={() => setFilters({}, { replace: true })} /> : <None />}
          />
        </>
      }
      detail={id === undefined ? undefined : <CallDetail key={id} id={id} close={close} />}
      nothing={
        <Empty title="No call is selected">
          <p>
            Select one to see its headers, body and response. <kbd>j</kbd> and <kbd>k</kbd> go through the list.
          </p>
        </Empty>
      }
    />
  );
}

const countOf = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'call' : 'calls'}`;

const Row = ({ call: { status, method, path, number, route, ms, at } }: { call: CallSummary }) => (
  <>
    <span>
      <Status tone={toneOfHttp(status)}>{status}</Status>
      <span class="grow mono" dir="ltr">
        <b>{method}</b> {shortened(path)}
      </span>
      <small>{ms} ms</small>
    </span>
    <span>
      <small class="grow">
        {number ? (
          <bdi>
            {number.address} {number.name}
          </bdi>
        ) : route === null ? (
          'no route has this path'
        ) : (
          'without a valid token'
        )}
      </small>
      <Time at={at} />
    </span>
  </>
);

/** Without most of each uuid, so that a row has room for what differs. */
const shortened = (path: string): string => path.replace(/([0-9a-f]{8})-[0-9a-f-]{27}/gi, '$1…');

const None = () => (
  <Empty title="No call has arrived">
    <p>
      Calls of the API appear here as they arrive, also those that are refused. <code>{POSTHORN} env</code> prints the address and a token.
    </p>
  </Empty>
);

const NoneMatches = ({ clear }: { clear: () => void }) => (
  <Empty title="No call matches the filters">
    <button type="button" class="button outlined" onClick={clear}>
      Show every call
    </button>
  </Empty>
);

const NotRecorded = () => (
  <Empty title="This platform records no calls" isPage>
    <p>
      Set <code>{'recording: { calls: true }'}</code> in its options. The newest 500 calls are then kept in memory, with credentials masked.
    </p>
  </Empty>
);
