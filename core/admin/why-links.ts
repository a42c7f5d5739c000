import type { ChainLink } from '../contract/explanation.js';
import type { AnswerFault } from '../delivery/answer-faults.js';
import type { DeliveryRecord } from '../delivery/delivery.js';
import type { WebhookRecord } from '../delivery/webhook.js';
import type { SubscriptionKind } from '../dialect.js';
import { failureText, reasonText } from '../events/failure-text.js';
import { outcomeText } from '../events/outcome-text.js';
import type { RecordedCall } from '../kernel/observe/call-log.js';
import type { ConnectionRecord } from '../messaging/connection.js';
import { blockOf, type ContactRecord } from '../messaging/contact.js';
import type { MessageRecord } from '../messaging/message.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Fault, FaultKind } from '../ports/faults.js';
import type { AdviceRecord } from './advice.js';

// The links of a chain that the core knows: calls, webhooks, deliveries and sent messages.

type NewLink = Pick<ChainLink, 'name' | 'state' | 'summary'> & Partial<ChainLink>;

export const link = (about: NewLink): ChainLink => ({ at: null, evidence: {}, fix: null, ...about });

/** A call that the platform refused, with the cause that its status and number show. `numbers` are all numbers. */
export function refusedCall(call: RecordedCall, numbers: readonly NumberRecord[]): ChainLink {
  const { id, at, method, path, status, error, route, number } = call;
  const named = numbers.find(({ uuid }) => path.includes(uuid));
  const evidence = {
    call: id,
    status: String(status),
    ...(number && { number: number.uuid }),
    ...(named && named.uuid !== number?.uuid && { [number ? 'other_number' : 'number']: named.uuid }),
    ...(error !== null && { error }),
  };
  const refused = (why: string, fix: NonNullable<ChainLink['fix']>): ChainLink =>
    link({ name: 'call', state: 'broken', summary: `The platform refused ${method} ${path} with ${status}: ${why}.`, at, evidence, fix });
  const show = { command: `npx posthorn calls ${id}` };
  if (status === 401) {
    const owner = named ?? (numbers.length === 1 ? numbers[0] : undefined);
    return refused('the call has no valid token', {
      action: `Send the header Authorization: Bearer with a token of ${owner ? `number ${owner.address}` : 'the number'}; POST /admin/v1/numbers/{uuid}/tokens creates one`,
      command: environmentOf(owner),
      ...(owner && { route: `POST /admin/v1/numbers/${owner.uuid}/tokens`, body: { name: 'Another token' } }),
    });
  }
  if (route === null) return refused('no route has this path', { action: 'Correct the path of the call', ...show });
  if (status === 405)
    return refused('the route does not take this method', { action: 'Correct the method or the path of the call', ...show });
  if (number && /\{number(_uuid)?\}/.test(route) && !path.includes(number.uuid)) {
    return refused(`the token belongs to number ${number.address}, and the path names ${named?.address ?? 'another number'}`, {
      action: `Use the uuid of the token's number, ${number.uuid}, in the path, or a token of the other number`,
      command: environmentOf(named),
      ...(named && { route: `POST /admin/v1/numbers/${named.uuid}/tokens`, body: { name: 'Another token' } }),
    });
  }
  if (status === 403 && number) {
    return refused(`the token belongs to number ${number.address}, which may not make this call`, {
      action: 'Use the token of a number that may make the call; the error names the reason',
      command: 'npx posthorn env',
    });
  }
  if (status === 429)
    return refused('the number has used its calls of this minute', { action: 'Repeat the call in the next minute', ...show });
  if (status >= 500) return refused('the platform could not serve it', { action: 'Read the error, and repeat the call', ...show });
  return refused(error ?? 'the call is invalid', { action: 'Correct what the error names, and repeat the call', ...show });
}

