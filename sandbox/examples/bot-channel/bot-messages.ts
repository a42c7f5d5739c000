/** Messages in the forms of the platform and of the bot API. */
import Joi from 'joi';
import { integer, object, string, type Turn, type TypeOf } from 'posthorn';

/** A key below a message. A tap brings back its data. */
export interface Key {
  readonly text: string;
  readonly callback_data: string;
}

const chat = object({ id: integer() }, { first_name: string() });
const keyboard = object({ inline_keyboard: Joi.array<readonly (readonly Key[])[]>().required() });

/** An update, which the bot API posts: a message of a contact, or a tap on a key. */
export const updateSchema = object(
  { update_id: integer() },
  {
    message: object({ message_id: integer(), chat, text: string() }),
    callback_query: object({ id: string(), data: string(), message: object({ message_id: integer(), chat, reply_markup: keyboard }) }),
  },
);

interface Question {
  readonly body?: { readonly text: string };
  readonly action?: Action;
}

interface Action {
  readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[];
  readonly sections?: readonly { readonly rows: readonly { readonly id: string; readonly title: string }[] }[];
}

/** The text of a message, and its buttons or rows as keys. */
export function sentForm(turn: Turn): { readonly text: string; readonly keys: readonly Key[] } {
  if ('text' in turn) return { text: turn.text.body, keys: [] };
  const { body, action: { buttons = [], sections = [] } = {} } = ('interactive' in turn ? turn.interactive : {}) as Question;
  const options = [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows)];
  return {
    text: body?.text ?? 'a message that bots cannot show',
    keys: options.map(({ id, title }) => ({ text: title, callback_data: id })),
  };
}

/** The channel's id of a message, with which a reply names it. */
export const idOf = (chat: number | string, message: number): string => `${chat}:${message}`;

/** The inbound message of an update, without its time; undefined for updates of other kinds. */
export function inboundOf({ message, callback_query: tap }: TypeOf<typeof updateSchema>) {
  const from = (message ?? tap?.message)?.chat;
  if (!from) return undefined;
  const contact = { id: String(from.id), name: from.first_name ?? String(from.id) };
  const sender = { contact, from: contact.id };
  if (message) return { ...sender, id: idOf(from.id, message.message_id), type: 'text', content: { text: { body: message.text } } };
  const key = tap!.message.reply_markup.inline_keyboard.flat().find(({ callback_data }) => callback_data === tap!.data);
  const button_reply = { id: tap!.data, title: key?.text ?? tap!.data };
  const content = { interactive: { type: 'button_reply', button_reply }, context: { id: idOf(from.id, tap!.message.message_id) } };
  return { ...sender, id: `tap:${tap!.id}`, type: 'interactive', content };
}
