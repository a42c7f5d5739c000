import Joi from 'joi';
import { named, object, string, stringUpTo } from '#core';
import type { GraphFlowOperator } from './flows/flow-operator.js';

/** A number of the network, and the credentials of its business account. */
export interface CloudNumber {
  /** The phone number: `+15550783881`. */
  readonly address: string;
  /** The name of the number if it does not exist yet; its address if not given. */
  readonly name?: string | undefined;
  /** The id under which the network sends its messages, not the phone number itself. */
  readonly phoneNumberId: string;
  /** The id of the business account, to which templates and flows belong. */
  readonly wabaId: string;
  /** The token of a system user. */
  readonly accessToken: string;
  /** The secret of the app, which signs webhooks. */
  readonly appSecret: string;
  /** A word of your choice, which the network repeats when the webhook is registered. */
  readonly verifyToken: string;
}

/** Options of the plugin. */
export interface CloudApiOptions {
  /** Numbers to connect at start; others can be connected in the admin API. */
  readonly numbers?: readonly CloudNumber[];
  /** Has the flows of connected numbers, and is also passed to `flows({ operator })`. If not given, the flows of these numbers are local. */
  readonly flowOperator?: GraphFlowOperator;
  /** Where the network's API is: `https://graph.facebook.com` by default. */
  readonly graphUrl?: string;
  /** Version of the network's API, `v25.0` by default. */
  readonly graphVersion?: string;
  /** Hosts of media files that may receive the access token, besides that of `graphUrl`. A name that begins with a dot allows its subdomains. */
  readonly mediaHosts?: readonly string[];
  /** Messages that a number sends per second, 80 by default. */
  readonly messagesPerSecond?: number;
  /** Messages that a contact can receive in a burst, 45 by default; after that one every `pairSeconds`. */
  readonly pairBurst?: number;
  /** Seconds between two messages to a contact whose burst is used up, 6 by default. */
  readonly pairSeconds?: number;
  /** Seconds that a message may wait for the limit of its contact, 600 by default. Messages that would wait longer are refused. */
  readonly maxWaitSeconds?: number;
  /** Messages outside of the 24-hour window: `refuse` them without a call (the default), or `send` them, and let the network decide. */
  readonly closedWindow?: 'refuse' | 'send';
  /**
   * A send whose outcome is unknown, because the connection broke: `resend` it when no status arrives in time (the default), which can send
   * it twice, or `fail` it, which can lose it.
   */
  readonly unknownOutcome?: 'resend' | 'fail';
  /** Seconds to wait for a status of a send whose outcome is unknown, 120 by default. */
  readonly unknownOutcomeSeconds?: number;
}

const id = () => string().pattern(/^\d{1,32}$/, 'digits');
const secret = () => stringUpTo(1_024).min(8);

/** The address and credentials of a number, as options and the file of `--cloud-api` have them. */
const cloudNumber = object(
  { address: stringUpTo(32), phoneNumberId: id(), wabaId: id(), accessToken: secret(), appSecret: secret(), verifyToken: secret() },
  { name: stringUpTo(256) },
);

/** The body of the admin route that connects a number. */
export const credentialsSchema = named(
  'CloudApiCredentials',
  object({ phone_number_id: id(), waba_id: id(), access_token: secret(), app_secret: secret(), verify_token: secret() }).example({
    phone_number_id: '106540352242922',
    waba_id: '102290129340398',
    access_token: 'the token of a system user',
    app_secret: 'the secret of the app',
    verify_token: 'a word of your choice',
  }),
);

export const optionsSchema = Joi.object({
  numbers: Joi.array().items(cloudNumber).unique('phoneNumberId').unique('address').default([]),
  flowOperator: Joi.any(),
  graphUrl: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .default('https://graph.facebook.com'),
  graphVersion: Joi.string()
    .pattern(/^v\d+\.\d+$/, 'a version')
    .default('v25.0'),
  mediaHosts: Joi.array()
    .items(Joi.string().hostname(), Joi.string().pattern(/^\.[\w.-]+$/))
    .default(['.fbsbx.com', '.fbcdn.net', '.whatsapp.net']),
  messagesPerSecond: Joi.number().min(1).max(10_000).default(80),
  pairBurst: Joi.number().integer().min(1).max(1_000).default(45),
  pairSeconds: Joi.number().min(0).max(3_600).default(6),
  maxWaitSeconds: Joi.number().min(1).max(86_400).default(600),
  closedWindow: Joi.valid('refuse', 'send').default('refuse'),
  unknownOutcome: Joi.valid('resend', 'fail').default('resend'),
  unknownOutcomeSeconds: Joi.number().min(0).max(3_600).default(120),
});

/** The options with their defaults. */
export type Settings = Required<Omit<CloudApiOptions, 'flowOperator'>> & Pick<CloudApiOptions, 'flowOperator'>;
