import { anyText, collection, fields, flag, httpUrl, list, nullable, oneOf, type TypeOf, text, whole } from '#core';

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
export type IntegrationRecord = TypeOf<typeof integrationSchema>;

export const integrations = collection<IntegrationRecord>({ key: 'uuid', indexes: { number: ['number', 'order', 'created_at', 'uuid'] } });

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

/** One click on an action: ids and states, and nothing that an integration returned. */
export type ClickRecord = TypeOf<typeof clickSchema>;

export const clicks = collection<ClickRecord>({
  key: 'uuid',
  indexes: { integration: ['integration', 'clicked_at', 'uuid'], age: ['clicked_at', 'uuid'] },
});
