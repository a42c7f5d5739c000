import Joi from 'joi';
import {
  anyOf,
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  boolean,
  httpUrl,
  integer,
  type JsonObject,
  nullable,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { chatSchema, contactCardSchema, typed, vendorSchema, withKeywords, withReports } from '#core/areas';

/** Maximum lengths and counts of messages, as the messaging network has them. */
export const LIMITS = {
  text: 4096,
  caption: 1024,
  header: 60,
  body: 1024,
  listBody: 4096,
  footer: 60,
  buttons: 3,
  buttonTitle: 20,
  buttonId: 256,
  listButton: 20,
  sections: 10,
  sectionTitle: 24,
  rows: 10,
  rowId: 200,
  rowTitle: 24,
  rowDescription: 72,
  flowCta: 30,
  flowToken: 1024,
  contacts: 257,
  emoji: 32,
  filename: 240,
} as const;

/** Requires the part that `type` names, and drops the parts of other types unchecked. Without a type it is `defaultType`. */
function whenType<S extends Joi.Schema>(type: string, schema: S, defaultType?: string): S {
  const is = type === defaultType ? Joi.valid(type) : type;
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  return typed(Joi.when('type', { is, then: schema.required(), otherwise: Joi.any().strip() }));
}

const caption = { caption: anyStringUpTo(LIMITS.caption) };
const source = { id: stringUpTo(64), link: httpUrl() };
const file = <O extends Record<string, Joi.Schema>>(more: O) => object({}, { ...source, ...more }).xor('id', 'link');

const filled = (limit: number) => stringUpTo(limit).pattern(/\S/, 'filled').message('{{#label}} must not be blank');

const header = object(
  { type: oneOf('text', 'image', 'video', 'document') },
  {
    text: whenType('text', filled(LIMITS.header)),
    image: whenType('image', file({})),
    video: whenType('video', file({})),
    document: whenType('document', file({ filename: stringUpTo(LIMITS.filename) })),
  },
);
const footer = object({ text: filled(LIMITS.footer) });

const reply = object({ id: filled(LIMITS.buttonId), title: filled(LIMITS.buttonTitle) });
const buttons = array(object({ type: oneOf('reply'), reply }))
  .min(1)
  .max(LIMITS.buttons)
  .unique((a, b) => a.reply.id === b.reply.id || a.reply.title === b.reply.title);

const row = object({ id: filled(LIMITS.rowId), title: filled(LIMITS.rowTitle) }, { description: anyStringUpTo(LIMITS.rowDescription) });
const rows = withKeywords(array(row).min(1), { maxItems: LIMITS.rows, uniqueItems: true });
const TITLED = { items: { required: ['title'], properties: { title: { type: 'string', minLength: 1 } } } };
const checkedSections = array(object({ rows }, { title: anyStringUpTo(LIMITS.sectionTitle) }))
  .min(1)
  .max(LIMITS.sections)
  .custom((all: { title?: string; rows: { id: string }[] }[], { message }) => {
    const rows = all.flatMap((section) => section.rows);
    if (rows.length > LIMITS.rows) return message({ custom: `{{#label}} must have at most ${LIMITS.rows} rows in total` });
    if (new Set(rows.map(({ id }) => id)).size < rows.length) return message({ custom: '{{#label}} must have rows with unique ids' });
    if (all.length > 1 && all.some(({ title }) => !title))
      return message({ custom: '{{#label}} must each have a title if there are several' });
    return all;
  });
const sections = withKeywords(checkedSections, { uniqueItems: true, anyOf: [{ maxItems: 1 }, TITLED] });

/** The screen that a flow opens at; without it the first one. */
const opening = object({ screen: filled(256) }, { data: record(anyValue()) });

const flowParameters = object(
  {
    flow_id: filled(256),
    flow_cta: filled(LIMITS.flowCta),
    flow_message_version: filled(16),
  },
  {
    flow_action: oneOf('navigate', 'data_exchange').description('`navigate` if not given'),
    mode: oneOf('published', 'draft').description('`published` if not given'),
    flow_action_payload: typed<Joi.ObjectSchema<{ screen: string }>>(
      Joi.when('flow_action', {
        switch: [
          // biome-ignore lint/suspicious/noThenProperty: joi's own option
          { is: 'navigate', then: opening.required() },
          // biome-ignore lint/suspicious/noThenProperty: joi's own option
          { is: 'data_exchange', then: Joi.object() },
        ],
        otherwise: opening,
      }),
    ),
    flow_token: stringUpTo(LIMITS.flowToken),
  },
);

const interactive = object(
  {
    type: oneOf('button', 'list', 'flow'),
    body: typed<Joi.ObjectSchema<{ text: string }>>(
      Joi.when('type', {
        is: 'list',
        // biome-ignore lint/suspicious/noThenProperty: joi's own option
        then: object({ text: filled(LIMITS.listBody) }),
        otherwise: object({ text: filled(LIMITS.body) }),
      }),
    ),
    action: typed<Joi.ObjectSchema<Record<string, unknown>>>(
      Joi.when('type', {
        switch: [
          // biome-ignore lint/suspicious/noThenProperty: joi's own option
          { is: 'button', then: object({ buttons }) },
          // biome-ignore lint/suspicious/noThenProperty: joi's own option
          { is: 'list', then: object({ button: filled(LIMITS.listButton), sections }) },
          // biome-ignore lint/suspicious/noThenProperty: joi's own option
          { is: 'flow', then: object({ name: oneOf('flow'), parameters: flowParameters }) },
        ],
      }),
    ),
  },
  {
    header: typed<typeof header>(
      Joi.when('type', {
        is: 'list',
        // biome-ignore lint/suspicious/noThenProperty: joi's own option
        then: object({ type: oneOf('text'), text: filled(LIMITS.header) }),
        otherwise: header,
      }),
    ),
    footer,
  },
);

const language = object({ code: stringUpTo(16) }, { policy: oneOf('deterministic', 'fallback') });
/** Requires the part that `type` names, in upper or lower case. Other keys are passed on unchecked, as the network adds new ones. */
const named = <S extends Joi.Schema>(type: string, schema: S, otherwise: Joi.Schema = Joi.any()): S =>
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  typed(Joi.when('type', { is: string().valid(type).insensitive(), then: schema.required(), otherwise }));
const parameterText = anyStringUpTo(LIMITS.text);
const parameter = object(
  { type: stringUpTo(32) },
  {
    text: named('text', parameterText, parameterText),
    image: named('image', file({}).unknown()),
    video: named('video', file({}).unknown()),
    document: named('document', file({ filename: stringUpTo(LIMITS.filename) }).unknown()),
  },
).unknown();
const component = object(
  { type: oneOf('header', 'body', 'footer', 'button', 'HEADER', 'BODY', 'FOOTER', 'BUTTON') },
  {
    parameters: array(parameter).max(100),
    sub_type: stringUpTo(32),
    index: anyOf(integer().min(0).max(999), stringUpTo(3).pattern(/^\d+$/)),
  },
);

export const parts = {
  text: object({ body: filled(LIMITS.text) }),
  image: file(caption),
  audio: file({ voice: boolean() }),
  video: file(caption),
  document: file({ ...caption, filename: stringUpTo(LIMITS.filename) }),
  sticker: file({}),
  location: object(
    { latitude: number().min(-90).max(90), longitude: number().min(-180).max(180) },
    { name: anyStringUpTo(1000), address: anyStringUpTo(1000) },
  ),
  contacts: array(contactCardSchema).min(1).max(LIMITS.contacts),
  reaction: object({ message_id: filled(256) }, { emoji: anyStringUpTo(LIMITS.emoji) }),
  template: object({ name: stringUpTo(512), language }, { namespace: anyStringUpTo(256), components: array(component).max(20) }),
  hsm: object(
    { element_name: stringUpTo(512), language },
    { namespace: anyStringUpTo(256), localizable_params: array(object({}, { default: anyStringUpTo(LIMITS.text) }).unknown()).max(100) },
  ),
  interactive,
};

export type MessageType = keyof typeof parts;
export const messageTypes = Object.keys(parts) as MessageType[];

/** Reports a missing `type` instead of a missing `text`, when the content of another type is given. */
const orMissingType = <S extends Joi.Schema>(text: S): S =>
  withReports(text, (report) => {
    const [message] = report.state.ancestors as Readonly<Record<string, unknown>>[];
    const given =
      report.code === 'any.required' && message?.type === undefined && messageTypes.find((type) => message?.[type] !== undefined);
    if (given)
      Object.assign(report, { path: report.path.with(-1, 'type'), message: `type is required: the message has ${given} and no text` });
  });

const ofType = { ...parts, text: orMissingType(parts.text) };
const content = Object.fromEntries(Object.entries(ofType).map(([type, schema]) => [type, whenType(type, schema, 'text')])) as typeof parts;

/** A message without its recipient, for clients and operators. Without a type it is a text. */
const messageFields = {
  // No joi default, so that `orMissingType` can tell whether the type was given.
  type: oneOf(...messageTypes).description('`text` if not given'),
  preview_url: boolean(),
  recipient_type: oneOf('individual'),
  render_mentions: boolean(),
  ...content,
};

/** The body of `POST /v1/messages`. */
export const postedSchema = object({ to: filled(256) }, messageFields);
export type Posted = TypeOf<typeof postedSchema>;

export const operatorMessageSchema = object({ operator: object({ id: stringUpTo(256), name: stringUpTo(256) }) }, messageFields);

export const messageParams = object({ message_id: stringUpTo(256) });

export const markSchema = object({ status: oneOf('read') }, { typing_indicator: object({ type: oneOf('text') }) });

export const metaSchema = object({
  version: string(),
  backend: object({ name: string(), version: string() }),
  api_status: oneOf('stable'),
});

export const errorsWithMeta = object({
  errors: array(object({ code: integer(), title: string(), details: anyString() }, { href: string() })).min(1),
  meta: metaSchema,
});

export const sentSchema = object({ messages: array(object({ id: string() })).length(1), meta: metaSchema });

/** Custom labels, shown in `_vnd.v1.labels`. */
export const labelsSchema = object({ labels: array(stringUpTo(100)).min(1).max(20) });
export const labelsShown = object({ labels: array(string()) });

export const uploadedSchema = object({ media: array(object({ id: string() })).length(1), meta: metaSchema });

const MAX_CHECKED = 1000;
export const MAX_HISTORY = 50;

export const contactParams = object({ contact: stringUpTo(256) });
export const contactsCheck = object({ contacts: array(stringUpTo(256)).min(1).max(MAX_CHECKED) }, { blocking: oneOf('wait', 'no_wait') });
export const checkedContacts = object({
  contacts: array(object({ input: string(), status: oneOf('valid', 'invalid') }, { wa_id: string() })),
  meta: metaSchema,
});
export const profileSchema = object({
  schema: string(),
  uuid: string(),
  updated_at: string(),
  generation: nullable(string()),
  fields: record(anyValue()),
});
const fieldValue = anyOf(anyStringUpTo(4096), number(), boolean(), array(stringUpTo(256)).max(100));
/** Reserved fields have fixed types; all others are custom fields of the number. */
export const profileChange = (Joi.object() as Joi.ObjectSchema<JsonObject>)
  .pattern(stringUpTo(256), nullable(fieldValue))
  .keys({
    ...Object.fromEntries(
      ['name', 'surname', 'location', 'language', 'birthday', 'opted_in_at'].map((key) => [key, nullable(anyStringUpTo(4096))]),
    ),
    opted_in: nullable(boolean()),
    is_blocked: nullable(boolean()),
  })
  .min(1)
  .max(100)
  // Refuses a field whose name is too long; stripping it would lose the field silently.
  .unknown(false);
export const historySchema = object({
  chat: nullable(chatSchema),
  messages: array(
    object({ from: string(), id: string(), timestamp: string(), type: string(), _vnd: object({ v1: vendorSchema }) }).unknown(),
  ),
});
export const historyQuery = object({}, { limit: integer().min(1).max(MAX_HISTORY) });
