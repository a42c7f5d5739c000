import Joi from 'joi';
import { anyText, anyTextUpTo, fields, flag, httpUrl, list, nullable, number, oneOf, type TypeOf, text, textUpTo, whole } from '#core';

/** What the admin API takes and shows: integrations, clicks, and the panels beside a conversation. */

/** Why a call to an integration gave nothing that can be shown; for the operator, each with a sentence of its own. */
export const troubleSchema = fields({
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
  reason: text(),
});
export type Trouble = TypeOf<typeof troubleSchema>;

/** Something in an answer that was passed over, and where it stands. */
export const warningSchema = fields({ code: text(), path: anyText(), message: text() });
export type Warning = TypeOf<typeof warningSchema>;

export const contextObjectTypes = ['table', 'ordered-list'] as const;

/** What an integration said it offers (Resources, "Handshake response"); the order of its objects is the order on screen. */
const capabilitiesSchema = fields({
  actions: flag(),
  suggested_responses: flag(),
  context_objects: list(fields({ title: text(), code: text(), type: oneOf(...contextObjectTypes) })),
});
export type Capabilities = TypeOf<typeof capabilitiesSchema>;

/** `pending` until the first answer. A handshake that went wrong is a state to be read, not a failure. */
const handshakeSchema = fields(
  { state: oneOf('pending', 'ready', 'failed') },
  { at: text(), version: anyText(), capabilities: capabilitiesSchema, warnings: list(warningSchema), trouble: troubleSchema },
);
export type Handshake = TypeOf<typeof handshakeSchema>;

export const authorizations = ['Bearer', 'Token'] as const;

export const integrationSchema = fields({
  uuid: text(),
  number: text(),
  name: text(),
  url: httpUrl(),
  /** The scheme under which its API token travels; null without one. */
  authorization: nullable(oneOf(...authorizations)),
  enabled: flag(),
  /** Integrations stand below each other in this order, equal ones by age. */
  order: whole(),
  created_at: text(),
  /** Counts the changes of address or credentials; a handshake belongs to one of them. */
  revision: whole(),
  handshake: handshakeSchema,
});

export const clickSchema = fields(
  {
    /** The `integration_action_uuid` that the integration is told. */
    uuid: text(),
    integration: text(),
    number: text(),
    conversation: text(),
    clicked_at: text(),
    state: oneOf('sent', 'accepted', 'failed'),
  },
  { status: whole(), trouble: troubleSchema, finished_at: text() },
);

const name = textUpTo(256);
/** What fits into a header. */
const token = text().pattern(/^[\x21-\x7e]{1,4096}$/, 'printable text without spaces');
const authorization = nullable(oneOf(...authorizations));
const order = whole().min(-1_000_000).max(1_000_000);

export const newIntegrationSchema = fields({ number: text(), name, url: httpUrl() }, { authorization, token, enabled: flag(), order });
export const integrationChangeSchema = fields({}, { name, url: httpUrl(), authorization, token, enabled: flag(), order });
export const newClickSchema = fields({ integration: text(), action: anyTextUpTo(1_000) }, { option: anyTextUpTo(1_000), message: text() });

/**
 * The Markdown that context values may carry: strong, emphasis, strike-through, code and links to the web. A tree and never
 * HTML, so that nothing an integration returns can act on the page that shows it. Single asterisks are strong and single
 * tildes strike here, which no Markdown library reads so.
 */
export interface Span {
  readonly type: 'text' | 'strong' | 'emphasis' | 'strike' | 'code' | 'link';
  readonly text?: string;
  readonly url?: string;
  readonly children?: readonly Span[];
}

const spanSchema = Joi.object<Span>({
  type: oneOf('text', 'strong', 'emphasis', 'strike', 'code', 'link').required(),
  text: Joi.string().allow(''),
  url: Joi.string(),
  children: Joi.array().items(Joi.link('#span')),
}).id('span');
const spansSchema = list(spanSchema);

const contextObject = fields(
  { code: text(), title: text(), type: oneOf(...contextObjectTypes) },
  { rows: list(fields({ key: anyText(), value: spansSchema })), items: list(fields({ number: whole(), value: spansSchema })) },
);
const action = fields({
  integration: text(),
  action: anyText(),
  description: anyText(),
  options: list(fields({ option: anyText(), label: anyText() })),
});
const suggestion = fields({ integration: text(), title: anyText(), body: anyText(), confidence: number() });
const panel = fields(
  {
    integration: text(),
    name: text(),
    state: oneOf('loaded', 'stale', 'failed'),
    context_objects: list(contextObject),
    actions: list(action),
    suggested_responses: list(suggestion),
    warnings: list(warningSchema),
  },
  { loaded_at: text(), trouble: troubleSchema },
);

/** What integrations show beside a conversation: a panel each, and the suggestions of all, the surest first. */
export const integrationsViewSchema = fields({ panels: list(panel), suggested_responses: list(suggestion) });
