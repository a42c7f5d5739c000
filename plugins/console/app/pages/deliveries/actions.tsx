import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { ActError, useAct } from '../../components/act.js';
import { ToolAction } from '../../components/tool-action.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import type { ShownWebhook } from '../../data/records.js';
import { FaultSheet } from './fault-sheet.js';
import type { DeliveryAnswer } from './records.js';
import { Redeliver } from './redeliver.js';
import { texts } from './texts.js';

interface DeliveryActionsProps {
  readonly shown: DeliveryAnswer;
  /** Undefined if it was deleted, or while it is loaded. */
  readonly webhook: ShownWebhook | undefined;
}

/** The actions on a delivery. */
export function DeliveryActions({ shown: { delivery, body }, webhook }: DeliveryActionsProps) {
  const { uuid, state, due_at: dueAt } = delivery;
  const act = useAct();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'redeliver' | 'fault' | undefined>(undefined);
  // Only a sandbox has a clock that moves, and faults.
  const clock = useQuery<unknown>('/clock').data;
  const faults = useQuery<unknown>('/faults').data;
  const isWaiting = state === 'retry_wait' && dueAt !== undefined;
  const isUnsettled = delivery.settled_at === undefined;
  const close = (): void => setOpen(undefined);
  return (
    <div class="delivery-actions">
      <div class="buttons">
        {isWaiting && (
          <ToolAction
            act={act}
            label={texts.retryNow}
            title={texts.whatRetryNowDoes}
            announcement={texts.theRetryIsSent}
            look="button"
            action={{ method: 'POST', path: `/deliveries/${uuid}/retry`, command: `posthorn deliveries retry ${uuid}` }}
          />
        )}
        {isWaiting && clock !== undefined && (
          <ToolAction
            act={act}
            label={texts.clockToNextAttempt}
            title={texts.whatClockDoes}
            announcement={texts.theClockWasMovedTo}
            action={{ method: 'POST', path: '/clock', payload: { set: dueAt }, command: `posthorn clock set ${dueAt}` }}
          />
        )}
        <ToolAction
          act={act}
          label={texts.redeliver}
          title={texts.whatRedeliverDoes}
          look={isUnsettled || state === 'delivered' ? 'button outlined' : 'button'}
          announcement={texts.theDeliveryIsQueuedAgain}
          action={{ method: 'POST', path: `/deliveries/${uuid}/redeliver`, command: `posthorn deliveries redeliver ${uuid}` }}
        />
        {delivery.sender === undefined && (
          <button
            type="button"
            class="button outlined"
            title={texts.whatRedeliverEditedDoes}
            {...controlOf({ method: 'POST', path: `/deliveries/${uuid}/redeliver` })}
            onClick={() => setOpen('redeliver')}
          >
            {texts.openRedeliverEdited}
          </button>
        )}
        {isUnsettled && (
          <ToolAction
            act={act}
            label={isWaiting ? texts.cancelRetries : texts.cancel}
            title={texts.whatCancelDoes}
            announcement={texts.theDeliveryWasCancelled}
            confirm={{
              title: isWaiting ? texts.askCancelRetries : texts.askCancelDelivery,
              text: texts.whatCancelDoes,
              verb: isWaiting ? texts.cancelTheRetries : texts.cancelTheDelivery,
            }}
            action={{ method: 'POST', path: `/deliveries/${uuid}/cancel`, command: `posthorn deliveries cancel ${uuid}` }}
          />
        )}
        {faults !== undefined && webhook && (
          <button
            type="button"
            class="button outlined"
            title={texts.whatFaultsAreFor}
            {...controlOf({ method: 'POST', path: '/faults' })}
            onClick={() => setOpen('fault')}
          >
            {texts.addFault}
          </button>
        )}
      </div>
      <ActError error={act.error} />
      {open === 'redeliver' && (
        <Redeliver
          delivery={delivery}
          body={body}
          url={webhook?.url}
          close={close}
          sent={(copy) => {
            close();
            navigate(`/deliveries/${copy}`);
          }}
        />
      )}
      {open === 'fault' && webhook && <FaultSheet webhook={webhook.uuid} name={webhook.name} close={close} />}
    </div>
  );
}
