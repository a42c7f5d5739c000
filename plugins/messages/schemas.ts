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
  named,
  number,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { NETWORK_LIMITS } from '#core/basics';
import { contactCardSchema } from '#core/messaging';
import { examplesByType, examplesOf, typed, withExamples, withKeywords, withReports } from '#core/schemas';

/** Requires the part that `type` names, and drops the parts of other types unchecked. Without a type it is `defaultType`. */
function whenType<S extends Joi.Schema>(type: string, schema: S, defaultType?: string): S {
  const is = type === defaultType ? Joi.valid(type) : type;
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  return typed(Joi.when('type', { is, then: schema.required(), otherwise: Joi.any().strip() }));
}

const caption = { caption: anyStringUpTo(NETWORK_LIMITS.caption) };
const source = { id: stringUpTo(64), link: httpUrl() };
const file = <O extends Record<string, Joi.Schema>>(more: O) => object({}, { ...source, ...more }).xor('id', 'link');

const filled = (limit: number) => stringUpTo(limit).pattern(/\S/, 'filled').message('{{#label}} must not be blank');

const header = object(
  { type: oneOf('text', 'image', 'video', 'document') },
  {
    text: whenType('text', filled(NETWORK_LIMITS.header)),
    image: whenType('image', file({})),
    video: whenType('video', file({})),
    document: whenType('document', file({ filename: stringUpTo(NETWORK_LIMITS.filename) })),
  },
);
const footer = object({ text: filled(NETWORK_LIMITS.footer) });

const reply = object({ id: filled(NETWORK_LIMITS.buttonId), title: filled(NETWORK_LIMITS.buttonTitle) });
const buttons = array(object({ type: oneOf('reply'), reply }))
  .min(1)
  .max(NETWORK_LIMITS.buttons)
  .unique((a, b) => a.reply.id === b.reply.id || a.reply.title === b.reply.title);

const row = object(
  { id: filled(NETWORK_LIMITS.rowId), title: filled(NETWORK_LIMITS.rowTitle) },
  { description: anyStringUpTo(NETWORK_LIMITS.rowDescription) },
);
const rows = withKeywords(array(row).min(1), { maxItems: NETWORK_LIMITS.rows, uniqueItems: true });
const TITLED = { title: 'Sections with titles', items: { required: ['title'], properties: { title: { type: 'string', minLength: 1 } } } };
const checkedSections = array(object({ rows }, { title: anyStringUpTo(NETWORK_LIMITS.sectionTitle) }))
  .min(1)
  .max(NETWORK_LIMITS.sections)
  .custom((all: { title?: string; rows: { id: string }[] }[], { message }) => {
    const rows = all.flatMap((section) => section.rows);
    if (rows.length > NETWORK_LIMITS.rows) return message({ custom: `{{#label}} must have at most ${NETWORK_LIMITS.rows} rows in total` });
    if (new Set(rows.map(({ id }) => id)).size < rows.length) return message({ custom: '{{#label}} must have rows with unique ids' });
    if (all.length > 1 && all.some(({ title }) => !title))
      return message({ custom: '{{#label}} must each have a title if there are several' });
    return all;
  });
const sections = withKeywords(checkedSections, { uniqueItems: true, anyOf: [{ title: 'One section', maxItems: 1 }, TITLED] });

/** The screen that a flow opens at; without it the first one. */
const opening = object({ screen: filled(256) }, { data: record(anyValue()) });

const flowParameters = named(
  'FlowParameters',
  object(
    {
      flow_id: filled(256),
      flow_cta: filled(NETWORK_LIMITS.flowCta),
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
      flow_token: stringUpTo(NETWORK_LIMITS.flowToken),
    },
  ),
);

