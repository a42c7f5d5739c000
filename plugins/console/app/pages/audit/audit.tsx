import { useCallback } from 'preact/hooks';
import { useLocation, useParams, useSearchParams } from 'wouter-preact';
import type { AuditRecord } from '#core';
import { Draw } from '../../components/icons.js';
import { List } from '../../components/list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Evidence } from '../../components/record-link.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import callsSheet from '../../styles/calls.page.css';

addSheet(callsSheet);

const ROW_PX = 48;
const FILTERS = [
  ['operator', 'Operator', 'Id of the operator'],
  ['action', 'Permission', 'Permission, such as webhooks.write'],
  ['target', 'Id in the path', 'Id in the path'],
] as const;

/** Lists what operators have changed and read, newest first. */
export default function Audit() {
  const { id } = useParams<{ id?: string }>();
  const [filters, setFilters] = useSearchParams();
  const [, navigate] = useLocation();
  const query = filters.size === 0 ? '' : `?${filters}`;
  const { data, error, reload } = useQuery<{ records: readonly AuditRecord[] }>(`/audit${query}`);
  const select = useCallback(
    (key: string) => navigate(`/audit/${encodeURIComponent(key)}${query}`, { replace: id !== undefined }),
    [id, query],
  );
  const close = () => navigate(`/audit${query}`);
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
  const records = data?.records ?? [];
  const selected = records.find((one) => one.id === id);
  return (
    <Split
      title="Audit"
      label="the audit records"
      list={
        <>
          <div class="list-head">
            <div class="head">
              <p class="page-title" aria-hidden="true">
                Audit
              </p>
              <button type="button" class="button plain" onClick={reload}>
                <Draw name="refresh" /> Refresh
              </button>
            </div>
            <div class="filters">
              {FILTERS.map(([name, placeholder, label]) => (
                <input
                  key={name}
                  class="input"
                  type="search"
                  aria-label={label}
                  placeholder={placeholder}
                  value={filters.get(name) ?? ''}
                  onChange={({ currentTarget }) => filter(name, currentTarget.value)}
                />
              ))}
            </div>
          </div>
          {error && <Failure error={error} retry={reload} />}
          {!data && !error && <Loading />}
          <List
            label="Audit records, newest first"
            items={records}
            keyOf={(one) => one.id}
            rowHeight={ROW_PX}
            selected={id}
            select={select}
            row={(one) => <Row record={one} />}
            empty={
              data && (
                <Empty title="No record matches">
                  <p>Calls of the admin API that change something, or read messages or secrets, have a record here.</p>
                </Empty>
              )
            }
          />
        </>
      }
      detail={
        id === undefined ? undefined : (
          <article class="detail" aria-label="Audit record">
            <button type="button" class="back button plain" onClick={close}>
              <Draw name="back" turns /> Audit
            </button>
            {selected ? <Detail record={selected} /> : <Empty title="The list does not have this record" />}
          </article>
        )
      }
      nothing={
        <Empty title="No record is selected">
          <p>Select one to see what has changed.</p>
        </Empty>
      }
    />
  );
}

const Row = ({ record: { at, operator, call, status } }: { record: AuditRecord }) => (
  <>
    <span>
      <Status tone={toneOfHttp(status)}>{status}</Status>
      <span class="grow mono" dir="ltr">
        {call}
      </span>
    </span>
    <span>
      <small class="grow" dir="auto">
        {operator.name}
      </small>
      <Time at={at} />
    </span>
  </>
);

function Detail({ record }: { record: AuditRecord }) {
  const { at, operator, action, call, params, from, forwarded_for, user_agent, request_id, status, changes } = record;
  const facts = {
    Operator: `${operator.name} (${operator.id}), ${operator.roles.join(', ')}`,
    Permission: action,
    Status: String(status),
    Address: forwarded_for === undefined ? from : `${from}, forwarded for ${forwarded_for}`,
    Client: user_agent ?? '',
    Request: request_id,
  };
  return (
    <>
      <header class="detail-head">
        <h2 class="mono">{call}</h2>
        <Time at={at} />
      </header>
      {Object.keys(params).length > 0 && <Evidence values={params} />}
      <dl class="facts">
        {Object.entries(facts)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`} dir="auto">
              {value}
            </dd>,
          ])}
      </dl>
      <h3>Changes</h3>
      {changes.length === 0 && <p class="quiet">None: the call has only read.</p>}
      {changes.map(({ records, what, count, key = '', fields = [] }) => (
        <section key={`${records} ${what} ${key}`}>
          <p>
            {count} {records} {what} <code>{key}</code>
          </p>
          <dl class="facts">
            {fields.map(({ field, before, after }) => [
              <dt key={field}>{field}</dt>,
              <dd key={`${field} value`} class="mono" dir="ltr">
                {JSON.stringify(before) ?? '–'} → {JSON.stringify(after) ?? '–'}
              </dd>,
            ])}
          </dl>
        </section>
      ))}
    </>
  );
}
