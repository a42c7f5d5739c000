/**
 * How contacts answer questions. A connector remembers what it asked each contact; an option that is tapped goes to the platform
 * with the id and title that it came with, and with the id of our message that asked.
 */
interface Option {
  readonly id: string;
  readonly title: string;
}

/** A turn that asks something, as the platform delivers it. */
interface Turn {
  readonly interactive?: {
    readonly type: string;
    readonly action: {
      readonly buttons?: readonly { readonly reply: Option }[];
      readonly sections?: readonly { readonly rows: readonly Option[] }[];
    };
  };
}

/** What each contact was asked last, with our id of the message that asked. */
const questions = new Map<string, { id: string; kind: 'button_reply' | 'list_reply'; options: readonly Option[] }>();

export function noteQuestion(id: string, to: string, { interactive }: Turn): void {
  const { buttons = [], sections = [] } = interactive?.action ?? {};
  const options = [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows)];
  if (options.length > 0) questions.set(to, { id, kind: interactive?.type === 'list' ? 'list_reply' : 'button_reply', options });
}

/** What somebody does on the phone: writes, taps the title of an option, or sends another message as the interface has it. */
interface ContactInput {
  readonly from: string;
  readonly name?: string;
  readonly text?: string;
  readonly tap?: string;
  readonly message?: { readonly type: string };
  /** Our id of the message that it quotes. */
  readonly quote?: string;
}

/** The inbound message that a deed is. Writing the title of an option is tapping it; only options of the last question are there. */
export function inboundOf({ from, name = 'Sam', text, tap, message, quote }: ContactInput, own: { id: string; timestamp: string }) {
  const question = questions.get(from);
  const tapped = message ? undefined : question?.options.find(({ title }) => title === (tap ?? text));
  if (tap !== undefined && !tapped) return { error: `no question to ${from} offers '${tap}'` };
  const said = message ?? { type: 'text', text: { body: text } };
  const quoted = quote === undefined ? said : { ...said, context: { id: quote } };
  const content = question && tapped ? replyTo(question.id, question.kind, tapped) : quoted;
  return { contact: { id: from, profile: { name } }, message: { from, ...own, ...content } };
}

const replyTo = (asked: string, kind: string, { id, title }: Option) => ({
  type: 'interactive',
  context: { id: asked },
  interactive: { type: kind, [kind]: { id, title } },
});
