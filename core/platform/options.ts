import Joi from 'joi';
import type { PlatformLocale } from '../contract/locale.js';
import type { OperatorOptions } from '../contract/operator.js';
import type { Plugin } from '../contract/plugin.js';
import { type AlertTarget, alertTargetsSchema } from '../delivery/alert.js';
import { type DeliveryOptions, type DeliverySettings, deliveryOptionsSchema } from '../delivery/delivery-options.js';
import type { MessageLimits } from '../delivery/message-limits.js';
import { retryPolicyOf } from '../delivery/retry-policy.js';
import { type DialectOptions, dialectSchema } from '../dialect.js';
import { type AdminKeySource, adminKeySchema } from '../kernel/http/auth.js';
import { defaultRateLimits, type RateLimits } from '../kernel/http/rate-limit.js';
import { SHUTDOWN, type ShutdownSettings } from '../kernel/plugins/shutdown.js';
import type { NewestLimits } from '../memory/newest.js';
import { keptBytesSchema, keptDaysSchema } from '../messaging/account.js';
import { type LogLevel, logLevels } from '../ports/logger.js';
import type { Ports } from '../ports/ports.js';
import { localeSchema } from './locale.js';

/** Options of `createPlatform`. Only `plugins` is required. */
export interface PlatformOptions {
  /** Distinguishes platforms on one server; `posthorn` if not given. */
  readonly name?: string;
  /** The plugins, each with the routes of one area of the API: `channels()`, `webhooks()`, your own plugins. */
  readonly plugins: readonly Plugin[];
  /** The data folder. Without it the state lives in memory only. */
  readonly dataDir?: string;
  /**
   * The key that encrypts secrets in the store: 64 hexadecimal digits. If not given, Posthorn generates a key and stores it in `dataDir`,
   * in
   * a file that only its owner can read.
   */
  readonly secretKey?: string;
  /**
   * Keys that were the `secretKey` before. A start encrypts with `secretKey` what is encrypted with them; after it, remove them. None if not
   * given.
   */
  readonly previousSecretKeys?: readonly string[];
  /**
   * Encrypts the documents and media files of `dataDir` with `secretKey`, which has to be set. A start converts the folder. `false` decrypts it; if not
   * given, an encrypted folder is refused.
   */
  readonly encryptData?: boolean;
  /** The names of your service and of the messaging network, used to build header, subscription and contact field names. */
  readonly dialect?: DialectOptions;
  /**
   * The time zone of clocks and dates in journeys and simulations, the country in which contacts write telephone numbers and dates, and whether
   * a journey whose messages the network would refuse can be published (`overNetworkLimit`: `refuse` or `warn`).
   */
  readonly journeys?: PlatformLocale;
  /**
   * Mounts the admin API under /admin/v1 behind this key. With neither this option nor `operators` the platform has no admin API. A function is
   * asked for the key at each call, so that the key can be replaced without a restart.
   */
  readonly admin?: { readonly key: AdminKeySource };
  /** Lets others than the holders of keys call the admin API: `authenticate` finds the operator of a request, such as by the host's session. */
  readonly operators?: OperatorOptions;
  /** The URL at which clients reach the platform. The default is the server's own URL and route prefix. */
  readonly publicUrl?: string;
  /**
   * Host names under which browsers may call the admin API and routes that need no token. IP addresses, localhost and the host of `publicUrl` are
   * always allowed. Requests to other host names, and requests from pages of other origins, get 403, which prevents DNS rebinding. If not
   * given, Posthorn does not check them.
   */
  readonly trustedHosts?: readonly string[];
  /**
   * Addresses of the proxies in front of the platform, such as `10.1.0.0/16` or `::1`. Limits by the address of a client, and the record of operators,
   * then have the address that the last other host in `X-Forwarded-For` had. If not given, they have that of the connection.
   */
  readonly trustedProxies?: readonly string[];
  /**
   * Calls per minute for each number and bucket; `true` (60 each) if not given. Calls over the limit get 429. With the header
   * `X-throttling: 1` the platform queues them until the next minute instead, up to one minute's quota.
   */
  readonly rateLimits?: boolean | { readonly general?: number; readonly text?: number; readonly media?: number };
  /** Settings of deliveries: retries, concurrency, limits and retention. */
  readonly deliveries?: DeliveryOptions;
  /**
   * When the heap in use exceeds this many bytes, calls that would store something get 503. The default, and the maximum, is 65 % of
   * Node's heap limit. Set less if the host application needs memory of its own.
   */
  readonly safeHeapBytes?: number;
  /**
   * Messages are deleted with everything that belongs to them when they are older than `keptDays` (at least 7), and the oldest when all together
   * take more than `keptBytes`, except those of the last seven days. Everything is kept if not given. A number or an account may have others.
   */
  readonly messages?: MessageLimits;
  /**
   * Where problems are posted that need an operator, such as webhooks that were paused after failures: URLs, each `from` a severity
   * (`info`, `warning` or `critical`). Nowhere if not given.
   */
  readonly alerts?: readonly AlertTarget[];
  /** Records of what operators do are deleted after `keptDays`, and the oldest when all records take more than `keptBytes`. Kept if not given. */
  readonly audit?: MessageLimits;
  /**
   * Conversations and contacts that have changed within this many hours stay in memory, up to 32 MiB each; 24 if not given. Others are read from
   * `dataDir`, as are messages.
   */
  readonly conversationsInMemoryHours?: number;
  /** Bytes of memory for documents of `dataDir` that were read lately; 32 MiB if not given. 65 % of them count for `safeHeapBytes`. */
  readonly coldCacheBytes?: number;
  /** The platform deletes media files after this many days; 30 if not given. */
  readonly mediaKeptDays?: number;
  /** Merged contacts can be split again for this many days; 30 if not given. */
  readonly mergesKeptDays?: number;
  /**
   * Whether Posthorn may send requests to private and loopback addresses: never (`refuse`, the default), always (`allow`), or only to a
   * list
   * of hosts and CIDR ranges.
   */
  readonly privateTargets?: 'refuse' | 'allow' | readonly string[];
  /**
   * Restricts the requests that Posthorn sends to https: and to certain ports; no restriction if not given. `ca`: PEM certificates to trust
   * instead of Node's own.
   */
  readonly outbound?: { readonly httpsOnly?: boolean; readonly ports?: readonly number[]; readonly ca?: string | readonly string[] };
  /**
   * Durations of a graceful stop. For `noticeMs` (0 if not given) `/ready` returns 503 and every response closes its connection. Then the
   * server stops listening, and work in progress has `deadlineMs` (8,000 if not given) to finish. The next start repeats unfinished work.
   */
  readonly shutdown?: { readonly noticeMs?: number; readonly deadlineMs?: number };
  /**
   * Records what clients send and endpoints respond, in memory only and within limits: `calls` to the API, with headers and bodies, and the
   * exchanges of `deliveries`, byte by byte. Nothing if not given. For development: records contain the content of messages.
   */
  readonly recording?: { readonly calls?: boolean | RecordingLimits; readonly deliveries?: boolean | RecordingLimits };
  /** Replaces adapters by your own, such as the store, the clock or the logger. `tracing: openTelemetry()` enables traces. */
  readonly ports?: Partial<Ports>;
  /** Minimum level of the lines that Posthorn writes to standard error; `info` if not given. Ignored if `ports.log` is set. */
  readonly logLevel?: LogLevel;
  /** Checks every response against the schemas of its route, and sends 500 instead of a response that does not match. For tests. */
  readonly checkResponses?: boolean;
  /**
   * Refuses transactions that write documents of two tenants, which may be in two shards of a cluster. For tests of plugins, because it costs
   * time and memory.
   */
  readonly checkTenants?: boolean;
}