const interactive = named(
  'InteractiveContent',
  withExamples(
    object(
      {
        type: oneOf('button', 'list', 'flow'),
        body: typed<Joi.ObjectSchema<{ text: string }>>(
          Joi.when('type', {
            is: 'list',
            // biome-ignore lint/suspicious/noThenProperty: joi's own option
            then: object({ text: filled(NETWORK_LIMITS.listBody) }),
            otherwise: object({ text: filled(NETWORK_LIMITS.body) }),
          }),
        ),
        action: typed<Joi.ObjectSchema<Record<string, unknown>>>(
          Joi.when('type', {
            switch: [
              // biome-ignore lint/suspicious/noThenProperty: joi's own option
              { is: 'button', then: object({ buttons }) },
              // biome-ignore lint/suspicious/noThenProperty: joi's own option
              { is: 'list', then: object({ button: filled(NETWORK_LIMITS.listButton), sections }) },
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
            then: object({ type: oneOf('text'), text: filled(NETWORK_LIMITS.header) }),
            otherwise: header,
          }),
        ),
        footer,
      },
    ),
    {
      button: {
        type: 'button',
        body: { text: 'Would you like to renew your loan?' },
        footer: { text: 'Riverside Library' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'renew', title: 'Renew' } },
            { type: 'reply', reply: { id: 'return', title: 'Return' } },
          ],
        },
      },
      list: {
        type: 'list',
        header: { type: 'text', text: 'Riverside Library' },
        body: { text: 'How can we help?' },
        action: {
          button: 'Choose',
          sections: [
            {
              title: 'Library',
              rows: [
                { id: 'hours', title: 'Opening hours' },
                { id: 'loans', title: 'My loans', description: 'Due dates and renewals' },
              ],
            },
          ],
        },
      },
      flow: {
        type: 'flow',
        header: { type: 'text', text: 'Library card' },
        body: { text: 'Sign up for a library card.' },
        footer: { text: 'Takes two minutes' },
        action: {
          name: 'flow',
          parameters: {
            flow_id: '1234567890123456',
            flow_cta: 'Sign up',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'DETAILS' },
            flow_message_version: '3',
            mode: 'published',
          },
        },
      },
    },
  ),
);

const language = object({ code: stringUpTo(16) }, { policy: oneOf('deterministic', 'fallback') });
/** Requires the part that `type` names, in upper or lower case. Other keys are passed on unchecked, as the network adds new ones. */
const ifType = <S extends Joi.Schema>(type: string, schema: S, otherwise: Joi.Schema = Joi.any()): S =>
  // biome-ignore lint/suspicious/noThenProperty: joi's own option
  typed(Joi.when('type', { is: string().valid(type).insensitive(), then: schema.required(), otherwise }));
const parameterText = anyStringUpTo(NETWORK_LIMITS.text);
/** The network takes the coordinates of a header as numbers and as text. */
const coordinate = anyOf(number(), stringUpTo(32));
const parameter = named(
  'TemplateParameter',
  object(
    { type: stringUpTo(32) },
    {
      text: ifType('text', parameterText, parameterText),
      image: ifType('image', file({}).unknown()),
      video: ifType('video', file({}).unknown()),
      document: ifType('document', file({ filename: stringUpTo(NETWORK_LIMITS.filename) }).unknown()),
      location: ifType('location', object({ latitude: coordinate, longitude: coordinate }).unknown()),
    },
  ).unknown(),
);
const component = named(
  'SentTemplateComponent',
  object(
    { type: oneOf('header', 'body', 'footer', 'button').insensitive() },
    {
      parameters: array(parameter).max(100),
      sub_type: stringUpTo(32),
      index: anyOf(integer().min(0).max(999), stringUpTo(3).pattern(/^\d+$/)),
    },
  ),
);

