import Joi from 'joi';

/** The two words that the interface leaves open; every name that carries them comes from here. */
export interface DialectOptions {
  /** The word for the service, `svc` by default. */
  readonly service?: string;
  /** The word for the messaging network, `msgapp` by default. */
  readonly network?: string;
}

/** What a webhook can listen to, in our own words; `Dialect.subscriptions` gives the words that travel. */
export const subscriptionKinds = ['network', 'service', 'journey_outbound', 'channel'] as const;
/** A subscription of a webhook, in our own words. */
export type SubscriptionKind = (typeof subscriptionKinds)[number];

/** Every name that travels and carries one of the two words. */
export interface Dialect {
  readonly service: string;
  readonly network: string;
  readonly headers: {
    readonly signature: string;
    /** While a secret is being replaced: the signature by the old one. */
    readonly previousSignature: string;
    readonly subscription: string;
    readonly networkId: string;
    readonly integrationRefresh: string;
    readonly inReplyTo: string;
  };
  /** The value of the subscription header for each kind. */
  readonly subscriptions: Readonly<Record<SubscriptionKind, string>>;
  /** Names of contact fields that carry the network's word. */
  readonly contactFields: { readonly networkId: string; readonly networkProfileName: string };
}

const DEFAULTS = { service: 'svc', network: 'msgapp' } as const;

const NOT_ANOTHER = '{{#label}} has to be a word of its own: webhooks tell their subscriptions apart by it';
const word = Joi.string()
  .pattern(/^[a-z][a-z0-9]{0,31}$/, 'a lower-case word')
  .invalid('channel')
  .messages({ 'any.invalid': NOT_ANOTHER });

export const dialectSchema = Joi.object<DialectOptions>({
  service: word.default(DEFAULTS.service),
  network: word.default(DEFAULTS.network),
})
  // Not by a reference among the words: a word that is not given is not checked.
  .custom((words: Required<DialectOptions>, { error }) => (words.service === words.network ? error('any.invalid') : words))
  .messages({ 'any.invalid': '{{#label}} needs two different words: webhooks tell their subscriptions apart by them' })
  .default();

/** Builds every name of a dialect (design: connectors written for the interface under other words run unmodified). */
export function dialectOf({ service = DEFAULTS.service, network = DEFAULTS.network }: DialectOptions = {}): Dialect {
  const [Service, Network] = [capital(service), capital(network)];
  return {
    service,
    network,
    headers: {
      signature: `X-${Service}-Hook-Signature`,
      previousSignature: `X-${Service}-Hook-Signature-Previous`,
      subscription: `X-${Service}-Hook-Subscription`,
      networkId: `X-${Network}-Id`,
      integrationRefresh: `X-${Service}-Integration-Refresh`,
      inReplyTo: `X-${Service}-In-Reply-To`,
    },
    subscriptions: { network, service, journey_outbound: 'journey_outbound', channel: 'channel' },
    contactFields: { networkId: `${network}_id`, networkProfileName: `${network}_profile_name` },
  };
}

/** The kind behind a word that travelled, or undefined when the dialect has no such word. */
export const subscriptionKind = (dialect: Dialect, value: string): SubscriptionKind | undefined =>
  subscriptionKinds.find((kind) => dialect.subscriptions[kind] === value);

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
