import { Link } from 'wouter-preact';
import type { DeliveryRecord, MessageRecord } from '#core';
import { failureText, reasonText } from '../../../../../core/events/failure-text.js';
import { Status } from '../../components/status.js';
import { useSecondsUntil } from './platform-clock.js';
import { texts } from './texts.js';

const LADDER = ['sent', 'delivered', 'read'] as const;

/** How far a message to a contact has come: queued, accepted, sent, delivered, read; or failed, with the reason. */
export function Ladder({ message }: { message: MessageRecord }) {
  const { status, statuses, external_id, pending_for } = message;
  if (status === 'failed') {
    const error = statuses.findLast((report) => report.status === 'failed')?.errors?.[0];
    return (
      <span class="ladder">
        <Status tone="bad">{texts.failed}</Status>
        {error && (
          <span class="reason" dir="auto">
            {error.code} {error.title}: {error.details}
          </span>
        )}
      </span>
    );
  }
  const reached = status === undefined ? -1 : LADDER.indexOf(status);
  if (reached < 0)
    return (
      <span class="ladder">
        <Status tone={pending_for === undefined ? 'ok' : 'neutral'}>
          {pending_for !== undefined ? texts.queued : external_id === undefined ? texts.acceptedWithoutAnId : texts.accepted}
        </Status>
      </span>
    );
  return (
    <span class="ladder">
      {LADDER.slice(0, reached + 1).map((step) => (
        <span key={step} class={step === 'read' ? 'read' : 'step'}>
          <span aria-hidden="true">✓</span> {step}
        </span>
      ))}
    </span>
  );
}

/** Why a delivery of a message has not succeeded so far, with links to it and to the explanation of the whole chain. */
export function Trouble({ delivery, message }: { delivery: DeliveryRecord; message: MessageRecord }) {
  const { uuid, kind, subscription, last_status, last_error, state, reason, attempts } = delivery;
  const receiver = kind === 'channel' ? texts.connector : texts.webhook2(subscription);
  const code = delivery.last_no_response;
  const status = attempts > 0 && !code ? last_status : undefined;
  const outcome = status === undefined ? texts.failed : texts.failedWith(status);
  const more = code ? failureText({ code }) : last_error?.startsWith(`the endpoint answered ${status}`) ? undefined : last_error;
  return (
    <p class="trouble">
      <Status tone={state === 'cancelled' || state === 'dropped' ? 'bad' : 'warn'}>
        {receiver} {outcome}
      </Status>
      {more && <span dir="auto">{more}</span>}
      <span>
        {state === 'cancelled' || state === 'dropped'
          ? reason === undefined
            ? state
            : texts.because(state, reasonText(reason))
          : texts.attempt(attempts)}
        {delivery.due_at && <Retry at={delivery.due_at} />}
      </span>
      <span class="buttons">
        <Link href={`/deliveries/${uuid}`}>{texts.delivery}</Link>
        <Link href={`/why?message=${message.uuid}`}>{texts.why}</Link>
      </span>
    </p>
  );
}

function Retry({ at }: { at: string }) {
  const seconds = useSecondsUntil(at);
  return <> · {seconds > 0 ? texts.retryInS(seconds) : texts.retryIsDue}</>;
}
