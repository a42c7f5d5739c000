import type { StreamEvent } from '../client/admin-client.js';
import { optionsOf, textOf } from './message-text.js';

/** What the contact sends, and everything that follows from it. It is also what `send --json` prints. */
export interface Conversation {
  readonly sent: { readonly from: string; readonly text: string; readonly id: string };
  readonly replies: readonly Reply[];
  readonly deliveries: readonly Delivery[];
  /** Where the journey that answered stands; null when none did. */
  readonly journey: { readonly state: string; readonly card: string; readonly failure: string | null } | null;
  /** What had not come to its end when nobody waited any longer. */
  readonly open: readonly string[];
}

export interface Reply {
  readonly uuid: string;
  readonly text: string;
  readonly options: readonly string[];
  /** What the connector reported of it last; null when it has reported nothing. */
  status: string | null;
}

export interface Delivery {
  readonly uuid: string;
  readonly subscription: string;
  /** What it tells: a message, or the status of one. */
  readonly about: string;
  readonly message: string;
  state: string;
  attempts: number;
  status?: number;
  ms?: number;
  /** What the receiver says of the signature, if it says anything. */
  signature?: string;
  error?: string;
  /** In how many seconds it is tried again. */
  retry_in?: number;
}

/**
 * Follows what one message leads to, event by event, and knows what is still to come: the journey's turn, the end of each
 * delivery, and the report of each reply that one of our examples took. A delivery that waits for another try is not waited
 * for, as that takes up to 140 seconds.
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
      const { uuid, subscription, state, message: about } = delivery;
      deliveries.push({ uuid, subscription, about: aboutOf(delivery), message: about, state, attempts: 0 });
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

  function open(): string[] {
    if (!message) return ['the message is not recorded yet'];
    return [
      ...(isAnswered ? [] : ['no journey has taken its turn yet']),
      ...deliveries.filter(isPending).map(({ subscription, about }) => `the delivery of ${about} to ${subscription} is under way`),
      ...replies.filter(isUnreported).map(({ text }) => `the connector has not said what became of “${text.slice(0, 40)}”`),
    ];
  }

  /** Our connector says so of every message it takes; what others do is not known. */
  function isUnreported({ uuid, status }: Reply): boolean {
    if (status !== null && status !== 'sent') return false;
    return deliveries.some(({ message, state, signature }) => message === uuid && state === 'delivered' && signature === 'ok');
  }

  return {
    note: ({ name, data, at }: StreamEvent): void => onEvent[name]?.(data, at),
    open,
    /** The messages that anything can be about. */
    messages: (): string[] => (message ? [message.uuid, ...replies.map(({ uuid }) => uuid)] : []),
    knows: (delivery: string): boolean => find({ uuid: delivery }) !== undefined,
    result: (): Conversation => ({ sent, replies, deliveries, journey, open: open() }),
  };
}

const RESTING = ['delivered', 'cancelled', 'dropped', 'retry_wait'];
const isPending = ({ state }: Delivery): boolean => !RESTING.includes(state);

/** `message:<uuid>`, `sent:<uuid>:<kind>`, or `status:<uuid>:<status>:<time>`. */
function aboutOf({ event, kind }: { event: string; kind: string }): string {
  const [what, , status] = event.split(':');
  if (what === 'status') return `status ${status}`;
  return what === 'sent' || kind === 'channel' ? 'reply' : 'message';
}

function outcomeOf(delivery: StreamEvent['data'], attempt: StreamEvent['data'], at: string): Partial<Delivery> {
  const { status, duration_ms, response, error } = attempt;
  const signature = /"signature":\s*"(\w+)"/.exec(response ?? '')?.[1];
  return {
    state: delivery.state,
    attempts: delivery.attempts,
    status,
    ms: Math.round(duration_ms ?? 0),
    ...(signature !== undefined && { signature }),
    ...(error && { error }),
    ...(delivery.due_at && { retry_in: Math.round((Date.parse(delivery.due_at) - Date.parse(at)) / 1000) }),
  };
}
