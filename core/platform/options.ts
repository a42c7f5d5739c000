import Joi from 'joi';
import type { Plugin } from '../contract/plugin.js';
import { type DeliveryOptions, type DeliverySettings, deliveryOptionsSchema } from '../delivery/delivery-options.js';
import { retryPolicyOf } from '../delivery/retry-policy.js';
import { type DialectOptions, dialectSchema } from '../dialect.js';
import { type JourneyLocale, localeSchema } from '../journeys/locale.js';
import { defaultRateLimits, type RateLimits } from '../kernel/rate-limit.js';
import { SHUTDOWN, type ShutdownSettings } from '../kernel/shutdown.js';
import { type LogLevel, logLevels } from '../ports/logger.js';
import type { Ports } from '../ports/ports.js';

/** Options of `createPlatform`. Only `plugins` is required. */
export interface PlatformOptions {
  /** Distinguishes platforms on one server; `posthorn` if not given. */
  readonly name?: string;
  /** The areas: `channels()`, `webhooks()`, your own plugins. */
  readonly plugins: readonly Plugin[];
  /** The data folder. Without it the state lives in memory only. */
  readonly dataDir?: string;
  /** The key that encrypts secrets in the store: 64 hexadecimal digits. If not given, a file in `dataDir` that only its owner can read. */
  readonly secretKey?: string;
  /** The two words that the interface leaves open: they occur in headers, subscriptions and contact fields. */
  readonly dialect?: DialectOptions;
  /** The time zone of clocks and dates in journeys and simulations, and the country of their telephone numbers. */
  readonly journeys?: JourneyLocale;
  /** Mounts the admin API under /admin/v1 behind this key. Without this option the platform has no admin API. */
  readonly admin?: { readonly key: string };
  /** The URL at which clients reach the platform; the server's own address and prefix if not given. */
  readonly publicUrl?: string;
  /**
   * Host names under which browsers may call the admin API and routes without a token, besides IP addresses and localhost. Other host names
   * and pages of other origins get 403, which prevents DNS rebinding. Not checked if not given.
   */
  readonly trustedHosts?: readonly string[];
  /**
   * Calls per minute for each number and bucket; `true` (60 each) if not given. Calls over the limit get 429. With `X-throttling: 1` they
   * are queued until the next minute instead, up to one minute's quota.
   */
  readonly rateLimits?: boolean | { readonly general?: number; readonly text?: number; readonly media?: number };
  /** Options of deliveries that the retry policy leaves open. */
  readonly deliveries?: DeliveryOptions;
  /**
   * Bytes of heap in use above which calls that would store something get 503; 65 % of Node's heap limit if not given, and never more. Set
   * less if the host application needs memory of its own.
   */
  readonly safeHeapBytes?: number;
  /** Retention of media files in days; 30 if not given. */
  readonly mediaKeptDays?: number;
  /** Whether requests may go to private and loopback addresses: never, always, or only to these hosts and CIDR ranges. `refuse` if not given. */
  readonly privateTargets?: 'refuse' | 'allow' | readonly string[];
  /** Restricts requests to https: and to certain ports; no restriction if not given. `ca`: PEM certificates to trust instead of Node's own. */
  readonly outbound?: { readonly httpsOnly?: boolean; readonly ports?: readonly number[]; readonly ca?: string | readonly string[] };
  /**
   * Times of a graceful stop. For `noticeMs` (0 if not given) `/ready` gives 503 and every response closes its connection. Then the server
   * stops listening, and work in progress has `deadlineMs` to finish (8,000 if not given); the next start repeats the rest.
   */
  readonly shutdown?: { readonly noticeMs?: number; readonly deadlineMs?: number };
  /** Replaces adapters: a store, clock or logger of your own. `tracing: openTelemetry()` switches traces on. */
  readonly ports?: Partial<Ports>;
  /** The minimum level of lines that are written to standard error; `info` if not given. Not used with a logger of your own. */
  readonly logLevel?: LogLevel;
  /** Checks every response against the schemas of its route; one that does not fit becomes a 500. For tests. */
  readonly checkResponses?: boolean;
}

export type Settings = Required<
  Omit<
    PlatformOptions,
    | 'deliveries'
    | 'journeys'
    | 'dataDir'
    | 'secretKey'
    | 'admin'
    | 'publicUrl'
    | 'trustedHosts'
    | 'rateLimits'
    | 'safeHeapBytes'
    | 'mediaKeptDays'
    | 'shutdown'
  >