export const parts = {
  text: named(
    'TextContent',
    object({ body: filled(NETWORK_LIMITS.text) }).example({ body: 'Your loan is due on 5 March. https://library.example/loans' }),
  ),
  image: named('ImageContent', file(caption).example({ link: 'https://library.example/reading-room.jpg', caption: 'The reading room' })),
  audio: named('AudioContent', file({ voice: boolean() }).example({ id: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90', voice: true })),
  video: named('VideoContent', file(caption).example({ link: 'https://library.example/renewal.mp4', caption: 'How to renew a loan' })),
  document: named(
    'DocumentContent',
    file({ ...caption, filename: stringUpTo(NETWORK_LIMITS.filename) }).example({
      link: 'https://library.example/loans.pdf',
      filename: 'loans.pdf',
      caption: 'Your loans',
    }),
  ),
  sticker: named('StickerContent', file({}).example({ link: 'https://library.example/thanks.webp' })),
  location: named(
    'LocationContent',
    object(
      { latitude: number().min(-90).max(90), longitude: number().min(-180).max(180) },
      { name: anyStringUpTo(1000), address: anyStringUpTo(1000) },
    ).example({ latitude: -33.7342, longitude: 18.9621, name: 'Riverside Library', address: '1 Main Road, Paarl' }),
  ),
  contacts: array(contactCardSchema)
    .min(1)
    .max(NETWORK_LIMITS.contacts)
    .example([examplesOf(contactCardSchema).example]),
  reaction: named(
    'ReactionContent',
    object({ message_id: filled(256) }, { emoji: anyStringUpTo(NETWORK_LIMITS.emoji) }).example({
      message_id: 'gBGGFlA5FpafAgkOuJbRq54qwbM',
      emoji: '👍',
    }),
  ),
  template: named(
    'TemplateContent',
    object({ name: stringUpTo(512), language }, { namespace: anyStringUpTo(256), components: array(component).max(20) }).example({
      namespace: 'riverside_library',
      name: 'loan_due',
      language: { code: 'en', policy: 'deterministic' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'The Old Man and the Sea' },
            { type: 'text', text: '5 March' },
          ],
        },
      ],
    }),
  ),
  hsm: named(
    'HsmContent',
    object(
      { element_name: stringUpTo(512), language },
      {
        namespace: anyStringUpTo(256),
        localizable_params: array(object({}, { default: anyStringUpTo(NETWORK_LIMITS.text) }).unknown()).max(100),
      },
    ).example({
      namespace: 'riverside_library',
      element_name: 'loan_due',
      language: { code: 'en', policy: 'deterministic' },
      localizable_params: [{ default: 'The Old Man and the Sea' }, { default: '5 March' }],
    }),
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
export const postedSchema = named(
  'NewMessage',
  withExamples(
    // The id of the message of this conversation that it replies to; the network has it here.
    object({ to: filled(256) }, { ...messageFields, context: object({}, { message_id: filled(256) }) }),
    examplesByType(parts, (type, part) => ({ to: '+27611111111', type, [type]: part })),
  ),
);
export type Posted = TypeOf<typeof postedSchema>;

export const operatorMessageSchema = named(
  'OperatorMessage',
  object(
    { operator: object({ id: stringUpTo(256), name: stringUpTo(256) }) },
    // The id of the message of this conversation that it replies to.
    { ...messageFields, in_reply_to: filled(256) },
  ).example({
    operator: { id: 'operator-7', name: 'Thandi' },
    type: 'text',
    text: { body: 'I have renewed your loan until 19 March.' },
  }),
);

export const messageParams = object({ message_id: stringUpTo(256) });

export const markSchema = object({ status: oneOf('read') }, { typing_indicator: object({ type: oneOf('text') }) }).example({
  status: 'read',
  typing_indicator: { type: 'text' },
});

export const metaSchema = named(
  'NetworkMeta',
  object({
    version: string(),
    backend: object({ name: string(), version: string() }),
    api_status: oneOf('stable'),
  }),
);

export const errorsWithMeta = named(
  'NetworkErrors',
  object({
    errors: array(object({ code: integer(), title: string(), details: anyString() }, { href: string() })).min(1),
    meta: metaSchema,
  }),
);

export const sentSchema = object({ messages: array(object({ id: string() })).length(1), meta: metaSchema });

/** Custom labels, shown in `_vnd.v1.labels`. */
export const labelsSchema = object({ labels: array(stringUpTo(100)).min(1).max(20) }).example({ labels: ['renewal', 'urgent'] });
export const labelsShown = object({ labels: array(string()) });

export const uploadedSchema = object({ media: array(object({ id: string() })).length(1), meta: metaSchema });