/** The command that prints the token of a number. A connector chooses its address, so an address that a shell would read is left out. */
const environmentOf = (number: NumberRecord | undefined): string =>
  number && /^[\w+][\w:.@+-]*$/.test(number.address) ? `npx posthorn env --number ${number.address}` : 'npx posthorn env';

/** A later call that posted the id of the message again. With `advice` its content was another one, and is lost. */
export function repeatedCall(
  { id, at, method, path, status }: RecordedCall,
  { message, number, advice }: { readonly message: string; readonly number: string; readonly advice: AdviceRecord | undefined },
): ChainLink {
  const evidence = { cause: 'repeated', call: id, message, number, status: String(status), ...(advice && { advice: advice.id }) };
  const again = `${method} ${path} posted the id of the message again and got ${status}`;
  if (!advice) return link({ name: 'call', state: 'skipped', summary: `${again}: a duplicate has no effect.`, at, evidence });
  return link({
    name: 'call',
    state: 'broken',
    at,
    evidence,
    summary: `${again}, but with other content: it was treated as a duplicate and not stored.`,
    fix: { action: advice.fix, command: `npx posthorn calls ${id}` },
  });
}

/** The webhooks of an inbound message without deliveries: why none of them received it. Empty if there is no reason to expect one. */
export function missingWebhook(
  number: NumberRecord,
  message: MessageRecord,
  { hooks, nameOf, isHandled }: { hooks: readonly WebhookRecord[]; nameOf: (kind: SubscriptionKind) => string; isHandled: boolean },
): ChainLink[] {
  const subscription = nameOf('network');
  const own = hooks.filter(({ connector }) => !connector);
  const listening = own.filter(({ subscriptions }) => subscriptions.includes('network'));
  const ids = {
    number: number.uuid,
    ...Object.fromEntries(own.map(({ uuid }, i) => [i === 0 ? 'webhook' : `webhook_${i + 1}`, uuid])),
  };
  if (listening.length > 0 && message.type === 'reaction' && !number.reactions) {
    return [
      broken('filtered', 'Webhooks of this number do not receive reactions.', ids, {
        action: 'Turn reactions on for the number; its webhooks receive later reactions',
        route: `PATCH /admin/v1/numbers/${number.uuid}`,
        body: { reactions: true },
      }),
    ];
  }
  if (listening.length > 0) {
    const [first] = listening;
    const isLater = listening.every(({ created_at }) => created_at > message.recorded_at);
    const evidence = { ...ids, created_at: first!.created_at };
    const fix = { action: 'Let the contact write again' };
    if (isLater) return [broken('later', 'The webhook was created after the message, and receives only later messages.', evidence, fix)];
    const summary =
      'A webhook subscribes to messages now, but the message has no delivery: it was evicted after it was settled, or the subscription is newer than the message.';
    return [link({ name: 'webhook', state: 'unknown', summary, evidence: { cause: 'evicted', ...evidence }, fix })];
  }
  if (isHandled)
    return [link({ name: 'webhook', state: 'skipped', summary: 'No webhook subscribes to messages of contacts.', evidence: ids })];
  const [hook] = own;
  if (!hook) {
    return [
      broken('none', `The number ${number.address} has no webhook.`, ids, {
        action: `Create a webhook that subscribes to ${subscription}, with the url of your receiver`,
        route: 'POST /admin/v1/webhooks',
        body: { number: number.uuid, subscriptions: [subscription] },
      }),
    ];
  }
  return [
    broken('not_subscribed', `No webhook of the number subscribes to ${subscription}, the messages of contacts.`, ids, {
      action: `Subscribe the webhook '${hook.name}' to ${subscription}; it receives later messages`,
      route: `PATCH /admin/v1/webhooks/${hook.uuid}`,
      body: { subscriptions: [...hook.subscriptions.map(nameOf), subscription] },
    }),
  ];
}

