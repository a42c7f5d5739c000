/**
 * The entry point `posthorn/messaging`: the schemas and payloads of messages, contacts, numbers and templates, and what plugins that receive or send
 * them share.
 */

export { wasSent } from '../ports/http-client.js';
export { createCounters } from '../ports/metrics.js';
export { parseMarkdown, type Span } from '../turns/markdown.js';
export { joinedTexts, type Mark, plainText, type RichText, richText, splitText, strongText } from '../turns/rich-text.js';
export { turnType } from '../turns/turn.js';
export { adviceOnce, issuedAdviceCollection } from './advice-once.js';
export { attemptDelay, attemptPolicy, UNKNOWN_OUTCOME, unansweredAttempt } from './attempts.js';
export { attemptOf, type Budget, createBudget, type RateLimit } from './budget.js';
export type { NewTurn } from './channel-drivers.js';
export { type Choices, type Chosen, choiceReply } from './choices.js';
export {
  type ConnectionAnswer,
  type ConnectionRecord,
  ConnectionRefused,
  type ConnectionType,
  connectionChanged,
  type Loop,
} from './connection.js';
export type { CheckedConnection } from './connections.js';
export { contactCardSchema } from './contact-card.js';
export { observedFields } from './conversation.js';
export { doublesAdvice } from './doubles.js';
export {
  adviceDismissed,
  type ContactMerged,
  type ContactSplit,
  contactBlocked,
  contactTyping,
  contactUnblocked,
  type MessageHappened,
  messageHandedBack,
  messagesExpired,
} from './events.js';
export { findMessage } from './find-message.js';
export { historyMessage, historyOf } from './history.js';
export { MEDIA_SCHEME, mediaSchema } from './medium.js';
export {
  type Author,
  deliveryStatuses,
  inputOf,
  isInput,
  type MessageContext,
  messageBody,
  messageContextSchema,
  messageSchema,
  messages,
  type NotificationError,
  notificationErrorSchema,
} from './message.js';
export {
  type BeforeReceive,
  type BeforeSend,
  type InboundDraft,
  logUnrecorded,
  type ReceiveChange,
  refusedBy,
  type SendChange,
  type SendCheck,
} from './message-hooks.js';
export { createMessageParts, type MessageParts, partOf } from './message-parts.js';
export { type FormPart, multipart } from './multipart.js';
export { networkAddress, networkId, otherSpellings } from './network-id.js';
export { numberSchema } from './number.js';
export { addressTaken, type NewNumber } from './numbers.js';
export { receivedParts } from './received-parts.js';
export { MessageIdTaken } from './repeated-ids.js';
export { reservedFields } from './reserved-fields.js';
export { fileNotFetched, responseOf, ServiceUnreachable } from './service-calls.js';
export type { StatusOutcome } from './statuses.js';
export { createStoredKey } from './stored-key.js';
export { namesStoredMedia, withStoredTypes } from './stored-types.js';
export {
  fromLegacy,
  type LegacyTemplate,
  type NewTemplate,
  newTemplateSchema,
  placeholdersOf,
  type SentTemplate,
  type TemplateRecord,
  templateSchema,
} from './template.js';
export {
  chooseLines,
  inLanguage,
  numberedOptions,
  type TurnFile,
  type TurnOption,
  type TurnParts,
  textBesideButtons,
  turnParts,
  withFileLink,
  withFormLink,
  writtenText,
} from './turn-parts.js';
export type { FileBytes, Uploads } from './uploads.js';
export { chatOf, chatSchema, contactsOf, postedBody, statusBody, vendorFields, vendorOf, vendorSchema } from './vendor.js';
