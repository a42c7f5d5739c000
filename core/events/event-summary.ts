import { failureText, reasonText } from './failure-text.js';
import { textOf } from './message-text.js';
import { outcomeText } from './outcome-text.js';

interface SummarizedEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each event name has its own data
  readonly data: any;
}

/** Summarizes an event in one line; events without a summary show their data. The line may contain control characters of its texts. */
export function eventSummary({ name, data }: SummarizedEvent): string {
  const sentence = Object.hasOwn(sentences, name) ? sentences[name] : undefined;
  return sentence ? sentence(data) : (JSON.stringify(data) ?? '').slice(0, 160);
}

const sentences: Readonly<Record<string, (data: SummarizedEvent['data']) => string>> = {
  'number.created': ({ number }) => `${number.kind} ${number.name} ${number.address}`,
  'message.received': ({ message }) => `▶ ${message.from}  ${bodyOf(message)}`,
  'message.queued': ({ message }) => `◀ ${message.to}  ${bodyOf(message)}`,
  'message.accepted': ({ message }) => `${message.to} accepted as ${message.external_id ?? 'a message without an id'}`,
  'message.undeliverable': ({ message, reason }) => `${message.to}  ${reason}`,
  'message.status': ({ message, report, stands }) => `${message.to} ${report.status}${stands ? '' : ' (does not change its status)'}`,
  'contact.changed': ({ contact, keys }) =>
    `${contact.id}  ${keys.map((key: string) => `${key}=${JSON.stringify(contact.fields[key])}`).join(' ')}`,
  'contact.blocked': ({ contact, by, reason }) => `${contact.id} by the ${by}: ${reason}`,
  'contact.unblocked': ({ contact, by }) => `${contact.id}, which was blocked by the ${by}`,
  'contact.merged': ({ contact, merged }) => `${merged.id} is ${contact.id}`,
  'contact.split': ({ contact, split }) => `${split.id} is not ${contact.id}`,
  'connection.changed': ({ number, connection }) =>
    `${number} is ${connection === null ? 'disconnected' : connection.stopped ? `stopped: ${connection.stopped.title}` : 'connected'}`,
  'delivery.queued': ({ delivery }) => `${delivery.subscription} ${delivery.uuid}`,
  'delivery.attempted': ({ delivery, attempt }) =>
    `${delivery.subscription} ${outcomeText(attempt)} in ${Math.round(attempt.duration_ms ?? 0)} ms${attempt.error ? `: ${attempt.error}` : ''}`,
  'delivery.settled': ({ delivery }) =>
    `${delivery.subscription} ${delivery.state}${delivery.reason ? ` because ${reasonText(delivery.reason)}` : ''}`,
  'journey.changed': ({ name }) => name,
  'journey.started': ({ message }) => (message === null ? 'without a message' : `with message ${message}`),
  'journey.ended': ({ how, failure }) => `${how}${failure ? `: ${failure}` : ''}`,
  'journey.turn_taken': ({ session, failure }) => `${session.state} at card ${session.card || '-'}${failure ? `: ${failure}` : ''}`,
  'journey.none_fits': () => 'no journey waits for this contact, and no trigger matches this text',
  'journey.session_expired': ({ session }) => `at card ${session.card || '-'}`,
  'webhook.paused': ({ webhook, because, failures }) =>
    `${webhook} is paused${because === 'failures' ? ` after ${failures} failures in a row` : ''} until it is resumed`,
  'webhook.resumed': ({ webhook }) => `${webhook} receives its pending deliveries`,
  'webhook.secret_rotated': ({ webhook, previous_secret_until: until }) =>
    `${webhook} signs with a new secret${until ? `, and until ${until} also with the old one` : ''}`,
  'webhook.lane_changed': ({ webhook, lane }) => `${webhook} is now ${lane}`,
  'integration.shaken': ({ integration, state, trouble }) => `${integration} ${state}${troubleText(trouble)}`,
  'integration.polled': ({ integration, state, trouble, status, ms }) =>
    `${integration} ${state} in ${ms} ms${troubleText(trouble, status)}`,
  'integration.clicked': ({ integration, state, trouble, status }) => `${integration} ${state}${troubleText(trouble, status)}`,
  'integration.finished': ({ integration, click }) => `${integration} finished ${click}`,
  'call.answered': (call) => `${callText(call)}${call.error ? `: ${call.error}` : ''}`,
  'conform.started': ({ kind, url, of }) => `${kind} ${url}: ${of} checks`,
  'tests.ended': ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`,
  'conform.checked': ({ id, level, result, title, number, of }) => `${number}/${of} ${id} ${level} ${result}: ${title}`,
  'conform.ended': ({ kind, state, passed, failed, skipped }) => `${kind} ${state}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
  'fault.fired': ({ rule, where, effect, left }) => `${rule} ${where} ${effectText(effect)}${left === null ? '' : `, ${left} left`}`,
  'fault.changed': ({ rule, where, effect, is }) => `${rule} ${where} ${effectText(effect)} ${is}`,
  advice: ({ message, fix }) => `${message} ${fix}`,
  'advice.issued': ({ advice }) => `${advice.name}, ${advice.times === 1 ? 'once' : `${advice.times} times`}`,
  'advice.dismissed': ({ id, cause }) => id ?? `its cause was fixed: ${cause}`,
  gap: ({ reason }) => reason,
};

const troubleText = (code?: string, status?: number): string => (code === undefined ? '' : `: ${failureText({ code, status })}`);

const bodyOf = (message: Parameters<typeof textOf>[0]): string => textOf(message).replaceAll('\n', ' ⏎ ');

interface SummarizedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly number: { readonly address: string } | null;
}

/** A call in a few words: `POST /v1/messages 401 in 2 ms, without a valid token`. */
export const callText = ({ method, path, status, ms, number }: SummarizedCall): string =>
  `${method} ${path} ${status} in ${ms} ms, ${number ? `number ${number.address}` : 'without a valid token'}`;

/** The effect of a fault in a few words: `status 500`, `delay 3000`, `timeout`. */
export const effectText = ({ kind, ...parameters }: Readonly<Record<string, string | number>>): string =>
  [kind, ...Object.values(parameters)].join(' ');
