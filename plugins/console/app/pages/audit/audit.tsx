import { useCallback, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import type { AuditRecord } from '#core';
import { number } from '../../../../../core/web/language.js';
import { ExportMenu } from '../../components/export-menu.js';
import { Draw } from '../../components/icons.js';
import { List } from '../../components/list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Evidence } from '../../components/record-link.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, Status, toneOfHttp } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { queryOf } from '../../data/admin.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import auditSheet from '../../styles/audit.page.css';
import { texts } from './texts.js';

addSheet(auditSheet);

const ROW_PX = 48;
/** Records in the list at first, and as many more each time. */
const STEP = 100;
/** The server returns at most this many. */
const MAX_RECORDS = 1_000;
const FILTERS = [
  ['operator', texts.operator, texts.idOfTheOperator],
  ['action', texts.permission, texts.permissionSuchAsWebhooks],
  ['target', texts.id, texts.idInThePath],
] as const;

/** Lists what operators have changed and read, newest first. */
export default function Audit() {
  const { id } = useParams<{ id?: string }>();
  const [filters, setFilters] = useSearchParams();
  const [, navigate] = useLocation();
  const [limit, setLimit] = useState(STEP);
  const query = filters.size === 0 ? '' : `?${filters}`;
  const { data, error, reload } = useQuery<{ records: readonly AuditRecord[] }>(
    `/audit${queryOf({ ...Object.fromEntries(filters), limit })}`,
  );
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
  // The list stays while more of it is read.
  const previous = useRef<readonly AuditRecord[]>([]);
  if (data) previous.current = data.records;
  const records = previous.current;
  // The router decodes no slashes and colons, which these ids have.
  const selected = records.find((one) => encodeURIComponent(one.id) === id);
  return (
    <Split
      title={texts.audit}
      label={texts.theAuditRecords}
      list={
        <>
          <div class="list-head">
            <div class="head">
              <p class="page-title" aria-hidden="true">
                {texts.audit}
              </p>
              <div class="buttons">
                <button type="button" class="button plain" onClick={reload}>
                  <Draw name="refresh" /> {texts.refresh}
                </button>
                <ExportMenu
                  exports={[
                    {
                      id: 'csv',
                      label: 'CSV',
                      note: texts.loadedRecords,
                      run: async () => (await import('../../exports/records.js')).saveRecords('audit', records),
                    },
                  ]}
                />
              </div>
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
            label={texts.auditRecordsNewestFirst}
            items={records}
            keyOf={(one) => one.id}
            rowHeight={ROW_PX}
            selected={selected?.id}
            select={select}
            row={(one) => <Row record={one} />}
            empty={
              data && (
                <Empty title={texts.noRecordMatches}>
                  <p>{texts.callsOfTheAdminApi}</p>
                </Empty>
              )
            }
          />
          {records.length === limit && (
            <div class="list-foot">
              {limit < MAX_RECORDS ? (
                <button type="button" class="button plain" onClick={() => setLimit(limit + STEP)}>
                  {texts.showOlderRecords}
                </button>
              ) : (
                <small class="quiet">{texts.theseAreTheNewestAudit(number(MAX_RECORDS), POSTHORN)}</small>
              )}
            </div>
          )}
        </>
      }
      detail={
        id === undefined ? undefined : (
          <article class="detail" aria-label={texts.auditRecord}>
            <button type="button" class="back button plain" onClick={close}>
              <Draw name="back" turns /> {texts.audit}
            </button>
            {selected ? <Detail record={selected} /> : <Empty title={texts.theListDoesNotHave} />}
          </article>
        )
      }
      nothing={
        <Empty title={texts.noRecordIsSelected}>
          <p>{texts.selectOneToSeeWhat}</p>
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
      <small class="grow">
        <bdi>{operator.name}</bdi>
      </small>
      <Time at={at} />
    </span>
  </>
);

function Detail({ record }: { record: AuditRecord }) {
  const { at, operator, action, call, params, from, forwarded_for, user_agent, request_id, status, changes } = record;
  const facts = {
    Roles: operator.roles.join(', '),
    Permission: action,
    Status: String(status),
    Address: forwarded_for === undefined ? from : texts.forwardedFor(from, forwarded_for),
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
        <dt>{texts.operator}</dt>
        <dd>
          <bdi>{operator.name}</bdi>, <Link href={`/audit${queryOf({ operator: operator.id })}`}>{operator.id}</Link>
        </dd>
        {Object.entries(facts)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`} dir="auto">
              {value}
            </dd>,
          ])}
      </dl>
      <h3>{texts.changes}</h3>
      {changes.length === 0 && <p class="quiet">{call.startsWith('GET ') ? texts.noneTheCallHasOnly : texts.noneOfTheSettingsThat}</p>}
      {changes.map(({ records, what, count, key = '', fields = [] }) => (
        <section key={`${records} ${what} ${key}`}>
          <p>
            {texts.in(count, what, records)}
            {key !== '' && (
              <>
                : <code>{key}</code>
              </>
            )}
          </p>
          {fields.length > 0 && (
            <table class="words">
              <thead>
                <tr>
                  <th scope="col">{texts.field}</th>
                  <th scope="col">{texts.before}</th>
                  <th scope="col">{texts.after}</th>
                </tr>
              </thead>
              <tbody>
                {fields.map(({ field, before, after }) => (
                  <tr key={field}>
                    <th scope="row">{field}</th>
                    {[before, after].map((value, i) => (
                      <td key={i} class="mono" dir="ltr">
                        {JSON.stringify(value) ?? '–'}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
    </>
  );
}