function broken(cause: string, summary: string, evidence: ChainLink['evidence'], fix: NonNullable<ChainLink['fix']>): ChainLink {
  return link({ name: 'webhook', state: 'broken', summary, evidence: { cause, ...evidence }, fix });
}

interface KnownOfDelivery {
  readonly webhook: WebhookRecord | undefined;
  readonly advice: readonly AdviceRecord[];
  /** The fault that acted on the last attempt. */
  readonly fault: Fault | undefined;
  /** The body of the last response; null without one. */
  readonly response: string | null;
  /** The problem of the response that accepted the message. */
  readonly answer: AnswerFault | undefined;
  /** Whether the connector has accepted the message, also if all attempts of this delivery failed. */
  readonly isAcceptedLate: boolean;
}

/** A delivery: the webhook that receives it, unless a plugin sends it, and the delivery itself. */
export function deliveryLinks(delivery: DeliveryRecord, known: KnownOfDelivery): ChainLink[] {
  if (delivery.sender === undefined) return [webhookLink(delivery, known.webhook), deliveryLink(delivery, known)];
  // The plugin of the sender explains what to do: its receiver is not a webhook whose settings the reader could change.
  return [{ ...deliveryLink(delivery, known), fix: null }];
}

function webhookLink(delivery: DeliveryRecord, webhook: WebhookRecord | undefined): ChainLink {
  const evidence = { delivery: delivery.uuid, ...(webhook ? { webhook: webhook.uuid } : { deleted: delivery.webhook }) };
  if (!webhook) {
    const summary = 'The webhook was deleted.';
    if (delivery.state === 'delivered') return link({ name: 'webhook', state: 'ok', summary, evidence });
    return broken('deleted', summary, evidence, {
      action: 'Create the webhook again, with the url of your receiver; it receives later messages',
      route: 'POST /admin/v1/webhooks',
      body: { number: delivery.number, subscriptions: [delivery.subscription] },
    });
  }
  const { uuid, name, url, enabled, paused_at: pausedAt, paused_because: because } = webhook;
  if (delivery.reason === 'webhook_disabled') {
    const fix = enabled
      ? { action: 'The webhook is enabled again: redeliver the delivery', ...redelivering(delivery) }
      : { action: 'Enable the webhook, then redeliver the delivery', route: `PATCH /admin/v1/webhooks/${uuid}`, body: { enabled: true } };
    return broken('muted', `The webhook '${name}' was disabled, so the delivery was cancelled.`, evidence, fix);
  }
  if (pausedAt !== undefined && delivery.state !== 'delivered' && delivery.settled_at === undefined) {
    const cause = because === 'failures' ? 'after too many failed attempts' : 'through the admin API';
    return {
      ...broken('paused', `The webhook '${name}' is paused ${cause}; the delivery waits until it is resumed.`, evidence, {
        action: 'Resume the webhook',
        route: `POST /admin/v1/webhooks/${uuid}/resume`,
      }),
      at: pausedAt,
    };
  }
  return link({ name: 'webhook', state: 'ok', summary: `The webhook '${name}' receives ${delivery.subscription} at ${url}.`, evidence });
}

const retrying = ({ uuid }: DeliveryRecord) => ({
  command: `npx posthorn deliveries retry ${uuid}`,
  route: `POST /admin/v1/deliveries/${uuid}/retry`,
});

const redelivering = ({ uuid }: DeliveryRecord) => ({
  command: `npx posthorn deliveries redeliver ${uuid}`,
  route: `POST /admin/v1/deliveries/${uuid}/redeliver`,
});

