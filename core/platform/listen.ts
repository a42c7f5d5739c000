import type { adviceIssued } from '../admin/advice.js';
import type { memoryChanged } from '../admin/memory.js';
import type { storeFailed, storeReopened, storeRewound } from '../admin/store.js';
import type { DeliverySettled, deliveryAnsweredLate, deliveryAttempted, deliveryQueued } from '../delivery/delivery.js';
import type { contactErased } from '../delivery/erasure.js';
import type { laneChanged } from '../delivery/lanes.js';
import type { secretRotated, webhookPaused, webhookResumed } from '../delivery/webhook.js';
import type { callAnswered } from '../kernel/observe/call-log.js';
import type { EventStream } from '../kernel/observe/event-stream.js';
import type { connectionChanged } from '../messaging/connection.js';
import type {
  accountChanged,
  advice,
  adviceDismissed,
  contactBlocked,
  contactChanged,
  contactMerged,
  contactSplit,
  contactTyping,
  contactUnblocked,
  messageAccepted,
  messageEdited,
  messageHandedBack,
  messageQueued,
  messageReceived,
  messageSeen,
  messageStatus,
  messagesExpired,
  messageUndeliverable,
  numberCreated,
} from '../messaging/events.js';
import type { EventType } from '../ports/events.js';

type DataOf<E> = E extends EventType<infer T> ? T : never;

/** The data of the core's events, by event name, as the event stream shows them. */
export interface EventData {
  'store.failed': DataOf<typeof storeFailed>;
  'store.reopened': DataOf<typeof storeReopened>;
  'store.rewound': DataOf<typeof storeRewound>;
  'memory.changed': DataOf<typeof memoryChanged>;
  'call.answered': DataOf<typeof callAnswered>;
  'webhook.lane_changed': DataOf<typeof laneChanged>;
  'delivery.queued': DataOf<typeof deliveryQueued>;
  'delivery.attempted': DataOf<typeof deliveryAttempted>;
  'delivery.answered_late': DataOf<typeof deliveryAnsweredLate>;
  'delivery.settled': Pick<DeliverySettled, 'delivery'>;
  'webhook.paused': DataOf<typeof webhookPaused>;
  'webhook.resumed': DataOf<typeof webhookResumed>;
  'webhook.secret_rotated': DataOf<typeof secretRotated>;
  'number.created': DataOf<typeof numberCreated>;
  'message.received': DataOf<typeof messageReceived>;
  'message.handed_back': DataOf<typeof messageHandedBack>;
  'message.edited': DataOf<typeof messageEdited>;
  'message.seen': DataOf<typeof messageSeen>;
  'message.queued': DataOf<typeof messageQueued>;
  'message.accepted': DataOf<typeof messageAccepted>;
  'message.undeliverable': DataOf<typeof messageUndeliverable>;
  'message.status': DataOf<typeof messageStatus>;
  'messages.expired': DataOf<typeof messagesExpired>;
  'account.changed': DataOf<typeof accountChanged>;
  'contact.blocked': DataOf<typeof contactBlocked>;
  'contact.unblocked': DataOf<typeof contactUnblocked>;
  'typing.contact': DataOf<typeof contactTyping>;
  'connection.changed': DataOf<typeof connectionChanged>;
  'contact.changed': DataOf<typeof contactChanged>;
  'contact.merged': DataOf<typeof contactMerged>;
  'contact.split': DataOf<typeof contactSplit>;
  'contact.erased': DataOf<typeof contactErased>;
  advice: DataOf<typeof advice>;
  'advice.issued': DataOf<typeof adviceIssued>;
  'advice.dismissed': DataOf<typeof adviceDismissed>;
}

/** An event as listeners receive it. */
export interface ListenedEvent<N extends string = string, D = unknown> {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly name: N;
  readonly data: D;
}

/** Subscribes to one event by its name, or to all events. Returns a function that unsubscribes. */
export interface Listen {
  <N extends keyof EventData>(name: N, listener: (event: ListenedEvent<N, EventData[N]>) => void): () => void;
  (name: string, listener: (event: ListenedEvent) => void): () => void;
  (listener: (event: ListenedEvent) => void): () => void;
}

export const listenTo =
  (stream: Pick<EventStream, 'listen'>): Listen =>
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of Listen state the types
  (...[first, second]: [any, any?]) =>
    second === undefined ? stream.listen(first) : stream.listen((event) => event.name === first && second(event));
