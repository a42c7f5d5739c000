import type { ChunkedText } from '../memory/chunks.js';
import type { FaultSubject, Faults } from '../ports/faults.js';
import type { HttpOutcome } from '../ports/http-client.js';
import type { OutboundRequest, OutboundSender } from '../ports/outbound.js';
import type { DeliveryEntry } from './delivery.js';
import type { DeliveryDetails } from './delivery-details.js';
import { type AttemptResult, classify, type RetrySwitch } from './retry.js';
import type { DeliverySender, Destination, NotSent } from './sender.js';

/** The window of a reordered delivery whose rule gives none. */
const DEFAULT_WINDOW_MS = 3_000;
/** Deliveries whose postponement is remembered until they start. */
const MAX_POSTPONED = 1_000;

interface Attempt {
  readonly entry: DeliveryEntry;
  readonly destination: Destination;
  readonly sender: DeliverySender;
}

/** Sends the request of an attempt. */
type SendAttempt = (attempt: Attempt, request: OutboundRequest | NotSent) => Promise<HttpOutcome>;

/**
 * Sends with the faults that apply, and records the exchange in `details`. With neither, requests go to the sender unchanged. A result instead of a
 * request is the outcome.
 */
export function attemptSender({
  sender,
  faults,
  details,
}: {
  readonly sender: Pick<OutboundSender, 'send'>;
  readonly faults: Faults | undefined;
  readonly details: Pick<DeliveryDetails, 'add'> | undefined;
}): SendAttempt {
  if (!faults && !details) return (_, request) => ('kind' in request ? Promise.resolve(unsent(request)) : sender.send(request));
  return async (attempt, built) => {
    if ('kind' in built) return unsent(built);
    const fault = faults?.fire('delivery', subjectOf(attempt.entry));
    // Links to media files are made with the request.
    const expired = fault?.effect.kind === 'expired_link' ? await attempt.sender.request({ ...attempt, linksExpired: true }) : built;
    if ('kind' in expired) return unsent(expired);
    const request: OutboundRequest = { ...expired, ...(fault && { fault }), ...(details && { detailed: true }) };
    const outcome = await sender.send(request);
    details?.add(attempt.entry.record, request, outcome);
    return outcome;
  };
}

/** The fields of a delivery that rules match. */
const subjectOf = ({ record, content }: DeliveryEntry): FaultSubject => ({
  webhook: record.webhook,
  number: record.number,
  subscription: record.subscription,
  recipient: record.recipient,
  attempt: record.attempts,
  text: content.edited ?? bodyText(content.body),
});

/** The text without its long values, which are stored separately. */
const bodyText = (body: ChunkedText | undefined): string | undefined =>
  typeof body === 'object' ? body.pieces.filter((piece) => typeof piece === 'string').join('') : body;

/**
 * Decides which deliveries start later, so that newer ones overtake them. Undefined without faults.
 * @returns a function that returns the milliseconds to wait; undefined for a delivery that starts now
 */
export function reordering(faults: Faults | undefined): ((entry: DeliveryEntry) => number | undefined) | undefined {
  if (!faults) return undefined;
  /** The decisions of starts that may run again, because another transaction was faster. */
  const decided = new Map<string, number | undefined>();
  return (entry) => {
    const { uuid, run, state, attempts } = entry.record;
    // A delivery that was postponed is in `retry_wait`, although it has no attempt.
    if (state !== 'queued' || attempts > 0) return undefined;
    const key = `${uuid} ${run}`;
    if (decided.has(key)) return decided.get(key);
    const effect = faults.fire('delivery_order', subjectOf(entry))?.effect;
    const windowMs = effect?.kind === 'reorder' ? (effect.window_ms ?? DEFAULT_WINDOW_MS) : undefined;
    if (decided.size >= MAX_POSTPONED) decided.clear();
    decided.set(key, windowMs);
    return windowMs;
  };
}

/** The outcome of an attempt that its sender did not send. */
type Unsent = HttpOutcome & { readonly result: AttemptResult };

const unsent = (result: NotSent): Unsent => ({
  ...{ kind: 'unreachable', permanent: true, code: 'UNSENT', reason: result.error, elapsedMs: 0 },
  result: { ...result, status: 0 },
});

/** Decides what an outcome means to the sender of an attempt. */
export function resultOf(
  attempt: Attempt,
  outcome: HttpOutcome | Unsent,
  retryAlso: readonly RetrySwitch[],
): AttemptResult | Promise<AttemptResult> {
  const { sender } = attempt;
  if ('result' in outcome) return withFiniteDelay(sender, outcome.result);
  if (!sender.read) return classify(outcome, sender.policy, attempt.destination.retry_also ?? retryAlso);
  const result = sender.read(attempt, outcome);
  return result instanceof Promise ? result.then((one) => withFiniteDelay(sender, one)) : withFiniteDelay(sender, result);
}

/** A delay that is not a number is an error in the sender: its policy says when to repeat then. */
function withFiniteDelay({ name }: DeliverySender, result: AttemptResult): AttemptResult {
  if (result.kind !== 'retry' || result.afterMs === undefined || Number.isFinite(result.afterMs)) return result;
  const { afterMs, ...repeated } = result;
  return { ...repeated, error: `${result.error} (the sender '${name}' gave an afterMs that is not finite: ${afterMs})` };
}
