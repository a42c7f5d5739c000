import { Link } from 'wouter-preact';
import { Empty, Failure, Loading, NotLoaded } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { texts } from './texts.js';

/** Says why there are no deliveries yet. */
export function NoDeliveries() {
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['webhook.', 'state.']);
  const hooks = webhooks.data?.webhooks;
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers;
  if (webhooks.error?.status === 404)
    return (
      <Empty title={texts.noDeliveries}>
        <NotLoaded plugin="webhooks" />
      </Empty>
    );
  if (webhooks.error && !hooks) return <Failure error={webhooks.error} retry={webhooks.reload} />;
  if (!hooks || !numbers) return <Loading />;
  if (numbers.length === 0) {
    return (
      <Empty title={texts.noNumber}>
        <p>{texts.whatNumbersAreFor}</p>
        <p>
          <Link class="button" href="/numbers">
            {texts.createANumber}
          </Link>
        </p>
      </Empty>
    );
  }
  if (hooks.length === 0) {
    return (
      <Empty title={texts.noWebhook}>
        <p>{texts.whatWebhooksDo}</p>
        <p>
          <Link class="button" href="/webhooks?new=1">
            {texts.createAWebhook}
          </Link>
        </p>
      </Empty>
    );
  }
  const muted = hooks.filter(({ enabled }) => !enabled);
  const paused = hooks.filter(({ paused_at: at }) => at !== undefined);
  return (
    <Empty title={texts.noDeliveriesYet}>
      {muted.length === hooks.length && <p>{texts.allAreDisabled}</p>}
      <ul class="why-list">
        {hooks.slice(0, 5).map((hook) => (
          <li key={hook.uuid}>{aboutHook(hook)}</li>
        ))}
      </ul>
      {hooks.length > 5 && <p class="quiet">{texts.andMoreWebhooks(hooks.length - 5)}</p>}
      <p>
        {(paused.length > 0 ? texts.resumeOrWrite : texts.writeMessage)(
          <Link href="/inbox">{texts.inbox}</Link>,
          <Link href="/why">{texts.whyNothingHappened}</Link>,
        )}
      </p>
    </Empty>
  );
}

function aboutHook({ uuid, name, enabled, subscriptions, paused_at: pausedAt }: ShownWebhook) {
  const link = (
    <Link href={`/webhooks/${uuid}`}>
      <bdi>{name}</bdi>
    </Link>
  );
  if (!enabled) return texts.hookIsDisabled(link);
  const events = subscriptions.join(', ');
  return pausedAt === undefined ? texts.hookReceives(link, events) : texts.hookIsPaused(link, events);
}
