import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActError, ActForm, Field, useAct } from '../../components/act.js';
import { useRuns } from '../../components/conformance/runs.js';
import { CopyText } from '../../components/copy.js';
import { EndpointFacts } from '../../components/endpoint-health.js';
import { Draw } from '../../components/icons.js';
import { lazyPart } from '../../components/lazy-part.js';
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
import { type SubscriptionName, WebhookForm } from './form.js';
import { LaneChart } from './lane-chart.js';
import { NotSent } from './not-sent.js';
import { StateOfWebhook } from './state.js';

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
    <section class="detail" aria-label="Webhook">
      <div class="detail-head">
        <Link href={back} class="button plain back">
          <Draw name="back" turns /> Webhooks
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
            <ShownOnce text={secret} what="secret">
              <p>
                Your program verifies signatures with it. The page <Link href="/signature">Signature</Link> has code for it.
              </p>
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
          <Facts webhook={webhook} endpoint={endpoint} number={number} />
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
      <h3 id="webhook-conformance">Conformance</h3>
      {isConnector ? (
        <p>
          It is the endpoint of a channel: <Link href={`/channels/${number}?tab=conformance`}>check its connector</Link>.
        </p>
      ) : (
        <Conformance target={{ kind: 'webhook', subject: uuid, url }} runs={runs} />
      )}
    </section>
  );
}

const Paused = ({ webhook: { paused_at: at, paused_because: because, failures_in_a_row: failures } }: { webhook: ShownWebhook }) => (
  <p class="callout">
    Paused since <Time at={at!} />
    {because === 'failures' ? `, after ${failures ?? 'too many'} failed attempts in a row` : ''}. Deliveries are stored, and sent in their
    order when the webhook is resumed.
  </p>
);

interface FactsProps extends Pick<WebhookDetailProps, 'endpoint'> {
  readonly webhook: ShownWebhook;
  readonly number: NumberRecord | undefined;
}

function Facts({ webhook, endpoint, number }: FactsProps) {
  const headers = Object.entries(webhook.headers);
  return (
    <dl class="facts">
      <EndpointFacts endpoint={endpoint} />
      <dt>URL</dt>
      <dd>
        <CopyText text={webhook.url} label="the URL" />
      </dd>
      <dt>Number</dt>
      <dd>
        <Link href={`/numbers/${webhook.number}`}>{number ? <bdi>{number.name}</bdi> : webhook.number}</Link>{' '}
        {number && <span class="quiet">{number.address}</span>}
      </dd>
      <dt>Subscriptions</dt>
      <dd>
        {webhook.subscriptions.map((name) => (
          <span key={name} class="subscription">
            {name}
          </span>
        ))}
      </dd>
      <dt>Signature</dt>
      <dd>
        HMAC with {webhook.hmac_digest.toUpperCase().replace('SHA', 'SHA-')}, base64
        {webhook.previous_secret_until !== undefined && (
          <span class="quiet">
            {' '}
            · also signs with the previous secret until <Time at={webhook.previous_secret_until} />
          </span>
        )}
      </dd>
      {headers.length > 0 && (
        <>
          <dt>Headers</dt>
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
          <dt>Also retried</dt>
          <dd class="mono">{webhook.retry_also.join(', ')}</dd>
        </>
      )}
      {webhook.order === 'strict' && (
        <>
          <dt>Order</dt>
          <dd>
            strict
            {webhook.blocked !== undefined && webhook.blocked.conversations > 0 && (
              <span class="quiet">
                {' '}
                · conversations that wait for a retry: {webhook.blocked.conversations}, with deliveries: {webhook.blocked.deliveries}
              </span>
            )}
          </dd>
        </>
      )}
      {webhook.max_per_second !== undefined && (
        <>
          <dt>Limit</dt>
          <dd>{webhook.max_per_second} attempts per second</dd>
        </>
      )}
      <dt>Webhook</dt>
      <dd>
        <CopyText text={webhook.uuid} label="the id of the webhook" />
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
    <section class="card" aria-label="Recent deliveries">
      <div class="head">
        <h3>Recent deliveries</h3>
        <Link href={`/deliveries?webhook=${webhook.uuid}`}>All deliveries</Link>
      </div>
      {!data && (error ? <Failure error={error} retry={reload} /> : <Loading />)}
      {data?.deliveries.length === 0 && <p class="quiet">None yet.</p>}
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
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | undefined>(undefined);
  const [hours, setHours] = useState('0');
  const close = (): void => setOpen(undefined);
  return (
    <div class="delivery-actions">
      <div class="buttons">
        {webhook.paused_at === undefined ? (
          <ToolAction
            act={act}
            label="Pause"
            announcement="The webhook is paused"
            done={reload}
            action={{ method: 'POST', path: `/webhooks/${uuid}/pause` }}
          />
        ) : (
          <ToolAction
            act={act}
            label="Resume"
            announcement="The webhook is resumed"
            look="button"
            done={reload}
            action={{ method: 'POST', path: `/webhooks/${uuid}/resume` }}
          />
        )}
        <ToolAction
          act={act}
          label={enabled ? 'Disable' : 'Enable'}
          announcement={enabled ? 'The webhook is disabled' : 'The webhook is enabled'}
          look={enabled ? 'button outlined' : 'button'}
          {...(enabled && {
            confirm: {
              title: `Disable ${webhook.name}?`,
              text: 'Its deliveries are cancelled from now on. To store them instead, pause the webhook.',
              verb: 'Disable the webhook',
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
          Edit…
        </button>
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'POST', path: `/webhooks/${uuid}/rotate-secret` })}
          onClick={() => setOpen('rotate')}
        >
          Rotate secret…
        </button>
        <button
          type="button"
          class="button bad"
          {...controlOf({ method: 'DELETE', path: `/webhooks/${uuid}` })}
          onClick={() => setOpen('delete')}
        >
          Delete…
        </button>
      </div>
      <ActError error={act.error} />
      {open === 'edit' && (
        <WebhookForm
          webhook={webhook}
          numbers={numbers}
          subscriptions={subscriptions}
          close={close}
          done={() => {
            announce('The webhook was saved');
            close();
            reload();
          }}
        />
      )}
      {open === 'rotate' && (
        <Sheet title="Rotate the secret" look="dialog" close={close}>
          <ActForm<{ hmac_secret: string }>
            label="Rotate the secret"
            verb="Rotate"
            action={{ method: 'POST', path: `/webhooks/${uuid}/rotate-secret`, payload: { overlap_hours: Number(hours) } }}
            done={({ hmac_secret: secret }) => {
              announce('The secret was rotated');
              close();
              showSecret(secret);
              reload();
            }}
          >
            <p>Requests are signed with a new secret from now on. It is shown once, after this.</p>
            <Field
              label="Overlap in hours"
              type="number"
              value={hours}
              set={setHours}
              note="During this time a second header has the signature with the old secret, up to 168 hours."
            />
          </ActForm>
        </Sheet>
      )}
      {open === 'delete' && (
        <Sheet title={`Delete ${webhook.name}`} look="dialog" close={close}>
          <ActForm
            label="Delete the webhook"
            verb="Delete the webhook"
            action={{ method: 'DELETE', path: `/webhooks/${uuid}` }}
            done={() => {
              announce('The webhook was deleted');
              changed();
              navigate(back);
            }}
          >
            <p>
              <bdi class="mono">{webhook.url}</bdi> receives nothing any more, and pending deliveries are cancelled. This cannot be undone;
              to stop deliveries for a while, pause the webhook.
            </p>
          </ActForm>
        </Sheet>
      )}
    </div>
  );
}
