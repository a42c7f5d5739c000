import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { StateOfEndpoint, SuccessInRow } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { addSheet } from '../../components/page-sheet.js';
import { NoSuchRecord, RecordList } from '../../components/record-list.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, Status } from '../../components/status.js';
import { useEndpoints } from '../../data/endpoints.js';
import { useQuery } from '../../data/query.js';
import type { Connection, NumberRecord } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import numbersSheet from '../../styles/numbers.page.css';
import { labelOf } from './connection.js';
import { CLOUD, NumberDetail } from './number-detail.js';
import { NumberForm } from './number-form.js';
import { texts } from './texts.js';

addSheet(numbersSheet);

const NEW = 'new';

/** The numbers, and of each its tokens, features and limits. */
export default function Numbers() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const { data, error, reload } = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']);
  const connected = useQuery<{ connections: readonly Connection[] }>('/connections', ['connection.', 'state.']).data?.connections;
  const isOnCloud = data?.numbers.some(({ type }) => type === CLOUD);
  const cloud = useQuery<{ connections: readonly { number: string; stopped: Connection['stopped'] }[] }>(
    isOnCloud ? '/cloud-api/numbers' : undefined,
    ['advice.', 'state.'],
  );
  const stopped = new Map([
    ...(connected ?? []).map((one) => [one.number.uuid, one.stopped] as const),
    ...(cloud.data?.connections ?? []).map((one) => [one.number, one.stopped] as const),
  ]);
  const endpoints = useEndpoints();
  const [created, setCreated] = useState<string | undefined>(undefined);
  const query = search.size === 0 ? '' : `?${search}`;
  useShortcuts({ Escape: () => id !== undefined && navigate(`/numbers${query}`) });
  if (!data)
    return (
      <div class="content">
        <h1>{texts.numbers}</h1>
        {error ? <Failure error={error} retry={reload} /> : <Loading />}
      </div>
    );
  const { numbers } = data;
  const done = (number: NumberRecord): void => {
    setCreated(number.uuid);
    reload();
    navigate(`/numbers/${number.uuid}${query}`);
  };
  const form = (
    <div class="detail">
      <div class="detail-head">
        <h2>{texts.newNumber}</h2>
        <Link href={`/numbers${query}`} class="button plain back">
          <Draw name="back" turns /> {texts.numbers}
        </Link>
      </div>
      <NumberForm done={done} taken={numbers} />
      <p class="quiet">{texts.forANumberOfAnother(<Link href="/channels/new">{texts.createAChannel}</Link>)}</p>
    </div>
  );
  const number = numbers.find(({ uuid }) => uuid === id);
  return (
    <Split
      label={texts.theListOfNumbers}
      title={texts.numbers}
      list={
        <RecordList
          noun="number"
          items={numbers}
          idOf={({ uuid }) => uuid}
          searchedText={({ uuid, name, address, kind, type }) => `${uuid} ${name} ${address} ${kind} ${type}`}
          fields={texts.nameAddressOrKind}
          selected={id}
          query={query}
          about={texts.aNumberIsAnAddress}
          row={({ uuid, name, address, kind, type }) => (
            <>
              <div>
                <bdi class="grow">
                  <strong>{name}</strong>
                </bdi>
                <small>{kind !== 'channel' ? kind : type === 'channel_http_api' ? texts.connector : labelOf(type)}</small>
                <SuccessInRow endpoint={endpoints?.get(uuid)} />
                {stopped.get(uuid) ? (
                  <Status tone="bad">{texts.stopped}</Status>
                ) : (
                  endpoints?.has(uuid) && <StateOfEndpoint endpoint={endpoints.get(uuid)} />
                )}
              </div>
              <div>
                <bdi class="grow mono">{address}</bdi>
              </div>
            </>
          )}
        />
      }
      detail={
        id === NEW ? (
          form
        ) : number ? (
          <NumberDetail
            key={number.uuid}
            number={number}
            stopped={stopped.get(number.uuid) ?? null}
            endpoint={endpoints?.get(number.uuid)}
            query={query}
            reload={() => {
              reload();
              cloud.reload();
            }}
            isNew={created === number.uuid}
          />
        ) : id !== undefined ? (
          <NoSuchRecord noun="number" back={`/numbers${query}`} />
        ) : undefined
      }
      nothing={numbers.length === 0 ? form : <Empty title={texts.selectANumber}>{texts.itsTokensFeaturesAndLimits}</Empty>}
    />
  );
}