/** The correction after which the next attempt succeeds. */
function correctionOf({ reason, last_no_response: noResponse }: DeliveryRecord, webhook: WebhookRecord | undefined): string {
  const receiver = webhook ? `the receiver at ${webhook.url}` : 'the receiver';
  if (reason === 'by_hand') return `Check that ${receiver} still needs it`;
  switch (noResponse) {
    case 'refused':
    case 'unreachable':
      return `Start ${receiver}, or correct the url of the webhook`;
    case 'unknown_host':
    case 'invalid_url':
      return `Correct the url of the webhook${webhook ? `, ${webhook.url}` : ''}`;
    case 'timed_out':
      return `Let ${receiver} respond first, and do its work afterwards`;
    case 'tls':
      return `Correct the certificate of ${receiver}`;
    case 'private_address':
      return 'Allow private addresses in the options of the platform, or correct the url of the webhook';
    case 'invalid_request':
      return 'Correct the additional headers of the webhook';
    default:
      return `Correct ${receiver}`;
  }
}

/** Follows the outcome of an attempt whose connector accepted the message after the time limit. */
const LATE = '; the connector accepted the message after this limit, but an attempt without a response in time counts as failed';

/** The longest part of a response in a summary, in characters. */
const MAX_RESPONSE_SHOWN = 200;

/** Whether an error only repeats the status of the response. */
const isOnlyStatus = (error: string, status: number | undefined): boolean =>
  error === `the endpoint answered ${status}` || error === `the endpoint answered ${status}, which ends retries`;

/** Why an attempt failed, as text after its outcome: what the receiver wrote, or else the error, which for a status only repeats it. */
function causeOf({ last_status: status, last_error: error }: DeliveryRecord, response: string | null): string {
  const [line = ''] = (response ?? '').trim().split(/[\r\n]/);
  const told = line.length > MAX_RESPONSE_SHOWN ? `${line.slice(0, MAX_RESPONSE_SHOWN)}…` : line;
  const causes = [
    ...(error === undefined || isOnlyStatus(error, status) ? [] : [error]),
    ...(told === '' ? [] : [`the receiver responded “${told}”`]),
  ];
  return causes.length === 0 ? '' : `: ${causes.join('; ')}`;
}

/** Faults that let an attempt succeed. */
const HARMLESS: readonly FaultKind[] = ['duplicate', 'reorder'];

function deliveryLink(delivery: DeliveryRecord, known: KnownOfDelivery): ChainLink {
  const { webhook, advice, fault, answer } = known;
  const { uuid, state, last_status: status, last_no_response: noResponse, last_error: error } = delivery;
  const { reason, due_at: dueAt, settled_at: settledAt, attempts } = delivery;
  const evidence = {
    delivery: uuid,
    ...(webhook && { webhook: webhook.uuid }),
    state,
    attempts: String(attempts),
    ...(delivery.message !== undefined && { message: delivery.message }),
    ...(status !== undefined && attempts > 0 && { status: outcomeText({ status, no_response: noResponse }) }),
    ...(reason !== undefined && { reason }),
    ...(error !== undefined && state !== 'delivered' && attempts > 0 && !isOnlyStatus(error, status) && { error }),
    ...(advice[0] && { advice: advice[0].id }),
    ...(fault && { fault: fault.rule }),
  };
  const made = (part: Omit<NewLink, 'name' | 'evidence'>): ChainLink => link({ name: 'delivery', evidence, ...part });
  const failed = (part: Omit<NewLink, 'name' | 'evidence'>): ChainLink =>
    made({ ...part, ...(advice.length > 0 && { advice: advice.map(({ id, name, message, fix }) => ({ id, name, message, fix })) }) });
  const { isAcceptedLate, response } = known;
  const isLate = isAcceptedLate && delivery.run === 1 && noResponse === 'timed_out' && state !== 'delivered';
  const outcome =
    status === undefined || attempts === 0
      ? `no attempt ${delivery.run > 1 ? 'of the redelivery ' : ''}was made`
      : `the last attempt ${noResponse ? `got no response. ${failureText({ code: noResponse }).slice(0, -1)}` : `ended with ${status}${causeOf(delivery, response)}`}${isLate ? LATE : ''}`;
  const redeliver = redelivering(delivery);
  const isByFault = fault !== undefined && !HARMLESS.includes(fault.effect.kind);
  const because = isByFault ? `, because the fault rule ${fault.rule} (${fault.effect.kind}) acted on it, not because of the receiver` : '';
  const correct = isByFault
    ? `Remove the fault rule with npx posthorn fault remove ${fault.rule}, unless it has run out`
    : correctionOf(delivery, webhook);
  if (answer && state === 'delivered') {
    return failed({
      state: 'broken',
      summary: `The receiver accepted it with ${status}, but ${answer.fault}: statuses and replies of this message cannot be matched.`,
      at: settledAt ?? null,
      fix: { action: answer.fix ?? 'Correct the response of the receiver', command: `npx posthorn deliveries show ${uuid}` },
    });
  }
  if (state === 'delivered')
    return made({ state: 'ok', summary: `The receiver accepted it${noResponse ? '' : ` with ${status}`}.`, at: settledAt ?? null });
  if (settledAt !== undefined) {
    return failed({
      state: 'broken',
      summary: `The delivery was ${state}${reason === undefined ? '' : ` because ${reasonText(reason)}`}; ${outcome}${because}.`,
      at: settledAt,
      fix: { action: `${correct}, then redeliver`, ...redeliver },
    });
  }
  if (state === 'retry_wait' && dueAt !== undefined) {
    return failed({
      state: 'waiting',
      summary: `The next attempt is due at ${dueAt}; ${outcome}${because}.`,
      at: dueAt,
      fix: { action: `${correct}, then retry now`, ...retrying(delivery) },
    });
  }
  return made({ state: 'waiting', summary: `The delivery is ${state === 'sending' ? 'being sent' : 'queued'}; ${outcome}.` });
}

