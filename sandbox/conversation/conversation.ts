import { optionsOf, textOf } from '../../core/events/message-text.js';
import type { StreamEvent } from '../client/admin-client.js';

/** A contact's message with its replies and deliveries. `send --json` prints it. */
export interface Conversation {
  readonly sent: { readonly from: string; readonly text: string; readonly id: string };
  readonly replies: readonly Reply[];
  readonly deliveries: readonly Delivery[];
  /** The state of the journey that replied; null when no journey replied. */
  readonly journey: { readonly state: string; readonly card: string; readonly failure: string | null } | null;
  /** One sentence for each part that was unfinished when the command stopped waiting. */
  readonly open: readonly string[];
}

export interface Reply {
  readonly uuid: string;
  readonly text: string;
  readonly options: readonly string[];
  /** The last status that the connector reported; null before the first. */
  status: string | null;
}

export interface Delivery {
  readonly uuid: string;
  readonly subscription: string;
  /** The subject of the delivery: `message`, `reply` or `status <status>`. */
  readonly about: string;
  /** The uuid of the message that the delivery reports. */
  readonly message: string;
  state: string;
  attempts: number;
  status?: number;
  /** Why the receiver sent no status; `status` is that of the retry policy then. */
  no_response?: string | undefined;
  ms?: number;
  /** The result of the receiver's signature check, if its response has one. */
  signature?: string;
  error?: string;
  retry_in?: number;
}

/**
 * Collects the replies and deliveries that follow from one message, and tracks what is unfinished: the journey's turn, each
 * delivery, and the status of each reply that our example connector accepted. A delivery that awaits a retry counts as finished,
 * because the retry may take up to 140 seconds.
 */
export function follow(sent: Conversation['sent']) {
  const replies: Reply[] = [];
  const deliveries: Delivery[] = [];
  let message: { readonly uuid: string; readonly conversation: string } | undefined;
  let journey: Conversation['journey'] = null;
  let isAnswered = false;

  const onEvent: Readonly<Record<string, (data: StreamEvent['data'], at: string) => void>> = {
    'message.received': ({ message: received }) => {
      if (received.external_id === sent.id) message = received;
    },
    'journey.turn_taken': ({ message: answered, session, failure }) => {
      if (answered !== message?.uuid) return;
      isAnswered = true;
      journey = { state: session.state, card: session.card, failure };
    },
    'journey.none_fits': ({ message: unanswered }) => {
      if (unanswered === message?.uuid) isAnswered = true;
    },
    'message.queued': ({ message: { uuid, conversation, type, content } }) => {
      if (conversation === message?.conversation)
        replies.push({ uuid, text: textOf({ type, content }), options: optionsOf(content), status: null });
    },
    'message.status': ({ message: { uuid, status } }) => {
      const reply = replies.find((reply) => reply.uuid === uuid);
      if (reply) reply.status = status;
    },
    'delivery.queued': ({ delivery }) => {
      if (delivery.conversation !== message?.conversation || deliveries.some(({ uuid }) => uuid === delivery.uuid)) return;
      const { uuid, subscription, state, message: messageUuid } = delivery;
      deliveries.push({ uuid, subscription, about: subjectOf(delivery), message: messageUuid, state, attempts: 0 });
    },
    'delivery.attempted': ({ delivery, attempt }, at) => {
      const known = find(delivery);
      if (known) Object.assign(known, outcomeOf(delivery, attempt, at));
    },
    'delivery.settled': ({ delivery }) => {
      const known = find(delivery);
      if (known) known.state = delivery.state;
    },
  };

  function find({ uuid }: { uuid: string }): Delivery | undefined {
    return deliveries.find((delivery) => delivery.uuid === uuid);
  }

  function unfinished(): string[] {
    if (!message) return ['the message is not recorded yet'];
    return [
      ...(isAnswered ? [] : ['no journey has replied yet']),
      ...deliveries.filter(isPending).map(({ subscription, about }) => `the delivery of ${about} to ${subscription} is still in flight`),
      ...replies.filter(isUnreported).map(({ text }) => `the connector has not reported a status of “${text.slice(0, 40)}” yet`),
    ];
  }

  /**
   * Whether our example connector has accepted a reply and not reported its final status yet. The example connector is recognised by
   * `"signature": "ok"` in its response. Other connectors may never report a status, so their replies are not waited for.
   */
  function isUnreported({ uuid, status }: Reply): boolean {
    if (status !== null && status !== 'sent') return false;
    return deliveries.some(({ message, state, signature }) => message === uuid && state === 'delivered' && signature === 'ok');
  }

  /** Whether no journey has replied, and an application may: its webhook has accepted the message. */
  const mayBeAnswered = (): boolean =>
    journey === null && replies.length === 0 && deliveries.some(({ about, state }) => about === 'message' && state === 'delivered');

  return {
    /** Adds an event; events about other messages are ignored. */
    note: ({ name, data, at }: StreamEvent): void => onEvent[name]?.(data, at),
    unfinished,
    mayBeAnswered,
    /** The uuids of the contact's message and of the replies. */
    messages: (): string[] => (message ? [message.uuid, ...replies.map(({ uuid }) => uuid)] : []),
    /** Whether an event about this delivery has arrived. */
    knows: (delivery: string): boolean => find({ uuid: delivery }) !== undefined,
    result: (): Conversation => ({ sent, replies, deliveries, journey, open: unfinished() }),
  };
}

const SETTLED = ['delivered', 'cancelled', 'dropped', 'retry_wait'];
const isPending = ({ state }: Delivery): boolean => !SETTLED.includes(state);

/** The subject of a delivery, from its `event`: `message:<uuid>`, `sent:<uuid>:<kind>`, or `status:<uuid>:<status>:<time>`. */
function subjectOf({ event, kind }: { event: string; kind: string }): string {
  const [source, , status] = event.split(':');
  if (source === 'status') return `status ${status}`;
  return source === 'sent' || kind === 'channel' ? 'reply' : 'message';
}

function outcomeOf(delivery: StreamEvent['data'], attempt: StreamEvent['data'], at: string): Partial<Delivery> {
  const { status, no_response, duration_ms, response, error } = attempt;
  const signature = /"signature":\s*"(\w+)"/.exec(response ?? '')?.[1];
  return {
    state: delivery.state,
    attempts: delivery.attempts,
    status,
    no_response: no_response ?? undefined,
    ms: Math.round(duration_ms ?? 0),
    ...(signature !== undefined && { signature }),
    ...(error && { error }),
    ...(delivery.due_at && { retry_in: Math.round((Date.parse(delivery.due_at) - Date.parse(at)) / 1000) }),
  };
}
