interface Content {
  readonly [type: string]: unknown;
}

/** The fields of a message's content that hold text. */
interface MessagePart {
  readonly body?: string | { readonly text?: string };
  readonly text?: string;
  readonly caption?: string;
  readonly button_reply?: { readonly title: string };
  readonly list_reply?: { readonly title: string };
  readonly action?: {
    readonly buttons?: readonly { readonly reply: { readonly title: string } }[];
    readonly sections?: readonly { readonly rows: readonly { readonly title: string }[] }[];
  };
}

/** The text of a message; for a message without text its type in brackets. */
export function textOf({ type, content }: { type: string; content: Content }): string {
  const part = content[type] as MessagePart | undefined;
  const body = typeof part?.body === 'object' ? part.body.text : part?.body;
  return body ?? part?.text ?? part?.button_reply?.title ?? part?.list_reply?.title ?? part?.caption ?? `[${type}]`;
}

/** The titles of the buttons or list rows of a message. */
export function optionsOf({ interactive }: Content): string[] {
  const { buttons = [], sections = [] } = (interactive as MessagePart | undefined)?.action ?? {};
  return [...buttons.map(({ reply }) => reply.title), ...sections.flatMap(({ rows }) => rows.map(({ title }) => title))];
}
