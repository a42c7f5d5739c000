import { useState } from 'preact/hooks';
import { Link, useLocation, useParams, useSearchParams } from 'wouter-preact';
import { SuccessInRow } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { List } from '../../components/list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, NotLoaded } from '../../components/status.js';
import { duration } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { useEndpoints } from '../../data/endpoints.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import deliveriesSheet from '../../styles/deliveries.page.css';
import { WebhookDetail } from './detail.js';
import { type SubscriptionName, WebhookForm } from './form.js';
import { StateOfWebhook } from './state.js';
import { texts } from './texts.js';

addSheet(deliveriesSheet);

const ROW_HEIGHT = 56;

/** The webhooks of all numbers, or of one, and one in detail. */
export default function Webhooks() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const number = params.get('number') ?? '';
  const { data, error, reload } = useQuery<{ webhooks: readonly ShownWebhook[]; subscriptions: readonly SubscriptionName[] }>('/webhooks', [
    'webhook.',
    'state.',
    'number.',
  ]);
  const endpoints = useEndpoints();
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers;
  const [created, setCreated] = useState<{ readonly uuid: string; readonly secret: string } | undefined>(undefined);
  const query = number === '' ? '' : `?number=${number}`;
  const listPath = `/webhooks${query}`;
  useShortcuts(id === undefined ? {} : { Escape: () => navigate(listPath) });
  const shown = data?.webhooks.filter((webhook) => number === '' || webhook.number === number);
  const isNew = params.get('new') !== null;
  const openNew = (): void => navigate(`/webhooks?new=1${number === '' ? '' : `&number=${number}`}`);
  const nameOf = (uuid: string): string => {
    const number = numbers?.find((one) => one.uuid === uuid);
    const hasNamesake = numbers?.some((one) => one.uuid !== uuid && one.name === number?.name);
    return (hasNamesake ? number?.address : number?.name) ?? '';
  };
  const about = ({ name, number, lane, response_ms: ms, subscriptions }: ShownWebhook): string => {
    const isConnector = subscriptions.includes('channel');
    // A connector has the name of its number.
    const of = isConnector && nameOf(number) === name ? [] : [nameOf(number)];
    return [...(isConnector ? [texts.connector] : []), ...of, lane, ...(ms === undefined ? [] : [duration(ms)])].join(' · ');
  };
  if (error?.status === 404)
    return (
      <div class="content">
        <h1>{texts.webhooks}</h1>
        <NotLoaded plugin="webhooks" />
      </div>
    );
  return (
    <>
      <Split
        title={texts.webhooks}
        label={texts.webhooks}
        list={
          <>
            <div class="list-head">
              <div class="head">
                <p class="page-title" aria-hidden="true">
                  {texts.webhooks}
                </p>
                {numbers && numbers.length > 0 && (
                  <button type="button" class="button outlined" {...controlOf({ method: 'POST', path: '/webhooks' })} onClick={openNew}>
                    <Draw name="plus" /> {texts.newWebhook}
                  </button>
                )}
              </div>
              {numbers && numbers.length > 1 && (
                <label>
                  <span class="unseen">{texts.number}</span>
                  <select
                    class="select"
                    data-filter
                    value={number}
                    onChange={({ currentTarget }) => setParams(currentTarget.value === '' ? {} : { number: currentTarget.value })}
                  >
                    <option value="">{texts.numberAll}</option>
                    {numbers.map(({ uuid, name, address }) => (
                      <option key={uuid} value={uuid}>
                        {name} {address}
                      </option>
                    ))}
                  </select>
                </label>
              )}
            </div>
            {error && <Failure error={error} retry={reload} />}
            {(!shown || !numbers) && !error && <Loading />}
            {data && shown && numbers && (
              <List
                label={texts.webhooks}
                items={shown}
                keyOf={({ uuid }) => uuid}
                rowHeight={ROW_HEIGHT}
                selected={id}
                select={(uuid) => navigate(`/webhooks/${uuid}${query}`, { replace: id !== undefined })}
                row={(webhook) => (
                  <>
                    <div>
                      <strong class="grow">
                        <bdi>{webhook.name}</bdi>
                      </strong>
                      <SuccessInRow endpoint={endpoints?.get(webhook.uuid)} />
                      <StateOfWebhook webhook={webhook} endpoint={endpoints?.get(webhook.uuid)} />
                    </div>
                    <div>
                      <small class="grow">
                        <bdi>{webhook.url.replace(/^https?:\/\//, '')}</bdi>
                      </small>
                      <small>{about(webhook)}</small>
                    </div>
                  </>
                )}
                empty={
                  number !== '' && !numbers.some(({ uuid }) => uuid === number) ? (
                    <Empty title={texts.noSuchNumber}>
                      <p>{texts.mayHaveBeenEarlier}</p>
                      <Link href="/webhooks">{texts.webhooksOfAllNumbers}</Link>
                    </Empty>
                  ) : (
                    <NoWebhooks hasNumbers={numbers.length > 0} isFiltered={data.webhooks.length > 0} openNew={openNew} />
                  )
                }
              />
            )}
          </>
        }
        detail={
          id === undefined ? undefined : (
            <WebhookDetail
              key={id}
              uuid={id}
              endpoint={endpoints?.get(id)}
              numbers={numbers ?? []}
              subscriptions={data?.subscriptions ?? []}
              secret={created?.uuid === id ? created.secret : undefined}
              showSecret={(secret) => setCreated({ uuid: id, secret })}
              changed={reload}
              back={listPath}
            />
          )
        }
        nothing={
          shown && shown.length > 0 ? (
            <Empty title={texts.noneSelected}>
              <p>{texts.whatSelectionShows}</p>
            </Empty>
          ) : (
            <span />
          )
        }
      />
      {isNew && data && numbers && numbers.length > 0 && (
        <WebhookForm
          numbers={number === '' ? numbers : [...numbers].sort((a, b) => Number(b.uuid === number) - Number(a.uuid === number))}
          subscriptions={data.subscriptions}
          close={() => navigate(listPath)}
          done={({ webhook, hmac_secret: secret }) => {
            announce(texts.webhookCreated);
            setCreated({ uuid: webhook.uuid, secret: secret! });
            reload();
            navigate(`/webhooks/${webhook.uuid}${query}`);
          }}
        />
      )}
    </>
  );
}

interface NoWebhooksProps {
  readonly hasNumbers: boolean;
  /** Whether other numbers have webhooks. */
  readonly isFiltered: boolean;
  readonly openNew: () => void;
}

const NoWebhooks = ({ hasNumbers, isFiltered, openNew }: NoWebhooksProps) => (
  <Empty title={isFiltered ? texts.noWebhooksOfNumber : texts.noWebhooks}>
    <p>{texts.whatWebhookIs}</p>
    {hasNumbers ? (
      <p>
        <button type="button" class="button" onClick={openNew}>
          {texts.createWebhook}
        </button>
      </p>
    ) : (
      <p>{texts.needsNumber(<Link href="/numbers">{texts.createNumber}</Link>)}</p>
    )}
  </Empty>
);
