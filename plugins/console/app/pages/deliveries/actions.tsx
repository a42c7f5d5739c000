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
            label="Retry now"
            announcement="The retry is sent"
            look="button"
            action={{ method: 'POST', path: `/deliveries/${uuid}/retry`, command: `posthorn deliveries retry ${uuid}` }}
          />
        )}
        {isWaiting && clock !== undefined && (
          <ToolAction
            act={act}
            label="Clock to next attempt"
            announcement="The clock was moved to the next attempt"
            action={{ method: 'POST', path: '/clock', payload: { set: dueAt }, command: `posthorn clock set ${dueAt}` }}
          />
        )}
        <ToolAction
          act={act}
          label="Redeliver"
          announcement="The delivery is queued again"
          action={{ method: 'POST', path: `/deliveries/${uuid}/redeliver`, command: `posthorn deliveries redeliver ${uuid}` }}
        />
        {delivery.sender === undefined && (
          <button
            type="button"
            class="button outlined"
            {...controlOf({ method: 'POST', path: `/deliveries/${uuid}/redeliver` })}
            onClick={() => setOpen('redeliver')}
          >
            Redeliver edited…
          </button>
        )}
        {isUnsettled && (
          <ToolAction
            act={act}
            label={isWaiting ? 'Cancel retries' : 'Cancel'}
            announcement="The delivery was cancelled"
            confirm={{
              title: isWaiting ? 'Cancel the retries?' : 'Cancel the delivery?',
              text: 'No further attempt is made. It can be redelivered later.',
              verb: isWaiting ? 'Cancel the retries' : 'Cancel the delivery',
            }}
            action={{ method: 'POST', path: `/deliveries/${uuid}/cancel`, command: `posthorn deliveries cancel ${uuid}` }}
          />
        )}
        {faults !== undefined && webhook && (
          <button
            type="button"
            class="button outlined"
            {...controlOf({ method: 'POST', path: '/faults' })}
            onClick={() => setOpen('fault')}
          >
            Add fault…
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
