import {
  anyText,
  anyTextUpTo,
  anything,
  dictionary,
  fields,
  flag,
  httpUrl,
  list,
  nullable,
  oneOf,
  type TypeOf,
  text,
  textUpTo,
  whole,
} from '#core';
import { SKILL_LIMITS, uuidInPath } from '#core/areas';

/** A conversation with a journey, as the admin API shows it. */
export const sessionSchema = fields({
  uuid: text(),
  number: text(),
  contact: text(),
  journey: text(),
  state: oneOf('waiting', 'ended', 'failed', 'expired'),
  card: anyText(),
  turns: whole(),
  /** When it stops waiting for the contact; null unless it waits. */
  expires_at: nullable(text()),
  created_at: text(),
  updated_at: text(),
});
export type SessionView = TypeOf<typeof sessionSchema>;

export const secretSchema = fields({ name: text(), created_at: text() });
export type SecretView = TypeOf<typeof secretSchema>;

/** Shorter ones would be found, and taken out, in texts that have nothing to do with them. */
const SECRET_LENGTH = { min: 8, max: 4096 } as const;

const secretName = text().pattern(/^[A-Za-z_]\w{0,63}$/, 'a letter or _, then letters, digits and _');

export const newSecretSchema = fields({ name: secretName, value: textUpTo(SECRET_LENGTH.max, SECRET_LENGTH.min) });

/** What every asset has: content cards, code skills and AI connections. */
export const assetFields = { uuid: text(), number: text(), name: text(), created_at: text(), updated_at: text() };
export const assetParams = fields({ uuid: uuidInPath() });
export const ofNumber = fields({ number: text() });

const cardMedium = fields({ type: oneOf('image', 'video', 'audio', 'document'), link: httpUrl() }, { caption: textUpTo(1024) });
const cardMedia = list(cardMedium).max(10);
const cardContent = { text: textUpTo(10_000), media: cardMedia };

export const cardSchema = fields({ ...assetFields, ...cardContent });
export const cardPayload = fields({ number: text(), name: textUpTo(256), text: cardContent.text }, { media: cardMedia });

export const skillSchema = fields({
  ...assetFields,
  description: anyText(),
  /** JSON Schema of the arguments, for its callers. */
  parameters: dictionary(anything()),
  /** A module whose default export is a function of the arguments. */
  source: text(),
  enabled: flag(),
});
export const skillPayload = fields(
  { number: text(), name: textUpTo(256), source: textUpTo(SKILL_LIMITS.source) },
  { description: anyTextUpTo(1024), parameters: dictionary(anything()), enabled: flag() },
);

const recordedCall = fields({ id: text(), name: text(), arguments: anyText() });
const recordedReply = fields({ text: anyText(), calls: list(recordedCall), tokens: fields({ input: whole(), output: whole() }) });
export const recordingSchema = fields({ key: text(), request: text(), reply: recordedReply });

const vendor = oneOf('openai-compatible', 'scripted', 'replay');

/** A shorter token would be found, and taken out, in texts that have nothing to do with it. */
const connectionToken = textUpTo(4096, 8);

const scriptedRule = fields(
  {},
  {
    when: fields({}, { last_user: text(), system: text(), turn: whole().min(1), tool_result: text() }),
    say: anyText(),
    call: dictionary(anything()),
    action: text(),
  },
);
const connectionSettings = {
  /** For `scripted`: whether what no rule answers is a failure, what is said otherwise, and the rules. */
  strict: flag(),
  fallback: anyText(),
  rules: list(scriptedRule).max(1000),
  /** For `replay`. */
  recordings: list(recordingSchema).max(1000),
  /** Whether what the model answers is recorded, for a connection that replays it. */
  record: flag(),
};

/** Exactly what is shown of a connection. The token is no part of the record: it is kept where secrets are. */
const shownConnection = { ...assetFields, vendor, base_url: nullable(text()), model: anyText(), has_token: flag(), enabled: flag() };
export const connectionSchema = fields(shownConnection, connectionSettings);
export type ConnectionView = TypeOf<typeof connectionSchema>;

export const connectionPayload = fields(
  { number: text(), name: textUpTo(256), vendor },
  /** A token that is left out stays as it is; null takes it away. */
  { base_url: nullable(httpUrl()), model: anyTextUpTo(256), token: nullable(connectionToken), enabled: flag(), ...connectionSettings },
);

export const aiCallSchema = fields({
  uuid: text(),
  at: text(),
  number: text(),
  journey: text(),
  session: text(),
  /** The block that asked, by its uuid and its name. */
  block: text(),
  name: text().allow(''),
  /** The connection by its uuid; as the journey names it when there is none. */
  connection: text().allow(''),
  model: text().allow(''),
  tokens: fields({ input: whole(), output: whole() }),
  elapsed_ms: whole(),
  /** `answered`, or the code of what went wrong. */
  outcome: text(),
});
export type AiCallView = TypeOf<typeof aiCallSchema>;

/** Extensions of the service of its own say what is wrong in sentences, and nothing beside them, as recorded. */
export const sentences = fields({ errors: list(text()).min(1) });

export const claimSchema = fields({
  scope: oneOf('stack'),
  scope_id: text(),
  metadata: dictionary(anything()),
  uuid: text(),
  message_uuid: nullable(text()),
  first_message_uuid: nullable(text()),
  inserted_at: text(),
  updated_at: text(),
  claimed_at: text(),
  claimed_until: text(),
});

export const startedSchema = fields({ success: flag().valid(true) });

export const contactParams = fields({ contact: textUpTo(256) });
