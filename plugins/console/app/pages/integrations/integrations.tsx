import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { SuccessInRow } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { addSheet } from '../../components/page-sheet.js';
import { NoSuchRecord, RecordList } from '../../components/record-list.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, NotLoaded, Status } from '../../components/status.js';
import { useEndpoints } from '../../data/endpoints.js';
import { POSTHORN } from '../../data/own-command.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import integrationsSheet from '../../styles/integrations.page.css';
import panelSheet from '../../styles/panel.page.css';
import { IntegrationDetail } from './detail.js';
import { IntegrationForm } from './form.js';
import { type Integration, stateOf } from './records.js';
import { texts } from './texts.js';

addSheet(panelSheet);
addSheet(integrationsSheet);

const NEW = 'new';

/** The integrations of all numbers, and of each what it can, what was sent and received, and what agents see. */
export default function Integrations() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const { data, error, reload } = useQuery<{ integrations: readonly Integration[] }>('/integrations', ['integration.shaken', 'state.']);
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers;
  const endpoints = useEndpoints();
  const [created, setCreated] = useState<{ readonly uuid: string; readonly secret: string }>();
  const text = search.get('text') ?? '';
  const query = text === '' ? '' : `?${new URLSearchParams({ text })}`;
  useShortcuts({ Escape: () => id !== undefined && navigate(`/integrations${query}`) });
  if (!data || !numbers)
    return (
      <div class="content">
        <h1>{texts.integrations}</h1>
        {error?.status === 404 ? <NotLoaded plugin="integration" /> : error ? <Failure error={error} retry={reload} /> : <Loading />}
      </div>
    );
  const { integrations } = data;
  const integration = integrations.find(({ uuid }) => uuid === id);
  const nameOf = (uuid: string): string => numbers.find((number) => number.uuid === uuid)?.name ?? '';
  const form = (
    <div class="detail">
      <div class="detail-head">
        <h2>{texts.newIntegration}</h2>
        <Link href={`/integrations${query}`} class="button plain back">
          <Draw name="back" turns /> {texts.integrations}
        </Link>
      </div>
      <p>{texts.anIntegrationIsAnHttp(POSTHORN)}</p>
      {numbers.length === 0 ? (
        <p>{texts.itBelongsToANumber(<Link href="/numbers/new">{texts.createANumber}</Link>)}</p>
      ) : (
        <IntegrationForm
          numbers={numbers}
          done={({ integration: { uuid }, hmac_secret: secret }) => {
            setCreated({ uuid, secret: secret! });
            reload();
            navigate(`/integrations/${uuid}${query}`);
          }}
        />
      )}
    </div>
  );
  return (
    <Split
      title={texts.integrations}
      label={texts.theListOfIntegrations}
      list={
        <RecordList
          noun="integration"
          items={integrations}
          idOf={({ uuid }) => uuid}
          searchedText={({ uuid, name, url, number }) => `${uuid} ${name} ${url} ${nameOf(number)}`}
          fields={texts.nameUrlOrNumber}
          selected={id}
          query={query}
          about={texts.anIntegrationShowsAgents}
          row={(one) => {
            const { tone, text } = stateOf(one, endpoints?.get(one.uuid));
            return (
              <>
                <div>
                  <bdi class="grow">
                    <strong>{one.name}</strong>
                  </bdi>
                  <SuccessInRow endpoint={endpoints?.get(one.uuid)} />
                  <Status tone={tone}>{text}</Status>
                </div>
                <div>
                  <small class="grow mono">{one.url.replace(/^https?:\/\//, '')}</small>
                  <small>{nameOf(one.number)}</small>
                </div>
              </>
            );
          }}
        />
      }
      detail={
        id === NEW ? (
          form
        ) : integration ? (
          <IntegrationDetail
            key={integration.uuid}
            integration={integration}
            endpoint={endpoints?.get(integration.uuid)}
            numbers={numbers}
            secret={created?.uuid === integration.uuid ? created.secret : undefined}
            reload={reload}
            query={query}
          />
        ) : id !== undefined ? (
          <NoSuchRecord noun="integration" back={`/integrations${query}`} />
        ) : undefined
      }
      nothing={integrations.length === 0 ? form : <Empty title={texts.selectAnIntegration}>{texts.itsCapabilitiesCallsAnd}</Empty>}
    />
  );
}
