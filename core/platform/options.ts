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

/** How a platform is put together. Only `plugins` is needed. */
export interface PlatformOptions {
  /** Tells platforms on one server apart; `posthorn` if not given. */
  readonly name?: string;
  /** The areas: `channels()`, `webhooks()`, your own. */
  readonly plugins: readonly Plugin[];
  /** The folder of the state. Without it everything is kept in memory. */
  readonly dataDir?: string;
  /** Seals secrets in the store: 64 hexadecimal digits. A file in `dataDir` that only its owner can read if not given. */
  readonly secretKey?: string;
  /** The two words that the interface leaves open. */
  readonly dialect?: DialectOptions;
  /** Where journeys and their simulations are at home: the time zone of their clocks and dates, the country of their telephone numbers. */
  readonly journeys?: JourneyLocale;
  /** Mounts the admin API under /admin/v1 behind this key. Without it there is no admin API. */
  readonly admin?: { readonly key: string };
  /** Where the platform is reached from outside; the server's own address and prefix if not given. */
  readonly publicUrl?: string;
  /**
   * Names under which browsers may reach the admin API and what needs no token, beside addresses and localhost. Under other names,
   * and from pages of other origins, they are refused: a page could have its own name point at this machine. Not checked if not given.
   */
  readonly trustedHosts?: readonly string[];
  /**
   * Calls a minute per number and bucket; `true` (60 each) if not given. What is one too many is answered 429, or with
   * `X-throttling: 1` held until the next minute, when no more are held than it has calls.
   */
  readonly rateLimits?: boolean | { readonly general?: number; readonly text?: number; readonly media?: number };
  /** What the delivery law leaves open. */
  readonly deliveries?: DeliveryOptions;
  /**
   * Bytes of the heap that the process may fill before calls that would keep more get 503; 65 % of what Node may use if not given, and at
   * most that. Less leaves more for a host that needs memory of its own.
   */
  readonly safeHeapBytes?: number;
  /** How many days a medium is kept; 30 if not given. */
  readonly mediaKeptDays?: number;
  /** Whether requests may go to private and loopback addresses: never, always, or to these hosts and CIDR ranges. `refuse` if not given. */
  readonly privateTargets?: 'refuse' | 'allow' | readonly string[];
  /** Whether requests may go to https: only, and to which ports; everywhere if not given. `ca`: authorities to trust instead of the usual ones, in PEM. */
  readonly outbound?: { readonly httpsOnly?: boolean; readonly ports?: readonly number[]; readonly ca?: string | readonly string[] };
  /**
   * How a stop of the server goes. First `/ready` answers 503 and every answer closes its connection, for `noticeMs` (0 if not given);
   * then nobody can call any more, and what is under way has `deadlineMs` to end (8,000 if not given). The rest is sent after the next start.
   */
  readonly shutdown?: { readonly noticeMs?: number; readonly deadlineMs?: number };
  /** Replaces adapters: a store, clock or logger of your own. `tracing: openTelemetry()` gives traces; there are none without it. */
  readonly ports?: Partial<Ports>;
  /** The least level of lines that are written to standard error; `info` if not given. A logger of your own has its own. */
  readonly logLevel?: LogLevel;
  /** Checks every answer against the schemas of its route, and answers 500 when it does not fit. For tests. */
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

/** Longer ones are a mistake of the unit. */
const MAX_SHUTDOWN_MS = 60 * 60 * 1000;

const perMinute = Joi.number().integer().min(1);
const duration = Joi.number().min(0).max(MAX_SHUTDOWN_MS);

/** What the options are checked against; the page on operations shows it. */
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

/** What is called of each; by type, so that none is forgotten when there are more. */
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

/** Not by joi, which would copy them. */
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

/** The one place where options are checked and defaulted. @throws an error that names the option */
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