/** Whether a sent message reached the contact, as the connector or the network reported it. */
export function statusLink({ uuid, status, status_timestamp: timestamp, statuses, pending_for: pending }: MessageRecord): ChainLink {
  const at = timestamp === undefined ? null : new Date(Number(timestamp) * 1000).toISOString();
  const evidence = { message: uuid, ...(status !== undefined && { status }) };
  if (status === 'failed') {
    const errors = statuses.flatMap(({ errors = [] }) => errors).map(({ code, title, details }) => `${code} ${title}: ${details}`);
    const why = errors.length > 0 ? errors.join('; ') : 'the network or connector reported no reason';
    const fix = { action: 'Correct the cause of the error, and send the message again' };
    return link({ name: 'status', state: 'broken', summary: `The message failed: ${why}.`, at, evidence, fix });
  }
  if (pending !== undefined) return link({ name: 'status', state: 'waiting', summary: 'The message was not accepted yet.', evidence });
  return link({
    name: 'status',
    state: 'ok',
    summary: `The message was accepted${status ? `; its status is ${status}` : ''}.`,
    at,
    evidence,
  });
}

/** The step of a number that an error of its service has stopped; none while it sends. */
export function connectionLinks(connection: ConnectionRecord | undefined): ChainLink[] {
  if (!connection?.stopped) return [];
  const { number, stopped } = connection;
  const summary = `The number is stopped: ${stopped.title}. The message waits.`;
  const route = `POST /admin/v1/numbers/${number}/connection/check`;
  const fix = { action: 'Fix the cause, or connect the number again with new credentials; then check it', route };
  return [link({ name: 'connection', state: 'broken', at: stopped.at, summary, evidence: { number, code: String(stopped.code) }, fix })];
}

/** The step of a contact to whom no message may be sent; none if one may. */
export function blockLinks(contact: ContactRecord): ChainLink[] {
  const block = blockOf(contact);
  if (!block) return [];
  const { by, at, error } = block;
  const summary = `Messages to the contact are refused with ${error.code}: ${error.details}.`;
  return [link({ name: 'contact', state: 'broken', summary, at, evidence: { contact: contact.uuid, blocked_by: by } })];
}