/** How many of the newest records are kept (500 if not given), and how many bytes of them (16 MiB if not given). */
export interface RecordingLimits {
  readonly count?: number;
  readonly bytes?: number;
}

export type Settings = Required<
  Omit<
    PlatformOptions,
    | 'deliveries'
    | 'journeys'
    | 'dataDir'
    | 'secretKey'
    | 'encryptData'
    | 'admin'
    | 'operators'
    | 'publicUrl'
    | 'trustedHosts'
    | 'rateLimits'
    | 'safeHeapBytes'
    | 'conversationsInMemoryHours'
    | 'coldCacheBytes'
    | 'mediaKeptDays'
    | 'mergesKeptDays'
    | 'shutdown'
    | 'recording'
  >
> &
  Pick<
    PlatformOptions,
    | 'dataDir'
    | 'secretKey'
    | 'encryptData'
    | 'admin'
    | 'operators'
    | 'publicUrl'
    | 'trustedHosts'
    | 'safeHeapBytes'
    | 'conversationsInMemoryHours'
    | 'coldCacheBytes'
    | 'mediaKeptDays'
    | 'mergesKeptDays'
  > & {
    readonly rateLimits: RateLimits;
    /** Whether the platform has the admin API. */
    readonly hasAdmin: boolean;
    readonly deliveries: DeliverySettings;
    readonly journeys: PlatformLocale & { readonly timeZone: string };
    readonly shutdown: ShutdownSettings;
    readonly recording: { readonly calls: NewestLimits | undefined; readonly deliveries: NewestLimits | undefined };
  };

