import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation, useParams, useSearchParams } from 'wouter-preact';
import { reasons } from '../../../../../core/events/failure-text.js';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActForm } from '../../components/act.js';
import type { Export } from '../../components/export-menu.js';
import { LogList } from '../../components/log-list.js';
import { outcomeOfDelivery } from '../../components/outcome.js';
import { addSheet } from '../../components/page-sheet.js';
import { Split } from '../../components/split.js';
import { Empty, Status } from '../../components/status.js';
import { duration, Time } from '../../components/time.js';
import { announce } from '../../data/announce.js';
import { type Filters, useFilters } from '../../data/filters.js';
import { controlOf } from '../../data/operator.js';
import { type Source, usePages } from '../../data/pages.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { useShortcuts } from '../../data/shortcuts.js';
import deliveriesSheet from '../../styles/deliveries.page.css';
import { Detail } from './detail.js';
import { NoDeliveries } from './no-deliveries.js';
import { type ShownDelivery, states } from './records.js';
import { texts } from './texts.js';
import { kindOfEvent, wordsOfState } from './words.js';

addSheet(deliveriesSheet);

const ROW_HEIGHT = 56;

const namesOfStates: Readonly<Record<(typeof states)[number], string>> = {
  queued: texts.isQueued,
  sending: texts.isBeingSent,
  retry_wait: texts.retrying,
  delivered: texts.isDelivered,
  cancelled: texts.isCancelled,
  dropped: texts.isDropped,
};

/** States in which deliveries can be redelivered together. */
const redelivered: Readonly<Record<string, string>> = {
  retry_wait: texts.retryWait,
  delivered: texts.isDelivered,
  cancelled: texts.isCancelled,
  dropped: texts.isDropped,
};

const FILTERS = ['state', 'webhook', 'number', 'message', 'reason', 'contact', 'text'];
const COLUMNS = [{ title: texts.state, width: 92 }, { title: texts.delivery }, { title: texts.time, width: 76 }];

/** The deliveries to webhooks, and one in detail. Filters, the selection and the open tab are in the URL. */
export default function Deliveries() {
  const { id } = useParams();
  const [params] = useSearchParams();
  const [, navigate] = useLocation();
  const filters = useFilters(FILTERS);
  const source: Source<ShownDelivery> = {
    path: '/deliveries',
    filters: filters.values,
    keyOf: ({ uuid }) => uuid,
    timeOf: (delivery) => delivery.created_at,
  };
  const pages = usePages(source, ['delivery.', 'state.']);
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['webhook.', 'state.']).data?.webhooks ?? [];
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers ?? [];
  const listPath = `/deliveries${filters.query}`;
  const select = (uuid: string): void => {
    const tab = params.get('tab');
    const next = new URLSearchParams(filters.query);
    if (tab !== null) next.set('tab', tab);
    navigate(`/deliveries/${uuid}${next.size === 0 ? '' : `?${next}`}`, { replace: id !== undefined });
  };
  useShortcuts(id === undefined ? {} : { Escape: () => navigate(listPath) });
  const saving = (kind: 'har' | 'jsonl' | 'csv', label: string, note: string): Export<ShownDelivery> => ({
    id: kind,
    label,
    note,
    run: async (...args) => (await import('../../exports/deliveries.js')).saveDeliveries(kind, source, webhooks, ...args),
  });

  return (
    <Split
      title={texts.deliveries}
      label={texts.deliveries}
      list={
        <LogList
          name="deliveries"
          title={texts.deliveries}
          label={texts.deliveries}
          actions={<Bulk filters={filters.values} />}
          items={pages.data}
          keyOf={source.keyOf}
          timeOf={source.timeOf}
          sameness={(one) => [one.webhook, one.state, one.reason, one.attempts > 0, kindOfEvent(one)].join(' ')}
          columns={COLUMNS}
          rowHeight={ROW_HEIGHT}
          row={(delivery, sign) => <Row delivery={delivery} sign={sign} webhook={webhooks.find(({ uuid }) => uuid === delivery.webhook)} />}
          selected={id}
          select={select}
          filters={filters}
          fields={[
            { name: 'text', label: texts.wordsInBodies },
            {
              name: 'state',
              label: texts.state,
              options: [['', texts.stateAll], ...states.map((state) => [state, namesOfStates[state]] as const)],
            },
            {
              name: 'webhook',
              label: texts.webhook,
              options: [['', texts.webhookAll], ...webhooks.map(({ uuid, name, url }) => [uuid, `${name} (${shortUrl(url)})`] as const)],
            },
            {
              name: 'number',
              label: texts.number,
              options: [['', texts.numberAll], ...numbers.map(({ uuid, name, address }) => [uuid, `${name} ${address}`] as const)],
            },
          ]}
          more={[
            { name: 'reason', label: texts.reason, options: [['', texts.reasonAll], ...Object.entries(reasons)] },
            { name: 'contact', label: texts.addressOfTheContact },
            { name: 'message', label: texts.messageId },
          ]}
          exports={[
            saving('har', 'HAR', texts.withAttemptsForNetworkPanels),
            saving('jsonl', texts.jsonLines, texts.withBodiesAndAttempts),
            saving('csv', 'CSV', texts.listForSpreadsheets),
          ]}
          pages={pages}
          showOlder={texts.showOlderDeliveries}
          empty={filters.isFiltered ? <NoMatch clear={filters.clear} /> : <NoDeliveries />}
        />
      }
      detail={id === undefined ? undefined : <Detail key={id} uuid={id} back={listPath} />}
      nothing={
        pages.data && pages.data.length > 0 ? (
          <Empty title={texts.noDeliveryIsSelected}>
            <p>{texts.chooseOne()}</p>
          </Empty>
        ) : (
          <span />
        )
      }
    />
  );
}

