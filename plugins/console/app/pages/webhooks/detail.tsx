import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActButton, ActError, ActForm, Field, useAct } from '../../components/act.js';
import { useRuns } from '../../components/conformance/runs.js';
import { CopyText } from '../../components/copy.js';
import { EndpointFacts } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
import { wordsOfRetried } from '../../components/outcome.js';
import { Plots } from '../../components/plots.js';
import { ShownOnce } from '../../components/snippet.js';
import { Failure, Loading, Status } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { ToolAction } from '../../components/tool-action.js';
import { announce } from '../../data/announce.js';
import type { Endpoint } from '../../data/endpoints.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import type { ShownDelivery } from '../deliveries/records.js';
import { kindOfEvent, wordsOfState } from '../deliveries/words.js';
import { eventsOf, type SubscriptionName, WebhookForm } from './form.js';
import { LaneChart } from './lane-chart.js';
import { NotSent } from './not-sent.js';
import { StateOfWebhook } from './state.js';
import { texts } from './texts.js';

const Conformance = lazyPart(() => import('../../components/conformance/conformance.js'));

const RECENT = 8;

interface WebhookDetailProps {
  readonly uuid: string;
  /** Undefined if it was not called in the last day. */
  readonly endpoint: Endpoint | undefined;
  readonly numbers: readonly NumberRecord[];
  readonly subscriptions: readonly SubscriptionName[];
  /** A secret that was just created; only that response had it. */
  readonly secret: string | undefined;
  readonly showSecret: (secret: string) => void;
  /** The webhook was changed or deleted. No event says so. */
  readonly changed: () => void;
  readonly back: string;
}

/** A webhook, with its lane, what it receives, and what it does not. */
export function WebhookDetail({ uuid, endpoint, numbers, subscriptions, secret, showSecret, changed, back }: WebhookDetailProps) {
  const { data, error, reload } = useQuery<{ webhook: ShownWebhook }>(`/webhooks/${encodeURIComponent(uuid)}`, [
    'webhook.',
    'delivery.settled',
    'state.',
  ]);
  const webhook = data?.webhook;
  const number = numbers.find((one) => one.uuid === webhook?.number);
  return (
    <section class="detail" aria-label={texts.webhook}>
      <div class="detail-head">
        <Link href={back} class="button plain back">
          <Draw name="back" turns /> {texts.webhooks}
        </Link>
        {webhook && (
          <>
            <h2>
              <bdi>{webhook.name}</bdi>
            </h2>
            <StateOfWebhook webhook={webhook} endpoint={endpoint} />
          </>
        )}
      </div>
      {!webhook && (error ? <Failure error={error} retry={reload} /> : <Loading />)}
      {webhook && (
        <>
          {secret !== undefined && (
            <ShownOnce text={secret} what={texts.secret}>
              <p>{texts.programVerifies(<Link href="/signature">{texts.signature}</Link>)}</p>
            </ShownOnce>
          )}
          <WebhookActions
            webhook={webhook}
            numbers={numbers}
            subscriptions={subscriptions}
            showSecret={showSecret}
            reload={() => {
              reload();
              changed();
            }}
            changed={changed}
            back={back}
          />
          {webhook.paused_at !== undefined && <Paused webhook={webhook} />}
          <Facts webhook={webhook} endpoint={endpoint} number={number} subscriptions={subscriptions} />
          <Plots webhook={webhook.uuid} heading="h3" />
          <LaneChart webhook={webhook} />
          <Recent webhook={webhook} />
          <NotSent webhook={webhook} number={number} subscriptions={subscriptions} />
          <Checks webhook={webhook} />
        </>
      )}
    </section>
  );
}

function Checks({ webhook: { uuid, url, number, subscriptions } }: { webhook: ShownWebhook }) {
  const isConnector = subscriptions.includes('channel');
  const runs = useRuns(isConnector ? undefined : uuid);
  return (
    <section class="conformance" aria-labelledby="webhook-conformance">
      <h3 id="webhook-conformance">{texts.conformance}</h3>
      {isConnector ? (
        <p>{texts.endpointOfChannel(<Link href={`/channels/${number}?tab=conformance`}>{texts.checkConnector}</Link>)}</p>
      ) : (
        <Conformance target={{ kind: 'webhook', subject: uuid, url }} runs={runs} />
      )}
    </section>
  );
}

