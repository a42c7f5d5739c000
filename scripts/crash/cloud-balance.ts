import type { MessageRecord } from '#core';
import type { RemoteId } from '../../core/messaging/remote-id.js';
import { FAILING, UNKNOWN } from './cloud-faults.js';
import type { Call, CloudNetwork } from './cloud-network.js';
import { textOf } from './cloud-platform.js';

/** The outcome of each message of a run. Each text is offered to the API once, and names its message. */
export interface Books {
  readonly offered: Set<string>;
  readonly acknowledged: Set<string>;
  readonly refused: Set<string>;
}

/** The counts of a run. Each group adds up to the count before it. */
export interface Balance {
  /** Messages that were posted to the API. */
  offered: number;
  acknowledged: number;
  refused: number;
  /** The process was killed before its API answered. */
  unanswered: number;

  /** Messages that are stored: the acknowledged ones, and those without an answer that were durable. */
  taken: number;
  durable: number;
  sentOnce: number;
  sentAgain: number;
  /** Failed with an error: in the network's answer, or in a status of the accepted message. */
  failedAtOnce: number;
  failedLater: number;
  lost: number;
  unsettled: number;

  /** Sends that the network accepted. */
  accepted: number;
  /** Sends of a message beyond its first. */
  doubles: number;
  /** Doubles after a kill, after a fault, and on a machine that was too slow for the deadline. */
  doublesByKill: number;
  doublesByFault: number;
  doublesBySlowness: number;
  /** Sends whose outcome was unknown: without an answer in time, or killed before the answer was recorded. Doubles are at most these. */
  unknown: number;

  /** Messages that contacts wrote. */
  written: number;
  storedOnce: number;
  storedAgain: number;
  /** The webhook was acknowledged, and the message is not stored. */
  inboundLost: number;
  /** No call of the webhook was acknowledged. */
  unacknowledged: number;
}

interface Found {
  readonly stored: readonly MessageRecord[];
  readonly ids: readonly RemoteId[];
  /** Whether an attempt of a message ended without an answer. */
  readonly isTimedOut: (message: string) => Promise<boolean>;
  /** `fail`: nothing may be sent twice, and messages of unknown outcome fail. */
  readonly unknownOutcome: 'resend' | 'fail';
}

/** Compares what the API acknowledged, what the network accepted, what contacts wrote, and what is stored. @returns the counts, and what is wrong */
export async function balance(
  { offered, acknowledged, refused }: Books,
  { calls, standIn, written }: CloudNetwork,
  { stored, ids, isTimedOut, unknownOutcome }: Found,
): Promise<{ counts: Balance; problems: string[] }> {
  const problems: string[] = [];
  const outbound = byText(stored.filter(({ direction }) => direction === 'outbound'));
  const inbound = byText(stored.filter(({ direction }) => direction === 'inbound'));
  const sent = groups(standIn.sent, ({ body }) => (body.text as { body: string }).body);
  const tried = groups(calls, ({ text }) => text);

  const counts: Balance = {
    ...{ offered: offered.size, acknowledged: acknowledged.size, refused: refused.size, unanswered: 0 },
    ...{ taken: 0, durable: 0, sentOnce: 0, sentAgain: 0, failedAtOnce: 0, failedLater: 0, lost: 0, unsettled: 0 },
    ...{ accepted: standIn.sent.length, doubles: 0, doublesByKill: 0, doublesByFault: 0, doublesBySlowness: 0, unknown: 0 },
    ...{ written: written.length, storedOnce: 0, storedAgain: 0, inboundLost: 0, unacknowledged: 0 },
  };
  for (const text of offered) {
    const messages = outbound.get(text) ?? [];
    if (!acknowledged.has(text) && !refused.has(text)) counts.unanswered++;
    if (messages.length > 1) problems.push(`${text}: stored ${messages.length} times`);
    if (refused.has(text) && messages.length > 0) problems.push(`${text}: refused, and stored`);
    if (messages.length === 0 && !acknowledged.has(text)) {
      if (sent.has(text)) problems.push(`${text}: sent, and not stored`);
      continue;
    }
    counts.taken++;
    if (!acknowledged.has(text)) counts.durable++;
    const outcome = outcomeOf(messages[0], sent.get(text)?.length ?? 0);
    counts[outcome]++;
    if (outcome === 'lost' || outcome === 'unsettled') problems.push(`${text}: ${outcome}, ${described(tried.get(text))}`);
    const isCaused =
      tried.get(text)?.some(({ fault }) => FAILING.has(fault ?? '')) || (unknownOutcome === 'fail' && isInDoubt(messages[0]));
    if (outcome.startsWith('failed') && !isCaused)
      problems.push(`${text}: failed without a cause, ${JSON.stringify(messages[0]!.statuses)}`);
  }
  for (const text of [...outbound.keys(), ...sent.keys()]) if (!offered.has(text)) problems.push(`${text}: was not offered`);

  for (const own of tried.values()) {
    const isKilled = (at: number): boolean => own[at + 1] !== undefined && own[at + 1]!.process !== own[at]!.process;
    counts.unknown += own.filter(({ fault }, at) => UNKNOWN.has(fault ?? '') || isKilled(at)).length;
    const accepted = own.flatMap(({ isAccepted }, at) => (isAccepted ? [at] : []));
    counts.doubles += Math.max(0, accepted.length - 1);
    // Each double repeats the accepted send before it.
    for (const at of accepted.slice(0, -1)) {
      const { text, fault } = own[at]!;
      if (unknownOutcome === 'fail') problems.push(`${text}: sent again, ${described(own)}`);
      if (isKilled(at)) counts.doublesByKill++;
      else if (UNKNOWN.has(fault ?? '')) counts.doublesByFault++;
      else if (await isTimedOut(outbound.get(text)?.[0]?.uuid ?? '')) counts.doublesBySlowness++;
      else problems.push(`${text}: sent again without a cause, ${described(own)}`);
    }
  }
  const messageOf = new Map(ids.map(({ id, message }) => [id, message]));
  for (const { id, body } of standIn.sent) {
    const { text, biz_opaque_callback_data: own } = body as { text: { body: string }; biz_opaque_callback_data: string };
    if (messageOf.get(id) !== own) problems.push(`${text.body}: the network's id ${id} belongs to ${messageOf.get(id) ?? 'no message'}`);
  }
  problems.push(...disorder(standIn.sent.map(({ body }) => (body.text as { body: string }).body)));

  const acknowledgedIn = new Set(
    standIn.webhooks
      .filter(({ isAcknowledged }) => isAcknowledged)
      .flatMap(({ bytes }) => /"body":"(in \d+)"/.exec(bytes.toString())?.[1] ?? []),
  );
  for (const text of written) {
    const times = inbound.get(text)?.length ?? 0;
    if (times === 1) counts.storedOnce++;
    else if (times > 1) counts.storedAgain++;
    else if (acknowledgedIn.has(text)) counts.inboundLost++;
    else counts.unacknowledged++;
    if (times !== 1) problems.push(`${text}: stored ${times} times${acknowledgedIn.has(text) ? ', and acknowledged' : ''}`);
  }
  problems.push(...equations(counts).flatMap(({ text, isTrue }) => (isTrue ? [] : [`does not add up: ${text}`])));
  return { counts, problems };
}