/** A longer time is probably given in the wrong unit. */
const MAX_SHUTDOWN_MS = 60 * 60 * 1000;

const positive = Joi.number().integer().min(1);
const duration = Joi.number().min(0).max(MAX_SHUTDOWN_MS);

const RECORDED: NewestLimits = { count: 500, bytes: 16 * 1024 * 1024 };
const recorded = Joi.alternatives(Joi.boolean(), Joi.object({ count: positive, bytes: positive }));

/** The schema of `PlatformOptions`. The table of options in `kernel/README.md` is generated from it. */
export const platformOptionsSchema = Joi.object({
  name: Joi.string()
    .pattern(/^[a-z][a-z0-9-]*$/)
    .default('posthorn'),
  plugins: Joi.array().items(Joi.object().unknown()).required(),
  dataDir: Joi.string(),
  secretKey: Joi.string().hex().length(64),
  previousSecretKeys: Joi.array().items(Joi.string().hex().length(64)).default([]),
  encryptData: Joi.boolean(),
  dialect: dialectSchema,
  journeys: localeSchema,
  admin: Joi.object({
    key: Joi.alternatives(adminKeySchema, Joi.function()).required(),
  }),
  operators: Joi.object({
    authenticate: Joi.alternatives(Joi.function(), Joi.array().items(Joi.function())).required(),
    roles: Joi.object({ owner: Joi.forbidden() }).pattern(Joi.string(), Joi.array().items(Joi.string())),
    signOutUrl: Joi.string().uri({ scheme: ['http', 'https'], allowRelative: true }),
    timeoutMs: positive,
  }),
  publicUrl: Joi.string().uri({ scheme: ['http', 'https'] }),
  trustedHosts: Joi.array().items(Joi.string().hostname()),
  trustedProxies: Joi.array()
    .items(Joi.string().ip({ version: ['ipv4', 'ipv6'], cidr: 'optional' }))
    .default([]),
  rateLimits: Joi.alternatives(Joi.boolean(), Joi.object({ general: positive, text: positive, media: positive })).default(true),
  deliveries: deliveryOptionsSchema,
  safeHeapBytes: Joi.number()
    .integer()
    .min(16 * 1024 * 1024),
  messages: Joi.object({ keptDays: keptDaysSchema, keptBytes: keptBytesSchema }).default({}),
  alerts: alertTargetsSchema,
  audit: Joi.object({ keptDays: Joi.number().min(1).max(36_500), keptBytes: keptBytesSchema }).default({}),
  conversationsInMemoryHours: Joi.number().min(0).max(876_000),
  coldCacheBytes: Joi.number().integer().min(0),
  mediaKeptDays: Joi.number().min(1).max(36_500),
  mergesKeptDays: Joi.number().min(0).max(36_500),
  privateTargets: Joi.alternatives(Joi.valid('refuse', 'allow'), Joi.array().items(Joi.string())).default('refuse'),
  outbound: Joi.object({
    httpsOnly: Joi.boolean(),
    ports: Joi.array().items(Joi.number().port()).min(1),
    ca: Joi.alternatives(Joi.string(), Joi.array().items(Joi.string()).min(1)),
  }).default({}),
  shutdown: Joi.object({ noticeMs: duration, deadlineMs: duration }).default({}),
  recording: Joi.object({ calls: recorded, deliveries: recorded }).default({}),
  ports: Joi.object().unknown().default({}),
  logLevel: Joi.valid(...logLevels).default('info'),
  checkResponses: Joi.boolean().default(false),
  checkTenants: Joi.boolean().default(false),
}).label('platform options');

