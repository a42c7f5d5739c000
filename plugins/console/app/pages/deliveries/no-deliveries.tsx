import { Link } from 'wouter-preact';
import { Empty, Failure, Loading, NotLoaded } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';

/** Says why there are no deliveries yet. */
export function NoDeliveries() {
  const webhooks = useQuery<{ webhooks: readonly ShownWebhook[] }>('/webhooks', ['webhook.', 'state.']);
  const hooks = webhooks.data?.webhooks;
  const numbers = useQuery<{ numbers: readonly NumberRecord[] }>('/numbers', ['number.', 'state.']).data?.numbers;
  if (webhooks.error?.status === 404)
    return (
      <Empty title="No deliveries">
        <NotLoaded plugin="webhooks" />
      </Empty>
    );
  if (webhooks.error && !hooks) return <Failure error={webhooks.error} retry={webhooks.reload} />;
  if (!hooks || !numbers) return <Loading />;
  if (numbers.length === 0) {
    return (
      <Empty title="No deliveries yet: there is no number">
        <p>A webhook belongs to a number, whose events it receives.</p>
        <p>
          <Link class="button" href="/numbers">
            Create a number
          </Link>
        </p>
      </Empty>
    );
  }
  if (hooks.length === 0) {
    return (
      <Empty title="No deliveries yet: there is no webhook">
        <p>A webhook sends the events of a number to your program: messages of contacts, statuses, and sent messages.</p>
        <p>
          <Link class="button" href="/webhooks?new=1">
            Create a webhook
          </Link>
        </p>
      </Empty>
    );
  }
  const muted = hooks.filter(({ enabled }) => !enabled);
  const paused = hooks.filter(({ paused_at: at }) => at !== undefined);
  return (
    <Empty title="No deliveries yet">
      {muted.length === hooks.length && <p>Every webhook is disabled, so events are not sent.</p>}
      <ul class="why-list">
        {hooks.slice(0, 5).map((hook) => (
          <li key={hook.uuid}>
            <Link href={`/webhooks/${hook.uuid}`}>
              <bdi>{hook.name}</bdi>
            </Link>{' '}
            {hook.enabled ? (
              <>
                receives {hook.subscriptions.join(', ')}
                {hook.paused_at === undefined ? '; nothing of that has happened.' : ', and is paused.'}
              </>
            ) : (
              'is disabled.'
            )}
          </li>
        ))}
      </ul>
      {hooks.length > 5 && <p class="quiet">and {hooks.length - 5} more webhooks</p>}
      <p>
        {paused.length > 0 ? 'Resume the webhook, or write' : 'Write'} a message as a contact in the <Link href="/inbox">Inbox</Link>, or
        ask <Link href="/why">why nothing happened</Link>.
      </p>
    </Empty>
  );
}