> &
  Pick<PlatformOptions, 'dataDir' | 'secretKey' | 'admin' | 'publicUrl' | 'trustedHosts' | 'safeHeapBytes' | 'mediaKeptDays'> & {
    readonly rateLimits: RateLimits;
    readonly deliveries: DeliverySettings;
    readonly journeys: JourneyLocale & { readonly timeZone: string };
    readonly shutdown: ShutdownSettings;
  };

/** A longer time is a mistake of the unit. */
const MAX_SHUTDOWN_MS = 60 * 60 * 1000;

const perMinute = Joi.number().integer().min(1);
const duration = Joi.number().min(0).max(MAX_SHUTDOWN_MS);

/** The schema of `PlatformOptions`. The table of options in `kernel/README.md` is generated from it. */
export const platformOptionsSchema = Joi.object({
  name: Joi.string()
    .pattern(/^[a-z][a-z0-9-]*$/)
    .default('posthorn'),
  plugins: Joi.array().items(Joi.object().unknown()).required(),
  dataDir: Joi.string(),
  secretKey: Joi.string().hex().length(64),
  dialect: dialectSchema,
  journeys: localeSchema,
  admin: Joi.object({
    key: Joi.string()
      .min(16)
      .pattern(/^\S+$/)
      .required()
      .messages({ 'string.pattern.base': '{#label} must have no spaces: it is sent as a bearer token' }),
  }),
  publicUrl: Joi.string().uri({ scheme: ['http', 'https'] }),
  trustedHosts: Joi.array().items(Joi.string().hostname()),
  rateLimits: Joi.alternatives(Joi.boolean(), Joi.object({ general: perMinute, text: perMinute, media: perMinute })).default(true),
  deliveries: deliveryOptionsSchema,
  safeHeapBytes: Joi.number()
    .integer()
    .min(16 * 1024 * 1024),
  mediaKeptDays: Joi.number().min(1).max(36_500),
  privateTargets: Joi.alternatives(Joi.valid('refuse', 'allow'), Joi.array().items(Joi.string())).default('refuse'),
  outbound: Joi.object({
    httpsOnly: Joi.boolean(),
    ports: Joi.array().items(Joi.number().port()).min(1),
    ca: Joi.alternatives(Joi.string(), Joi.array().items(Joi.string()).min(1)),
  }).default({}),
  shutdown: Joi.object({ noticeMs: duration, deadlineMs: duration }).default({}),
  ports: Joi.object().unknown().default({}),
  logLevel: Joi.valid(...logLevels).default('info'),
  checkResponses: Joi.boolean().default(false),
}).label('platform options');

/** The required methods of each port. The type makes an entry for a new port mandatory. */
const portMethods: { readonly [P in keyof Ports]-?: readonly (keyof NonNullable<Ports[P]>)[] } = {
  store: ['define', 'start', 'stop', 'transaction', 'open'],
  queue: ['push', 'cancel', 'attach', 'depths', 'start', 'stop'],
  bus: ['announce', 'subscribe', 'subscribeAll'],
  workers: ['run', 'check', 'stop'],
  http: ['send', 'stop'],
  models: ['open'],
  clock: ['now', 'monotonic', 'after', 'sleep', 'during'],
  ids: ['uuid', 'secret', 'digits', 'random'],
  secrets: ['get', 'put', 'delete'],
  blobs: ['put', 'get', 'delete'],
  log: ['debug', 'info', 'warn', 'error', 'child'],
  heap: ['read'],
  tracing: ['begin', 'within', 'current'],
};

/** Without joi, which would clone the ports. */
function faultOfPorts(ports: unknown): string | undefined {
  if (typeof ports !== 'object' || ports === null) return '"ports" must be of type object';
  for (const [name, port] of Object.entries(ports)) {
    if (!Object.hasOwn(portMethods, name)) return `"ports.${name}" is not allowed; there are ${Object.keys(portMethods).join(', ')}`;
    if (port === undefined) continue;
    const missing = portMethods[name as keyof Ports].filter((method) => typeof port?.[method] !== 'function');
    if (missing.length > 0) return `"ports.${name}" has no ${missing.map((method) => `${method}()`).join(', ')}`;
  }
  return undefined;
}

/** Checks the options and sets defaults; no other code does. @throws TypeError that names the option */
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
  return {
    ...value,
    deliveries: { ...value.deliveries, policy: retryPolicyOf(options) },
    shutdown: { ...SHUTDOWN, ...value.shutdown },
    rateLimits: limits,
    plugins,
    ports,
    publicUrl: value.publicUrl?.replace(/\/+$/, ''),
  };
}
