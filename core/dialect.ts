import Joi from 'joi';

/** The names of your service and of the messaging network, used to build header, subscription and contact field names. */
export interface DialectOptions {
  /** The name of the service, `svc` by default. */
  readonly service?: string;
  /** The name of the messaging network, `msgapp` by default. */
  readonly network?: string;
  /**
   * Header names with other capital letters than those built from the two words: with network `whatsapp`,
   * `{ networkId: 'X-WhatsApp-Id' }` sends that instead of `X-Whatsapp-Id`.
   */
  readonly headers?: Partial<DialectHeaders>;
}

/** The header names of a dialect, in the letters in which they are sent. */
export interface DialectHeaders {
  readonly signature: string;
  /** The header for the signature by the previous secret, sent while a secret is being rotated. */
  readonly previousSignature: string;
  readonly subscription: string;
  /** The delivery: the same in all its attempts and redeliveries. */
  readonly delivery: string;
  /** 1, and one more for each redelivery. */
  readonly run: string;
  /** The attempt within the run, from 1. */
  readonly attempt: string;
  /** When the event was queued. */
  readonly time: string;
  readonly networkId: string;
  readonly integrationRefresh: string;
  readonly inReplyTo: string;
  /** The claim under which a webhook receives a message. */
  readonly claim: string;
  /** With a message: extends the claim, or ends it. */
  readonly claimExtend: string;
  readonly claimRelease: string;
}

/** The events that a webhook can subscribe to, by internal name; `Dialect.subscriptions` has the names that the API uses. */
export const subscriptionKinds = ['network', 'service', 'journey_outbound', 'channel'] as const;
/** A subscription of a webhook, by internal name; those of plugins are named `<plugin>.<name>` everywhere. */
export type SubscriptionKind = OwnSubscription | `${string}.${string}`;
type OwnSubscription = (typeof subscriptionKinds)[number];

/** The name of a subscription of a plugin. */
export const PLUGIN_SUBSCRIPTION = /^[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z][a-z0-9]*([_-][a-z0-9]+)*$/;

/** The schema of the internal name of a subscription. */
export const subscriptionKindSchema = (): Joi.AlternativesSchema<SubscriptionKind> =>
  Joi.alternatives(Joi.string().valid(...subscriptionKinds), Joi.string().pattern(PLUGIN_SUBSCRIPTION)) as Joi.AlternativesSchema;

/** Every name in the API that contains the service or network name. */
export interface Dialect {
  /** The name of the service, such as `svc`. */
  readonly service: string;
  /** The name of the messaging network, such as `msgapp`. */
  readonly network: string;
  /** The names of headers, in the letters in which they are sent. */
  readonly headers: DialectHeaders;
  /** The value of the subscription header for each kind. */
  readonly subscriptions: Readonly<Record<OwnSubscription, string>>;
  /** Names of contact fields that contain the network name. */
  readonly contactFields: { readonly networkId: string; readonly networkProfileName: string };
}

const DEFAULTS = { service: 'svc', network: 'msgapp' } as const;

const NOT_ANOTHER = '{{#label}} has to be a word of its own: webhooks tell their subscriptions apart by it';
const word = Joi.string()
  .pattern(/^[a-z][a-z0-9]{0,31}$/, 'a lower-case word')
  .invalid('channel')
  .messages({ 'any.invalid': NOT_ANOTHER });

const headerName = Joi.string().max(100);

export const dialectSchema = Joi.object<DialectOptions>({
  service: word.default(DEFAULTS.service),
  network: word.default(DEFAULTS.network),
  headers: Joi.object({
    signature: headerName,
    previousSignature: headerName,
    subscription: headerName,
    delivery: headerName,
    run: headerName,
    attempt: headerName,
    time: headerName,
    networkId: headerName,
    integrationRefresh: headerName,
    inReplyTo: headerName,
    claim: headerName,
    claimExtend: headerName,
    claimRelease: headerName,
  } satisfies Record<keyof DialectHeaders, Joi.Schema>),
})
  // Not a joi reference, which would not see a default value.
  .custom((options: DialectOptions, { error }) => {
    const { service, network } = { ...DEFAULTS, ...options };
    return service === network ? error('any.invalid') : options;
  })
  // Other letters only: a typing error here would rename a header that clients read.
  .custom((options: DialectOptions, { error }) => {
    const built = dialectOf({ ...options, headers: {} }).headers;
    const wrong = headerNames(options.headers).find(([key, name]) => name.toLowerCase() !== built[key].toLowerCase());
    return wrong ? error('dialect.header', { key: wrong[0], name: wrong[1], built: built[wrong[0]] }) : options;
  })
  .messages({ 'dialect.header': '{{#label}}.headers.{{#key}} changes only capital letters of {{#built}}, so {{#name}} cannot be used' })
  .messages({ 'any.invalid': '{{#label}} needs two different words: webhooks tell their subscriptions apart by them' })
  .default();

/** Builds the names of a dialect. With the names of another service, connectors that were written for that service run unmodified. */
export function dialectOf({ service = DEFAULTS.service, network = DEFAULTS.network, headers }: DialectOptions = {}): Dialect {
  const [Service, Network] = [capital(service), capital(network)];
  return {
    service,
    network,
    headers: {
      signature: `X-${Service}-Hook-Signature`,
      previousSignature: `X-${Service}-Hook-Signature-Previous`,
      subscription: `X-${Service}-Hook-Subscription`,
      delivery: `X-${Service}-Hook-Delivery`,
      run: `X-${Service}-Hook-Run`,
      attempt: `X-${Service}-Hook-Attempt`,
      time: `X-${Service}-Hook-Time`,
      networkId: `X-${Network}-Id`,
      integrationRefresh: `X-${Service}-Integration-Refresh`,
      inReplyTo: `X-${Service}-In-Reply-To`,
      claim: `X-${Service}-Claim`,
      claimExtend: `X-${Service}-Claim-Extend`,
      claimRelease: `X-${Service}-Claim-Release`,
      ...headers,
    },
    subscriptions: { network, service, journey_outbound: 'journey_outbound', channel: 'channel' },
    contactFields: { networkId: `${network}_id`, networkProfileName: `${network}_profile_name` },
  };
}

/** Finds the subscription that the API calls `value`; undefined when the dialect has no such name. */
export const subscriptionKind = (dialect: Dialect, value: string): SubscriptionKind | undefined =>
  subscriptionKinds.find((kind) => dialect.subscriptions[kind] === value);

/** The name of a subscription in the API. */
export const subscriptionName = (dialect: Dialect, kind: SubscriptionKind): string =>
  dialect.subscriptions[kind as OwnSubscription] ?? kind;

const headerNames = (headers: DialectOptions['headers'] = {}) => Object.entries(headers) as [keyof DialectHeaders, string][];

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
