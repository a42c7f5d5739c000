import Joi from 'joi';
import { anyOf, anyText, anything, dictionary, fields, list, oneOf, type TypeOf } from '../shape.js';

/** What one step of a conversation says: the shapes of the `turn` object (Resources, "Shapes of the turn object"). */

const textTurn = fields({ type: oneOf('text'), text: fields({ body: anyText() }) });

/** The one kind without a `type` key. */
const templateTurn = fields({
  template: fields(
    { name: Joi.string(), language: fields({ code: Joi.string() }) },
    {
      namespace: anyText(),
      components: list(
        fields(
          { type: Joi.string(), parameters: list(fields({ type: Joi.string() }).unknown()) },
          { sub_type: Joi.string(), index: Joi.string() },
        ),
      ),
    },
  ),
});

const header = fields({ type: oneOf('text', 'image', 'video', 'document') }).unknown();
const body = fields({ text: anyText() });
const footer = fields({ text: anyText() });
const reply = fields({ id: Joi.string(), title: anyText() });

const buttonsTurn = fields({
  type: oneOf('interactive'),
  interactive: fields(
    { type: oneOf('button'), body, action: fields({ buttons: list(fields({ type: oneOf('reply'), reply })) }) },
    { header, footer },
  ),
});

const row = fields({ id: Joi.string(), title: anyText() }, { description: anyText() });

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
          { flow_action: Joi.string(), flow_cta: anyText(), flow_id: Joi.string(), flow_message_version: Joi.string(), mode: Joi.string() },
          { flow_action_payload: fields({ screen: Joi.string() }, { data: dictionary(anything()) }), flow_token: anyText() },
        ),
      }),
    },
    { header, footer },
  ),
});

const imageTurn = fields({ type: oneOf('image'), image: fields({ link: Joi.string(), mime_type: Joi.string() }, { caption: anyText() }) });
const videoTurn = fields({ type: oneOf('video'), video: fields({ link: Joi.string(), mime_type: Joi.string() }, { caption: anyText() }) });
const audioTurn = fields({ type: oneOf('audio'), audio: fields({ link: Joi.string(), mime_type: Joi.string() }) });
const documentTurn = fields({
  type: oneOf('document'),
  document: fields({ link: Joi.string(), mime_type: Joi.string(), filename: anyText() }, { caption: anyText() }),
});

/** Every kind of turn a channel can be given. */
export const turnSchema = anyOf(textTurn, templateTurn, buttonsTurn, listTurn, flowTurn, imageTurn, videoTurn, audioTurn, documentTurn);

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

/** The kind of a turn, as messages name it; a template turn has no `type` of its own. */
export const turnType = (turn: Turn): string => ('type' in turn ? turn.type : 'template');
