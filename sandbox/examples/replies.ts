/**
 * Replies of contacts to questions. The connector remembers the last question to each contact; a tapped option goes to the platform
 * with its id and title, and with the connector's id of the message that asked.
 */
import { type Option, optionsOf, type Turn } from './turn.js';

/** The last question to each contact, with the id of its message. */
const questions = new Map<string, { id: string; kind: 'button_reply' | 'list_reply'; options: readonly Option[] }>();

export function noteQuestion(id: string, to: string, turn: Turn): void {
  const options = optionsOf(turn);
  if (options.length > 0) questions.set(to, { id, kind: turn.interactive?.type === 'list' ? 'list_reply' : 'button_reply', options });
}

/** An action on the phone: a text, a tap on the title of an option, or a complete message in the form of the interface. */
interface ContactInput {
  readonly from: string;
  readonly name?: string;
  readonly text?: string;
  readonly tap?: string;
  readonly message?: { readonly type: string };
  /** The connector's id of the quoted message. */
  readonly quote?: string;
}

/** Makes the inbound message. A text that equals the title of an option of the last question counts as a tap. */
export function inboundOf({ from, name = 'Sam', text, tap, message, quote }: ContactInput, own: { id: string; timestamp: string }) {
  const question = questions.get(from);
  const tapped = message ? undefined : question?.options.find(({ title }) => title === (tap ?? text));
  if (tap !== undefined && !tapped) return { error: `the last question to ${from} has no option '${tap}'` };
  const plain = message ?? { type: 'text', text: { body: text } };
  const quoted = quote === undefined ? plain : { ...plain, context: { id: quote } };
  const content = question && tapped ? replyTo(question.id, question.kind, tapped) : quoted;
  return { contact: { id: from, profile: { name } }, message: { from, ...own, ...content } };
}

const replyTo = (question: string, kind: string, { id, title }: Option) => ({
  type: 'interactive',
  context: { id: question },
  interactive: { type: kind, [kind]: { id, title } },
});