/** The sums that must hold, with the counts in words. */
export function equations(of: Balance): { text: string; isTrue: boolean }[] {
  const sum = (total: keyof Balance, ...parts: (keyof Balance)[]) => ({
    text: `${total} ${of[total]} = ${parts.map((part) => `${part} ${of[part]}`).join(' + ')}`,
    isTrue: of[total] === parts.reduce((count, part) => count + of[part], 0),
  });
  return [
    sum('offered', 'acknowledged', 'refused', 'unanswered'),
    sum('taken', 'acknowledged', 'durable'),
    sum('taken', 'sentOnce', 'sentAgain', 'failedAtOnce', 'failedLater', 'lost', 'unsettled'),
    sum('accepted', 'sentOnce', 'sentAgain', 'failedLater', 'doubles'),
    sum('doubles', 'doublesByKill', 'doublesByFault', 'doublesBySlowness'),
    sum('written', 'storedOnce', 'storedAgain', 'inboundLost', 'unacknowledged'),
  ];
}

type MessageOutcome = 'sentOnce' | 'sentAgain' | 'failedAtOnce' | 'failedLater' | 'lost' | 'unsettled';

function outcomeOf(message: MessageRecord | undefined, times: number): MessageOutcome {
  if (!message) return 'lost';
  if (message.status === 'failed' && message.statuses.some(({ errors }) => (errors ?? []).length > 0))
    return times === 0 ? 'failedAtOnce' : 'failedLater';
  if (times === 0) return 'lost';
  if (message.status !== 'delivered') return 'unsettled';
  return times === 1 ? 'sentOnce' : 'sentAgain';
}

/** Messages of a contact whose first send came after that of a later one. */
function disorder(texts: readonly string[]): string[] {
  const newest = new Map<string, number>();
  const problems: string[] = [];
  for (const text of new Set(texts)) {
    const [contact, n] = text.split(':') as [string, string];
    const before = newest.get(contact) ?? 0;
    if (Number(n) < before) problems.push(`${text}: sent after ${contact}:${before}`);
    newest.set(contact, Math.max(before, Number(n)));
  }
  return problems;
}

/** Failed because its outcome stayed unknown. */
const isInDoubt = (message: MessageRecord | undefined): boolean =>
  message?.statuses.some(({ errors }) => errors?.some(({ details }) => details.includes('may have been sent'))) ?? false;

const described = (calls: readonly Call[] = []): string =>
  `sends: ${calls.map(({ process, fault, isAccepted }) => `process ${process}${isAccepted ? ' accepted' : ''}${fault ? ` (${fault})` : ''}`).join(', ') || 'none'}`;

const byText = (messages: readonly MessageRecord[]) => groups(messages, textOf);

function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known) known.push(item);
    else found.set(keyOf(item), [item]);
  }
  return found;
}
