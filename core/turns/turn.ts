import {
  anyOf,
  anyString,
  anyValue,
  array,
  examplesOf,
  named,
  object,
  oneOf,
  record,
  string,
  type TypeOf,
  withExamples,
} from '../shape.js';

/** The schemas of outgoing messages (Resources, "Shapes of the turn object"). */

const textTurn = named(
  'TextTurn',
  object({ type: oneOf('text'), text: object({ body: anyString() }) }).example({
    type: 'text',
    text: { body: 'Good morning, **Ann**. The library is open until 18:00.' },
  }),
);

/** The only kind without a `type` key. */
const templateTurn = named(
  'TemplateTurn',
  object({
    template: object(
      { name: string(), language: object({ code: string() }) },
      {
        namespace: anyString(),
        components: array(
          object({ type: string(), parameters: array(object({ type: string() }).unknown()) }, { sub_type: string(), index: string() }),
        ),
      },
    ),
  }).example({
    template: {
      namespace: 'riverside_library',
      name: 'loan_due',
      language: { code: 'en' },
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'The Old Man and the Sea' },
            { type: 'text', text: '5 March' },
          ],
        },
      ],
    },
  }),
);

const header = object({ type: oneOf('text', 'image', 'video', 'document') }).unknown();
const body = object({ text: anyString() });
const footer = object({ text: anyString() });
const reply = object({ id: string(), title: anyString() });

const buttonsTurn = named(
  'ButtonsTurn',
  object({
    type: oneOf('interactive'),
    interactive: object(
      { type: oneOf('button'), body, action: object({ buttons: array(object({ type: oneOf('reply'), reply })) }) },
      { header, footer },
    ),
  }).example({
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Would you like to renew your loan?' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'renew', title: 'Renew' } },
          { type: 'reply', reply: { id: 'return', title: 'Return' } },
        ],
      },
    },
  }),
);

const row = object({ id: string(), title: anyString() }, { description: anyString() });

const listTurn = named(
  'ListTurn',
  object({
    type: oneOf('interactive'),
    interactive: object(
      {
        type: oneOf('list'),
        body,
        action: object({ button: anyString(), sections: array(object({ rows: array(row) }, { title: anyString() })) }),
      },
      { header, footer },
    ),
  }).example({
    type: 'interactive',
    interactive: {
      type: 'list',
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
  }),
);

const flowTurn = named(
  'FlowTurn',
  object({
    type: oneOf('interactive'),
    interactive: object(
      {
        type: oneOf('flow'),
        body,
        action: object({
          name: oneOf('flow'),
          parameters: object(
            { flow_action: string(), flow_cta: anyString(), flow_id: string(), flow_message_version: string(), mode: string() },
            { flow_action_payload: object({ screen: string() }, { data: record(anyValue()) }), flow_token: anyString() },
          ),
        }),
      },
      { header, footer },
    ),
  }).example({
    type: 'interactive',
    interactive: {
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
          flow_token: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
          mode: 'published',
        },
      },
    },
  }),
);

const imageTurn = named(
  'ImageTurn',
  object({ type: oneOf('image'), image: object({ link: string(), mime_type: string() }, { caption: anyString() }) }).example({
    type: 'image',
    image: { link: 'https://posthorn.example/v1/media/m1/content?signature=kq0', mime_type: 'image/jpeg', caption: 'The reading room' },
  }),
);
const videoTurn = named(
  'VideoTurn',
  object({ type: oneOf('video'), video: object({ link: string(), mime_type: string() }, { caption: anyString() }) }).example({
    type: 'video',
    video: { link: 'https://posthorn.example/v1/media/m2/content?signature=kq0', mime_type: 'video/mp4', caption: 'How to renew a loan' },
  }),
);
const audioTurn = named(
  'AudioTurn',
  object({ type: oneOf('audio'), audio: object({ link: string(), mime_type: string() }) }).example({
    type: 'audio',
    audio: { link: 'https://posthorn.example/v1/media/m3/content?signature=kq0', mime_type: 'audio/ogg' },
  }),
);
const documentTurn = named(
  'DocumentTurn',
  object({
    type: oneOf('document'),
    document: object({ link: string(), mime_type: string(), filename: anyString() }, { caption: anyString() }),
  }).example({
    type: 'document',
    document: {
      link: 'https://posthorn.example/v1/media/m4/content?signature=kq0',
      mime_type: 'application/pdf',
      filename: 'loans.pdf',
      caption: 'Your loans',
    },
  }),
);

const kinds = {
  text: textTurn,
  template: templateTurn,
  buttons: buttonsTurn,
  list: listTurn,
  flow: flowTurn,
  image: imageTurn,
  video: videoTurn,
  audio: audioTurn,
  document: documentTurn,
};

/** Any message that a channel driver must be able to send. */
export const turnSchema = named(
  'Turn',
  withExamples(
    anyOf(textTurn, templateTurn, buttonsTurn, listTurn, flowTurn, imageTurn, videoTurn, audioTurn, documentTurn),
    Object.fromEntries(Object.entries(kinds).map(([kind, schema]) => [kind, examplesOf(schema).example])),
  ),
);

/** An outgoing message. */
export type Turn =
  | TypeOf<typeof textTurn>
  | TypeOf<typeof templateTurn>
  | TypeOf<typeof buttonsTurn>
  | TypeOf<typeof listTurn>
  | TypeOf<typeof flowTurn>
  | TypeOf<typeof imageTurn>
  | TypeOf<typeof videoTurn>
  | TypeOf<typeof audioTurn>
  | TypeOf<typeof documentTurn>;

export const turnTypes: ReadonlySet<string> = new Set(['text', 'template', 'interactive', 'image', 'video', 'audio', 'document']);

/** Any message that the messaging network accepts. The caller has validated the property named by `type`. */
export interface NetworkTurn {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** A message to send: channels accept turns, the network any of its message types. */
export type Sendable = Turn | NetworkTurn;

/** The message type of a turn; `template` for template turns, which have no `type`. */
export const turnType = (turn: Sendable): string => ('type' in turn ? turn.type : 'template');
