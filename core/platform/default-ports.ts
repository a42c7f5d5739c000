import { RealClock } from '../adapters/clock/real-clock.js';
import { EmitterBus } from '../adapters/emitter-bus.js';
import { encryptedFiles } from '../adapters/encryption/encrypted-files.js';
import type { Encryption } from '../adapters/encryption/file-cipher.js';
import { faultyFiles } from '../adapters/faults/faulty-files.js';
import { faultyModels } from '../adapters/faults/faulty-models.js';
import { FaultySender } from '../adapters/faults/faulty-sender.js';
import { nodeFileSystem } from '../adapters/file-system.js';
import { FolderBlobs } from '../adapters/folder-blobs.js';
import { LazyClient } from '../adapters/http/lazy-client.js';
import { type TargetOptions, TargetRules } from '../adapters/http/target-rules.js';
import { TracedHttp } from '../adapters/http/traced-http.js';
import { idsOf } from '../adapters/ids-of.js';
import { ConsoleLogger } from '../adapters/log/console-logger.js';
import { SafeLogger } from '../adapters/log/safe-logger.js';
import { MemoryBlobs } from '../adapters/memory-blobs.js';
import { InlineSender } from '../adapters/outbound/inline-sender.js';
import { SigningSender } from '../adapters/outbound/signing-sender.js';
import { ThreadSender } from '../adapters/outbound/thread-sender.js';
import { TracedSender } from '../adapters/outbound/traced-sender.js';
import { StoredQueue } from '../adapters/queue/stored-queue.js';
import { RandomIds } from '../adapters/random-ids.js';
import { KEY_FILE, keyFrom } from '../adapters/secrets/key-file.js';
import { MemorySecrets } from '../adapters/secrets/memory-secrets.js';
import { SealedSecrets, sealedSecrets } from '../adapters/secrets/sealed-secrets.js';
import type { SecretMasker } from '../adapters/secrets/secret-masker.js';
import { NodeSockets } from '../adapters/sockets/node-sockets.js';
import { compaction, JsonStore, liveOverStore, MemoryStore, tenantChecked } from '../adapters/store/index.js';
import { V8Heap } from '../adapters/v8-heap.js';
import { heapMiBOf, workerPool } from '../adapters/workers/worker-pool.js';
import { hmacSigner } from '../delivery/hmac-signer.js';
import { lazy } from '../lazy.js';
import type { Blobs } from '../ports/blobs.js';
import type { Clock } from '../ports/clock.js';
import type { Models } from '../ports/model.js';
import type { OutboundSender } from '../ports/outbound.js';
import type { Ports } from '../ports/ports.js';
import type { Secrets } from '../ports/secrets.js';
import type { Store } from '../ports/store.js';
import type { WorkerBatch } from '../ports/workers.js';
import type { Settings } from './options.js';

interface PortHooks {
  readonly onBatch: (batch: WorkerBatch) => void;
  /** Masks secrets in log lines. */
  readonly masker: SecretMasker;
}

/** The ports, and the sender of deliveries, which uses the HTTP client of the host application if there is one. */
export interface ChosenPorts extends Ports {
  readonly sender: OutboundSender;
}

/** Creates the ports: those from the host application, and default adapters for the rest. The only place that chooses adapters. */
export function defaultPorts(settings: Settings, { onBatch, masker }: PortHooks): ChosenPorts {
  const { ports, dataDir, privateTargets, outbound } = settings;
  const { tracing, faults, signer } = ports;
  const { ca, ...limits } = outbound;
  const targets: TargetOptions = { guard: guardFor(privateTargets), ...limits };
  const clock: Clock = ports.clock ?? new RealClock({ onError: (error) => log.error('the callback of a timer failed', { error }) });
  const logger = ports.log ?? new ConsoleLogger({ clock, level: settings.logLevel });
  const log = new SafeLogger(() => logger, { secrets: masker, tracing });
  const ids = ports.ids ?? new RandomIds();
  const heap = ports.heap ?? new V8Heap();
  const workers = ports.workers ?? workerPool({ heap, log, onBatch });
  const encryption = encryptionOf(settings);
  const ownStore = ports.store ? withLiveCollections(ports.store) : storeFor(settings, { log, workers, heap, faults, encryption });
  const store = settings.checkTenants ? tenantChecked(ownStore) : ownStore;
  const rules = new TargetRules(targets);
  const client =
    ports.http ??
    new LazyClient(
      async () =>
        new (await import('../adapters/http/undici-client.js')).UndiciClient({
          clock: clock.ofRequests ?? clock,
          rules,
          ...(ca && { ca }),
        }),
      rules,
    );
  const http = tracing ? new TracedHttp(client, tracing) : client;
  const reliable = ports.http
    ? new InlineSender({ http: ports.http, workers, clock })
    : new ThreadSender({
        clock,
        targets,
        heapMiB: heapMiBOf(heap),
        leavesThread: true,
        ...(ca && { ca }),
        onError: (error) => log.error('the sender thread died', { error }),
      });
  const signing = signer ? new SigningSender(reliable, signer) : reliable;
  const sender = faults ? new FaultySender(signing, clock, { signer: signer ?? hmacSigner, isOwn: signer !== undefined }) : signing;
  const models = ports.models ?? lazyModels({ http, clock });
  return {
    clock,
    log,
    ids,
    workers,
    store,
    queue: ports.queue ?? new StoredQueue({ store, clock, ids, log }),
    bus:
      ports.bus ??
      new EmitterBus(({ owner, event, payload, error }) => log.error('a handler failed', { owner, event, ...idsOf(payload), error })),
    http,
    sockets: ports.sockets ?? new NodeSockets({ clock, rules, ca }),
    sender: tracing ? new TracedSender(sender, tracing) : sender,
    models: faults ? faultyModels(models, { faults, clock }) : models,
    secrets: masker.of(ports.secrets ?? secretsFor(settings, store)),
    signer,
    tracing,
    faults,
    heap,
    blobs: ports.blobs ?? blobsFor(dataDir, encryption),
  };
}

