import {
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
  httpUrl,
  integer,
  named,
  nullable,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { uuidInPath } from '#core/schemas';
import { SKILL_LIMITS } from './engine/skills/code-skill.js';

/** A conversation with a journey, as the admin API shows it. */
export const sessionSchema = named(
  'JourneySession',
  object({
    uuid: string(),
    number: string(),
    contact: string(),
    journey: string(),
    state: oneOf('waiting', 'ended', 'failed', 'expired'),
    card: anyString(),
    turns: integer(),
    /** When the wait expires; null unless the session waits. */
    expires_at: nullable(string()),
    created_at: string(),
    updated_at: string(),
  }),
);
export type SessionView = TypeOf<typeof sessionSchema>;

/** The counts of a journey's sessions since a time: exits as coverage names them, and questions by their card. */
export const trafficSchema = named(
  'JourneyTraffic',
  object({
    since: string(),
    exits: array(object({ block: string(), name: anyString(), count: integer() })),
    /** How often a card waited for an answer, got one that it did not understand, and got none until the wait ended. */
    cards: array(object({ card: anyString(), asked: integer(), unclear: integer(), left: integer() })),
  }),
);

export const secretSchema = named('JourneySecret', object({ name: string(), created_at: string() }));
export type SecretView = TypeOf<typeof secretSchema>;

/** Redaction replaces every occurrence of a value, so that shorter values would match unrelated texts. */
const SECRET_LENGTH = { min: 8, max: 4096 } as const;

const secretName = string().pattern(/^[A-Za-z_]\w{0,63}$/, 'a letter or _, then letters, digits and _');

export const newSecretSchema = named(
  'NewJourneySecret',
  object({ name: secretName, value: stringUpTo(SECRET_LENGTH.max, SECRET_LENGTH.min) }),
);

/** The common fields of content cards, code skills and AI connections. */
export const assetFields = { uuid: string(), number: string(), name: string(), created_at: string(), updated_at: string() };
export const assetParams = object({ uuid: uuidInPath() });
export const ofNumber = object({ number: string() });

const cardMedium = named(
  'CardMedium',
  object({ type: oneOf('image', 'video', 'audio', 'document'), link: httpUrl() }, { caption: stringUpTo(1024) }),
);
const cardMedia = array(cardMedium).max(10);
const cardContent = { text: stringUpTo(10_000), media: cardMedia };

export const cardSchema = named('ContentCard', object({ ...assetFields, ...cardContent }));
export const cardPayload = named(
  'NewContentCard',
  object({ number: string(), name: stringUpTo(256), text: cardContent.text }, { media: cardMedia }),
);

export const skillSchema = named(
  'CodeSkill',
  object({
    ...assetFields,
    description: anyString(),
    /** JSON Schema of the arguments, for models that call the skill. */
    parameters: record(anyValue()),
    /** The source of a module whose default export is a function of the arguments. */
    source: string(),
    enabled: boolean(),
  }),
);
export const skillPayload = named(
  'NewCodeSkill',
  object(
    { number: string(), name: stringUpTo(256), source: stringUpTo(SKILL_LIMITS.source) },
    { description: anyStringUpTo(1024), parameters: record(anyValue()), enabled: boolean() },
  ),
);

const recordedCall = object({ id: string(), name: string(), arguments: anyString() });
const recordedReply = named(
  'RecordedReply',
  object({ text: anyString(), calls: array(recordedCall), tokens: object({ input: integer(), output: integer() }) }),
);
export const recordingSchema = named('Recording', object({ key: string(), request: string(), reply: recordedReply }));

const vendor = oneOf('openai-compatible', 'scripted', 'replay');

/** At least 8 characters: redaction of a shorter token would match unrelated texts. */
const connectionToken = stringUpTo(4096, 8);

const scriptedRule = named(
  'ScriptedRule',
  object(
    {},
    {
      when: object({}, { last_user: string(), system: string(), turn: integer().min(1), tool_result: string() }),
      say: anyString(),
      call: record(anyValue()),
      action: string(),
    },
  ),
);
const connectionSettings = {
  /** For `scripted`. A request that no rule matches fails with `strict`, and gets `fallback` without it. */
  strict: boolean(),
  fallback: anyString(),
  rules: array(scriptedRule).max(1000),
  recordings: array(recordingSchema).max(1000),
  /** Whether replies of the model are recorded, for a connection that replays them. */
  record: boolean(),
};

/** The fields of a connection in responses. The token is not part of the record: it is stored in the secrets. */
const shownConnection = {
  ...assetFields,
  vendor,
  base_url: nullable(string()),
  model: anyString(),
  has_token: boolean(),
  enabled: boolean(),
};
export const connectionSchema = named('AiConnection', object(shownConnection, connectionSettings));
export type ConnectionView = TypeOf<typeof connectionSchema>;

export const connectionPayload = named(
  'NewAiConnection',
  object(
    { number: string(), name: stringUpTo(256), vendor },
    /** Without `token` the stored token stays; null deletes the stored token. */
    {
      base_url: nullable(httpUrl()),
      model: anyStringUpTo(256),
      token: nullable(connectionToken),
      enabled: boolean(),
      ...connectionSettings,
    },
  ),
);

export const aiCallSchema = named(
  'AiCall',
  object(
    {
      uuid: string(),
      at: string(),
      number: string(),
      journey: string(),
      session: string(),
      /** The uuid of the calling block; `name` is its name. */
      block: string(),
      name: string().allow(''),
      /** The uuid of the connection; if the connection does not exist, the name that the journey uses. */
      connection: string().allow(''),
      model: string().allow(''),
      tokens: object({ input: integer(), output: integer() }),
      elapsed_ms: integer(),
      /** `answered`, or an error code. */
      outcome: string(),
    },
    {
      /** The key of the recording of the connection that has the request and the reply. */
      recording: string(),
    },
  ),
);
export type AiCallView = TypeOf<typeof aiCallSchema>;

/** The error body of the service's own extensions, as recorded: a list of sentences. */
export const sentences = named('JourneyErrors', object({ errors: array(string()).min(1) }));

export const claimSchema = named(
  'Claim',
  object({
    /** `stack`: a journey waits for the contact. `webhook`: a webhook answers it. */
    scope: oneOf('stack', 'webhook'),
    scope_id: string(),
    metadata: record(anyValue()),
    uuid: string(),
    message_uuid: nullable(string()),
    first_message_uuid: nullable(string()),
    inserted_at: string(),
    updated_at: string(),
    claimed_at: string(),
    claimed_until: string(),
  }),
);

export const startedSchema = object({ success: boolean().valid(true) });

export const contactParams = object({ contact: stringUpTo(256) });

/** The service writes date-times with microseconds. */
export const inMicroseconds = (moment: string): string => moment.replace(/(\.\d{3})Z$/, '$1000Z');
