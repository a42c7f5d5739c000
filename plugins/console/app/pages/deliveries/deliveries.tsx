import { useEffect, useId, useState } from 'preact/hooks';
import { useLocation, useParams, useSearchParams } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm } from '../../components/act.js';
import { List } from '../../components/list.js';
import { outcomeOfDelivery } from '../../components/outcome.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading, Status } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import deliveriesSheet from '../../styles/deliveries.page.css';
import { Detail } from './detail.js';
import { type DeliveryFilters, useDeliveries } from './known.js';
import { NoDeliveries } from './no-deliveries.js';
import { type ShownDelivery, states } from './records.js';
import { kindOfEvent, wordsOfState } from './words.js';

addSheet(deliveriesSheet);

const ROW_HEIGHT = 56;

const namesOfStates: Readonly<Record<(typeof states)[number], string>> = {
  queued: 'queued',
  sending: 'being sent',
  retry_wait: 'retry scheduled',
  delivered: 'delivered',
  cancelled: 'cancelled',
  dropped: 'dropped',
};

/** The deliveries to webhooks, and one in detail. Filters, the selection and the open tab are in the URL. */
export default function Deliveries() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const filters = filtersOf(params);
  const { data, error, reload, older, isLoadingOlder, olderError } = useDeliveries(filters);
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['webhook.', 'state.']).data?.webhooks ?? [];
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const query = new URLSearchParams(filters as Record<string, string>).toString();
  const listPath = `/deliveries${query === '' ? '' : `?${query}`}`;
  const select = (uuid: string): void => {
    const tab = params.get('tab');
    const next = new URLSearchParams(query);
    if (tab !== null) next.set('tab', tab);
    navigate(`/deliveries/${uuid}${next.size === 0 ? '' : `?${next}`}`, { replace: id !== undefined });
  };
  useShortcuts(id === undefined ? {} : { Escape: () => navigate(listPath) });
  const setFilter = (name: keyof DeliveryFilters, value: string): void =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (value === '') next.delete(name);
      else next.set(name, value);
      return next;
    });

  return (
    <Split
      title="Deliveries"
      label="Deliveries"
      list={
        <>
          <div class="list-head">
            <div class="head">
              <p class="page-title" aria-hidden="true">
                Deliveries
              </p>
              <Bulk filters={filters} />
            </div>
            <Filters filters={filters} webhooks={webhooks} numbers={numbers} set={setFilter} />
          </div>
          {error && <Failure error={error} retry={reload} />}
          {!data && !error && <Loading />}
          {data && (
            <List
              label="Deliveries"
              items={data}
              keyOf={({ uuid }) => uuid}
              rowHeight={ROW_HEIGHT}
              selected={id}
              select={select}
              row={(delivery) => <Row delivery={delivery} webhook={webhooks.find(({ uuid }) => uuid === delivery.webhook)} />}
              empty={isFiltered ? <NoMatch clear={() => navigate('/deliveries')} /> : <NoDeliveries />}
            />
          )}
          {olderError && <Failure error={olderError} retry={() => older?.()} />}
          {older && (
            <div class="list-foot">
              <button type="button" class="button plain" disabled={isLoadingOlder} onClick={older}>
                {isLoadingOlder ? 'Loading…' : 'Show older deliveries'}
              </button>
            </div>
          )}
        </>
      }
      detail={id === undefined ? undefined : <Detail key={id} uuid={id} back={listPath} />}
      nothing={
        data && data.length > 0 ? (
          <Empty title="No delivery is selected">
            <p>
              Choose one, or press <kbd>j</kbd>, to see its attempts, the exact bytes of requests and responses, and its signature.
            </p>
          </Empty>
        ) : (
          <span />
        )
      }
    />
  );
}

const NAMES = ['state', 'webhook', 'number', 'message'] as const;

const filtersOf = (params: URLSearchParams): DeliveryFilters =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = params.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );

const NoMatch = ({ clear }: { clear: () => void }) => (
  <Empty title="No delivery matches these filters">
    <p>
      <button type="button" class="button outlined" onClick={clear}>
        Clear the filters
      </button>
    </p>
  </Empty>
);