const Paused = ({ webhook: { paused_at: at, paused_because: because, failures_in_a_row: failures } }: { webhook: ShownWebhook }) => (
  <p class="callout">
    {because === 'failures' ? texts.pausedAfterFailures(<Time at={at!} />, failures) : texts.pausedSince(<Time at={at!} />)}
  </p>
);

interface FactsProps extends Pick<WebhookDetailProps, 'endpoint' | 'subscriptions'> {
  readonly webhook: ShownWebhook;
  readonly number: NumberRecord | undefined;
}

function Facts({ webhook, endpoint, number, subscriptions }: FactsProps) {
  const wordsOf = (name: string): string | undefined => {
    const kind = subscriptions.find((one) => one.name === name)?.kind;
    return kind && eventsOf[kind];
  };
  const headers = Object.entries(webhook.headers);
  return (
    <dl class="facts">
      <EndpointFacts endpoint={endpoint} />
      <dt>{texts.url}</dt>
      <dd>
        <CopyText text={webhook.url} label={texts.theUrl} />
      </dd>
      <dt>{texts.number}</dt>
      <dd>
        <Link href={`/numbers/${webhook.number}`}>{number ? <bdi>{number.name}</bdi> : webhook.number}</Link>{' '}
        {number && <span class="quiet">{number.address}</span>}
      </dd>
      <dt>{texts.subscriptions}</dt>
      <dd>
        {webhook.subscriptions.map((name) => (
          <div key={name}>
            <span class="subscription">{name}</span> <span class="quiet">{wordsOf(name)}</span>
          </div>
        ))}
      </dd>
      <dt>{texts.signature}</dt>
      <dd>
        {texts.hmacWith(webhook.hmac_digest.toUpperCase().replace('SHA', 'SHA-'))}
        {webhook.previous_secret_until !== undefined && (
          <span class="quiet"> {texts.alsoSignsUntil(<Time at={webhook.previous_secret_until} />)}</span>
        )}
      </dd>
      {headers.length > 0 && (
        <>
          <dt>{texts.headers}</dt>
          <dd class="mono">
            {headers.map(([name, value]) => (
              <div key={name}>
                <bdi>
                  {name}: {value}
                </bdi>
              </div>
            ))}
          </dd>
        </>
      )}
      {webhook.retry_also !== undefined && webhook.retry_also.length > 0 && (
        <>
          <dt>{texts.alsoRetried}</dt>
          <dd title={webhook.retry_also.join(', ')}>{webhook.retry_also.map(wordsOfRetried).join('; ')}</dd>
        </>
      )}
      {webhook.order === 'strict' && (
        <>
          <dt>{texts.order}</dt>
          <dd>
            {texts.strictOrder}
            {webhook.blocked !== undefined && webhook.blocked.conversations > 0 && (
              <span class="quiet"> {texts.blockedConversations(webhook.blocked.conversations, webhook.blocked.deliveries)}</span>
            )}
          </dd>
        </>
      )}
      {webhook.max_per_second !== undefined && (
        <>
          <dt>{texts.limit}</dt>
          <dd>{texts.attemptsPerSecond(webhook.max_per_second)}</dd>
        </>
      )}
      <dt>{texts.webhook}</dt>
      <dd>
        <CopyText text={webhook.uuid} label={texts.idOfWebhook} />
      </dd>
    </dl>
  );
}

