import Joi from 'joi';
import type { Cause } from '../../contract/cause.js';
import { cycleOf, faultOfConformanceCheck } from '../../contract/conformance-check.js';
import { defaultRoles, PERMISSION_NAME, type Permission } from '../../contract/permission.js';
import type { Contributions, Plugin, PluginManifest } from '../../contract/plugin.js';
import { PluginFailed } from '../../errors.js';
import {
  faultOfChannel,
  faultOfCheck,
  faultOfCommand,
  faultOfConsumer,
  faultOfErrors,
  faultOfEvent,
  faultOfExplanation,
  faultOfLoop,
  faultOfName,
  faultOfNeed,
  faultOfOffer,
  faultOfPage,
  faultOfPayload,
  faultOfPayloadField,
  faultOfRoot,
  faultOfRoute,
  faultOfSearch,
  faultOfSender,
  faultOfSendHook,
  faultOfService,
  faultOfSubscription,
  faultOfTask,
  faultOfView,
  faultOfWebhookSubscription,
} from './check-parts.js';

// For plugins in JavaScript, which no compiler checks: a misspelt key would be ignored silently.

const CAUSE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** The types make an entry for a new key of the manifest or of the contributions mandatory. */
const manifestKeys: Readonly<Record<keyof PluginManifest<object>, true>> = {
  name: true,
  version: true,
  needs: true,
  optional: true,
  offers: true,
  options: true,
  collections: true,
  emits: true,
  causes: true,
  permissions: true,
  tasks: true,
  checks: true,
};
const contributionKinds: Readonly<Record<keyof Contributions, 'a list' | 'an object' | 'a function'>> = {
  routes: 'a list',
  admin: 'a list',
  authenticate: 'a function',
  adminAuth: 'a function',
  roots: 'a list',
  payloads: 'a list',
  subscriptions: 'a list',
  payloadFields: 'a list',
  channels: 'a list',
  loops: 'a list',
  senders: 'a list',
  forms: 'a function',
  claims: 'an object',
  awaits: 'a function',
  needsMessage: 'a function',
  personalData: 'an object',
  beforeSend: 'a list',
  beforeReceive: 'a list',
  outboundChecks: 'a list',
  on: 'a list',
  consumes: 'a list',
  services: 'a list',
  views: 'a list',
  explanations: 'a list',
  search: 'a list',
  pages: 'a list',
  commands: 'a list',
  metrics: 'a function',
  errors: 'an object',
  start: 'a function',
  stop: 'a function',
};

/** @throws PluginFailed */
export function checkManifest({ manifest }: Plugin): void {
  const { name, version } = manifest as { name: unknown; version: unknown };
  const fail = (why: string): never => {
    throw new PluginFailed(String(name), 'load', why);
  };
  if (typeof name !== 'string' || !NAME.test(name)) fail('its name must be lower-case words joined with -');
  if (typeof version !== 'string' || version === '') fail('it has no version');
  for (const key of Object.keys(manifest)) {
    if (!Object.hasOwn(manifestKeys, key)) fail(unknownKey('declares', key, [...Object.keys(manifestKeys), 'register']));
  }
  for (const [cause, about] of Object.entries((manifest.causes ?? {}) as Record<string, Partial<Cause> | null>)) {
    const isWhole = about && [about.meaning, about.action, about.who].every((text) => typeof text === 'string' && text !== '');
    if (!CAUSE.test(cause) || !isWhole || typeof about.retry !== 'boolean')
      fail(`causes.${cause} must be named in lower-case words joined with _, and have meaning, who, action and retry`);
  }
  for (const [key, about] of Object.entries((manifest.permissions ?? {}) as Record<string, Partial<Permission> | null>)) {
    const hasRoles = Array.isArray(about?.roles) && about.roles.every((role) => (defaultRoles as readonly unknown[]).includes(role));
    if (!PERMISSION_NAME.test(key) || typeof about?.meaning !== 'string' || !hasRoles)
      fail(`permissions.${key} must be named like area.verb, and have meaning and roles, a list of ${defaultRoles.join(', ')}`);
  }
  const faultOfOwn = (offered: unknown) => faultOfService(offered, String(name));
  const faultOfOwnCheck = (check: unknown) => faultOfConformanceCheck(check, String(name));
  const lists = {
    needs: faultOfNeed,
    optional: faultOfName,
    offers: faultOfOwn,
    emits: faultOfEvent,
    tasks: faultOfTask,
    checks: faultOfOwnCheck,
  };
  for (const [key, faultOf] of Object.entries(lists)) {
    const list: unknown = manifest[key as keyof typeof lists] ?? [];
    if (!Array.isArray(list)) fail(`${key} must be a list`);
    for (const [i, one] of (list as unknown[]).entries()) {
      const fault = faultOf(one);
      if (fault) fail(`${key}[${i}] ${fault}`);
    }
  }
  const cycle = cycleOf(manifest.checks ?? []);
  if (cycle !== undefined) fail(`checks need each other in a cycle: ${cycle}`);
}

/** The options with their defaults. @throws PluginFailed */
export function checkedOptions({ manifest, options }: Plugin): object {
  const { error, value } = (manifest.options ?? Joi.object({})).required().validate(options, { abortEarly: false });
  if (error) throw new PluginFailed(manifest.name, 'options', error.message, error);
  return value;
}

/** @throws PluginFailed */
export function checkContributions(plugin: string, contributions: Contributions): void {
  const fail = (why: string): never => {
    throw new PluginFailed(plugin, 'register', why);
  };
  for (const [key, value] of Object.entries(contributions)) {
    if (!Object.hasOwn(contributionKinds, key)) fail(unknownKey('contributes', key, Object.keys(contributionKinds)));
    const expected = contributionKinds[key as keyof Contributions];
    if (value !== undefined && kindOf(value) !== expected) fail(`${key} must be ${expected}`);
  }
  for (const [key, faultOf] of Object.entries(checks)) {
    for (const [i, one] of [...((contributions[key as keyof Contributions] as readonly unknown[] | undefined) ?? [])].entries()) {
      const fault = faultOf(one);
      if (fault) fail(`${key}[${i}] ${fault}`);
    }
  }
  for (const [i, one] of (contributions.subscriptions ?? []).entries()) {
    const fault = faultOfWebhookSubscription(one, plugin);
    if (fault) fail(`subscriptions[${i}] ${fault}`);
  }
  for (const [i, one] of (contributions.commands ?? []).entries()) {
    const fault = faultOfCommand(one, plugin);
    if (fault) fail(`commands[${i}] ${fault}`);
  }
  const fault = contributions.errors && faultOfErrors(contributions.errors);
  if (fault) fail(`errors ${fault}`);
}

const checks = {
  routes: faultOfRoute,
  admin: faultOfRoute,
  roots: faultOfRoot,
  payloads: faultOfPayload,
  payloadFields: faultOfPayloadField,
  channels: faultOfChannel,
  loops: faultOfLoop,
  senders: faultOfSender,
  beforeSend: faultOfSendHook,
  beforeReceive: faultOfCheck,
  outboundChecks: faultOfCheck,
  on: faultOfSubscription,
  consumes: faultOfConsumer,
  services: faultOfOffer,
  views: faultOfView,
  explanations: faultOfExplanation,
  search: faultOfSearch,
  pages: faultOfPage,
} satisfies Partial<Record<keyof Contributions, (value: unknown) => string | undefined>>;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : `a ${typeof value}`;
}

const unknownKey = (verb: string, key: string, known: readonly string[]): string =>
  `it ${verb} the unknown key '${key}'; known keys are ${known.join(', ')}`;
