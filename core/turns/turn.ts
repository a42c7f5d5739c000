import { anyOf, anyString, anyValue, array, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** What one step of a conversation says: the shapes of the `turn` object (Resources, "Shapes of the turn object"). */

const textTurn = object({ type: oneOf('text'), text: object({ body: anyString() }) });

/** The one kind without a `type` key. */
const templateTurn = object({
  template: object(
    { name: string(), language: object({ code: string() }) },
    {
      namespace: anyString(),
      components: array(
        object({ type: string(), parameters: array(object({ type: string() }).unknown()) }, { sub_type: string(), index: string() }),
      ),
    },
  ),
});

const header = object({ type: oneOf('text', 'image', 'video', 'document') }).unknown();
const body = object({ text: anyString() });
const footer = object({ text: anyString() });
const reply = object({ id: string(), title: anyString() });

const buttonsTurn = object({
  type: oneOf('interactive'),
  interactive: object(
    { type: oneOf('button'), body, action: object({ buttons: array(object({ type: oneOf('reply'), reply })) }) },
    { header, footer },
  ),
});

const row = object({ id: string(), title: anyString() }, { description: anyString() });

const listTurn = object({
  type: oneOf('interactive'),
  interactive: object(
    {
      type: oneOf('list'),
      body,
      action: object({ button: anyString(), sections: array(object({ rows: array(row) }, { title: anyString() })) }),
    },
    { header, footer },
  ),
});

const flowTurn = object({
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
});

const imageTurn = object({ type: oneOf('image'), image: object({ link: string(), mime_type: string() }, { caption: anyString() }) });
const videoTurn = object({ type: oneOf('video'), video: object({ link: string(), mime_type: string() }, { caption: anyString() }) });
const audioTurn = object({ type: oneOf('audio'), audio: object({ link: string(), mime_type: string() }) });
const documentTurn = object({
  type: oneOf('document'),
  document: object({ link: string(), mime_type: string(), filename: anyString() }, { caption: anyString() }),
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