function Recent({ webhook }: { webhook: ShownWebhook }) {
  const { data, error, reload } = useQuery<{ deliveries: readonly ShownDelivery[] }>(
    `/deliveries?webhook=${webhook.uuid}&limit=${RECENT}`,
    ['delivery.', 'state.'],
  );
  return (
    <section class="card" aria-label={texts.recentDeliveries}>
      <div class="head">
        <h3>{texts.recentDeliveries}</h3>
        <Link href={`/deliveries?webhook=${webhook.uuid}`}>{texts.allDeliveries}</Link>
      </div>
      {!data && (error ? <Failure error={error} retry={reload} /> : <Loading />)}
      {data?.deliveries.length === 0 && <p class="quiet">{texts.noneYet}</p>}
      <ul class="recent">
        {data?.deliveries.map((delivery) => {
          const { tone, text } = wordsOfState(delivery);
          return (
            <li key={delivery.uuid}>
              <Link href={`/deliveries/${delivery.uuid}`}>
                <Time at={delivery.created_at} /> {kindOfEvent(delivery)}
              </Link>
              <Status tone={tone}>{text}</Status>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface WebhookActionsProps extends Pick<WebhookDetailProps, 'numbers' | 'subscriptions' | 'showSecret' | 'changed' | 'back'> {
  readonly webhook: ShownWebhook;
  readonly reload: () => void;
}

function WebhookActions({ webhook, numbers, subscriptions, showSecret, reload, changed, back }: WebhookActionsProps) {
  const { uuid, enabled } = webhook;
  const act = useAct();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'edit' | 'rotate' | undefined>(undefined);
  const [hours, setHours] = useState('0');
  const close = (): void => setOpen(undefined);
  return (
    <div class="delivery-actions">
      <div class="buttons">
        {webhook.paused_at === undefined ? (
          <ToolAction
            act={act}
            label={texts.pause}
            announcement={texts.webhookPaused}
            done={reload}
            action={{ method: 'POST', path: `/webhooks/${uuid}/pause` }}
          />
        ) : (
          <ToolAction
            act={act}
            label={texts.resume}
            announcement={texts.webhookResumed}
            look="button"
            done={reload}
            action={{ method: 'POST', path: `/webhooks/${uuid}/resume` }}
          />
        )}
        <ToolAction
          act={act}
          label={enabled ? texts.disable : texts.enable}
          announcement={enabled ? texts.webhookDisabled : texts.webhookEnabled}
          look={enabled ? 'button outlined' : 'button'}
          {...(enabled && {
            confirm: {
              title: texts.disableNamed(webhook.name),
              text: texts.deliveriesAreCancelled,
              verb: texts.disableWebhook,
            },
          })}
          done={reload}
          action={{ method: 'PATCH', path: `/webhooks/${uuid}`, payload: { enabled: !enabled } }}
        />
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'PATCH', path: `/webhooks/${uuid}` })}
          onClick={() => setOpen('edit')}
        >
          {texts.edit}
        </button>
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'POST', path: `/webhooks/${uuid}/rotate-secret` })}
          onClick={() => setOpen('rotate')}
        >
          {texts.rotateSecret}
        </button>
        <ActButton
          action={{ method: 'DELETE', path: `/webhooks/${uuid}` }}
          look="button bad"
          hasCopy={false}
          announcement={texts.webhookDeleted}
          done={() => {
            changed();
            navigate(back);
          }}
          confirm={{ title: texts.deleteNamed(webhook.name), text: texts.whatDeleteDoes(webhook.url), verb: texts.deleteWebhook }}
        >
          {texts.delete}
        </ActButton>
      </div>
      <ActError error={act.error} />
      {open === 'edit' && (
        <WebhookForm
          webhook={webhook}
          numbers={numbers}
          subscriptions={subscriptions}
          close={close}
          done={() => {
            announce(texts.webhookSaved);
            close();
            reload();
          }}
        />
      )}
      {open === 'rotate' && (
        <Sheet title={texts.rotateTheSecret} look="dialog" close={close}>
          <ActForm<{ hmac_secret: string }>
            label={texts.rotateTheSecret}
            verb={texts.rotate}
            action={{ method: 'POST', path: `/webhooks/${uuid}/rotate-secret`, payload: { overlap_hours: Number(hours) } }}
            done={({ hmac_secret: secret }) => {
              announce(texts.secretRotated);
              close();
              showSecret(secret);
              reload();
            }}
          >
            <p>{texts.signedWithNewSecret}</p>
            <Field label={texts.overlapInHours} type="number" value={hours} set={setHours} note={texts.whatOverlapDoes} />
          </ActForm>
        </Sheet>
      )}
    </div>
  );
}
