import Joi from 'joi';
import {
  anyString,
  anyStringUpTo,
  array,
  boolean,
  httpUrl,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import type { Span } from '#core/messaging';

/** Requests and responses of the admin API: integrations, clicks, and the panels beside a conversation. */

/** Why a call to an integration failed; `reason` is a sentence for the operator. */
export const troubleSchema = named(
  'IntegrationTrouble',
  object({
    kind: oneOf(
      'timeout',
      'unreachable',
      'refused',
      'redirected',
      'encoded',
      'too_large',
      'not_json',
      'too_deep',
      'bad_answer',
      'not_ready',
      'removed',
    ),
    reason: string(),
  }),
);
export type Trouble = TypeOf<typeof troubleSchema>;

/** A part of a response that was ignored, with its path. */
export const warningSchema = named('IntegrationWarning', object({ code: string(), path: anyString(), message: string() }));
export type Warning = TypeOf<typeof warningSchema>;

export const contextObjectTypes = ['table', 'ordered-list'] as const;

/** The capabilities that an integration declared (Resources, "Handshake response"); context objects are in display order. */
export const capabilitiesSchema = named(
  'IntegrationCapabilities',
  object({
    actions: boolean(),
    suggested_responses: boolean(),
    context_objects: array(object({ title: string(), code: string(), type: oneOf(...contextObjectTypes) })),
  }),
);
export type Capabilities = TypeOf<typeof capabilitiesSchema>;

/** `pending` until the first handshake ends. A failed handshake is a state, not an error of the API call. */
const handshakeSchema = named(
  'IntegrationHandshake',
  object(
    { state: oneOf('pending', 'ready', 'failed') },
    { at: string(), version: anyString(), capabilities: capabilitiesSchema, warnings: array(warningSchema), trouble: troubleSchema },
  ),
);
export type Handshake = TypeOf<typeof handshakeSchema>;

export const authorizations = ['Bearer', 'Token'] as const;

export const integrationSchema = named(
  'Integration',
  object({
    uuid: string(),
    number: string(),
    name: string(),
    url: httpUrl(),
    /** The scheme of the integration's API token in the `Authorization` header; null without a token. */
    authorization: nullable(oneOf(...authorizations)),
    enabled: boolean(),
    /** The display order; integrations with the same value are ordered by age. */
    order: integer(),
    created_at: string(),
    /** Increases with each change of URL or credentials, which invalidates the handshake. */
    revision: integer(),
    handshake: handshakeSchema,
  }),
);

export const clickSchema = named(
  'Click',
  object(
    {
      /** The `integration_action_uuid` in the call to the integration. */
      uuid: string(),
      integration: string(),
      number: string(),
      conversation: string(),
      clicked_at: string(),
      state: oneOf('sent', 'accepted', 'failed'),
    },
    { status: integer(), trouble: troubleSchema, finished_at: string() },
  ),
);

const name = stringUpTo(256);
const token = string().pattern(/^[\x21-\x7e]{1,4096}$/, 'printable text without spaces');
const authorization = nullable(oneOf(...authorizations));
const order = integer().min(-1_000_000).max(1_000_000);

export const newIntegrationSchema = named(
  'NewIntegration',
  object({ number: string(), name, url: httpUrl() }, { authorization, token, enabled: boolean(), order }),
);
export const integrationChangeSchema = named(
  'IntegrationChange',
  object({}, { name, url: httpUrl(), authorization, token, enabled: boolean(), order }),
);
export const newClickSchema = named(
  'NewClick',
  object({ integration: string(), action: anyStringUpTo(1_000) }, { option: anyStringUpTo(1_000), message: string() }),
);

const spanSchema = Joi.object<Span>({
  type: oneOf('text', 'strong', 'emphasis', 'strike', 'code', 'link').required(),
  text: Joi.string().allow('').optional(),
  url: Joi.string().optional(),
  children: Joi.array().items(Joi.link('#span')).optional(),
}).id('span');
const spansSchema = array(spanSchema);

const contextObject = object(
  { code: string(), title: string(), type: oneOf(...contextObjectTypes) },
  { rows: array(object({ key: anyString(), value: spansSchema })), items: array(object({ number: integer(), value: spansSchema })) },
);
const action = object({
  integration: string(),
  action: anyString(),
  description: anyString(),
  options: array(object({ option: anyString(), label: anyString() })),
});
const suggestion = object({ integration: string(), title: anyString(), body: anyString(), confidence: number() });
const parts = { context_objects: array(contextObject), actions: array(action), suggested_responses: array(suggestion) };
const panel = object(
  {
    integration: string(),
    name: string(),
    state: oneOf('loaded', 'stale', 'failed'),
    ...parts,
    warnings: array(warningSchema),
  },
  { loaded_at: string(), trouble: troubleSchema },
);

/** A part of a pasted response that is ignored or not shown as written, with its place in the text. */
export const problemSchema = named(
  'IntegrationProblem',
  object(
    {
      code: string(),
      /** A JSON pointer (RFC 6901); empty for the whole response. */
      pointer: anyString(),
      message: string(),
    },
    { line: integer(), column: integer() },
  ),
);
export type Problem = TypeOf<typeof problemSchema>;

/** The result of a pasted response: the capabilities of a handshake, or what agents would see. */
export const tryResultSchema = named(
  'IntegrationTryResult',
  object(
    { kind: oneOf('handshake', 'context'), usable: boolean(), problems: array(problemSchema) },
    { capabilities: capabilitiesSchema, panel: object(parts) },
  ),
);

/** The panels of a conversation, one per integration, and the suggestions of all integrations, the highest confidence first. */
export const integrationsViewSchema = object({ panels: array(panel), suggested_responses: array(suggestion) });