const NoMatch = ({ clear }: { clear: () => void }) => (
  <Empty title={texts.noDeliveryMatches}>
    <p>
      <button type="button" class="button outlined" onClick={clear}>
        {texts.clearTheFilters}
      </button>
    </p>
  </Empty>
);

interface RowProps {
  readonly delivery: ShownDelivery;
  readonly webhook: ShownWebhook | undefined;
  readonly sign: ComponentChildren;
}

function Row({ delivery, webhook, sign }: RowProps) {
  const { tone, text } = wordsOfState(delivery);
  const { duration_ms: ms, attempts, contact, number_address: number, held_at: heldAt } = delivery;
  const outcome = outcomeOfDelivery(delivery);
  const last = [outcome, ms === undefined ? undefined : duration(ms)].filter((one) => one !== undefined).join(' ');
  const receiver = delivery.replay_url ?? webhook?.name ?? delivery.sender ?? texts.deletedWebhook;
  const parties = [contact, number].filter((name) => name !== undefined).join(' · ');
  return (
    <>
      <div class="cell" title={[text, last, texts.countOfAttempts(attempts)].join(' · ')}>
        <Status tone={tone}>{heldAt === undefined ? namesOfStates[delivery.state] : texts.isPaused}</Status>
        <small>{last}</small>
      </div>
      <div class="cell" title={[`${kindOfEvent(delivery)} → ${receiver}`, delivery.replay_url ?? webhook?.url, parties].join(' · ')}>
        {/* The receiver is shown only where it fits. */}
        <span class="delivery-line">
          <span>
            <span>{kindOfEvent(delivery)}</span> <span class="subscription">{delivery.subscription}</span>
          </span>{' '}
          <bdi>→ {receiver}</bdi>
        </span>
        <small>
          {sign} <bdi>{parties}</bdi>
        </small>
      </div>
      <div class="cell">
        <Time at={delivery.created_at} />
      </div>
    </>
  );
}

const shortUrl = (url: string | undefined): string | undefined => url?.replace(/^https?:\/\//, '');

const BULK_FILTERS = ['state', 'webhook', 'number', 'reason', 'from', 'before'];

/** Redelivers the deliveries that the filters select. */
function Bulk({ filters }: { filters: Filters }) {
  const [isOpen, setOpen] = useState(false);
  const { state, webhook, number, reason, from, before: to } = filters;
  // The action knows no other filters. Deliveries in other states are about to be sent.
  const isKnown = Object.keys(filters).every((name) => BULK_FILTERS.includes(name));
  const isPossible = isKnown && (state === undefined || Object.hasOwn(redelivered, state));
  const chosen = state === undefined ? ['cancelled', 'dropped'] : [state];
  const flags = [
    ...(webhook === undefined ? [] : [`--webhook ${webhook}`]),
    ...(number === undefined ? [] : [`--number ${number}`]),
    ...(state === undefined ? [] : [`--state ${state}`]),
    ...(reason === undefined ? [] : [`--reason ${reason}`]),
    ...(from === undefined ? [] : [`--from ${from}`]),
    ...(to === undefined ? [] : [`--to ${to}`]),
  ];
  return (
    <>
      <button
        type="button"
        class="button outlined"
        {...controlOf({ method: 'POST', path: '/deliveries/redeliver' }, !isPossible)}
        onClick={() => setOpen(true)}
      >
        {texts.openRedeliver}
      </button>
      {isOpen && (
        <Sheet title={texts.redeliverTheseDeliveries} look="dialog" close={() => setOpen(false)}>
          <ActForm<{ redelivered: number; more: boolean }>
            label={texts.redeliver}
            verb={texts.redeliver}
            action={{
              method: 'POST',
              path: '/deliveries/redeliver',
              payload: {
                ...Object.fromEntries(Object.entries({ webhook, number, reason, from, to }).filter(([, value]) => value !== undefined)),
                states: chosen,
              },
              command: `posthorn deliveries redeliver ${flags.length === 0 ? '--all' : flags.join(' ')}`,
            }}
            done={({ redelivered: count, more }) => {
              announce(more ? texts.redeliveredSome(count) : texts.redeliveredAll(count));
              setOpen(false);
            }}
          >
            <p>
              {texts.sendsAgain(state === undefined ? texts.cancelledOrDropped : redelivered[state], {
                webhook: webhook !== undefined,
                number: number !== undefined,
                reason: [reason, from, to].some((one) => one !== undefined),
              })}
            </p>
          </ActForm>
        </Sheet>
      )}
    </>
  );
}
