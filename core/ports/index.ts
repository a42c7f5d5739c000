/**
 * `posthorn/ports`: the interfaces that the platform uses, for host applications that bring their own store, queue, HTTP client
 * or models.
 */

export type { Blobs } from './blobs.js';
export type { Clock, Timer, TimerLabel } from './clock.js';
export { type Announcement, type EventBus, type EventType, event, type HandlerFailed } from './events.js';
export { type Fault, type FaultEffect, type FaultKind, type FaultPlace, type FaultSubject, type Faults, faultKinds } from './faults.js';
export type { Heap, HeapState } from './heap.js';
export {
  type HttpClient,
  type HttpExchange,
  type HttpOutcome,
  type HttpRequest,
  type HttpTiming,
  isPacked,
  shownHeaders,
} from './http-client.js';
export type { Ids } from './ids.js';
export { type LogFields, type Logger, type LogLevel, logLevels } from './logger.js';
export type { Counter, Gauge, Histogram, HistogramType, MetricLabels, Metrics, MetricType, PluginMetrics } from './metrics.js';
export type {
  ChatModel,
  ModelCall,
  ModelConnection,
  ModelFailure,
  ModelMessage,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  Models,
  ModelTool,
} from './model.js';
export {
  type OutboundRequest,
  type OutboundSender,
  RequestNotSent,
  type RequestSignature,
  type Signer,
  type SigningKey,
} from './outbound.js';
export type { Ports } from './ports.js';
export {
  type Consumer,
  type ConsumerOptions,
  consume,
  type FailedJob,
  type Job,
  type Lane,
  lanes,
  type PendingTimer,
  type Placement,
  type Queue,
  type QueueDepth,
  type QueueType,
  queue,
  type Shares,
  type StoredJob,
} from './queue.js';
export type { Secrets } from './secrets.js';
export { SocketFailed, type SocketListener, type SocketListening, type Sockets, type SocketTarget } from './sockets.js';
export { runSteps, type Steps, wait } from './steps.js';
export {
  type Collection,
  type CollectionOptions,
  type CollectionType,
  collection,
  DocumentDamaged,
  type IndexFields,
  type IndexValue,
  type OpenCollection,
  type Range,
  type ReadableCollection,
  type Store,
  type StoreHealth,
  type StoreTransaction,
  StoreUnavailable,
  TransactionConflict,
  UniqueViolation,
  withFields,
} from './store.js';
export { beforeCommit, on, type Subscription } from './subscription.js';
export type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from './tracing.js';
export type { Database, Transaction, Transactions } from './transaction.js';
export { TaskFailed, type TaskFailure, type TaskOptions, type TaskType, task, type WorkerBatch, type WorkerPool } from './workers.js';
