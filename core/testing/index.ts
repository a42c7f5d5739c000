/** `posthorn/testing`: test tools for authors of plugins and adapters. Needs no test library: suites run under the `t` you pass. */

export { ManualClock, type ManualClockOptions } from '../adapters/clock/manual-clock.js';
export { RealClock } from '../adapters/clock/real-clock.js';
export { SeededIds } from '../adapters/seeded-ids.js';
export { MemoryStore } from '../adapters/store/index.js';
export { InlinePool } from '../adapters/workers/inline-pool.js';
export { withDeliveryTimes } from '../delivery/retry-policy.js';
export { type BlobsPlace, blobsContract } from './blobs-contract.js';
export { channelContract } from './channel-contract.js';
export type { ChannelNumber, ChannelUnderTest, DeliveredText } from './channel-under-test.js';
export { type ClockUnderTest, clockContract } from './clock-contract.js';
export { type BusUnderTest, eventsContract } from './events-contract.js';
export { type HttpUnderTest, httpContract } from './http-contract.js';
export { idsContract } from './ids-contract.js';
export { type LoggerUnderTest, loggerContract } from './logger-contract.js';
export { type ModelUnderTest, modelContract } from './model-contract.js';
export { nodeTap } from './node-tap.js';
export { type OpenOutbox, type OutboxPlace, type OutboxUnderTest, outboxContract } from './outbox-contract.js';
export { type ChannelPerson, connectedNumber, type PlayedChannel, type SeenMessage, seenTurn } from './person.js';
export { type OpenQueue, type QueuePlace, type QueueUnderTest, queueContract } from './queue-contract.js';
export { RecordingBus } from './recording-bus.js';
export { type RecordedLine, RecordingLogger } from './recording-logger.js';
export { type NetworkFault, RecordedCall, type Reply, type ScriptedAnswer, ScriptedHttp } from './scripted-http.js';
export { type ScriptedSocket, ScriptedSockets } from './scripted-sockets.js';
export { type SecretsUnderTest, secretsContract } from './secrets-contract.js';
export { type SignerPlace, signerContract } from './signer-contract.js';
export { answerControl, type ControlRoute, controlLines, controlRoutesOf } from './stand-in/control.js';
export { type ActiveFault, type FaultRule, FaultRules } from './stand-in/fault-rules.js';
export { type StandInReply, type StandInServer, serveStandIn } from './stand-in/server.js';
export {
  callWebhook,
  fetchSender,
  injectSender,
  type WebhookAnswer,
  type WebhookRequest,
  type WebhookSender,
} from './stand-in/webhook-call.js';
export { ADMIN_KEY, type Answer, startPlatform, type TestPlatform, type TestPlatformOptions } from './start-platform.js';
export { type OpenPlace, type StorePlace, storeContract } from './store-contract.js';
export type { Tap } from './tap.js';
export { type PoolUnderTest, workersContract } from './workers-contract.js';
