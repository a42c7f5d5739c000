import { anyOf, anyString, anyValue, array, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** The schemas of outgoing messages (Resources, "Shapes of the turn object"). */

const textTurn = object({ type: oneOf('text'), text: object({ body: anyString() }) });

/** The only kind without a `type` key. */
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

/** Any message that a channel driver must be able to send. */
export const turnSchema = anyOf(textTurn, templateTurn, buttonsTurn, listTurn, flowTurn, imageTurn, videoTurn, audioTurn, documentTurn);

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

/** Any message that the messaging network accepts. The caller has validated the part that `type` names. */
export interface NetworkTurn {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** A message to send: channels accept turns, the network any of its message types. */
export type Sendable = Turn | NetworkTurn;

/** The message type of a turn; `template` for template turns, which have no `type`. */
export const turnType = (turn: Sendable): string => ('type' in turn ? turn.type : 'template');
