import { Api, type ApiOptions, checksOfApi } from './api/index.js';
import { CheckFailed, CheckSkipped, type Level, type Outcome, type Result, type SubjectCall } from './check.js';
import { Connector, type ConnectorOptions, checksOfConnectors } from './connector/index.js';
import type { Exchange } from './exchange.js';
import { checksOfIntegrations, Integration, type IntegrationOptions } from './integration/index.js';
import { type PluginWithChecks, withPluginChecks } from './plugin-checks.js';
import { type BoundCheck, bind, isBroken, type RunOptions, runChecks } from './run.js';
import { checksOfWebhooks, Webhook, type WebhookOptions } from './webhook/index.js';

/** A run of all checks ends within 90 s; the rest is for what happens before and after it. */
const WITHIN_MS = 80_000;
/** A person needs longer. */
const WITH_PERSON_MS = 20 * 60_000;

/** The checks of a channel connector. Its platform, and a driver or a person, are optional: without them their checks are skipped. */
export const connectorChecks = (options: ConnectorOptions): BoundCheck[] =>
  bind(withPluginChecks(checksOfConnectors, 'connector', options.plugins), new Connector(options), {
    withinMs: options.withinMs ?? (options.prompt ? WITH_PERSON_MS : WITHIN_MS),
    signal: options.signal,
  });

/** The checks of an endpoint that receives the events of a webhook. */
export const webhookChecks = (options: WebhookOptions): BoundCheck[] =>
  bind(withPluginChecks(checksOfWebhooks, 'webhook', options.plugins), new Webhook(options), {
    withinMs: WITHIN_MS,
    signal: options.signal,
  });

/** The checks of an integration. They include a click on its first action, for a contact that does not exist. */
export const integrationChecks = (options: IntegrationOptions): BoundCheck[] =>
  bind(withPluginChecks(checksOfIntegrations, 'integration', options.plugins), new Integration(options), {
    withinMs: WITHIN_MS,
    signal: options.signal,
  });

/** The checks of an implementation of the API. They create flows and channels whose names begin with `posthorn-conformance`. */
export const apiChecks = (options: ApiOptions): BoundCheck[] =>
  bind(withPluginChecks(checksOfApi, 'api', options.plugins), new Api(options), { withinMs: WITHIN_MS, signal: options.signal });

export type { ConformanceCheck, ConformanceKind } from '../../core/contract/conformance-check.js';
export {
  type Api as ApiSubject,
  type ApiOptions,
  type BoundCheck,
  CheckFailed,
  CheckSkipped,
  type Connector as ConnectorSubject,
  type ConnectorOptions,
  type Exchange,
  type Integration as IntegrationSubject,
  type IntegrationOptions,
  isBroken,
  type Level,
  type Outcome,
  type PluginWithChecks,
  type Result,
  type RunOptions,
  runChecks,
  type SubjectCall,
  type Webhook as WebhookSubject,
  type WebhookOptions,
};
