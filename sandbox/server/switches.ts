import { retrySwitches } from '#core';

/** An option for a point that the API specification leaves open, or that a test wants to vary. */
export interface Switch {
  /** Such as `webhooks.inboundOnChannel`. */
  readonly path: string;
  readonly title: string;
  /** Says what the platform does by default, and why. */
  readonly why: string;
  readonly kind: 'boolean' | 'number' | 'choice' | 'choices';
  /** The values of a choice. */
  readonly values?: readonly string[];
}

/** In the order in which the console shows them. `core/not-shown.md` has the reasons in full. */
export const switches: readonly Switch[] = [
  {
    path: 'webhooks.inboundOnChannel',
    title: 'Connectors also receive inbound messages',
    why: 'The specification says so. It is off, because the connector posted these messages itself, and one that forwards what it receives would create an endless echo.',
    kind: 'boolean',
  },
  {
    path: 'deliveries.retryAlso',
    title: 'Also retry',
    why: 'These outcomes cancel a delivery. Proxies respond with 502 while the service behind them restarts.',
    kind: 'choices',
    values: retrySwitches,
  },
  {
    path: 'deliveries.strictAnswers',
    title: 'Retry responses of connectors without a message id',
    why: 'It is off, because a retry could send the message to the contact twice.',
    kind: 'boolean',
  },
  {
    path: 'deliveries.pauseAfterFailures',
    title: 'Pause a webhook after failed attempts in a row',
    why: 'The specification names no number. Without one, webhooks are never paused by failures.',
    kind: 'number',
  },
  {
    path: 'channels.nfmReplies',
    title: 'Channels accept answers of flows',
    why: 'The specification has no form for the answer to a flow message on a channel. It is on, so that connectors can send one.',
    kind: 'boolean',
  },
  {
    path: 'flows.newerVersions',
    title: 'Flow JSON of a newer version',
    why: 'A version that this release does not know may be valid, so by default it is only a hint.',
    kind: 'choice',
    values: ['hint', 'refuse'],
  },
  {
    path: 'simulation.idleMinutes',
    title: 'Minutes until a simulation without input expires',
    why: 'The specification does not say when a simulation expires.',
    kind: 'number',
  },
  {
    path: 'integration.openMinutes',
    title: 'Minutes until the panels of a conversation expire',
    why: 'The specification says only that what an integration returns is not stored.',
    kind: 'number',
  },
  {
    path: 'rateLimits',
    title: 'Rate limits',
    why: 'A platform has limits by default. A sandbox has none, so that tests are fast.',
    kind: 'boolean',
  },
  {
    path: 'privateTargets',
    title: 'Requests to private addresses',
    why: 'A platform refuses them by default. A sandbox allows them, because its endpoints are on this machine.',
    kind: 'choice',
    values: ['allow', 'refuse'],
  },
  {
    path: 'checkResponses',
    title: 'Check every response against its schema',
    why: 'For tests of the platform: a response that does not match becomes a 500.',
    kind: 'boolean',
  },
];