function Row({ delivery, webhook }: { delivery: ShownDelivery; webhook: ShownWebhook | undefined }) {
  const { tone, text } = wordsOfState(delivery);
  const { duration_ms: ms, attempts, lane } = delivery;
  const outcome = outcomeOfDelivery(delivery);
  return (
    <>
      <div>
        <span class="grow">
          <Status tone={tone}>{text}</Status>
        </span>
        {outcome !== undefined && !text.startsWith(outcome) && <span class="mono">{outcome}</span>}
        {ms !== undefined && <small>{duration(ms)}</small>}
        <Time at={delivery.created_at} />
      </div>
      <div>
        <span class="subscription">{delivery.subscription}</span>
        <small class="grow">
          {[delivery.contact, delivery.number_address]
            .filter((name) => name !== undefined)
            .map((name) => (
              <>
                <bdi>{name}</bdi>
                {' · '}
              </>
            ))}
          {kindOfEvent(delivery)} → <bdi>{shortUrl(delivery.replay_url ?? webhook?.url) ?? delivery.sender ?? 'deleted webhook'}</bdi>
        </small>
        <small>
          {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {lane === undefined ? '' : ` · ${lane}`}
        </small>
      </div>
    </>
  );
}

const shortUrl = (url: string | undefined): string | undefined => url?.replace(/^https?:\/\//, '');

interface FiltersProps {
  readonly filters: DeliveryFilters;
  readonly webhooks: readonly ShownWebhook[];
  readonly numbers: readonly NumberRecord[];
  readonly set: (name: keyof DeliveryFilters, value: string) => void;
}

function Filters({ filters, webhooks, numbers, set }: FiltersProps) {
  const id = useId();
  const [message, setMessage] = useState(filters.message ?? '');
  // Back and links change the URL; a field that kept its text would apply it again when it loses the focus.
  useEffect(() => setMessage(filters.message ?? ''), [filters.message]);
  const choice = (name: 'state' | 'webhook' | 'number', label: string, options: readonly (readonly [string, string])[]) => (
    <label>
      <span class="unseen">{label}</span>
      <select class="select" value={filters[name] ?? ''} onChange={({ currentTarget }) => set(name, currentTarget.value)}>
        <option value="">{label}: all</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {filters[name] !== undefined && !options.some(([value]) => value === filters[name]) && (
          <option value={filters[name]}>{filters[name]}</option>
        )}
      </select>
    </label>
  );
  return (
    <div class="filters">
      {choice(
        'state',
        'State',
        states.map((state) => [state, namesOfStates[state]]),
      )}
      {choice(
        'webhook',
        'Webhook',
        webhooks.map(({ uuid, name, url }) => [uuid, `${name} (${shortUrl(url)})`]),
      )}
      {choice(
        'number',
        'Number',
        numbers.map(({ uuid, name, address }) => [uuid, `${name} ${address}`]),
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          set('message', message.trim());
        }}
      >
        <label for={id} class="unseen">
          Message id
        </label>
        <input
          id={id}
          class="input"
          type="search"
          data-filter
          placeholder="Message id"
          value={message}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            setMessage(currentTarget.value);
            if (currentTarget.value === '') set('message', '');
          }}
          onBlur={() => message.trim() !== (filters.message ?? '') && set('message', message.trim())}
        />
      </form>
    </div>
  );
}

/** Redelivers the deliveries that the filters select. */
function Bulk({ filters }: { filters: DeliveryFilters }) {
  const [isOpen, setOpen] = useState(false);
  const { state, webhook, number, message } = filters;
  // Deliveries in other states are about to be sent.
  const isPossible = message === undefined && (state === undefined || ['retry_wait', 'delivered', 'cancelled', 'dropped'].includes(state));
  const chosen = state === undefined ? ['cancelled', 'dropped'] : [state];
  const flags = [
    ...(webhook === undefined ? [] : [`--webhook ${webhook}`]),
    ...(number === undefined ? [] : [`--number ${number}`]),
    ...(state === undefined ? [] : [`--state ${state}`]),
  ];
  return (
    <>
      <button
        type="button"
        class="button outlined"
        {...controlOf({ method: 'POST', path: '/deliveries/redeliver' }, !isPossible)}
        onClick={() => setOpen(true)}
      >
        Redeliver…
      </button>
      {isOpen && (
        <Sheet title="Redeliver these deliveries" look="dialog" close={() => setOpen(false)}>
          <ActForm<{ redelivered: number; more: boolean }>
            label="Redeliver"
            verb="Redeliver"
            action={{
              method: 'POST',
              path: '/deliveries/redeliver',
              payload: { ...(webhook !== undefined && { webhook }), ...(number !== undefined && { number }), states: chosen },
              command: `posthorn deliveries redeliver ${flags.length === 0 ? '--all' : flags.join(' ')}`,
            }}
            done={({ redelivered, more }) => {
              announce(`${redelivered} redelivered${more ? '; more match, repeat the action' : ''}`);
              setOpen(false);
            }}
          >
            <p>
              Sends again, oldest first and at most 100, the deliveries that are <strong>{chosen.join(' or ').replace('_', ' ')}</strong>
              {webhook !== undefined && ' of the chosen webhook'}
              {number !== undefined && ' of the chosen number'}. Each starts again with its first attempt.
            </p>
          </ActForm>
        </Sheet>
      )}
    </>
  );
}
