import { adviceIssued } from '../admin/advice.js';
import { memoryChanged } from '../admin/memory.js';
import { storeFailed, storeReopened, storeRewound } from '../admin/store.js';
import { deliveryAnsweredLate, deliveryAttempted, deliveryQueued, deliverySettled } from '../delivery/delivery.js';
import { contactErased } from '../delivery/erasure.js';
import { laneChanged } from '../delivery/lanes.js';
import { secretRotated, webhookPaused, webhookResumed } from '../delivery/webhook.js';
import { callAnswered } from '../kernel/observe/call-log.js';
import { connectionChanged } from '../messaging/connection.js';
import {
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

/** Every event of the core. A plugin that declares another event with one of these names is refused. */
export const coreEvents: readonly EventType<never>[] = [
  storeFailed,
  storeReopened,
  storeRewound,
  memoryChanged,
  callAnswered,
  laneChanged,
  deliveryQueued,
  deliveryAttempted,
  deliveryAnsweredLate,
  deliverySettled,
  webhookPaused,
  webhookResumed,
  secretRotated,
  numberCreated,
  messageReceived,
  messageHandedBack,
  messageEdited,
  messageSeen,
  messageQueued,
  messageAccepted,
  messageUndeliverable,
  messageStatus,
  messagesExpired,
  accountChanged,
  contactBlocked,
  contactUnblocked,
  connectionChanged,
  contactChanged,
  contactMerged,
  contactSplit,
  contactErased,
  contactTyping,
  advice,
  adviceIssued,
  adviceDismissed,
];
