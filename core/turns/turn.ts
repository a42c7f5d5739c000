import { anyOf, anyText, anything, dictionary, fields, list, oneOf, type TypeOf, text } from '../shape.js';

/** What one step of a conversation says: the shapes of the `turn` object (Resources, "Shapes of the turn object"). */

const textTurn = fields({ type: oneOf('text'), text: fields({ body: anyText() }) });

/** The one kind without a `type` key. */
const templateTurn = fields({
  template: fields(
    { name: text(), language: fields({ code: text() }) },
    {
      namespace: anyText(),
      components: list(fields({ type: text(), parameters: list(fields({ type: text() }).unknown()) }, { sub_type: text(), index: text() })),
    },
  ),
});

const header = fields({ type: oneOf('text', 'image', 'video', 'document') }).unknown();
const body = fields({ text: anyText() });
const footer = fields({ text: anyText() });
const reply = fields({ id: text(), title: anyText() });

const buttonsTurn = fields({
  type: oneOf('interactive'),
  interactive: fields(
    { type: oneOf('button'), body, action: fields({ buttons: list(fields({ type: oneOf('reply'), reply })) }) },
    { header, footer },
  ),
});

const row = fields({ id: text(), title: anyText() }, { description: anyText() });

const listTurn = fields({
  type: oneOf('interactive'),
  interactive: fields(
    {
      type: oneOf('list'),
      body,
      action: fields({ button: anyText(), sections: list(fields({ rows: list(row) }, { title: anyText() })) }),
    },
    { header, footer },
  ),
});

const flowTurn = fields({
  type: oneOf('interactive'),
  interactive: fields(
    {
      type: oneOf('flow'),
      body,
      action: fields({
        name: oneOf('flow'),
        parameters: fields(
          { flow_action: text(), flow_cta: anyText(), flow_id: text(), flow_message_version: text(), mode: text() },
          { flow_action_payload: fields({ screen: text() }, { data: dictionary(anything()) }), flow_token: anyText() },
        ),
      }),
    },
    { header, footer },
  ),
});

const imageTurn = fields({ type: oneOf('image'), image: fields({ link: text(), mime_type: text() }, { caption: anyText() }) });
const videoTurn = fields({ type: oneOf('video'), video: fields({ link: text(), mime_type: text() }, { caption: anyText() }) });
const audioTurn = fields({ type: oneOf('audio'), audio: fields({ link: text(), mime_type: text() }) });
const documentTurn = fields({
  type: oneOf('document'),
  document: fields({ link: text(), mime_type: text(), filename: anyText() }, { caption: anyText() }),
});

/** Every kind of turn a channel can be given. */
export const turnSchema = anyOf(textTurn, templateTurn, buttonsTurn, listTurn, flowTurn, imageTurn, videoTurn, audioTurn, documentTurn);

/** What one step of a conversation says. */
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

/** The types of messages that turns have. */
export const turnTypes: ReadonlySet<string> = new Set(['text', 'template', 'interactive', 'image', 'video', 'audio', 'document']);

/** Anything the messaging network takes: the part that the type names has been checked by whoever hands it in. */
export interface NetworkTurn {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** What can be sent: to a channel a turn, to the network anything it takes. */
export type Sendable = Turn | NetworkTurn;

/** The kind of a turn, as messages name it; a template turn has no `type` of its own. */
export const turnType = (turn: Sendable): string => ('type' in turn ? turn.type : 'template');
