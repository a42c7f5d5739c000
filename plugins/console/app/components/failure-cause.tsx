import type { DeliveryDetail } from '#core';
import { POSTHORN } from '../data/own-command.js';
import { useQuery } from '../data/query.js';
import type { AttemptRecord } from '../data/records.js';
import { meaningOf } from './attempt-meaning.js';
import { texts } from './attempt-texts.js';
import { wordsOfEffect } from './fault-texts.js';

/** Faults that let an attempt succeed. */
const HARMLESS: readonly string[] = ['duplicate', 'reorder'];

/** Why the last attempt of a delivery failed, and how to fix it: a fault rule that made the failure, or else the endpoint. */
export default function FailureCause({ delivery, attempt }: { delivery: string; attempt: AttemptRecord }) {
  const { data, error } = useQuery<{ details?: readonly DeliveryDetail[] }>(`/deliveries/${delivery}`, ['delivery.']);
  // The endpoint is not blamed before the cause is known; without the details, its response is all that is known.
  if (!data && !error) return null;
  const fault = data?.details?.find((detail) => detail.attempt === attempt.uuid)?.fault;
  if (fault && !HARMLESS.includes(fault.kind)) return <>{texts.theFaultRuleMadeThis(fault.rule, wordsOfEffect(fault.kind), POSTHORN)}</>;
  const { means, fix } = meaningOf(attempt);
  return (
    <>
      {means} {fix}
    </>
  );
}