/** The required methods of each port. The type makes an entry for a new port mandatory. */
const portMethods: { readonly [P in keyof Ports]-?: readonly (keyof NonNullable<Ports[P]>)[] } = {
  store: ['define', 'start', 'stop', 'transaction', 'open'],
  queue: ['push', 'cancel', 'attach', 'depths', 'start', 'stop'],
  bus: ['announce', 'subscribe', 'subscribeAll'],
  workers: ['run', 'check', 'stop'],
  http: ['send', 'stop'],
  sockets: ['connect', 'secure', 'listen', 'stop'],
  models: ['open'],
  clock: ['now', 'monotonic', 'after', 'sleep', 'during'],
  ids: ['uuid', 'secret', 'digits', 'random'],
  secrets: ['get', 'put', 'delete'],
  blobs: ['put', 'get', 'delete'],
  log: ['debug', 'info', 'warn', 'error', 'child'],
  heap: ['read'],
  signer: ['sign'],
  tracing: ['begin', 'within', 'current'],
  faults: ['fire'],
};

/** Checks the ports without joi, which would clone them. Returns the problem, or undefined. */
function faultOfPorts(ports: unknown): string | undefined {
  if (typeof ports !== 'object' || ports === null) return '"ports" must be of type object';
  for (const [name, port] of Object.entries(ports)) {
    if (!Object.hasOwn(portMethods, name)) return `"ports.${name}" is not a port; the ports are ${Object.keys(portMethods).join(', ')}`;
    if (port === undefined) continue;
    const missing = portMethods[name as keyof Ports].filter((method) => typeof port?.[method] !== 'function');
    if (missing.length > 0) return `"ports.${name}" has no ${missing.map((method) => `${method}()`).join(', ')}`;
  }
  return undefined;
}

/** Checks the options and sets their defaults; no other code sets defaults. @throws TypeError that names the option */
export function settingsOf(options: PlatformOptions): Settings {
  if (typeof options !== 'object' || options === null) throw new TypeError('a platform needs options: createPlatform({ plugins: [...] })');
  const { plugins, ports = {}, ...rest } = options;
  const { error, value } = platformOptionsSchema.validate(
    { ...rest, plugins: Array.isArray(plugins) ? plugins.map(() => ({})) : plugins },
    { abortEarly: false },
  );
  const fault = error?.message ?? faultOfPorts(ports);
  if (fault) throw new TypeError(`these platform options cannot be used: ${fault}`);
  const { rateLimits } = value;
  const limits: RateLimits =
    rateLimits === true ? defaultRateLimits : rateLimits === false ? false : { ...defaultRateLimits, ...rateLimits };
  const limitsOf = (given: boolean | RecordingLimits | undefined): NewestLimits | undefined =>
    given ? { ...RECORDED, ...(given !== true && given) } : undefined;
  return {
    ...value,
    recording: { calls: limitsOf(value.recording.calls), deliveries: limitsOf(value.recording.deliveries) },
    deliveries: { ...value.deliveries, policy: retryPolicyOf(options) },
    shutdown: { ...SHUTDOWN, ...value.shutdown },
    rateLimits: limits,
    hasAdmin: (value.admin ?? value.operators) !== undefined,
    plugins,
    ports,
    publicUrl: value.publicUrl?.replace(/\/+$/, ''),
  };
}