function guardFor(targets: Settings['privateTargets']): NonNullable<TargetOptions['guard']> {
  return targets === 'allow' ? false : { allow: targets === 'refuse' ? [] : targets };
}

function storeFor(
  { dataDir: folder, coldCacheBytes, conversationsInMemoryHours: hours }: Settings,
  { log, workers, heap, faults, encryption }: Pick<Ports, 'log' | 'workers' | 'heap' | 'faults'> & { encryption: Encryption | undefined },
): Store {
  if (folder === undefined) return new MemoryStore({ log });
  const fs = faults ? faultyFiles(nodeFileSystem, faults) : nodeFileSystem;
  return new JsonStore({
    folder,
    log,
    heap,
    fs,
    encryption,
    compact: (input) => workers.run(compaction, input),
    ...(coldCacheBytes !== undefined && { coldCacheBytes }),
    ...(hours !== undefined && { coldAfterMs: { 'core.conversations': hours * HOUR_MS, 'core.contacts': hours * HOUR_MS } }),
  });
}

const HOUR_MS = 3_600_000;

function blobsFor(dataDir: string | undefined, encryption: Encryption | undefined): Blobs {
  if (dataDir === undefined) return new MemoryBlobs();
  const fs = encryption ? encryptedFiles(nodeFileSystem, encryption) : nodeFileSystem;
  return new FolderBlobs({ folder: `${dataDir}/media`, fs });
}

/** How the files of the data folder are encrypted; undefined if they are not, and no key is known to decrypt them. */
function encryptionOf({ encryptData, secretKey, previousSecretKeys, dataDir, ports }: Settings): Encryption | undefined {
  if (encryptData && ports.store)
    throw new TypeError('encryptData encrypts the files of dataDir, and not those of another store: let the database encrypt its disk');
  if (encryptData && dataDir === undefined) throw new TypeError('encryptData needs the option dataDir');
  if (encryptData && secretKey === undefined)
    throw new TypeError('encryptData needs the option secretKey (64 hexadecimal digits): a key beside the data would protect nothing');
  if (encryptData === undefined || secretKey === undefined) return undefined;
  return { keys: [secretKey, ...previousSecretKeys].map((key) => Buffer.from(key, 'hex')), isOn: encryptData };
}

const withLiveCollections = (store: Store): Store => (store.defineLive && store.durable ? store : liveOverStore(store));

/**
 * Secrets are encrypted wherever they are stored. With a custom store the folder for a key file is missing, so the host
 * application has to provide the key.
 */
function secretsFor({ ports, dataDir, secretKey, previousSecretKeys }: Settings, store: Store): Secrets {
  if (dataDir === undefined && secretKey === undefined) {
    if (ports.store) throw new TypeError('a custom store needs the option secretKey (64 hexadecimal digits), or custom secrets in ports');
    return new MemorySecrets();
  }
  store.define('core.secrets', sealedSecrets);
  return new SealedSecrets({
    store,
    key: secretKey === undefined ? (isToOpen) => keyFrom(`${dataDir}/${KEY_FILE}`, isToOpen) : Buffer.from(secretKey, 'hex'),
    previousKeys: previousSecretKeys.map((key) => Buffer.from(key, 'hex')),
  });
}

/** Loads the models on the first request, because most platforms use none. */
function lazyModels(ports: Pick<Ports, 'http' | 'clock'>): Models {
  const connected = lazy(async () => new (await import('../adapters/models/connected-models.js')).ConnectedModels(ports));
  return { open: (connection) => ({ generate: async (request) => (await connected.get()).open(connection).generate(request) }) };
}
